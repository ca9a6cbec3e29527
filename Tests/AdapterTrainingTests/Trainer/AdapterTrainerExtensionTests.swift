import TestSupport
import Testing

@testable import AdapterTraining

/// Trainings that go on by themselves.
@Suite struct AdapterTrainerExtensionTests {
  /// One of four epochs of two steps that may go on twice.
  private static func trainer(
    averaging: Double = 0.3, _ change: (inout TrainingOptions) -> Void = { _ in }
  ) throws -> AdapterTrainer {
    var options = TrainingOptions()
    (options.rank, options.alpha, options.precision, options.threads) = (2, 4, .single, 1)
    (options.epochs, options.extensions, options.averaging) = (4, 2, averaging)
    (options.tokensPerStep, options.learningRate) = (1, 0.002)
    (options.schedule, options.warmupSteps) = (.constant, 2)
    change(&options)
    let fixture = try GradientFixture("qwen2")
    return try AdapterTrainer(fixture.model, examples: fixture.examples, options: options)
  }

  /// Makes a step and measures, or goes on; whether there was something to do.
  private static func advance(_ trainer: AdapterTrainer) throws -> Bool {
    if trainer.watch.points.isEmpty { try trainer.measure(GradientFixture("qwen2").examples) }
    guard let step = try trainer.step() else { return trainer.goOn() != nil }
    try trainer.note(step)
    try trainer.measure(GradientFixture("qwen2").examples)
    return true
  }

  @Test func aTrainingWhoseLossStillFallsGoesOnAsOftenAsItMay() throws {
    let trainer = try Self.trainer()
    #expect(trainer.stepCount == 8 && trainer.epochsLeft == 4 && trainer.goOn() == nil)
    for _ in 0..<8 { #expect(try Self.advance(trainer)) }
    let learnt = trainer.learnt
    #expect(trainer.goOn() == 2)
    // It begins with what was measured, at a rate that rises anew.
    #expect(trainer.factors == learnt && trainer.learnt == learnt)
    #expect(trainer.stepCount == 12 && trainer.epochsAdded == 2 && trainer.epochsLeft == 2)
    #expect(trainer.rate.at(8) == 0.001 && trainer.rate.at(9) == 0.002)
    var count = 0
    while try Self.advance(trainer) { count += 1 }
    #expect(count == 9 && trainer.stepsDone == 16 && trainer.goOn() == nil)
    #expect(trainer.watch.lastFall != nil)
  }

  static let others: [(id: String, steps: Int?, extensions: Int)] = [
    ("steps are given", 8, 2), ("it may not", nil, 0),
  ]

  @Test(arguments: others)
  func otherTrainingsEndWhereTheyWere(_ id: String, _ steps: Int?, _ extensions: Int) throws {
    let trainer = try Self.trainer { ($0.steps, $0.extensions) = (steps, extensions) }
    while try Self.advance(trainer) {}
    #expect(trainer.watch.lastFall != nil && trainer.stepsDone == 8)
    #expect(trainer.epochsLeft == 0 && trainer.epochsAdded == 0)
  }

  /// One that is level at its end does as those that never go on, step by step.
  @Test func aTrainingThatSettlesIsAsItWas() throws {
    func trainer(_ extensions: Int) throws -> AdapterTrainer {
      try Self.trainer { ($0.learningRate, $0.extensions) = (1e-7, extensions) }
    }
    let (first, second) = (try trainer(2), try trainer(0))
    for trainer in [first, second] { while try Self.advance(trainer) {} }
    #expect(first.watch.isLevel && first.stepsDone == 8)
    #expect(first.factors == second.factors && first.learnt == second.learnt)
    #expect(first.watch == second.watch)
  }

  /// Stopped after any of its moves, also the one that prepares more steps, it comes to the same.
  @Test(arguments: [0, 0.3])
  func aTrainingThatWentOnCanBeStoppedAnywhere(_ averaging: Double) throws {
    let folder = try TemporaryDirectory()
    let whole = try Self.trainer(averaging: averaging)
    var moves = 0
    while try Self.advance(whole) { moves += 1 }
    #expect(moves == 18)
    for stop in 1...moves {
      let first = try Self.trainer(averaging: averaging)
      for _ in 0..<stop { _ = try Self.advance(first) }
      try first.writeCheckpoint(to: folder.path("point"))
      let second = try Self.trainer(averaging: averaging)
      try second.resume(from: folder.path("point"))
      while try Self.advance(second) {}
      #expect(second.factors == whole.factors && second.learnt == whole.learnt, "\(stop)")
      #expect(second.watch == whole.watch && second.stepCount == whole.stepCount)
    }
  }
}
