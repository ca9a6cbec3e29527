/// Turns tokens into text one by one and never gives half a character.
///
/// Bytes of a character that is not whole yet are held back; bytes that cannot become one are U+FFFD, so that all parts
/// together are what `Tokenizer.decode` gives for all tokens.
public struct StreamingDecoder: Sendable {
  private let tokenizer: Tokenizer
  /// The start of a character.
  private var pending: [UInt8] = []
  private var mayTrim: Bool

  /// `isStart` tells whether the tokens start a text; those of an answer do not.
  public init(_ tokenizer: Tokenizer, isStart: Bool = false) {
    self.tokenizer = tokenizer
    mayTrim = isStart && tokenizer.vocabulary.settings.addsSpacePrefix
  }

  /// The text that is whole now that `token` follows; may be empty.
  public mutating func append(_ token: Token) -> String {
    var piece = tokenizer.bytes(of: token)[...]
    if mayTrim, !piece.isEmpty {
      if piece.first == 0x20 { piece = piece.dropFirst() }
      mayTrim = false
    }
    pending += piece
    let whole = pending.count - Self.unfinishedCount(pending)
    defer { pending.removeFirst(whole) }
    return String(decoding: pending[..<whole], as: UTF8.self)
  }

  /// The text of what is still held back, when no token follows.
  public mutating func finish() -> String {
    defer { pending.removeAll() }
    return String(decoding: pending, as: UTF8.self)
  }

  /// How many bytes at the end may be the start of a character whose rest is to come.
  ///
  /// The allowed second bytes are those of table 3-7 of the Unicode standard, as a decoder ends a broken character there.
  private static func unfinishedCount(_ bytes: [UInt8]) -> Int {
    for count in 1...3 where count <= bytes.count {
      let start = bytes.count - count
      let lead = bytes[start]
      if lead & 0xC0 == 0x80 { continue }
      let length = lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 1
      guard length > count else { return 0 }
      guard count > 1 else { return 1 }
      let second = bytes[start + 1]
      let isPossible =
        switch lead {
        case 0xE0: second >= 0xA0
        case 0xED: second < 0xA0
        case 0xF0: second >= 0x90
        case 0xF4: second < 0x90
        default: true
        }
      return isPossible ? count : 0
    }
    return 0
  }
}
