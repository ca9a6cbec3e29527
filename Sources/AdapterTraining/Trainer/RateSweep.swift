public import Adapters
public import LanguageModels

/// Short trials of several learning rates on the first batches of a training, and the rate that follows from them.
///
/// Each trial starts from the same adapter, makes a few steps at a constant rate and is measured on the batches behind them. The
/// rate that brings most in so few steps is a little higher than the one that does in a whole training.
public struct RateSweep: Sendable, Equatable {
  /// What came of one rate.
  public struct Trial: Sendable, Equatable {
    /// The rate of every step.
    public let rate: Double
    /// Mean loss of the batches behind the trial's, in nats; infinite where it was lost.
    public let loss: Double
  }

  /// The trials, by rising rate; none where a training is too short for them.
  public let trials: [Trial]
  /// The rate to train with.
  public let rate: Double

  /// Rates that are tried, as multiples of the rule's.
  static let multiples = [0.5, 1, 2, 4, 8]
  /// Whole trainings want about this share of the rate that is best in a trial; too little costs less than too much.
  static let share = 0.5
  /// Shares of all steps that trials may take.
  private static let room = 0.1
  private static let stepRange = 2...8

  /// What trials came to.
  init(trials: [Trial], rate: Double) { (self.trials, self.rate) = (trials, rate) }

  /// Tries rates around that of `options` on the batches that a training with them begins with.
  ///
  /// Trainings of fewer than 134 steps have no time for it and get the rate of `options`. So do those by DPO: its loss falls the
  /// faster the sooner pairs are known by heart.
  ///
  /// - Throws: As `AdapterTrainer.init`, or `TrainingError.cancelled`.
  public init(
    _ model: LanguageModel, examples: [TokenizedExample], options: TrainingOptions,
    from start: Adapter? = nil, isCancelled: () -> Bool = { false },
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(TrainingError) {
    let trainer = try AdapterTrainer(model, examples: examples, options: options, from: start)
    // A measure takes a third of a step for each of two batches.
    let steps = min(
      Int(Double(trainer.stepCount) * Self.room / Double(Self.multiples.count) - 2 / 3),
      Self.stepRange.upperBound)
    guard steps >= Self.stepRange.lowerBound, options.objective != .dpo else {
      (trials, rate) = ([], options.learningRate)
      return
    }
    let (factors, optimizer) = (trainer.factors, trainer.optimizer)
    var trials: [Trial] = []
    for (index, multiple) in Self.multiples.enumerated() {
      (trainer.factors, trainer.optimizer) = (factors, optimizer)
      let rate = LearningRate(
        highest: options.learningRate * multiple, schedule: .constant, warmup: 0, steps: steps)
      let loss = try Self.loss(trainer, rate, steps, isCancelled)
      trials.append(Trial(rate: rate.highest, loss: loss))
      progress(index + 1, Self.multiples.count)
      // Higher rates are worse still.
      let lowest = trials.map(\.loss).min() ?? loss
      if loss > lowest * 1.2 { break }
    }
    self.trials = trials
    rate = Self.choice(of: trials, usual: options.learningRate)
  }

  /// The loss behind the steps of a trial; infinite where it diverges.
  private static func loss(
    _ trainer: AdapterTrainer, _ rate: LearningRate, _ steps: Int, _ isCancelled: () -> Bool
  ) throws(TrainingError) -> Double {
    do {
      for _ in 0..<steps { _ = try trainer.step(rate, isCancelled) }
      let loss = try trainer.lossOfNextBatches(2, isCancelled)
      return loss.isFinite ? loss : .infinity
    } catch TrainingError.diverged {
      return .infinity
    }
  }

  /// A share of the best rate, within a factor of four of the usual one, to two digits.
  static func choice(of trials: [Trial], usual: Double) -> Double {
    guard let best = trials.indices.min(by: { trials[$0].loss < trials[$1].loss }),
      trials[best].loss.isFinite
    else { return usual / 4 }
    let found = vertex(trials, best) * share
    let rate = min(max(found, usual / 4), usual * 4)
    let exponent = Int((Mathematics.logarithm(rate) / Mathematics.logarithm(10)).rounded(.down)) - 1
    let digits = Int((rate * Mathematics.power(10, Double(-exponent))).rounded())
    return Double("\(digits)e\(exponent)") ?? rate
  }

  /// Where a parabola through the best trial and its neighbours is lowest, over the logarithm of the rate.
  private static func vertex(_ trials: [Trial], _ best: Int) -> Double {
    guard best > 0, best + 1 < trials.count, trials[best + 1].loss.isFinite else {
      return trials[best].rate
    }
    let (left, right) = (
      trials[best - 1].loss - trials[best].loss, trials[best + 1].loss - trials[best].loss
    )
    guard left + right > 0 else { return trials[best].rate }
    let step = Mathematics.logarithm(trials[best + 1].rate / trials[best].rate)
    return trials[best].rate * Mathematics.exponential(step * (left - right) / (2 * (left + right)))
  }
}
