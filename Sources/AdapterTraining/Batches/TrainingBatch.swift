import LanguageModels
public import Tokenization

/// An example as a model sees it, and what it is to learn of it.
public struct TokenizedExample: Sendable, Equatable {
  /// Line of the example in its file, from 1.
  public let line: Int
  /// The tokens as inference sees them; of a pair with the chosen answer.
  public let tokens: [Token]
  /// Tokens that are learnt, in order: the answers with the marks that end them; of a pair the chosen one.
  public let trained: [Range<Int>]
  /// What a reference says to the answers of a pair, as ``LossMeter/referring(_:contextLength:isCancelled:progress:)`` finds it.
  var reference: AnswerLogs?
  /// The first token that the adapter acts on: 0, but of one that begins at its invocation; of a pair with the chosen answer.
  private(set) var start = 0
  private var other: Other?

  private struct Other: Sendable, Equatable {
    let tokens: [Token]
    let trained: [Range<Int>]
    var start: Int
  }

  /// An example in tokens; `trained` has to lie within them, in order.
  public init(line: Int, tokens: [Token], trained: [Range<Int>]) {
    precondition(
      trained.allSatisfy { $0.upperBound <= tokens.count }, "a range outside the tokens")
    self.line = line
    self.tokens = tokens
    self.trained = trained
    other = nil
  }

  /// A pair: the same question with the answer that is wanted, and with one that is not.
  public init(chosen: TokenizedExample, rejected: TokenizedExample) {
    (line, tokens, trained) = (chosen.line, chosen.tokens, chosen.trained)
    start = chosen.start
    other = Other(tokens: rejected.tokens, trained: rejected.trained, start: rejected.start)
  }

  private init(line: Int, tokens: [Token], trained: [Range<Int>], start: Int) {
    self.init(line: line, tokens: tokens, trained: trained)
    self.start = start
  }

  /// The example with the chosen answer alone; itself where it is no pair.
  package var chosen: TokenizedExample {
    TokenizedExample(line: line, tokens: tokens, trained: trained, start: start)
  }

  /// The same with the answer that is not wanted; nil where it is no pair.
  package var rejected: TokenizedExample? {
    other.map {
      TokenizedExample(line: line, tokens: $0.tokens, trained: $0.trained, start: $0.start)
    }
  }

  /// Each answer that is learnt, with what stands before it, as an adapter sees it that begins at the last `invocation` in a prompt.
  ///
  /// Pairs stay pairs.
  package func answers(beginningAt invocation: [Token]) -> [TokenizedExample] {
    if let rejected, let answer = answers(beginningAt: invocation, of: chosen).last,
      let other = answers(beginningAt: invocation, of: rejected).last
    {
      var pair = TokenizedExample(chosen: answer, rejected: other)
      pair.reference = reference
      return [pair]
    }
    return answers(beginningAt: invocation, of: self)
  }

  private func answers(
    beginningAt invocation: [Token], of side: TokenizedExample
  ) -> [TokenizedExample] {
    side.trained.map { range in
      let tokens = Array(side.tokens[..<range.upperBound])
      let start = tokens[..<range.lowerBound].lastPlace(of: invocation) ?? tokens.count
      return TokenizedExample(line: side.line, tokens: tokens, trained: [range], start: start)
    }
  }

  /// Whether the adapter acts on any of it; of a pair on both sides.
  package var isActivated: Bool {
    start < tokens.count && other.map { $0.start < $0.tokens.count } ?? true
  }

  /// Tokens that are seen of it, at most `limit` of each answer of a pair.
  package func size(limit: Int = .max) -> Int {
    min(tokens.count, limit) + min(other?.tokens.count ?? 0, limit)
  }

  /// Whether something of it is to be learnt within so many tokens, of a pair in each answer.
  package func isOfUse(within limit: Int) -> Bool { TrainingSequence(self, limit: limit).isOfUse }

  /// How many tokens are learnt; of a pair those of both answers.
  package var trainedCount: Int { (trained + (other?.trained ?? [])).reduce(0) { $0 + $1.count } }

  /// For each token, whether it is learnt.
  package var mask: [Bool] {
    var mask = [Bool](repeating: false, count: tokens.count)
    for range in trained { for index in range { mask[index] = true } }
    return mask
  }
}

/// Logarithms of the probabilities of a pair's answers, in nats.
struct AnswerLogs: Sendable, Equatable {
  /// Of the chosen one.
  var chosen: Double
  /// Of the rejected one.
  var rejected: Double
}

/// Tokens in a row, of one example or of several that stand one behind the other without seeing each other.
struct TrainingSequence: Sendable, Equatable {
  /// A pair of answers: two segments, one behind the other.
  struct Pair: Sendable, Equatable {
    /// Tokens with the chosen answer.
    let chosen: Range<Int>
    /// Tokens with the rejected one.
    let rejected: Range<Int>
    /// What a reference says to both, where it is known.
    let reference: AnswerLogs?
  }

  /// The tokens.
  private(set) var tokens: [Token] = []
  /// For each token the one that is to be foretold from it, which is the next; nil where nothing is learnt.
  private(set) var targets: [Token?] = []
  /// Tokens of each example; attention and positions start anew in each.
  private(set) var segments: [Range<Int>] = []
  /// For each segment the first token that the adapter acts on.
  private(set) var starts: [Int] = []
  /// The pairs among the examples.
  private(set) var pairs: [Pair] = []
  /// Lines of the examples in their file, from 1.
  private(set) var lines: [Int] = []

  /// No tokens yet.
  init() {}

  /// One example, cut to `limit` tokens.
  init(_ example: TokenizedExample, limit: Int) {
    append(example, limit: limit)
  }

  /// Puts an example behind the others, cut to `limit` tokens, each side of a pair by itself.
  mutating func append(_ example: TokenizedExample, limit: Int) {
    let first = appendSegment(example, limit: limit)
    if let rejected = example.rejected {
      let second = appendSegment(rejected, limit: limit)
      pairs.append(Pair(chosen: first, rejected: second, reference: example.reference))
    }
    lines.append(example.line)
  }

  private mutating func appendSegment(_ example: TokenizedExample, limit: Int) -> Range<Int> {
    let kept = example.tokens.prefix(limit)
    let start = tokens.count
    var wanted = [Token?](repeating: nil, count: kept.count)
    for range in example.trained {
      for index in range where index > 0 && index < kept.count { wanted[index - 1] = kept[index] }
    }
    tokens += kept
    targets += wanted
    segments.append(start..<tokens.count)
    starts.append(start + example.start)
    return start..<tokens.count
  }

  /// How many tokens are foretold.
  var targetCount: Int { targets.count { $0 != nil } }

  /// Whether there is something to learn: a token to foretell, and in each side of a pair one.
  var isOfUse: Bool {
    targetCount > 0
      && pairs.allSatisfy { pair in
        [pair.chosen, pair.rejected].allSatisfy { side in targets[side].contains { $0 != nil } }
      }
  }

  /// The same with each token of chosen sides to be foretold, those of what is asked, too.
  var foretellingWholes: TrainingSequence {
    var result = self
    for pair in pairs {
      for index in pair.chosen.dropLast() { result.targets[index] = tokens[index + 1] }
    }
    return result
  }
}

/// What one step of a training learns from.
struct TrainingBatch: Sendable, Equatable {
  /// The sequences, which do not see each other.
  let sequences: [TrainingSequence]

  init(_ sequences: [TrainingSequence]) { self.sequences = sequences }

  /// How many tokens there are.
  var tokenCount: Int { sequences.reduce(0) { $0 + $1.tokens.count } }
  /// How many of them are foretold.
  var targetCount: Int { sequences.reduce(0) { $0 + $1.targetCount } }
  /// How many pairs of answers there are.
  var pairCount: Int { sequences.reduce(0) { $0 + $1.pairs.count } }
  /// How many tokens the sides of pairs with the chosen answers foretell as wholes.
  var wholeCount: Int {
    sequences.reduce(0) { $0 + $1.pairs.reduce(0) { $0 + $1.chosen.count - 1 } }
  }

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
