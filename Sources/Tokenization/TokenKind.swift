/// The number of a piece in a vocabulary.
public typealias Token = Int32

/// What a token is for, by the numbers of `tokenizer.ggml.token_type`.
enum TokenKind: UInt8, Sendable {
  /// A number that no tokenizer defines.
  case undefined = 0
  case normal = 1
  case unknown = 2
  /// A mark of the format, such as the begin of a text; never part of a text.
  case control = 3
  /// Text that is always one token.
  case userDefined = 4
  case unused = 5
  /// One byte of a character that has no piece, spelled `<0xXX>`.
  case byte = 6
}
