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

/// What a batch says of the weights, summed over the parts that it is cut into.
struct BatchGradients<Weights: LearntWeights> {
  let batch: TrainingBatch
  /// Sum over all targets.
  let loss: Double
  let gradients: Weights

  /// Adds up what the parts have found, each of it weighted as a part of the whole.
  ///
  /// - Throws: `TrainingError.nothingToLearn` where no part has gradients.
  init(
    _ batch: TrainingBatch, _ found: [(loss: Double, gradients: Weights?)]
  ) throws(TrainingError) {
    var sum: Weights?
    for gradients in found.compactMap(\.gradients) {
      if sum == nil { sum = gradients } else { sum?.add(gradients) }
    }
    guard let sum else { throw .nothingToLearn }
    (self.batch, gradients) = (batch, sum)
    loss = found.reduce(0) { $0 + $1.loss }
  }
}

extension AdamW {
  /// Moves `weights` against the gradients of a batch, which are shortened where they are longer than `maximumNorm`.
  ///
  /// - Throws: `TrainingError.diverged`; then nothing has changed.
  mutating func step(
    _ weights: inout Weights, _ found: BatchGradients<Weights>, epoch: Int, rate: LearningRate,
    maximumNorm: Double
  ) throws(TrainingError) -> TrainingStep {
    let norm = found.gradients.norm
    guard found.loss.isFinite, norm.isFinite else { throw .diverged(step: count + 1) }
    let shortened = min(1, maximumNorm / max(norm, 1e-12))
    let rate = rate.at(count)
    step(&weights, found.gradients, scale: Float(shortened), rate: rate)
    let targets = found.batch.targetCount
    return TrainingStep(
      number: count, epoch: epoch, loss: found.loss / Double(targets),
      tokens: found.batch.tokenCount, targets: targets, learningRate: rate, gradientNorm: norm)
  }
}
