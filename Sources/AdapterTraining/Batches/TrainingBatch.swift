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
}
