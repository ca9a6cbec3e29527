/// A piece of Swift source between spaces and comments.
struct SwiftToken: Equatable {
  enum Kind: Equatable {
    /// A name, with its backticks, or a keyword.
    case word
    /// A number, or a string or regex literal as a whole.
    case literal
    /// One character of punctuation, or `->`.
    case mark
  }

  let kind: Kind
  let text: String
  /// Bytes from the start of the source.
  let range: Range<Int>
  /// Whether a line ends before it.
  let startsLine: Bool

  /// Whether this is the mark `text`.
  func isMark(_ text: String) -> Bool { kind == .mark && self.text == text }
}
