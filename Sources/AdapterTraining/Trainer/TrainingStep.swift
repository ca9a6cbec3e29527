/// What one step of a training came to.
public struct TrainingStep: Sendable, Equatable {
  /// Number of the step, from 1.
  public let number: Int
  /// Number of the epoch, from 1.
  public let epoch: Int
  /// Mean loss of the foretold tokens before the step, in nats.
  public let loss: Double
  /// Tokens that were seen.
  public let tokens: Int
  /// Tokens that were foretold.
  public let targets: Int
  /// The optimizer's rate.
  public let learningRate: Double
  /// Length of the gradient, before it was shortened.
  public let gradientNorm: Double
}
