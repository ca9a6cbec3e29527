public import Adapters
public import LanguageModels

/// Short trials of several learning rates on the first batches of a training, and the rate that follows from them.
///
/// Each trial starts from the same adapter and makes a few steps at a constant rate over the same batches, so that the losses of
/// trials can be compared. The usual rate is tried first, then its half; twice and half the rates so far follow, towards lower
/// losses, until the lowest has higher ones on both sides.
public struct RateSweep: Sendable, Equatable {
  /// What came of one rate.
  package struct Trial: Sendable, Equatable {
    /// The rate of every step.
    package let rate: Double
    /// Mean loss of the batches in the second half of its steps, in nats; infinite where it was lost.
    package let loss: Double
  }

  /// The trials, by rising rate; none where a training has no room for them.
  package let trials: [Trial]
  /// The rate to train with.
  public let rate: Double

  /// What a rate is multiplied with, or divided by, for the next trial.
  static let factor = 2.0
  /// How far from the usual rate the found one may be, up and down.
  static let reach = 4.0
  /// The rate that is best in the mean of data sets, as a share of the usual one.
  static let expected = 2.0 / 3
  /// Share of the loss by which a rate has to be better for each doubling, squared, away from the expected one, as a few steps tell little of
  /// where many end.
  private static let doubt = 0.1
  /// Trials that tell where the lowest loss is.
  static let fewest = 3
  /// Share of all steps that trials may take, and what they take of short trainings at most.
  private static let room = 0.1
  private static let largestRoom = 0.15
  /// Steps that the shortest trials take together.
  private static let least = Double(fewest) * (Double(stepRange.lowerBound) + measure)
  private static let stepRange = 4...12
  /// What measuring a batch costs, in steps.
  private static let measure = 1.0 / 3

  /// What trials came to.
  init(trials: [Trial], rate: Double) { (self.trials, self.rate) = (trials, rate) }

  /// Tries rates around that of `options` on the batches that a training with them begins with.
  ///
  /// Pairs of DPO, whose loss falls the faster the sooner they are known by heart, and trainings of fewer than 87 steps have no trials,
  /// and get ``AdapterTrainer/suggestedRate``.
  ///
  /// - Throws: As `AdapterTrainer.init`, or `TrainingError.cancelled`.
  public init(
    _ model: BaseModel, examples: [TokenizedExample], options: TrainingOptions,
    from start: Adapter? = nil, isCancelled: () -> Bool = { Task.isCancelled },
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(TrainingError) {
    let trainer = try AdapterTrainer(model, examples: examples, options: options, from: start)
    guard options.objective != .dpo, Self.hasRoom(in: trainer.stepCount) else {
      self.init(trials: [], rate: trainer.suggestedRate)
      return
    }
    let usual = options.learningRate
    let room = max(Double(trainer.stepCount) * Self.room, Self.least)
    let steps = min(Int(room / Double(Self.fewest) - Self.measure), Self.stepRange.upperBound)
    let most = Int(room / (Double(steps) + Self.measure))
    let (factors, optimizer) = (trainer.factors, trainer.optimizer)
    var trials: [Trial] = []
    while trials.count < most, let next = Self.next(after: trials, usual: usual) {
      (trainer.factors, trainer.optimizer) = (factors, optimizer)
      let rate = LearningRate(highest: next, schedule: .constant, warmup: 0, steps: steps)
      trials.append(Trial(rate: next, loss: try Self.loss(trainer, rate, steps, isCancelled)))
      trials.sort { $0.rate < $1.rate }
      progress(trials.count, max(trials.count, Self.fewest))
    }
    self.init(trials: trials, rate: Self.choice(of: trials, usual: usual))
  }

  /// Whether trials take a small share of so many steps.
  static func hasRoom(in steps: Int) -> Bool { least <= Double(steps) * largestRoom }

  /// The rate to try next; nil where the lowest loss has higher ones on both sides, or the next rate is too far from the usual.
  static func next(after trials: [Trial], usual: Double) -> Double? {
    guard let first = trials.first, let last = trials.last,
      let lowest = trials.min(by: { $0.loss < $1.loss })
    else { return usual }
    guard trials.count > 1 || !lowest.loss.isFinite else { return usual / factor }
    guard lowest == first || lowest == last else { return nil }
    let next = lowest == first ? first.rate / factor : last.rate * factor
    return (usual / reach...usual * reach).contains(next) ? next : nil
  }

  /// What `steps` steps at `rate` come to; infinite where they diverged.
  private static func loss(
    _ trainer: AdapterTrainer, _ rate: LearningRate, _ steps: Int, _ isCancelled: () -> Bool
  ) throws(TrainingError) -> Double {
    var losses: [Double] = []
    do {
      for _ in 0..<steps { losses.append(try trainer.step(rate, isCancelled).loss) }
      losses.append(try trainer.lossOfNextBatches(1, isCancelled))
    } catch TrainingError.diverged {
      return .infinity
    }
    return judged(losses)
  }

  /// The mean of the second half, as the first batches tell more of the start than of the rate; infinite where it is not finite.
  ///
  /// A loss above the first one tells nothing: each is of another batch, and an easy one may come first.
  static func judged(_ losses: [Double]) -> Double {
    let counted = losses.suffix(losses.count / 2)
    let loss = counted.reduce(0, +) / Double(counted.count)
    return loss.isFinite ? loss : .infinity
  }

  /// The best rate between those that were tried, near the expected one where they differ little, within a factor of four of the usual
  /// one, to two digits.
  static func choice(of trials: [Trial], usual: Double) -> Double {
    guard let best = trials.indices.min(by: { trials[$0].loss < trials[$1].loss }),
      trials[best].loss.isFinite
    else { return usual / reach }
    let found = vertex(trials, best, expected: usual * expected)
    return rounded(min(max(found, usual / reach), usual * reach))
  }

  /// To two digits.
  static func rounded(_ rate: Double) -> Double {
    let exponent = Int((Mathematics.logarithm(rate) / Mathematics.logarithm(10)).rounded(.down)) - 1
    let digits = Int((rate * Mathematics.power(10, Double(-exponent))).rounded())
    return Double("\(digits)e\(exponent)") ?? rate
  }

  /// Where a parabola over the logarithm of the rate, through the best trial and its neighbours and steeper the further from the `expected`
  /// rate, is lowest; within the rates that were tried.
  private static func vertex(_ trials: [Trial], _ best: Int, expected: Double) -> Double {
    guard trials.count >= fewest else { return trials[best].rate }
    // A lost trial tells no more than that it is much worse.
    let lowest = max(trials[best].loss, .leastNormalMagnitude)
    let losses = trials.map { min($0.loss / lowest, 2) }
    let middle = min(max(best, 1), trials.count - 2)
    let (left, right) = (losses[middle - 1] - losses[middle], losses[middle + 1] - losses[middle])
    let bend = (left + right) / 2 + doubt
    guard bend > 0 else { return trials[best].rate }
    let rate = trials[middle].rate
    let wanted = Mathematics.logarithm(expected / rate) / Mathematics.logarithm(factor)
    let shift = (doubt * wanted + (left - right) / 4) / bend
    return rate * Mathematics.power(factor, min(max(shift, -1), 1))
  }
}

extension AdapterTrainer {
  /// The learning rate for a training of as many steps, where that of its options is the usual one: two thirds of it, which is best in the
  /// mean of data sets; half of it for fewer than 87 steps, as a rate that is too high costs more than one that is too low; and all of it
  /// for pairs of DPO.
  public var suggestedRate: Double {
    let usual = options.learningRate
    guard options.objective != .dpo else { return usual }
    return RateSweep.hasRoom(in: stepCount)
      ? RateSweep.rounded(usual * RateSweep.expected) : usual / 2
  }
}
