/// Reads regular expressions as Swift writes them, as far as they can be followed in linear time.
///
/// A character is a Unicode scalar, as in Python and in JSON Schema. Swift's engine, for which a letter and its marks are one, matches
/// what is written where no class has marks, and counts them with their letters elsewhere.
struct PatternParser {
  /// What a pattern is for.
  enum Use {
    /// To be searched for in texts.
    case search
    /// To write texts that match as a whole.
    case whole
    /// To write texts that have a match somewhere.
    case anywhere
  }

  /// What holds for the rest of a group.
  struct Flags {
    var ignoresCase: Bool
    var crossesLines = false
    var isLinewise = false
  }

  let scalars: [UnicodeScalar]
  let use: Use
  var position = 0
  var depth = 0
  var flags: Flags
  var properties: [String: CharacterProperty] = [:]

  /// Groups and classes inside each other at most, as the parser calls itself for each.
  private static let depthLimit = 64
  private static let countLimit = 10_000

  private init(_ pattern: String, for use: Use, ignoresCase: Bool) {
    (scalars, self.use) = (Array(pattern.unicodeScalars), use)
    flags = Flags(ignoresCase: ignoresCase)
  }

  /// The parts of `pattern`; what is written has no assertions, as those at the ends say what holds anyway.
  static func parse(
    _ pattern: String, for use: Use, ignoresCase: Bool = false
  ) throws(PatternDefect) -> PatternNode {
    var parser = PatternParser(pattern, for: use, ignoresCase: ignoresCase)
    let node = try parser.alternatives()
    guard parser.peek == nil else { throw parser.defect("an unmatched parenthesis") }
    return node
  }

  mutating func deeper() throws(PatternDefect) {
    depth += 1
    guard depth <= Self.depthLimit else {
      throw defect("more than \(Self.depthLimit) parts inside each other")
    }
  }

  private mutating func alternatives() throws(PatternDefect) -> PatternNode {
    try deeper()
    defer { depth -= 1 }
    var alternatives = [try sequence()]
    while take("|") { alternatives.append(try sequence()) }
    return alternatives.count == 1 ? alternatives[0] : .alternatives(alternatives)
  }

  private mutating func sequence() throws(PatternDefect) -> PatternNode {
    var nodes: [PatternNode] = []
    var (isFromStart, isToEnd) = (false, false)
    while let scalar = peek, scalar != "|", scalar != ")" {
      if isOuterEnd, nodes.isEmpty, take("^") {
        isFromStart = true
      } else if isOuterEnd, [nil, "|"].contains(ahead(1)), take("$") {
        isToEnd = true
      } else if take(#"\Q"#) {
        nodes += try quoted()
      } else if let node = try part() {
        nodes.append(try quantified(node))
      }
    }
    guard use == .anywhere, depth == 1 else { return .sequence(nodes) }
    let anything = PatternNode.repeated(.take(.shorthand(.any)), minimum: 0, maximum: nil)
    return .sequence((isFromStart ? [] : [anything]) + nodes + (isToEnd ? [] : [anything]))
  }

  /// Whether an anchor here may stand at an end of what is written.
  private var isOuterEnd: Bool { use != .search && depth == 1 && !flags.isLinewise }

  /// `\Q…\E`: a text as it is; a quantifier behind it is for its last scalar.
  private mutating func quoted() throws(PatternDefect) -> [PatternNode] {
    var nodes: [PatternNode] = []
    while !take(#"\E"#) {
      guard let scalar = next() else { return nodes }
      nodes.append(.take(literal(scalar)))
    }
    guard let last = nodes.popLast() else { return [] }
    return nodes + [try quantified(last)]
  }

  private mutating func quantified(_ part: PatternNode) throws(PatternDefect) -> PatternNode {
    guard let (minimum, maximum) = try count() else { return part }
    // A lazy quantifier matches the same texts; a possessive one does not.
    if !take("?"), peek == "+" { throw defect("a possessive quantifier") }
    return .repeated(part, minimum: minimum, maximum: maximum)
  }

  /// What a quantifier says; a brace that begins none is a character.
  private mutating func count() throws(PatternDefect) -> (Int, Int?)? {
    if take("*") { return (0, nil) }
    if take("+") { return (1, nil) }
    if take("?") { return (0, 1) }
    let start = position
    guard take("{") else { return nil }
    let minimum = number()
    let maximum = take(",") ? number() : minimum
    guard take("}"), minimum != nil || maximum != nil else {
      position = start
      return nil
    }
    guard max(minimum ?? 0, maximum ?? 0) <= Self.countLimit else {
      throw defect("a count above \(Self.countLimit)")
    }
    guard minimum ?? 0 <= maximum ?? .max else { throw defect("counts in falling order") }
    return (minimum ?? 0, maximum)
  }

  private mutating func number() -> Int? {
    var digits = ""
    while let scalar = peek, CharacterRanges.digits.contains(scalar) {
      digits.unicodeScalars.append(scalar)
      position += 1
    }
    return digits.isEmpty ? nil : Int(digits) ?? .max
  }

  /// Nil for flags, which are no part.
  private mutating func part() throws(PatternDefect) -> PatternNode? {
    let start = position
    if try count() != nil {
      position = start
      throw defect("a quantifier of nothing")
    }
    if take("(") { return try group() }
    if peek == "[" { return .take(try characterClass()) }
    if take("^") { return try anchor(flags.isLinewise ? .lineStart : .textStart) }
    if take("$") { return try anchor(flags.isLinewise ? .lineEnd : .textEnd) }
    if take(".") { return .take(.shorthand(flags.crossesLines ? .any : .inLine)) }
    if take(#"\"#) { return try escaped() }
    return next().map { .take(literal($0)) }
  }

  private mutating func anchor(
    _ assertion: PatternAssertion
  ) throws(PatternDefect) -> PatternNode {
    guard use == .search else {
      position -= 1
      throw defect("an anchor inside")
    }
    return .assertion(assertion)
  }

  private static let assertions: [UnicodeScalar: PatternAssertion] = [
    "A": .textStart, "z": .textEnd, "Z": .lastLineEnd, "b": .wordBoundary, "B": .noWordBoundary,
  ]

  private mutating func escaped() throws(PatternDefect) -> PatternNode {
    if use == .search, let assertion = peek.flatMap({ Self.assertions[$0] }) {
      position += 1
      return .assertion(assertion)
    }
    return .take(try escape().set)
  }
}

extension PatternParser {
  private static let looks = [
    ("?=", false, true), ("?!", false, false), ("?<=", true, true), ("?<!", true, false),
  ]

  private mutating func group() throws(PatternDefect) -> PatternNode? {
    let outer = flags
    for (mark, isBehind, isWanted) in Self.looks where use == .search && take(mark) {
      return .look(try closed(outer), isBehind: isBehind, isWanted: isWanted)
    }
    guard take("?") else { return try closed(outer) }
    if take("P<") || take("<") {
      try groupName()
    } else {
      try readFlags()
      // For the rest of the group around them.
      if take(")") { return nil }
      guard take(":") else { throw special }
    }
    return try closed(outer)
  }

  /// The rest of a group, behind which the flags of `outer` hold again.
  private mutating func closed(_ outer: Flags) throws(PatternDefect) -> PatternNode {
    let node = try alternatives()
    guard take(")") else { throw defect("an open parenthesis") }
    flags = outer
    return node
  }

  private var special: PatternDefect { defect("a group of a special kind") }

  /// Flags, which are off behind a `-`.
  private mutating func readFlags() throws(PatternDefect) {
    var isOn = true
    while let scalar = peek, scalar != ")", scalar != ":" {
      switch scalar {
      case "i": flags.ignoresCase = isOn
      case "s": flags.crossesLines = isOn
      case "m": flags.isLinewise = isOn
      case "-" where isOn: isOn = false
      default: throw special
      }
      position += 1
    }
  }

  private mutating func groupName() throws(PatternDefect) {
    let start = position
    while let scalar = peek,
      scalar.properties.isAlphabetic || scalar == "_"
        || position > start && scalar.properties.numericType != nil
    {
      position += 1
    }
    guard position > start, take(">") else { throw special }
  }
}
