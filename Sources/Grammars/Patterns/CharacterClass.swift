/// A set of Unicode scalars, as a regular expression says it.
indirect enum CharacterClass {
  case scalars(CharacterRanges)
  case shorthand(Shorthand)
  case property(CharacterProperty)
  case union([CharacterClass])
  case intersection(CharacterClass, CharacterClass)
  case not(CharacterClass)

  /// What has a short name; `blank` is `\h`, `newline` is `\v`, and `inLine` the dot.
  enum Shorthand { case digit, word, space, blank, newline, inLine, any }

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    switch self {
    case .scalars(let ranges): ranges.contains(scalar)
    case .shorthand(let shorthand): shorthand.contains(scalar)
    case .property(let property): property.contains(scalar)
    case .union(let classes): classes.contains { $0.contains(scalar) }
    case .intersection(let left, let right): left.contains(scalar) && right.contains(scalar)
    case .not(let other): !other.contains(scalar)
    }
  }

  /// The scalars of the set that a model may write: shorthands cover ASCII, and all but some is what is on a line.
  var written: CharacterRanges {
    switch self {
    case .scalars(let ranges): ranges
    case .shorthand(let shorthand): shorthand.written
    // The parser refuses it where something is written.
    case .property: CharacterRanges([])
    case .union(let classes):
      classes.reduce(CharacterRanges([])) { $0.union($1.written) }
    case .intersection(let left, let right): left.written.intersection(right.written)
    case .not(.shorthand(let shorthand)):
      CharacterRanges([0x20...0x7E]).subtracting(shorthand.written)
    case .not(let other): CharacterRanges.inLine.subtracting(other.written)
    }
  }
}

extension CharacterClass.Shorthand {
  func contains(_ scalar: Unicode.Scalar) -> Bool {
    switch self {
    case .digit: scalar.properties.numericType != nil
    case .word: scalar.isPartOfWord
    case .space: scalar.properties.isWhitespace
    case .blank: scalar == "\t" || scalar.properties.generalCategory == .spaceSeparator
    case .newline: CharacterRanges.newlines.contains(scalar)
    case .inLine: !CharacterRanges.newlines.contains(scalar)
    case .any: true
    }
  }

  fileprivate var written: CharacterRanges {
    switch self {
    case .digit: .digits
    case .word: .wordParts
    case .space: .spaces
    case .blank: CharacterRanges([0x09...0x09, 0x20...0x20])
    case .newline: CharacterRanges("\n")
    case .inLine: .inLine
    case .any: .inLine.union(.spaces)
    }
  }
}

/// A property such as `\p{L}`, which Swift's engine is asked for; what it says is kept.
final class CharacterProperty {
  private let expression: Regex<AnyRegexOutput>
  private var known: [Unicode.Scalar: Bool] = [:]

  /// Nil where Swift has no such property.
  init?(_ pattern: String) {
    guard let expression = try? Regex(pattern) else { return nil }
    self.expression = expression
  }

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    if let known = known[scalar] { return known }
    let isContained = String(scalar).wholeMatch(of: expression) != nil
    known[scalar] = isContained
    return isContained
  }
}

extension Unicode.Scalar {
  /// As Unicode's report 18 has it: marks are parts of words.
  fileprivate var isPartOfWord: Bool {
    if isASCII { return CharacterRanges.wordParts.contains(self) }
    return switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: properties.isAlphabetic || properties.numericType != nil
    }
  }

  /// The scalar in its other cases, where those are single scalars.
  fileprivate var otherCases: [Unicode.Scalar] {
    // The only capital that its small letter does not lead to.
    if self == "ß" { return ["ẞ"] }
    let cases = [
      properties.lowercaseMapping, properties.uppercaseMapping, properties.titlecaseMapping,
    ]
    return cases.compactMap { $0.unicodeScalars.count == 1 ? $0.unicodeScalars.first : nil }
  }
}

extension CharacterRanges {
  /// Scalars of a range whose other cases are looked for; larger ones are those of whole scripts, which have both.
  private static let caseLimit = 2000

  var inEitherCase: CharacterRanges {
    let others = ranges.flatMap { range in
      range.prefix(Self.caseLimit).compactMap(UnicodeScalar.init).flatMap(\.otherCases)
    }
    return union(CharacterRanges(others.map { $0.value...$0.value }))
  }
}
