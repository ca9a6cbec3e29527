/// How many levels of nesting each rule needs at least, and what its choices come down to.
struct GrammarLevels {
  typealias Rule = Grammar.Rule

  /// One of the forms that a rule can have: neither a choice nor a reference.
  struct Branch {
    let rule: Rule
    /// Where the rule stands, if something can refer to it.
    let place: Place?
  }

  /// A named rule, or a branch of one that is a choice.
  struct Place: Hashable {
    var name: String
    var branches: [Int] = []

    func branch(_ index: Int) -> Place { Place(name: name, branches: branches + [index]) }
  }

  /// More than any text can have: the rule contains itself without end.
  static let endless = Int32.max

  /// References inside of choices of each other at most.
  private static let referenceLimit = 1_000

  private let grammar: Grammar
  private var named: [String: Int32] = [:]
  /// For names of rules that only refer to others, what those lead to.
  private var ends: [String: String] = [:]

  /// - Throws: A rule that is wrong in itself, or a grammar of texts without end.
  init(_ grammar: Grammar) throws(GrammarDefect) {
    self.grammar = grammar
    for rule in [grammar.root] + grammar.rules.values { try Self.check(rule, grammar) }
    for name in grammar.rules.keys { named[name] = Self.endless }
    let order = Self.order(of: grammar)
    for name in order {
      if case .reference(let next)? = grammar.rules[name] { ends[name] = ends[next] ?? next }
    }
    // Each round settles at least one rule, or is the last one: the second, where none leads back.
    var changes = true
    var rounds = 0
    while changes {
      changes = false
      rounds += 1
      guard rounds * order.count <= Self.workLimit || rounds <= 2 else {
        throw .tooLarge(limit: GrammarCompiler.limit)
      }
      for name in order {
        guard let rule = grammar.rules[name] else { continue }
        let levels = needed(by: rule)
        if levels < named[name] ?? 0 {
          named[name] = levels
          changes = true
        }
      }
    }
    guard needed(by: grammar.root) <= GrammarProgram.levelLimit else { throw .endless }
  }

  /// Rules that are looked at, in all rounds together.
  private static let workLimit = 20_000_000

  /// The names of the rules, those that a rule refers to before it where they do not lead back.
  private static func order(of grammar: Grammar) -> [String] {
    var (order, met): ([String], Set<String>) = ([], [])
    for name in grammar.rules.keys where met.insert(name).inserted {
      var path = [(name: name, rest: references(in: grammar.rules[name]))]
      while let last = path.indices.last {
        guard let next = path[last].rest.popLast() else {
          order.append(path.removeLast().name)
          continue
        }
        guard met.insert(next).inserted else { continue }
        path.append((next, references(in: grammar.rules[next])))
      }
    }
    return order
  }

  private static func references(in rule: Rule?) -> [String] {
    switch rule {
    case .reference(let name): [name]
    case .object(let properties, _, _): properties.flatMap { references(in: $0.rule) }
    case .choice(let rules), .sequence(let rules): rules.flatMap { references(in: $0) }
    case .tuple(let first, let others, _, _): (first + [others]).flatMap { references(in: $0) }
    case .list(let rule, _, _), .joined(let rule, _, _, _), .dictionary(let rule, _, _):
      references(in: rule)
    default: []
    }
  }

  /// Levels that the shortest way through `rule` nests.
  func needed(by rule: Rule) -> Int32 {
    switch rule {
    case .object(let properties, let minimum, _):
      let required = properties.filter { !$0.isOptional }
      let least = neededByLeast(
        minimum - required.count, of: properties.filter(\.isOptional).map(\.rule))
      return Self.around(max(least, required.map { needed(by: $0.rule) }.max() ?? 0))
    case .list(let element, let minimum, _):
      return minimum > 0 ? Self.around(needed(by: element)) : 1
    case .tuple(let first, let others, let minimum, _):
      let parts = first.prefix(minimum) + (minimum > first.count ? [others] : [])
      return Self.around(parts.map(needed).max() ?? 0)
    case .dictionary(let value, let minimum, _):
      return minimum > 0 ? Self.around(max(needed(by: value), needed(by: .text))) : 1
    case .choice(let rules): return rules.map(needed).min() ?? Self.endless
    case .reference(let name): return named[name] ?? Self.endless
    case .text, .sizedText: return 1
    case .anything: return 2
    case .sequence(let rules): return rules.map(needed).max() ?? 0
    case .joined(let rule, _, let minimum, _):
      return minimum > 0 ? Self.around(needed(by: rule)) : 1
    default: return 0
    }
  }

  /// Levels of what has parts that need `inner` ones.
  private static func around(_ inner: Int32) -> Int32 { inner == endless ? inner : inner + 1 }

  /// Levels that those `count` of `rules` need which need the fewest.
  func neededByLeast(_ count: Int, of rules: [Rule]) -> Int32 {
    guard count > 0 else { return 0 }
    guard count <= rules.count else { return Self.endless }
    return rules.map(needed).sorted()[count - 1]
  }

  /// The forms of `rule` that a text can have; a choice that refers back to itself adds nothing.
  func branches(of rule: Rule) throws(GrammarDefect) -> [Branch] {
    var visited: Set<String> = []
    return try branches(of: rule, at: nil, &visited, depth: 0)
  }

  private func branches(
    of rule: Rule, at place: Place?, _ visited: inout Set<String>, depth: Int
  ) throws(GrammarDefect) -> [Branch] {
    guard depth <= Self.referenceLimit else { throw .tooLarge(limit: GrammarCompiler.limit) }
    guard needed(by: rule) != Self.endless else { return [] }
    switch rule {
    case .choice(let rules):
      var all: [Branch] = []
      for (index, rule) in rules.enumerated() {
        all += try branches(of: rule, at: place?.branch(index), &visited, depth: depth)
      }
      return all
    case .reference(let name):
      let end = ends[name] ?? name
      guard visited.insert(end).inserted, let rule = grammar.rules[end] else { return [] }
      return try branches(of: rule, at: Place(name: end), &visited, depth: depth + 1)
    default: return [Branch(rule: rule, place: place)]
    }
  }

  private static func check(_ minimum: Int, _ maximum: Int?) throws(GrammarDefect) {
    guard minimum >= 0, minimum <= maximum ?? .max else {
      throw .emptyCount(minimum: minimum, maximum: maximum ?? .max)
    }
  }

  private static func check(_ rule: Rule, _ grammar: Grammar) throws(GrammarDefect) {
    switch rule {
    case .object(let properties, let minimum, let maximum):
      let required = properties.count { !$0.isOptional }
      try check(max(minimum, required), min(maximum ?? .max, properties.count))
      var seen: Set<String> = []
      for property in properties {
        guard seen.insert(property.name).inserted else {
          throw .duplicateProperty(name: property.name)
        }
        try check(property.rule, grammar)
      }
    case .list(let element, let minimum, let maximum),
      .joined(let element, _, let minimum, let maximum),
      .dictionary(let element, let minimum, let maximum):
      try check(minimum, maximum)
      try check(element, grammar)
    case .tuple(let first, let others, let minimum, let maximum):
      try check(minimum, maximum)
      for rule in first + [others] { try check(rule, grammar) }
    case .sequence(let rules):
      for rule in rules { try check(rule, grammar) }
    case .sizedText(let minimum, let maximum): try check(minimum, maximum)
    case .choice(let rules):
      guard !rules.isEmpty else { throw .emptyChoice }
      for rule in rules { try check(rule, grammar) }
    case .texts(let texts):
      guard !texts.isEmpty else { throw .emptyChoice }
    case .reference(let name):
      guard grammar.rules[name] != nil else { throw .undefinedRule(name: name) }
    default: break
    }
  }
}
