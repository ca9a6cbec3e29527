import SystemFiles

/// Text as source of a manual page, such that none of it is taken for a request, an escape or a macro.
enum Roff {
  /// Running text: a sentence begins a line, as mdoc wants it, and no line is longer than 78 bytes.
  static func paragraph(_ text: String) -> [String] {
    var sentences = [""]
    for word in words(text) {
      sentences[sentences.count - 1] += (sentences.last == "" ? "" : " ") + word.source
      if word.endsSentence { sentences.append("") }
    }
    return sentences.filter { !$0.isEmpty }
      .flatMap { TextLayout.wrap($0, columns: 78) }.map(protected)
  }

  /// Running text on one line.
  static func running(_ text: String) -> String {
    protected(words(text).map(\.source).joined(separator: " "))
  }

  /// A line to be typed: its hyphens and quotes stay what a shell knows.
  static func literal(_ line: String) -> String { protected(escaped(line, hyphen: "\\-")) }

  /// One argument of a macro.
  static func argument(_ text: String) -> String {
    let source = escaped(text, hyphen: "\\-")
    let isPlain = text.allSatisfy {
      $0.isLowercase || $0.isNumber || $0 == "-" || $0 == "." || $0 == "/"
    }
    // Quotes keep spaces together; `\&` keeps a word such as Fl or a full stop from being a macro or a delimiter.
    return isPlain && text.contains { $0.isLowercase } ? source : "\"\\&\(source)\""
  }

  private struct Word {
    let source: String
    let endsSentence: Bool
  }

  /// The words of a text; hyphens are minus signs in what a person types: options, paths, and all between quotation marks.
  private static func words(_ text: String) -> [Word] {
    let parts = text.split(separator: " ")
    var isQuoted = false
    return parts.enumerated().map { index, part in
      if part.hasPrefix("'") { isQuoted = true }
      let core = part.drop { "'\"(".contains($0) }
      let isTyped = isQuoted || core.hasPrefix("-") || core.contains { "/_=".contains($0) }
      if part.dropFirst().contains("'") { isQuoted = false }
      let ends = part.last.map { ".!?".contains($0) } ?? false
      let next = index + 1 < parts.count ? parts[index + 1].first : nil
      return Word(
        source: escaped(part, hyphen: isTyped ? "\\-" : "-"),
        endsSentence: ends && next.map { !$0.isLowercase } ?? true)
    }
  }

  private static func escaped(_ text: some StringProtocol, hyphen: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "-": hyphen
      case "\\": "\\e"
      case "'": "\\(aq"
      case "`": "\\(ga"
      case "^": "\\(ha"
      case "~": "\\(ti"
      case "\"": "\\(dq"
      case " "..."~": String(scalar)
      // At least four digits, as groff wants them.
      default: "\\[u" + Figures.hex(scalar.value, 4, uppercase: true) + "]"
      }
    }.joined()
  }

  /// An escaped line that begins like a request is text all the same.
  private static func protected(_ line: String) -> String {
    line.hasPrefix(".") ? "\\&" + line : line
  }
}
