import JSON

/// Turns a grammar into a program, from the end of each part to its start.
struct GrammarCompiler {
  typealias Place = GrammarProgram.Place

  private let grammar: Grammar
  let levels: GrammarLevels
  var program = GrammarProgram()
  /// Routines of named rules, of any text and of any JSON.
  private var named: [GrammarLevels.Place: Int32] = [:]
  var text: Int32?
  var anything: Int32?

  /// Instructions of a program at most.
  static let limit = 200_000

  private init(_ grammar: Grammar) throws(GrammarDefect) {
    self.grammar = grammar
    levels = try GrammarLevels(grammar)
  }

  /// The program for `grammar`.
  ///
  /// - Throws: What cannot be enforced.
  static func compile(_ grammar: Grammar) throws(GrammarDefect) -> GrammarProgram {
    var compiler = try GrammarCompiler(grammar)
    let accept = try compiler.add(.accept)
    compiler.program.start = try compiler.compile(grammar.root, then: accept)
    return compiler.program
  }

  mutating func add(_ instruction: GrammarProgram.Instruction) throws(GrammarDefect) -> Place {
    guard program.instructions.count < Self.limit else { throw .tooLarge(limit: Self.limit) }
    program.instructions.append(instruction)
    return Place(program.instructions.count - 1)
  }

  /// The place where `rule` starts, which goes on at `next`.
  mutating func compile(_ rule: Grammar.Rule, then next: Place) throws(GrammarDefect) -> Place {
    let branches = try levels.branches(of: rule)
    guard !branches.isEmpty else { throw .endless }
    var places: [Place] = []
    for branch in branches {
      let place = try compile(branch, then: next)
      let needed = levels.needed(by: branch.rule)
      places.append(
        branches.count == 1 ? place : try add(.room(levels: needed, next: place)))
    }
    return places.count == 1 ? places[0] : try add(.split(places))
  }

  private mutating func compile(
    _ branch: GrammarLevels.Branch, then next: Place
  ) throws(GrammarDefect) -> Place {
    switch branch.rule {
    case .object, .list, .tuple, .dictionary, .sizedText, .joined:
      return try add(.call(routine: try routine(branch), next: next))
    case .text: return try add(.call(routine: try textRoutine(), next: next))
    case .anything: return try add(.call(routine: try anythingRoutine(), next: next))
    case .texts(let texts):
      return try literals(Set(texts.map(JSONText.quoted)), then: next)
    case .pattern(let text, let isAnywhere):
      let pattern = try Self.pattern(text, isAnywhere)
      let end = try literal([UInt8(ascii: "\"")], then: next)
      return try literal([UInt8(ascii: "\"")], then: try compile(pattern, then: end))
    case .plainPattern(let text):
      return try compile(Self.pattern(text, false), isQuoted: false, then: next)
    case .integer(let minimum, let maximum):
      return try number(
        NumberRule(minimum: minimum, maximum: maximum, isInteger: true), then: next)
    case .number(let minimum, let maximum):
      return try number(
        NumberRule(minimum: minimum, maximum: maximum, isInteger: false), then: next)
    case .literal(let value): return try literal(Array(value.line.utf8), then: next)
    case .boolean: return try literals([Array("true".utf8), Array("false".utf8)], then: next)
    case .null: return try literal(Array("null".utf8), then: next)
    case .verbatim(let bytes): return try literal(bytes, then: next)
    case .sequence(let rules):
      var place = next
      for rule in rules.reversed() { place = try compile(rule, then: place) }
      return place
    case .choice, .reference: preconditionFailure("branches are neither")
    }
  }

  private static func pattern(
    _ text: String, _ isAnywhere: Bool
  ) throws(GrammarDefect) -> PatternProgram {
    do throws(PatternDefect) {
      let node = try PatternParser.parse(text, for: isAnywhere ? .anywhere : .whole)
      return try PatternProgram(node, limit: limit)
    } catch {
      switch error {
      case .part(let part, let offset):
        throw .unsupportedPattern(pattern: text, part: part, offset: offset)
      case .tooLarge(let limit): throw .tooLarge(limit: limit)
      }
    }
  }

  private mutating func number(_ rule: NumberRule, then next: Place) throws(GrammarDefect) -> Place
  {
    program.numbers.append(rule)
    return try add(.number(rule: Int32(program.numbers.count - 1), next: next))
  }
}

extension GrammarCompiler {
  mutating func newRoutine() -> Int32 {
    program.routines.append(-1)
    return Int32(program.routines.count - 1)
  }

  /// The routine of what has parts; one for all uses of a name.
  private mutating func routine(_ branch: GrammarLevels.Branch) throws(GrammarDefect) -> Int32 {
    if let place = branch.place, let routine = named[place] { return routine }
    let routine = newRoutine()
    // Known before it is compiled, as it may contain itself.
    if let place = branch.place { named[place] = routine }
    let leave = try add(.leave)
    switch branch.rule {
    case .object(let properties, let minimum, let maximum):
      program.routines[Int(routine)] = try object(properties, minimum, maximum, then: leave)
    case .list(let element, let minimum, let maximum):
      program.routines[Int(routine)] = try list(element, minimum, maximum, then: leave)
    case .tuple(let first, let others, let minimum, let maximum):
      program.routines[Int(routine)] = try tuple(first, others, minimum, maximum, then: leave)
    case .dictionary(let value, let minimum, let maximum):
      program.routines[Int(routine)] = try dictionary(value, minimum, maximum, then: leave)
    case .sizedText(let minimum, let maximum):
      program.routines[Int(routine)] = try sizedText(minimum, maximum, then: leave)
    case .joined(let rule, let separator, let minimum, let maximum):
      program.routines[Int(routine)] = try counted(
        minimum, maximum, between: ([], []), separator, levels: levels.needed(by: rule),
        then: leave
      ) { compiler, step throws(GrammarDefect) in try compiler.compile(rule, then: step) }
    default: preconditionFailure("no routine for other rules")
    }
    return routine
  }

  private mutating func sizedText(
    _ minimum: Int, _ maximum: Int?, then next: Place
  ) throws(GrammarDefect) -> Place {
    let quote = Array("\"".utf8)
    return try counted(minimum, maximum, between: (quote, quote), [], levels: 0, then: next) {
      compiler, step throws(GrammarDefect) in
      let plain = try compiler.scalars(JSONText.plain, then: step)
      compiler.program.textLoops[plain[0]] =
        maximum.flatMap(Int32.init(exactly:)).map { .counted(maximum: $0) } ?? .endless
      return try compiler.add(.split(plain + [try compiler.escape(then: step)]))
    }
  }
}
