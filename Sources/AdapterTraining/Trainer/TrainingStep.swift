/// Rewards of the answers of pairs, in the mean.
///
/// Of DPO β (log p - log p of the reference) over a whole answer, of ORPO β log p in the mean of its tokens.
public struct PreferenceRewards: Sendable, Equatable {
  /// Of the chosen answers.
  public let chosen: Double
  /// Of the rejected ones.
  public let rejected: Double
  /// Share of the pairs whose chosen answer has the higher one, 0 to 1.
  public let accuracy: Double

  /// How much higher those of the chosen answers are.
  public var margin: Double { chosen - rejected }
}

/// Losses of tokens and of pairs, as sums, so that parts can be added.
struct LossSum: Sendable, Equatable {
  /// Losses of single tokens, in nats, and how many there are.
  var nats = 0.0
  var tokens = 0
  /// Losses of pairs, and how many there are.
  var pairLoss = 0.0
  var pairSquares = 0.0
  var pairs = 0
  /// Rewards of both sides of the pairs, and how many pairs have them in the wanted order.
  var chosen = 0.0
  var rejected = 0.0
  var ordered = 0

  mutating func add(_ other: LossSum) {
    (nats, tokens) = (nats + other.nats, tokens + other.tokens)
    (pairLoss, pairs) = (pairLoss + other.pairLoss, pairs + other.pairs)
    pairSquares += other.pairSquares
    (chosen, rejected) = (chosen + other.chosen, rejected + other.rejected)
    ordered += other.ordered
  }

  /// The mean over the tokens and that over the pairs, together; nil where there are neither.
  var mean: Double? {
    guard tokens + pairs > 0 else { return nil }
    return nats / Double(max(tokens, 1)) + pairLoss / Double(max(pairs, 1))
  }

  /// Standard error of the mean over the pairs; nil without pairs, and that mean itself for a single one, which tells nothing of others.
  var pairError: Double? {
    guard pairs > 0 else { return nil }
    let (count, mean) = (Double(pairs), pairLoss / Double(pairs))
    guard pairs > 1 else { return mean }
    return (max(pairSquares / count - mean * mean, 0) / (count - 1)).squareRoot()
  }

  /// Nil without pairs.
  var rewards: PreferenceRewards? {
    guard pairs > 0 else { return nil }
    let count = Double(pairs)
    return PreferenceRewards(
      chosen: chosen / count, rejected: rejected / count, accuracy: Double(ordered) / count)
  }
}

/// What one step of a training came to.
public struct TrainingStep: Sendable, Equatable {
  /// Number of the step, from 1.
  public let number: Int
  /// Number of the epoch, from 1.
  public let epoch: Int
  /// Mean loss before the step: of the foretold tokens, in nats, or as the objective has it for pairs.
  public let loss: Double
  /// Of pairs, before the step; nil where none are learnt from.
  public var rewards: PreferenceRewards?
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
  let sum: LossSum
  let gradients: Weights

  /// Adds up what the parts have found, each of it weighted as a part of the whole.
  ///
  /// - Throws: `TrainingError.nothingToLearn` where no part has gradients.
  init(
    _ batch: TrainingBatch, _ found: [(sum: LossSum, gradients: Weights?)]
  ) throws(TrainingError) {
    var sum: Weights?
    for gradients in found.compactMap(\.gradients) {
      if sum == nil { sum = gradients } else { sum?.add(gradients) }
    }
    guard let sum else { throw .nothingToLearn }
    (self.batch, gradients) = (batch, sum)
    self.sum = found.reduce(into: LossSum()) { $0.add($1.sum) }
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
    guard let loss = found.sum.mean, loss.isFinite, norm.isFinite else {
      throw .diverged(step: count + 1)
    }
    let shortened = min(1, maximumNorm / max(norm, 1e-12))
    let rate = rate.at(count)
    step(&weights, found.gradients, scale: Float(shortened), rate: rate)
    return TrainingStep(
      number: count, epoch: epoch, loss: loss, rewards: found.sum.rewards,
      tokens: found.batch.tokenCount, targets: found.batch.targetCount, learningRate: rate,
      gradientNorm: norm)
  }
}
