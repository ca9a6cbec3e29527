import SystemFiles

/// One line for a person: runs of text, some of them emphasized.
///
/// Whatever the text is made from, a line shows it and never obeys it: what would steer a terminal, reorder text or hide
/// in it is spelled out, line ends included. Only ``Terminal`` prints, and it prints lines.
struct Line: Equatable, Sendable {
  enum Emphasis: String, Sendable {
    case none = ""
    case bold = "1"
    case dim = "2"
    case red = "31"
    case yellow = "33"
    case green = "32"
  }

  private struct Run: Equatable {
    var text: String
    var emphasis: Emphasis
  }

  private var runs: [Run] = []

  init(_ text: String, _ emphasis: Emphasis = .none) { append(text, emphasis) }

  /// What can be read of it, without emphasis.
  var text: String { runs.reduce(into: "") { $0 += $1.text } }

  /// The line as a terminal gets it; without escape sequences unless `colored`.
  func encoded(colored: Bool) -> String {
    runs.reduce(into: "") { text, run in
      let plain = !colored || run.emphasis == .none
      text += plain ? run.text : "\u{1B}[\(run.emphasis.rawValue)m\(run.text)\u{1B}[0m"
    }
  }

  /// What a person types, as ``Swift/String/typed(unicode:)`` has it.
  init(typed text: String, unicode: Bool) {
    runs = [Run(text: text.typed(unicode: unicode), emphasis: .none)]
  }

  private mutating func append(_ text: String, _ emphasis: Emphasis) {
    append(Run(text: text.printable, emphasis: emphasis))
  }

  private mutating func append(_ run: Run) {
    guard !run.text.isEmpty else { return }
    if runs.last?.emphasis == run.emphasis {
      runs[runs.count - 1].text += run.text
    } else {
      runs.append(run)
    }
  }

  static func + (left: Line, right: Line) -> Line {
    right.runs.reduce(into: left) { $0.append($1) }
  }
}

extension Line: ExpressibleByStringInterpolation {
  /// A text in parentheses may have an emphasis beside it: `"\(title, .bold)  \(place)"`.
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var line = Line("")

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) { line.append(literal, .none) }
    mutating func appendInterpolation(_ text: String, _ emphasis: Emphasis) {
      line.append(text, emphasis)
    }
    mutating func appendInterpolation(_ part: Line) { line = line + part }
    mutating func appendInterpolation(_ value: some Any) { line.append("\(value)", .none) }
  }

  init(stringInterpolation: StringInterpolation) { self = stringInterpolation.line }
  init(stringLiteral text: String) { self.init(text) }
}

extension Line {
  /// The line broken at spaces into lines of at most `columns` cells, all indented as it is; a longer word stands alone.
  ///
  /// Nothing at all for an empty line.
  func wrapped(columns: Int) -> [Line] {
    let cells = runs.flatMap { run in run.text.map { (character: $0, emphasis: run.emphasis) } }
    guard cells.reduce(0, { $0 + $1.character.cellWidth }) > columns else {
      return cells.isEmpty ? [] : [self]
    }
    let indent = cells.prefix { $0.character == " " }.count
    let margin = Line(String(repeating: " ", count: indent))
    var lines: [Line] = []
    var (line, width) = (margin, indent)
    for word in cells.dropFirst(indent).split(whereSeparator: { $0.character == " " }) {
      let needed = word.reduce(0) { $0 + $1.character.cellWidth }
      if width > indent, width + 1 + needed > columns {
        lines.append(line)
        (line, width) = (margin, indent)
      }
      if width > indent {
        line.append(" ", word.first?.emphasis ?? .none)
        width += 1
      }
      for cell in word { line.append(String(cell.character), cell.emphasis) }
      width += needed
    }
    return lines + [line]
  }
}

extension String {
  /// The text with all that would steer a terminal, reorder text or hide in it spelled out; the same when applied again.
  ///
  /// Joiners stay where words and emoji are written with them.
  var printable: String { spelled { _ in false } }

  /// Text that a person types: as ``printable``, but for the joiners within emoji, and for line ends where there is
  /// a sign for them.
  func typed(unicode: Bool) -> String {
    guard unicode else { return printable }
    return reduce(into: "") { text, character in
      let hasEmoji = character.unicodeScalars.first { $0.properties.isEmoji && !$0.isASCII } != nil
      text +=
        character == "\n"
        ? "↵"
        : String(character).spelled { hasEmoji && ($0 == "\u{200D}" || $0 == "\u{FE0F}") }
    }
  }

  /// Generated text as it may go to a terminal: as ``printable``, but for line ends, tabs and the joiners that scripts and
  /// emoji are written with.
  var streamable: String {
    spelled {
      switch $0 {
      case "\n", "\t", "\u{200C}", "\u{200D}", "\u{FE0E}", "\u{FE0F}": true
      default: false
      }
    }
  }

  /// JSON with what is spelled out elsewhere as `\u` escapes, which mean the same: such scalars occur in strings only.
  var printableJSON: String {
    guard unicodeScalars.contains(where: { $0.isUnsafe && $0 != "\n" }) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      guard scalar.isUnsafe, scalar != "\n" else { return text.unicodeScalars.append(scalar) }
      for unit in String(scalar).utf16 {
        text += "\\u" + Figures.hex(unit, 4)
      }
    }
  }

  private func spelled(_ isAllowed: (Unicode.Scalar) -> Bool) -> String {
    guard unicodeScalars.contains(where: { $0.isUnsafe && !isAllowed($0) }) else { return self }
    var (text, last): (String, Unicode.Scalar) = ("", " ")
    for scalar in unicodeScalars {
      if !scalar.isUnsafe || isAllowed(scalar) || scalar.isJoiner(behind: last) {
        text.unicodeScalars.append(scalar)
        last = scalar
      } else {
        text += scalar.spelling
        last = " "
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  /// True for controls, line and paragraph separators, and all that a reader cannot see: bidirectional marks and
  /// isolates, joiners, zero-width spaces, fillers, tags and variation selectors.
  var isUnsafe: Bool {
    if value < 0x7F { return value < 0x20 }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return properties.isDefaultIgnorableCodePoint
    }
  }

  /// Whether it belongs to how `scalar`, the one before it, is written: a joiner of Arabic, Persian or a script of India, or a
  /// part of an emoji.
  ///
  /// Rows of them do not, as a text could hide in one.
  fileprivate func isJoiner(behind scalar: Unicode.Scalar) -> Bool {
    let isEmoji = scalar.properties.isEmoji && !scalar.isASCII
    switch value {
    case 0x200C: return (0x620...0xDFF).contains(scalar.value)
    case 0x200D:
      return isEmoji || scalar.value == 0xFE0F || (0x620...0xDFF).contains(scalar.value)
    case 0xFE0E, 0xFE0F: return isEmoji
    default: return false
    }
  }

  fileprivate var spelling: String {
    switch self {
    case "\n": "\\n"
    case "\t": "\\t"
    case "\r": "\\r"
    default: "\\u{" + String(value, radix: 16) + "}"
    }
  }
}
