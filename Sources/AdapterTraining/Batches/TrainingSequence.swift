public import Tokenization

/// Tokens in a row, of one example or of several that stand one behind the other without seeing each other.
public struct TrainingSequence: Sendable, Equatable {
  /// The tokens.
  public private(set) var tokens: [Token] = []
  /// For each token the one that is to be foretold from it, which is the next; nil where nothing is learnt.
  public private(set) var targets: [Token?] = []
  /// Tokens of each example; attention and positions start anew in each.
  public private(set) var segments: [Range<Int>] = []
  /// Lines of the examples in their file, from 1.
  public private(set) var lines: [Int] = []

  /// No tokens yet.
  init() {}

  /// One example, cut to `limit` tokens.
  init(_ example: TokenizedExample, limit: Int) {
    append(example, limit: limit)
  }

  /// Puts an example, cut to `limit` tokens, behind the others.
  mutating func append(_ example: TokenizedExample, limit: Int) {
    let kept = example.tokens.prefix(limit)
    let start = tokens.count
    var wanted = [Token?](repeating: nil, count: kept.count)
    for range in example.trained {
      for index in range where index > 0 && index < kept.count { wanted[index - 1] = kept[index] }
    }
    tokens += kept
    targets += wanted
    segments.append(start..<tokens.count)
    lines.append(example.line)
  }

  /// How many tokens are foretold.
  public var targetCount: Int { targets.count { $0 != nil } }
}
