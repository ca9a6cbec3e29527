/// A part of a regular expression that is searched for.
indirect enum TextPatternNode {
  enum Anchor { case start, end, boundary, inside }

  /// One character that an atom takes.
  case atom(Int)
  case anchor(Anchor)
  case sequence([TextPatternNode])
  case alternatives([TextPatternNode])
  case repeated(TextPatternNode, minimum: Int, maximum: Int?)
  /// What comes has to match, or must not.
  case ahead(TextPatternNode, isWanted: Bool)
}

/// What one character is asked, in the words of Swift's engine.
struct TextPatternAtom: Hashable {
  let pattern: String
  let ignoresCase: Bool
}

/// Reads how the parts of a regular expression follow each other, and leaves to Swift what single characters are.
struct TextPatternParser {
  private enum Stop: Error {
    /// Swift reads the pattern otherwise, or not at all.
    case unknown
    case tooDeep
  }

  private let characters: [Unicode.Scalar]
  private var position = 0
  private var depth = 0
  private var ignoresCase: Bool
  private var atoms: [TextPatternAtom] = []
  private var numbers: [TextPatternAtom: Int] = [:]

  private init(_ pattern: String, ignoresCase: Bool) {
    (characters, self.ignoresCase) = (Array(pattern.unicodeScalars), ignoresCase)
  }

  /// The parts of `pattern`; nil for one that has others than these.
  static func parse(
    _ pattern: String, ignoresCase: Bool
  ) throws(TextPattern.Defect) -> (TextPatternNode, [TextPatternAtom])? {
    var parser = TextPatternParser(pattern, ignoresCase: ignoresCase)
    do throws(Stop) {
      let node = try parser.alternatives()
      guard parser.peek == nil else { return nil }
      return (node, parser.atoms)
    } catch {
      if error == .tooDeep { throw .tooDeep(limit: TextPattern.depthLimit) }
      return nil
    }
  }

  private mutating func deeper() throws(Stop) {
    depth += 1
    guard depth <= TextPattern.depthLimit else { throw .tooDeep }
  }

  private mutating func alternatives() throws(Stop) -> TextPatternNode {
    try deeper()
    defer { depth -= 1 }
    var nodes = [try sequence()]
    while take("|") { nodes.append(try sequence()) }
    return nodes.count == 1 ? nodes[0] : .alternatives(nodes)
  }

  private mutating func sequence() throws(Stop) -> TextPatternNode {
    var nodes: [TextPatternNode] = []
    while let character = peek, character != "|", character != ")" {
      var node = try part()
      while let (minimum, maximum) = try quantifier() {
        node = .repeated(node, minimum: minimum, maximum: maximum)
        // A lazy one finds the same texts; a possessive one does not.
        if take("?") { continue }
        guard peek != "+" else { throw .unknown }
      }
      nodes.append(node)
    }
    return .sequence(nodes)
  }

  private mutating func quantifier() throws(Stop) -> (Int, Int?)? {
    if take("*") { return (0, nil) }
    if take("+") { return (1, nil) }
    if take("?") { return (0, 1) }
    guard take("{") else { return nil }
    let least = try number()
    let most = take(",") ? try number() : least
    guard take("}"), least != nil || most != nil, (least ?? 0) <= most ?? .max else {
      throw .unknown
    }
    return (least ?? 0, most)
  }

  private mutating func number() throws(Stop) -> Int? {
    let start = position
    while let character = peek, ("0"..."9").contains(character) { position += 1 }
    guard start < position else { return nil }
    guard let number = Int(String(String.UnicodeScalarView(characters[start..<position]))) else {
      throw .unknown
    }
    return number
  }

  private mutating func part() throws(Stop) -> TextPatternNode {
    let start = position
    guard let character = next() else { throw .unknown }
    switch character {
    case "(": return try group()
    case "^": return .anchor(.start)
    case "$": return .anchor(.end)
    case "\\": return try escape()
    case "[":
      try skipClass()
      return atom(from: start)
    case ".": return atom(from: start)
    case "*", "+", "?", "{": throw .unknown
    case "]", "}": return add("\\" + String(character))
    default: return atom(from: start)
    }
  }

  private mutating func skipClass() throws(Stop) {
    var open = 1
    if peek == "^" { position += 1 }
    guard peek != "]" else { throw .unknown }
    while open > 0 {
      switch next() {
      case nil: throw .unknown
      case "[":
        open += 1
        guard open + depth <= TextPattern.depthLimit else { throw .tooDeep }
        guard peek != "]", peek != "^" else { throw .unknown }
      case "]": open -= 1
      case "\\": guard let escaped = next(), !["Q", "c"].contains(escaped) else { throw .unknown }
      default: break
      }
    }
  }

  private mutating func group() throws(Stop) -> TextPatternNode {
    let before = ignoresCase
    var wanted: Bool?
    if take("?") {
      switch next() {
      case ":": break
      case "=": wanted = true
      case "!": wanted = false
      case "P", "<":
        if characters[position - 1] == "P", !take("<") { throw .unknown }
        let start = position
        while let character = peek,
          character.properties.isAlphabetic || character == "_"
            || character.properties.numericType != nil
        {
          position += 1
        }
        guard position > start, take(">") else { throw .unknown }
      case "i": ignoresCase = true
      case "-" where take("i"): ignoresCase = false
      default: throw .unknown
      }
      if characters[position - 1] == "i" {
        // For the rest of the group around it, which gives back what was before.
        if take(")") { return .sequence([]) }
        guard take(":") else { throw .unknown }
      }
    } else if peek == "*" {
      throw .unknown
    }
    let node = try alternatives()
    guard take(")") else { throw .unknown }
    ignoresCase = before
    return wanted.map { .ahead(node, isWanted: $0) } ?? node
  }

  /// What stands behind a backslash.
  private mutating func escape() throws(Stop) -> TextPatternNode {
    let start = position - 1
    guard let character = next() else { throw .unknown }
    switch character {
    case "b": return .anchor(.boundary)
    case "B": return .anchor(.inside)
    case "A": return .anchor(.start)
    case "z": return .anchor(.end)
    case "d", "D", "w", "W", "s", "S", "h", "H", "v", "V", "n", "t", "f", "a", "e":
      return atom(from: start)
    case "p", "P":
      guard take("{") else { throw .unknown }
      while let inside = next(), inside != "}" {}
      return atom(from: start)
    default:
      guard character.isASCII, character.value >= 0x20, !character.properties.isAlphabetic,
        character.properties.numericType == nil
      else { throw .unknown }
      return atom(from: start)
    }
  }

  private mutating func atom(from start: Int) -> TextPatternNode {
    add(Self.escaped(characters[start..<position]))
  }

  /// An expression for Swift's engine, in which no mark joins the character before it, and marks are parts of words.
  static func escaped(_ pattern: some Sequence<Unicode.Scalar>) -> String {
    var (text, depth, isEscaped) = ("", 0, false)
    for scalar in pattern {
      switch scalar {
      case "w" where isEscaped:
        text.removeLast()
        text += depth > 0 ? #"\w\p{M}"# : #"[\w\p{M}]"#
      case "W" where isEscaped && depth == 0:
        text.removeLast()
        text += #"[^\w\p{M}]"#
      case _ where scalar.isASCII: text.unicodeScalars.append(scalar)
      default:
        if isEscaped { text.removeLast() }
        text += #"\u{"# + String(scalar.value, radix: 16) + "}"
      }
      if !isEscaped, scalar == "[" { depth += 1 }
      if !isEscaped, scalar == "]" { depth -= 1 }
      isEscaped = !isEscaped && scalar == "\\"
    }
    return text
  }

  private mutating func add(_ pattern: String) -> TextPatternNode {
    let atom = TextPatternAtom(pattern: pattern, ignoresCase: ignoresCase)
    if let number = numbers[atom] { return .atom(number) }
    numbers[atom] = atoms.count
    atoms.append(atom)
    return .atom(atoms.count - 1)
  }

  private var peek: Unicode.Scalar? { position < characters.count ? characters[position] : nil }

  private mutating func next() -> Unicode.Scalar? {
    guard let character = peek else { return nil }
    position += 1
    return character
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == character else { return false }
    position += 1
    return true
  }
}
