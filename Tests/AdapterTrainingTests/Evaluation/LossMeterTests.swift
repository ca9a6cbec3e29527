import LanguageModels
import Testing

@testable import AdapterTraining

@Suite struct LossMeterTests {
  /// That of PyTorch, and so that of the trainer, example by example.
  @Test(arguments: ["llama", "qwen3", "gemma2", "afm"]) func lossesAreThoseOfPyTorch(
    name: String
  ) throws {
    let fixture = try GradientFixture(name)
    let meter = try LossMeter(fixture.model, adapter: Self.adapter(fixture), threads: 1)
    let losses = try meter.losses(of: fixture.examples)
    let (nats, tokens) = (losses.reduce(0) { $0 + $1.nats }, losses.reduce(0) { $0 + $1.tokens })
    #expect(tokens == fixture.batch.targetCount)
    #expect(abs(nats / Double(tokens) - fixture.loss) < 1e-4 * fixture.loss)
    for (example, loss) in zip(fixture.examples, losses) {
      #expect(try meter.losses(of: [example]) == [loss])
    }
  }

  private static func adapter(_ fixture: GradientFixture) -> AppliedAdapter {
    AppliedAdapter(
      identifier: "x", contentHash: "", layers: fixture.factors.pairs, scale: fixture.scale)
  }

  @Test func theBaseAloneIsWhatTheTrainerMeasures() throws {
    let fixture = try GradientFixture("qwen2")
    var options = TrainingOptions()
    (options.rank, options.threads) = (2, 1)
    let trainer = try AdapterTrainer(fixture.model, examples: fixture.examples, options: options)
    let losses = try LossMeter(fixture.model, threads: 1).losses(of: fixture.examples)
    let mean =
      losses.reduce(0) { $0 + $1.nats } / Double(losses.reduce(0) { $0 + $1.tokens })
    #expect(abs(try trainer.baseLoss(of: fixture.examples) - mean) < 1e-9)
  }

  @Test func whatIsBeyondTheContextDoesNotCount() throws {
    let fixture = try GradientFixture("llama")
    let limit = fixture.model.configuration.contextLength
    let long = TokenizedExample(
      line: 1, tokens: Array(repeating: 5, count: limit + 10), trained: [limit..<limit + 10])
    let losses = try LossMeter(fixture.model, threads: 1).losses(of: [long] + fixture.examples)
    #expect(losses[0] == AnswerLoss(nats: 0, tokens: 0))
    #expect(losses[1].tokens > 0)
  }

  @Test func itIsCancelledAndRefusesWhatDoesNotFit() throws {
    let fixture = try GradientFixture("llama")
    let meter = try LossMeter(fixture.model, threads: 1)
    #expect(throws: TrainingError.cancelled) {
      try meter.losses(of: fixture.examples, isCancelled: { true })
    }
    let outside = TokenizedExample(line: 7, tokens: [1, 1_000_000], trained: [1..<2])
    let error = #expect(throws: TrainingError.self) { try meter.losses(of: [outside]) }
    #expect(error.map { "\($0)".hasPrefix("line 7: the token 1000000 is outside") } ?? false)
    let other = try GradientFixture("qwen3")
    #expect(throws: TrainingError.otherBase(identifier: "x")) {
      try LossMeter(fixture.model, adapter: Self.adapter(other))
    }
  }
}
