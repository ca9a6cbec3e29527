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

/// What one step of a training learns from.
public struct TrainingBatch: Sendable, Equatable {
  /// The sequences, which do not see each other.
  public let sequences: [TrainingSequence]

  /// A batch of sequences.
  public init(_ sequences: [TrainingSequence]) {
    self.sequences = sequences
  }

  /// How many tokens there are.
  public var tokenCount: Int { sequences.reduce(0) { $0 + $1.tokens.count } }
  /// How many of them are foretold.
  public var targetCount: Int { sequences.reduce(0) { $0 + $1.targetCount } }

  /// Parts of at most so many tokens, whose activations fit into memory together; a longer sequence goes alone.
  func parts(tokens: Int) -> [TrainingBatch] {
    var parts: [TrainingBatch] = []
    var current: [TrainingSequence] = []
    for sequence in sequences {
      let count = current.reduce(sequence.tokens.count) { $0 + $1.tokens.count }
      if count > tokens, !current.isEmpty {
        parts.append(TrainingBatch(current))
        current = []
      }
      current.append(sequence)
    }
    return current.isEmpty ? parts : parts + [TrainingBatch(current)]
  }
}
