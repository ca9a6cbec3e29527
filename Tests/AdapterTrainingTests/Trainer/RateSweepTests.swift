import LanguageModels
import Testing

@testable import AdapterTraining

@Suite struct RateSweepTests {
  @Test func ratesAreTriedOnTheFirstBatches() throws {
    let fixture = try GradientFixture("llama")
    var options = TrainingOptions()
    (options.steps, options.learningRate, options.threads) = (150, 0.01, 1)
    func sweep() throws -> RateSweep {
      try RateSweep(fixture.model, examples: fixture.examples, options: options)
    }
    let found = try sweep()
    #expect(found.trials.count == 3)
    let rates = found.trials.map(\.rate)
    #expect(rates == rates.sorted() && rates.contains(0.01) && rates.contains(0.005))
    #expect((0.0025...0.04).contains(found.rate))
    #expect(try sweep() == found)
    options.steps = 87
    #expect(try sweep().trials.count == 3)
    options.steps = 86
    #expect(try sweep() == RateSweep(trials: [], rate: 0.005))
  }

  @Test(arguments: [(87, 0.0067), (86, 0.005)])
  func theSuggestedRateFollowsTheSteps(_ steps: Int, _ rate: Double) throws {
    let fixture = try GradientFixture("llama")
    var options = TrainingOptions()
    (options.steps, options.learningRate, options.threads) = (steps, 0.01, 1)
    let trainer = try AdapterTrainer(fixture.model, examples: fixture.examples, options: options)
    #expect(trainer.suggestedRate == rate)
  }

  /// The rates that are tried where the losses are those of `loss`.
  private func tried(usual: Double = 0.01, _ loss: (Double) -> Double) -> [Double] {
    var trials: [RateSweep.Trial] = []
    var rates: [Double] = []
    while let next = RateSweep.next(after: trials, usual: usual) {
      rates.append(next)
      trials = (trials + [.init(rate: next, loss: loss(next))]).sorted { $0.rate < $1.rate }
    }
    return rates
  }

  @Test func trialsFollowTheLosses() {
    #expect(tried { abs($0 - 0.011) } == [0.01, 0.005, 0.02])
    #expect(tried { abs($0 - 0.005) } == [0.01, 0.005, 0.0025])
    // No further than a factor of four from the usual rate.
    #expect(tried { $0 } == [0.01, 0.005, 0.0025])
    #expect(tried { -$0 } == [0.01, 0.005, 0.02, 0.04])
    #expect(tried { _ in .infinity } == [0.01, 0.005, 0.0025])
  }

  @Test func trialsAreJudgedByTheirEnd() {
    #expect(RateSweep.judged([9, 8, 7, 3, 2, 1]) == 2)
    // An easy batch came first.
    #expect(RateSweep.judged([0.5, 4, 5, 3, 2]) == 2.5)
    #expect(RateSweep.judged([3, 3, .nan, 3]) == .infinity)
    #expect(RateSweep.judged([3, 3, 3, .infinity]) == .infinity)
  }

  private func choice(_ losses: Double..., usual: Double = 0.01) -> Double {
    let rates = [0.0025, 0.005, 0.01, 0.02, 0.04].suffix(losses.count)
    return RateSweep.choice(
      of: zip(rates, losses).map { .init(rate: $0, loss: $1) }, usual: usual)
  }

  @Test func theRateFollowsTheBestTrial() {
    // A better neighbour draws it near; far worse ones on both sides leave it where it is.
    #expect(choice(3, 2, 2.1) > choice(3, 2, 3) && choice(3, 2, 3) > choice(2.1, 2, 3))
    #expect(choice(4, 2, 4) == 0.018)
    // With the best at an end the parabola is that of the three next to it, and ends with them.
    #expect(abs(choice(2, 3, 9) - 0.01) < 6e-4)
    #expect(choice(2, 2.1, 9) > choice(2, 3, 9))
    // Nothing is far from what is usual, and lost trials count as twice the best.
    #expect(choice(9, 5, 4, 3, 2) > 0.035)
    #expect(choice(.infinity, .infinity, .infinity) == 0.0025)
    #expect(choice(3, 2, .infinity) == choice(3, 2, 4))
  }

  /// Trials that tell nothing leave two thirds of the usual rate, and the less they differ the nearer the rate is to that.
  @Test func trialsThatDifferLittleAreDoubted() {
    #expect(choice(2, 2, 2, usual: 0.02) == 0.013)
    #expect(choice(0, 0, 0, usual: 0.02) == 0.013)
    #expect(choice(2.02, 2, 2.01, usual: 0.02) < choice(2.4, 2, 2.2, usual: 0.02))
    #expect(choice(2.4, 2, 2.2, usual: 0.02) < 0.02)
  }
}
