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
