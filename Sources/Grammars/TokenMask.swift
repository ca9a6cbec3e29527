/// A set of tokens of one vocabulary, a bit for each.
public struct TokenMask: Sendable, Equatable {
  /// The bits, 64 tokens a word, the lowest token lowest; bits from ``count`` on are 0.
  package private(set) var words: [UInt64]
  /// Tokens of the vocabulary.
  public let count: Int

  /// No token of a vocabulary of `count` tokens.
  public init(count: Int) {
    self.count = count
    words = Array(repeating: 0, count: (count + 63) / 64)
  }

  /// Whether `token` is in the set.
  public subscript(token: Int32) -> Bool {
    get { words[word(of: token)] & bit(of: token) != 0 }
    set {
      if newValue {
        words[word(of: token)] |= bit(of: token)
      } else {
        words[word(of: token)] &= ~bit(of: token)
      }
    }
  }

  /// Whether no token is in the set.
  public var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  /// Takes all tokens out.
  public mutating func removeAll() {
    for index in words.indices { words[index] = 0 }
  }

  /// Puts the tokens of `other`, a set of the same vocabulary, in too.
  public mutating func formUnion(_ other: TokenMask) {
    precondition(count == other.count, "masks of different vocabularies")
    for index in words.indices { words[index] |= other.words[index] }
  }

  private func word(of token: Int32) -> Int {
    precondition((0..<count).contains(Int(token)), "token outside the vocabulary")
    return Int(token) / 64
  }

  private func bit(of token: Int32) -> UInt64 { 1 << UInt64(token % 64) }
}
