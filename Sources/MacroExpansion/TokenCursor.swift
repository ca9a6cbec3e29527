/// Reads tokens one after the other; brackets are stepped over as a whole.
struct TokenCursor {
  let source: [UInt8]
  private let tokens: [SwiftToken]
  private var index = 0

  init(_ source: String) {
    self.source = Array(source.utf8)
    tokens = SwiftScanner.tokens(of: source)
  }

  /// The next token, without stepping over it.
  var next: SwiftToken? { index < tokens.count ? tokens[index] : nil }

  /// Where the next token starts, or the source ends.
  var offset: Int { next?.range.lowerBound ?? source.count }

  /// The source between two places, without spaces and comments at its ends as tokens are its ends.
  func text(_ range: Range<Int>) -> String { String(decoding: source[range], as: UTF8.self) }

  /// Steps over the next token and returns it.
  @discardableResult
  mutating func take() -> SwiftToken? {
    defer { index += 1 }
    return next
  }

  /// Steps over the mark or word `text` if it is next.
  mutating func take(if text: String) -> Bool {
    guard next?.text == text, next?.kind != .literal else { return false }
    index += 1
    return true
  }

  /// Whether the mark `text` is next.
  func isAt(_ text: String) -> Bool { next?.isMark(text) ?? false }

  private static let closing = ["(": ")", "[": "]", "{": "}", "<": ">"]

  /// Steps over a bracket and all inside it, or over one other token; the range of both.
  @discardableResult
  mutating func takeWhole(angles: Bool = false) -> Range<Int> {
    let start = offset
    guard let token = take() else { return start..<start }
    guard token.kind == .mark, let close = Self.closing[token.text], angles || token.text != "<"
    else { return token.range }
    while let inner = next, !inner.isMark(close) { takeWhole(angles: angles) }
    let end = take()?.range.upperBound ?? source.count
    return start..<end
  }

  /// Steps on until `isEnd` holds outside of all brackets; the text stepped over, or nil if there is none.
  mutating func takeText(
    angles: Bool = false, until isEnd: (SwiftToken) -> Bool
  ) -> (text: String, offset: Int)? {
    let start = offset
    var end = start
    while let token = next, !isEnd(token) { end = takeWhole(angles: angles).upperBound }
    return end > start ? (text(start..<end), start) : nil
  }
}

/// One of the parts between commas in parentheses.
struct Argument: Equatable {
  /// The names before the colon; a parameter may have two.
  let labels: [String]
  /// What stands behind the label, up to a default value.
  let text: String
  let offset: Int
}

/// An attribute with what stands in its parentheses.
struct Attribute: Equatable {
  let name: String
  let offset: Int
  let arguments: [Argument]

  /// The attribute as a guide.
  ///
  /// - Throws: An argument that guides do not have.
  func guide() throws(Problem) -> GuideAttribute {
    for argument in arguments where !argument.labels.isEmpty && argument.labels != ["description"] {
      throw Problem(
        message: "@Guide has no argument '\(argument.labels[0])'", offset: argument.offset)
    }
    return GuideAttribute(
      offset: offset, description: arguments.first { !$0.labels.isEmpty }?.text,
      guides: arguments.filter { $0.labels.isEmpty })
  }
}

extension TokenCursor {
  /// Steps over an attribute; its name is the part behind the last period.
  mutating func takeAttribute() -> Attribute {
    let offset = offset
    take()
    var name = take()?.text ?? ""
    while take(if: ".") { name = take()?.text ?? "" }
    guard let token = next, token.isMark("("), !token.startsLine else {
      return Attribute(name: name, offset: offset, arguments: [])
    }
    return Attribute(name: name, offset: offset, arguments: takeArguments())
  }

  /// Steps over `(…)` and returns what stands between its commas; `angles` for types.
  mutating func takeArguments(angles: Bool = false) -> [Argument] {
    var arguments: [Argument] = []
    take()
    while let token = next, !token.isMark(")") {
      let labels = takeLabels()
      let value = takeText(angles: angles) {
        $0.isMark(",") || $0.isMark(")") || (angles && $0.isMark("="))
      }
      if take(if: "=") { _ = takeText { $0.isMark(",") || $0.isMark(")") } }
      if let value {
        arguments.append(Argument(labels: labels, text: value.text, offset: value.offset))
      }
      _ = take(if: ",")
    }
    take()
    return arguments
  }

  /// Steps over one or two names and a colon, if they are next.
  private mutating func takeLabels() -> [String] {
    var ahead = self
    var labels: [String] = []
    while labels.count < 2, let token = ahead.next, token.kind == .word {
      labels.append(token.text)
      ahead.take()
    }
    guard !labels.isEmpty, ahead.take(if: ":") else { return [] }
    self = ahead
    return labels
  }
}
