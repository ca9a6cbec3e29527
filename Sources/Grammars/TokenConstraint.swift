/// Decides which tokens a generation may go on with: asked before each token, and told which one came.
///
/// A constraint has the state of one generation and is used for no other.
public protocol TokenConstraint {
  /// Marks the tokens that may come next in `mask`, in which none is marked yet.
  ///
  /// A stop token among them allows the generation to end here; where none is marked, it ends with an error.
  mutating func markAllowed(in mask: inout TokenMask) throws(GrammarDefect)

  /// Says that at most so many tokens come from here on, the one that ends the text among them, so that it can end by
  /// itself; said again before each token.
  mutating func limit(to tokens: Int)

  /// Goes on after `token`, which was marked; not called for the stop token that ends the generation.
  mutating func advance(past token: Int32) throws(GrammarDefect)

  /// Tokens that come next whatever the model says, which saves it the passes; none unless a constraint knows some.
  ///
  /// They come as if the model had chosen them, without a draw: ``advance(past:)`` is told of each.
  mutating func forcedTokens() throws(GrammarDefect) -> [Int32]

  /// How the text could go on from here along `proposal`: what may come of it, with the forced tokens before, between and
  /// behind; at most `limit` tokens.
  ///
  /// A guess that costs time where it is wrong and nothing else. What the generation asks for next stays the same.
  mutating func continuation(of proposal: [Int32], limit: Int) -> [PossibleToken]

  /// Marks the tokens that may come behind `proposal` in `mask`, in which none is marked yet; false where that is not known.
  ///
  /// Lets a draft guess what the text can have, and a pass leave out what it cannot: where it is known, ``markAllowed(in:)`` marks no
  /// others once these tokens have come.
  mutating func markAllowed(in mask: inout TokenMask, behind proposal: [Int32]) -> Bool
}

extension TokenConstraint {
  /// Nothing: the text is cut where it is too long.
  public mutating func limit(to tokens: Int) {}

  /// None.
  public mutating func forcedTokens() throws(GrammarDefect) -> [Int32] { [] }

  /// The proposal as it is: a constraint that cannot look ahead forbids nothing.
  public mutating func continuation(of proposal: [Int32], limit: Int) -> [PossibleToken] {
    proposal.prefix(limit).map { PossibleToken(token: $0, isForced: false) }
  }

  /// False.
  public mutating func markAllowed(in mask: inout TokenMask, behind proposal: [Int32]) -> Bool {
    false
  }
}

/// A token of a text that may come.
public struct PossibleToken: Sendable, Equatable {
  /// The token.
  public var token: Int32
  /// Whether it comes for sure where those before it do.
  public var isForced: Bool

  /// A token that may come, or has to.
  public init(token: Int32, isForced: Bool) { (self.token, self.isForced) = (token, isForced) }
}

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

  /// The `tokens` of a vocabulary of `count`.
  package init(count: Int, marking tokens: some Sequence<Int>) {
    self.init(count: count)
    for token in tokens { self[Int32(token)] = true }
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

  /// The set in a vocabulary of `count` tokens, of which those are the first that both have.
  public func resized(to count: Int) -> TokenMask {
    guard count != self.count else { return self }
    var other = TokenMask(count: count)
    for index in 0..<min(words.count, other.words.count) { other.words[index] = words[index] }
    if count < self.count, count % 64 > 0 {
      other.words[count / 64] &= (1 << UInt64(count % 64)) - 1
    }
    return other
  }

  /// Takes all tokens out.
  public mutating func removeAll() {
    for index in words.indices { words[index] = 0 }
  }

  /// Puts the tokens of `other`, a set of the same vocabulary, in too.
  public mutating func formUnion(_ other: TokenMask) {
    precondition(count == other.count, "masks of different vocabularies")
    for index in words.indices { words[index] |= other.words[index] }
  }

  /// Whether `other`, a set of the same vocabulary, has all tokens of this one.
  package func isSubset(of other: TokenMask) -> Bool {
    precondition(count == other.count, "masks of different vocabularies")
    return words.indices.allSatisfy { words[$0] & ~other.words[$0] == 0 }
  }

  /// Calls `body` with each token of the set, the lowest first.
  package func forEach(_ body: (Int32) -> Void) {
    for (index, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        body(Int32(index * 64 + rest.trailingZeroBitCount))
        rest &= rest - 1
      }
    }
  }

  private func word(of token: Int32) -> Int {
    precondition((0..<count).contains(Int(token)), "token outside the vocabulary")
    return Int(token) / 64
  }

  private func bit(of token: Int32) -> UInt64 { 1 << UInt64(token % 64) }
}
