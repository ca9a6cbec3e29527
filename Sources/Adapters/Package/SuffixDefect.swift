public import SystemFiles

/// A way in which a suffix store can be wrong.
public enum SuffixDefect: Error, Equatable, Sendable {
  /// The file is shorter than its head.
  case head(size: Int)
  /// The file does not begin as a suffix store does.
  case magic
  /// Another version than 1.
  case version(Int)
  /// No vocabulary has that many pieces.
  case vocabularySize(Int)
  /// No tokens, or too many.
  case tokenCount(Int)
  /// No texts, or more than tokens.
  case textCount(Int, tokens: Int)
  /// Bytes that have to be zero are not.
  case reserved
  /// The file is longer or shorter than its counts say.
  case size(Int, expected: Int)
  /// A text came less often than once, or too often.
  case count(Int, text: Int, offset: Int)
  /// A text is empty, or longer than what is left.
  case length(Int, text: Int, offset: Int, left: Int)
  /// A text has a token that the vocabulary lacks.
  case token(UInt32, text: Int, offset: Int, vocabularySize: Int)
  /// A text does not come after the one before it.
  case order(text: Int, offset: Int)
  /// The texts have fewer tokens than the head says.
  case sum(Int, tokens: Int)
}

extension SuffixDefect {
  /// Byte of the file.
  public var offset: Int {
    switch self {
    case .head, .magic, .size: 0
    case .version: 8
    case .vocabularySize: 12
    case .textCount: 48
    case .tokenCount, .sum: 52
    case .reserved: 56
    case .count(_, _, let offset), .length(_, _, let offset, _), .token(_, _, let offset, _),
      .order(_, let offset):
      offset
    }
  }

  /// The last part of the rule's name.
  var name: String {
    switch self {
    case .head, .size: "size"
    case .magic: "magic"
    case .version: "version"
    case .vocabularySize: "vocabulary"
    case .tokenCount, .textCount, .sum: "count"
    case .reserved: "reserved"
    case .count: "weight"
    case .length: "length"
    case .token: "token"
    case .order: "order"
    }
  }
}

extension SuffixDefect: ExplainedError {
  /// What is wrong, without the file and the byte, and what to do about it.
  public var text: ErrorText {
    "\(problem)\(remedy: "copy the file again, or build it anew")"
  }

  private var problem: String {
    switch self {
    case .head(let size):
      "the file has \(Figures.bytes(size)); its head alone has 64"
    case .magic: "the file does not begin with FMSUFFIX: it is no suffix store"
    case .version(let version): "the version is \(version), not 1"
    case .vocabularySize(let size):
      "the vocabulary has \(Figures.grouped(size)) pieces, not between 1 and 2,147,483,647"
    case .tokenCount(let count):
      "there are \(Figures.grouped(count)) tokens, not between 1 and \(Figures.grouped(SuffixTexts.tokenLimit))"
    case .textCount(let count, let tokens):
      "there are \(Figures.grouped(count)) texts of \(Figures.grouped(tokens)) tokens together"
    case .reserved: "the reserved bytes are not zero"
    case .size(let size, let expected):
      "the file has \(Figures.bytes(size)), but its counts make \(Figures.grouped(expected))"
    case .count(let count, let text, _):
      "text \(Figures.grouped(text)) came \(Figures.grouped(count)) times, not between 1 and "
        + Figures.grouped(SuffixTexts.countLimit)
    case .length(let length, let text, _, let left):
      "text \(Figures.grouped(text)) has \(Figures.grouped(length)) tokens where \(Figures.grouped(left)) are left"
    case .token(let token, let text, _, let size):
      "text \(Figures.grouped(text)) has the token \(Figures.grouped(token)) of \(Figures.grouped(size))"
    case .order(let text, _):
      "text \(Figures.grouped(text)) does not come after the one before it"
    case .sum(let sum, let tokens):
      "the texts have \(Figures.grouped(sum)) tokens together, not \(Figures.grouped(tokens))"
    }
  }
}
