import SystemFiles
package import TensorFiles

/// The tokens of a file without those behind them that only fill its embedding up, to a multiple of 128 for example.
package struct RealTokens {
  private let pieces: GGUFStrings
  /// How many there are.
  package let count: Int

  /// In what a draft's tokens are not its base's.
  package enum Difference: Equatable, Sendable {
    /// The first that is another one.
    case token(Int)
    /// There are many more of one.
    case count(Int, base: Int)
  }

  /// Tokens that one of two may have beyond the other, such as marks of a chat; as in llama.cpp.
  private static let slack = 128
  /// The number of a token's type that says that it is never used.
  private static let unused = 5

  /// Of `pieces`, the tokens in `file`.
  package init(_ pieces: GGUFStrings, _ file: GGUFFile) {
    let types = (try? file.metadata.integers("tokenizer.ggml.token_type")) ?? nil
    var count = pieces.count
    if let types, types.count == count {
      while count > 0, types[count - 1] == Self.unused { count -= 1 }
    }
    (self.pieces, self.count) = (pieces, count)
  }

  /// What keeps a draft with these tokens from guessing those of `base`; nil where the tokens that both have are the same.
  package func difference(from base: RealTokens) -> Difference? {
    let shared = min(count, base.count)
    if let token = (0..<shared).first(where: { pieces[$0] != base.pieces[$0] }) {
      return .token(token)
    }
    return max(count, base.count) - shared > Self.slack ? .count(count, base: base.count) : nil
  }
}

/// What tells vocabularies apart.
package struct VocabularyDigest: Equatable, Sendable {
  static let key = "tokenizer.ggml.tokens"

  /// Number of pieces.
  package let count: Int
  /// SHA-256 of the pieces as the file has them, each with its length in 8 bytes before it.
  package let hex: String

  /// Of the tokens in `file`; nil where it has none.
  package init?(_ file: GGUFFile) {
    guard let encoded = file.metadata.encoded(Self.key), encoded.type == .array,
      let strings = (try? file.metadata.strings(Self.key)) ?? nil
    else { return nil }
    count = strings.count
    hex = SHA256.hex(encoded.bytes)
  }
}
