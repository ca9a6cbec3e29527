/// Reads regular expressions as Swift writes them, as far as they can be enforced while a text is generated.
///
/// A character is a Unicode scalar, as in JSON Schema. Swift's engine, for which a letter and its marks are one, matches what is generated
/// where no class has marks, and counts them with their letters elsewhere.
struct PatternParser {
  private let pattern: String
  private let scalars: [UnicodeScalar]
  private var position = 0
  private var depth = 0
  /// Whether a letter stands for both of its cases here.
  private var ignoresCase = false

  private static let depthLimit = 64
  private static let countLimit = 1000
  private static let caseLimit = 2000

  private init(_ pattern: String) {
    self.pattern = pattern
    scalars = Array(pattern.unicodeScalars)
  }

  /// The parts of `pattern`, which is to match a whole text.
  static func parse(_ pattern: String) throws(GrammarDefect) -> PatternNode {
    var parser = PatternParser(pattern)
    // Anchors at the ends say what holds anyway.
    if parser.peek == "^" { parser.position += 1 }
    let node = try parser.parseAlternatives()
    guard parser.peek == nil else { throw parser.unsupported("an unmatched parenthesis") }
    return node
  }

  private mutating func parseAlternatives() throws(GrammarDefect) -> PatternNode {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else { throw unsupported("too deep a nesting") }
    var alternatives = [try parseSequence()]
    while take("|") { alternatives.append(try parseSequence()) }
    return alternatives.count == 1 ? alternatives[0] : .alternatives(alternatives)
  }

  private mutating func parseSequence() throws(GrammarDefect) -> PatternNode {
    var nodes: [PatternNode] = []
    while let scalar = peek, scalar != "|", scalar != ")" {
      if scalar == "$", position == scalars.count - 1, depth == 1 {
        position += 1
        break
      }
      if scalar == "\\", position + 1 < scalars.count, scalars[position + 1] == "Q" {
        nodes += try parseQuoted()
      } else {
        nodes.append(try parseQuantified())
      }
    }
    return .sequence(nodes)
  }

  /// `\Q…\E`: a text as it is; a quantifier behind it is for its last scalar.
  private mutating func parseQuoted() throws(GrammarDefect) -> [PatternNode] {
    position += 2
    var nodes: [PatternNode] = []
    while let scalar = peek {
      position += 1
      if scalar == "\\", take("E") {
        guard let last = nodes.popLast() else { return [] }
        return nodes + [try quantified(last)]
      }
      nodes.append(.scalar(cases(of: CharacterRanges(scalar))))
    }
    return nodes
  }

  private mutating func parseQuantified() throws(GrammarDefect) -> PatternNode {
    try quantified(try parseAtom())
  }

  private mutating func quantified(_ atom: PatternNode) throws(GrammarDefect) -> PatternNode {
    var node = atom
    while let (minimum, maximum) = try parseQuantifier() {
      if let maximum, maximum < minimum { throw unsupported("counts in falling order") }
      node = .repeated(node, minimum: minimum, maximum: maximum)
      // A lazy quantifier matches the same texts; a possessive one does not.
      if take("?") { continue }
      if peek == "+" { throw unsupported("a possessive quantifier") }
    }
    return node
  }

  private mutating func parseQuantifier() throws(GrammarDefect) -> (Int, Int?)? {
    switch peek {
    case "*":
      position += 1
      return (0, nil)
    case "+":
      position += 1
      return (1, nil)
    case "?":
      position += 1
      return (0, 1)
    case "{":
      position += 1
      let minimum = parseNumber()
      let hasComma = take(",")
      let maximum = hasComma ? parseNumber() : minimum
      guard take("}"), minimum != nil || maximum != nil else {
        throw unsupported("a quantifier that is no count")
      }
      guard max(minimum ?? 0, maximum ?? 0) <= Self.countLimit else {
        throw unsupported("a count above \(Self.countLimit)")
      }
      return (minimum ?? 0, maximum)
    default: return nil
    }
  }

  private mutating func parseNumber() -> Int? {
    var digits = ""
    while let scalar = peek, ("0"..."9").contains(scalar), digits.count < 9 {
      digits.unicodeScalars.append(scalar)
      position += 1
    }
    return Int(digits)
  }

  private mutating func parseAtom() throws(GrammarDefect) -> PatternNode {
    guard let scalar = peek else { throw unsupported("an end") }
    switch scalar {
    case "(": return try parseGroup()
    case "[": return .scalar(cases(of: try parseClass()))
    case ".":
      position += 1
      return .scalar(.inLine)
    case "\\":
      position += 1
      return .scalar(cases(of: try parseEscape().set))
    case "^", "$": throw unsupported("an anchor inside")
    case "*", "+", "?", "{": throw unsupported("a quantifier of nothing")
    default:
      position += 1
      return .scalar(cases(of: CharacterRanges(scalar)))
    }
  }

  /// The set with the other cases of its letters, where they are not told apart.
  private func cases(of set: CharacterRanges) -> CharacterRanges {
    guard ignoresCase else { return set }
    var others: [ClosedRange<UInt32>] = []
    for range in set.ranges {
      // Large sets are those of whole scripts, which have both cases.
      for value in range.prefix(Self.caseLimit) {
        guard let scalar = UnicodeScalar(value) else { continue }
        for text in [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping] {
          guard let other = text.unicodeScalars.first, text.unicodeScalars.count == 1,
            other != scalar
          else { continue }
          others.append(other.value...other.value)
        }
      }
    }
    return set.union(CharacterRanges(others))
  }

  private mutating func parseGroup() throws(GrammarDefect) -> PatternNode {
    position += 1
    let ignoredCase = ignoresCase
    if take("?") {
      if peek == "i" || peek == "-" {
        ignoresCase = take("i")
        if !ignoresCase {
          position += 1
          guard take("i") else { throw unsupported("a group of a special kind") }
        }
        // For the rest of the group that it stands in, whose end gives back what was before.
        if take(")") { return .sequence([]) }
        guard take(":") else { throw unsupported("a group of a special kind") }
      } else if take("P") || peek == "<" {
        try parseGroupName()
      } else if !take(":") {
        throw unsupported("a group of a special kind")
      }
    } else if peek == "*" {
      throw unsupported("a group of a special kind")
    }
    let node = try parseAlternatives()
    guard take(")") else { throw unsupported("an open parenthesis") }
    ignoresCase = ignoredCase
    return node
  }

  private mutating func parseGroupName() throws(GrammarDefect) {
    guard take("<"), let first = peek, first.properties.isAlphabetic || first == "_" else {
      throw unsupported("a group of a special kind")
    }
    while let scalar = peek,
      scalar.properties.isAlphabetic || scalar == "_" || CharacterRanges.digits.contains(scalar)
    {
      position += 1
    }
    guard take(">") else { throw unsupported("a group of a special kind") }
  }

  /// `[…]`: sets, ranges and scalars, or all but these.
  private mutating func parseClass() throws(GrammarDefect) -> CharacterRanges {
    let start = position
    position += 1
    let isNegated = take("^")
    var set = CharacterRanges([])
    while let scalar = peek, scalar != "]" {
      guard scalar != "[" else { throw unsupported("a class in a class") }
      let (item, first) = try parseClassItem()
      guard let first, peek == "-", position + 1 < scalars.count, scalars[position + 1] != "]"
      else {
        set = set.union(item)
        continue
      }
      position += 1
      guard let last = try parseClassItem().scalar, first <= last else {
        throw unsupported("a range in falling order")
      }
      set = set.union(CharacterRanges([first.value...last.value]).intersection(.all))
    }
    guard take("]") else { throw unsupported("an open bracket") }
    let result = isNegated ? CharacterRanges.inLine.subtracting(set) : set
    guard !result.isEmpty else {
      position = start
      throw unsupported("a class without a usable character")
    }
    return result
  }

  private mutating func parseClassItem() throws(GrammarDefect) -> (
    set: CharacterRanges, scalar: UnicodeScalar?
  ) {
    guard let scalar = peek else { throw unsupported("an open bracket") }
    // Doubled, these are operators on sets.
    if ["&", "-", "~"].contains(scalar), position + 1 < scalars.count,
      scalars[position + 1] == scalar
    {
      throw unsupported("an operator on classes")
    }
    position += 1
    if scalar == "\\" { return try parseEscape() }
    return (CharacterRanges(scalar), scalar)
  }

  private static let controls: [UnicodeScalar: UnicodeScalar] = [
    "n": "\n", "t": "\t", "r": "\r", "f": "\u{C}", "a": "\u{7}", "e": "\u{1B}", "0": "\0",
  ]

  /// What stands behind a backslash.
  private mutating func parseEscape() throws(GrammarDefect) -> (
    set: CharacterRanges, scalar: UnicodeScalar?
  ) {
    guard let scalar = peek else { throw unsupported("a backslash at the end") }
    let sets: [UnicodeScalar: CharacterRanges] = ["d": .digits, "w": .wordParts, "s": .spaces]
    if let set = sets[scalar] {
      position += 1
      return (set, nil)
    }
    let lowercase = UnicodeScalar(scalar.value | 0x20)
    if let lowercase, lowercase != scalar, let set = sets[lowercase] {
      position += 1
      // Some scalars outside of ASCII are digits and letters, too: they are left out.
      return (CharacterRanges([0x20...0x7E]).subtracting(set), nil)
    }
    if scalar == "u" || scalar == "x" { return try parseCode() }
    if let control = Self.controls[scalar] {
      position += 1
      return (CharacterRanges(control), control)
    }
    guard !scalar.properties.isAlphabetic, !CharacterRanges.digits.contains(scalar) else {
      throw unsupported("the escape '\\\(scalar)'")
    }
    position += 1
    return (CharacterRanges(scalar), scalar)
  }

  /// `uXXXX`, `xXX`, `u{X…}` or `x{X…}`.
  private mutating func parseCode() throws(GrammarDefect) -> (
    set: CharacterRanges, scalar: UnicodeScalar?
  ) {
    let length = take("u") ? 4 : take("x") ? 2 : 0
    let isBraced = take("{")
    var digits = ""
    while let scalar = peek, scalar.properties.isASCIIHexDigit,
      digits.count < (isBraced ? 8 : length)
    {
      digits.unicodeScalars.append(scalar)
      position += 1
    }
    guard isBraced ? take("}") : digits.count == length, let value = UInt32(digits, radix: 16),
      let scalar = UnicodeScalar(value)
    else { throw unsupported("a code that is no scalar") }
    return (CharacterRanges(scalar), scalar)
  }

  private var peek: UnicodeScalar? { position < scalars.count ? scalars[position] : nil }

  private mutating func take(_ scalar: UnicodeScalar) -> Bool {
    guard peek == scalar else { return false }
    position += 1
    return true
  }

  private func unsupported(_ part: String) -> GrammarDefect {
    .unsupportedPattern(pattern: pattern, part: part, offset: position)
  }
}
