public import Tokenization

/// An example as a model sees it, and what it is to learn of it.
public struct TokenizedExample: Sendable, Equatable {
  /// Line of the example in its file, from 1.
  public let line: Int
  /// The tokens as inference sees them.
  public let tokens: [Token]
  /// Tokens that are learnt, in order: the answers with the marks that end them.
  public let trained: [Range<Int>]

  /// An example in tokens; `trained` has to lie within them, in order.
  public init(line: Int, tokens: [Token], trained: [Range<Int>]) {
    precondition(
      trained.allSatisfy { $0.upperBound <= tokens.count }, "a range outside the tokens")
    self.line = line
    self.tokens = tokens
    self.trained = trained
  }

  /// How many tokens are learnt.
  public var trainedCount: Int { trained.reduce(0) { $0 + $1.count } }

  /// For each token, whether it is learnt.
  public var mask: [Bool] {
    var mask = [Bool](repeating: false, count: tokens.count)
    for range in trained { for index in range { mask[index] = true } }
    return mask
  }
}
