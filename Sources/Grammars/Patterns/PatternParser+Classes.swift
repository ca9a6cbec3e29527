// What takes one character.
extension PatternParser {
  /// These scalars, in every case where cases are not told apart.
  private func ranges(_ ranges: CharacterRanges) -> CharacterClass {
    .scalars(flags.ignoresCase ? ranges.inEitherCase : ranges)
  }

  func literal(_ scalar: UnicodeScalar) -> CharacterClass { ranges(CharacterRanges(scalar)) }

  /// `[…]`: sets, ranges and scalars, or all but these.
  mutating func characterClass() throws(PatternDefect) -> CharacterClass {
    let (start, outer) = (position, depth)
    defer { depth = outer }
    try deeper()
    position += 1
    let isNegated = take("^")
    var set = try items(from: start)
    while let operation = Self.operators.first(where: { isNext($0) }) {
      // The sets so far come to stand inside another one.
      try deeper()
      position += 2
      let other = try items(from: start)
      switch operation {
      case "&&": set = .intersection(set, other)
      case "--": set = .intersection(set, .not(other))
      default:
        set = .union([.intersection(set, .not(other)), .intersection(other, .not(set))])
      }
    }
    guard take("]") else { throw defect("an open bracket") }
    if isNegated { set = .not(set) }
    guard use == .search || !set.written.isEmpty else { throw unusable(start) }
    return set
  }

  private static let operators = ["&&", "--", "~~"]

  private func unusable(_ start: Int) -> PatternDefect {
    .part("a class without a usable character", offset: start)
  }

  /// What stands in a class up to its end or an operator.
  private mutating func items(from start: Int) throws(PatternDefect) -> CharacterClass {
    var items: [CharacterClass] = []
    while let scalar = peek, scalar != "]", !Self.operators.contains(where: { isNext($0) }) {
      let (item, first) = try member()
      guard let first, peek == "-", let next = ahead(1), next != "]",
        next != "-"
      else {
        items.append(item)
        continue
      }
      position += 1
      guard let last = try member().scalar, first <= last else {
        throw defect("a range in falling order")
      }
      items.append(
        ranges(CharacterRanges([first.value...last.value]).intersection(.all)))
    }
    guard peek != nil else { throw defect("an open bracket") }
    guard !items.isEmpty else { throw unusable(start) }
    return .union(items)
  }

  /// A part of a class, and its scalar if it is a single one, which may begin a range.
  private mutating func member() throws(PatternDefect) -> (
    set: CharacterClass, scalar: UnicodeScalar?
  ) {
    if isNext("[:") { return (try namedClass(), nil) }
    if peek == "[" { return (try characterClass(), nil) }
    if take(#"\b"#) { return (literal("\u{8}"), "\u{8}") }
    if take(#"\"#) { return try escape() }
    guard let scalar = next() else { throw defect("an open bracket") }
    return (literal(scalar), scalar)
  }

  /// `[:…:]`, a class by its name.
  private mutating func namedClass() throws(PatternDefect) -> CharacterClass {
    let start = position
    position += 2
    while let scalar = peek, scalar.isASCII, scalar.properties.isAlphabetic || scalar == "^" {
      position += 1
    }
    guard take(":]") else { throw defect("a name of a class that does not end") }
    return try property("[" + text(from: start) + "]", at: start)
  }

  private mutating func property(
    _ pattern: String, at start: Int
  ) throws(PatternDefect) -> CharacterClass {
    // Nobody knows all characters of one while a text is written.
    guard use == .search, let property = properties[pattern] ?? CharacterProperty(pattern) else {
      let kind = use == .search ? "unknown property" : "property"
      throw .part("the \(kind) '\(pattern)'", offset: start)
    }
    properties[pattern] = property
    return .property(property)
  }

  private static let shorthands: [UnicodeScalar: CharacterClass.Shorthand] = [
    "d": .digit, "w": .word, "s": .space, "h": .blank, "v": .newline,
  ]
  private static let controls: [UnicodeScalar: UnicodeScalar] = [
    "n": "\n", "t": "\t", "r": "\r", "f": "\u{C}", "a": "\u{7}", "e": "\u{1B}", "0": "\0",
  ]

  /// What stands behind a backslash.
  mutating func escape() throws(PatternDefect) -> (set: CharacterClass, scalar: UnicodeScalar?) {
    let start = position - 1
    if isNext("u") || isNext("x") { return try code() }
    guard let name = next() else { throw defect("a backslash at the end") }
    if let shorthand = Self.shorthands[name] { return (.shorthand(shorthand), nil) }
    if let lowercase = UnicodeScalar(name.value | 0x20), let other = Self.shorthands[lowercase] {
      return (.not(.shorthand(other)), nil)
    }
    if name == "p" || name == "P", take("{") {
      while let scalar = next(), scalar != "}" {}
      return (try property(text(from: start), at: start), nil)
    }
    if let control = Self.controls[name] { return (literal(control), control) }
    guard !name.isASCII || !CharacterRanges.wordParts.contains(name) || name == "_" else {
      throw .part("the escape '\\\(name)'", offset: start + 1)
    }
    return (literal(name), name)
  }

  /// `uXXXX`, `xXX`, `u{X…}` or `x{X…}`.
  private mutating func code() throws(PatternDefect) -> (
    set: CharacterClass, scalar: UnicodeScalar?
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
      let code = UnicodeScalar(value)
    else { throw defect("a code that is no scalar") }
    return (literal(code), code)
  }
}

// Where the parser is.
extension PatternParser {
  /// The scalar that stands `distance` ahead.
  func ahead(_ distance: Int) -> UnicodeScalar? {
    position + distance < scalars.count ? scalars[position + distance] : nil
  }

  var peek: UnicodeScalar? { ahead(0) }

  mutating func next() -> UnicodeScalar? {
    let scalar = peek
    if scalar != nil { position += 1 }
    return scalar
  }

  func isNext(_ text: String) -> Bool { scalars[position...].starts(with: text.unicodeScalars) }

  mutating func take(_ text: String) -> Bool {
    guard isNext(text) else { return false }
    position += text.unicodeScalars.count
    return true
  }

  private func text(from start: Int) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars[start..<position])
    return text
  }

  func defect(_ part: String) -> PatternDefect { .part(part, offset: position) }
}
