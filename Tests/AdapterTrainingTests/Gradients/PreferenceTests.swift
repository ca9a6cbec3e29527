import Foundation
import JSON
import Kernels
import LanguageModels
import TestSupport
import Testing
import Tokenization

@testable import AdapterTraining

/// What `tools/fixtures/make_preference_fixtures.py` made: pairs, and what trl's trainers find in them.
struct PreferenceFixture {
  static let names = [
    "llama.dpo", "mistral.dpo", "gemma2.dpo", "gemma2.dpo-from", "llama.orpo", "mistral.orpo",
    "gemma2.orpo",
  ]

  private struct Stated: Decodable {
    struct Pair: Decodable {
      let prompt: [Token]
      let chosen: [Token]
      let rejected: [Token]
    }
    struct Rewards: Decodable {
      let chosen: Double
      let rejected: Double
      let margin: Double
      let accuracy: Double
    }
    let pairs: [Pair]
    let beta: Double
    let losses: [Double]
    let rewards: Rewards
    let rank: Int
    let alpha: Float
  }

  let model: BaseModel
  let objective: TrainingObjective
  let beta: Double
  let factors: AdapterFactors
  let gradients: AdapterFactors
  /// With what the reference says to them.
  let examples: [TokenizedExample]
  /// Before each of ten steps of AdamW.
  let losses: [Double]
  let rewards: PreferenceRewards
  let margin: Double
  let rank: Int
  let scale: Float
  private let folder: TemporaryDirectory

  init(_ name: String) throws {
    folder = try TemporaryDirectory()
    let path = Fixtures.path("AdapterTrainingTests", "preferences/\(name)")
    let stated = try JSONDecoder().decode(
      Stated.self, from: Data(contentsOf: URL(fileURLWithPath: path + ".json")))
    let parts = name.split(separator: ".").map(String.init)
    let startsFromAdapter = parts[1] == "dpo-from"
    objective = try #require(TrainingObjective(rawValue: startsFromAdapter ? "dpo" : parts[1]))
    (beta, losses, rank) = (stated.beta, stated.losses, stated.rank)
    scale = stated.alpha / Float(stated.rank)
    (rewards, margin) = (
      PreferenceRewards(
        chosen: stated.rewards.chosen, rejected: stated.rewards.rejected,
        accuracy: stated.rewards.accuracy), stated.rewards.margin
    )
    model = try GradientFixture.model(parts[0], folder)
    factors = try GradientFixture.factors(parts[0], model, rank: rank)
    gradients = try GradientFixture.read(
      path + ".safetensors", shapes: model.contract().layers, rank: rank, type: .f32)
    let pairs = stated.pairs.enumerated().map { line, pair in
      func side(_ answer: [Token]) -> TokenizedExample {
        let tokens = pair.prompt + answer
        return TokenizedExample(
          line: line + 1, tokens: tokens, trained: [pair.prompt.count..<tokens.count])
      }
      return TokenizedExample(chosen: side(pair.chosen), rejected: side(pair.rejected))
    }
    let adapter = AppliedAdapter(
      identifier: "x", contentHash: "", layers: factors.pairs, scale: scale)
    let reference = try LossMeter(model, adapter: startsFromAdapter ? adapter : nil, threads: 1)
    examples = try reference.referring(pairs)
  }

  func trainer(_ change: (inout TrainingOptions) -> Void = { _ in }) throws -> AdapterTrainer {
    var options = TrainingOptions()
    (options.objective, options.beta) = (objective, beta)
    (options.rank, options.alpha) = (rank, Double(scale) * Double(rank))
    (options.steps, options.warmupSteps, options.learningRate) = (10, 2, 0.01)
    (options.threads, options.precision) = (1, .single)
    change(&options)
    let trainer = try AdapterTrainer(model, examples: examples, options: options)
    trainer.factors = factors
    return trainer
  }
}

@Suite struct PreferenceTests {
  @Test(arguments: PreferenceFixture.names)
  func gradientsAreThoseOfTrl(name: String) throws {
    let fixture = try PreferenceFixture(name)
    let loss = try #require(PreferenceLoss(fixture.objective, beta: fixture.beta))
    let pass = GradientPass(
      fixture.model, scale: fixture.scale, operations: Operations(pool: WorkerPool(threads: 1)))
    // One pair to a sequence, and all in one.
    var packed = TrainingSequence()
    for example in fixture.examples { packed.append(example, limit: 1000) }
    let plain = fixture.examples.map { TrainingSequence($0, limit: 1000) }
    for batch in [TrainingBatch(plain), TrainingBatch([packed])] {
      let found = try pass.run(
        batch, fixture.factors, loss, totals: PreferenceLoss.Totals(batch))
      let mean = try #require(found.sum.mean)
      #expect(abs(mean - fixture.losses[0]) < 1e-4 * fixture.losses[0])
      let worst = try #require(found.gradients).worst(beside: fixture.gradients)
      #expect(worst < 2e-5, "worst \(worst)")
    }
  }

  @Test(arguments: PreferenceFixture.names)
  func tenStepsAreThoseOfTrl(name: String) throws {
    let fixture = try PreferenceFixture(name)
    let trainer = try fixture.trainer()
    var losses: [Double] = []
    while let step = try trainer.step() {
      if losses.isEmpty {
        let rewards = try #require(step.rewards)
        #expect(abs(rewards.chosen - fixture.rewards.chosen) < 1e-4)
        #expect(abs(rewards.rejected - fixture.rewards.rejected) < 1e-4)
        #expect(abs(rewards.margin - fixture.margin) < 1e-4)
        #expect(abs(rewards.accuracy - fixture.rewards.accuracy) < 1e-6)
      }
      losses.append(step.loss)
    }
    #expect(losses.count == 10)
    for (found, expected) in zip(losses, fixture.losses) {
      #expect(abs(found - expected) < 1e-3 * expected, "\(losses) \(fixture.losses)")
    }
  }

  /// Sums over parts are those of the whole, as ORPO takes a mean over tokens and one over pairs.
  @Test(arguments: ["gemma2.dpo", "llama.orpo"]) func partsAddUp(name: String) throws {
    let fixture = try PreferenceFixture(name)
    let loss = try #require(PreferenceLoss(fixture.objective, beta: fixture.beta))
    let pass = GradientPass(
      fixture.model, scale: fixture.scale, operations: Operations(pool: WorkerPool(threads: 1)))
    let sequences = fixture.examples.map { TrainingSequence($0, limit: 1000) }
    let totals = PreferenceLoss.Totals(TrainingBatch(sequences))
    var (sum, gradients) = (LossSum(), fixture.factors.zeros)
    for sequence in sequences {
      let part = try pass.run(TrainingBatch([sequence]), fixture.factors, loss, totals: totals)
      sum.add(part.sum)
      gradients.add(try #require(part.gradients))
    }
    let mean = try #require(sum.mean)
    #expect(abs(mean - fixture.losses[0]) < 1e-4 * fixture.losses[0])
    #expect(gradients.worst(beside: fixture.gradients) < 2e-5)
  }

  /// The reference is asked once, and what it says is the same for a pair alone.
  @Test func referencesDoNotDependOnTheOtherPairs() throws {
    let fixture = try PreferenceFixture("llama.dpo")
    let meter = try LossMeter(fixture.model, threads: 1)
    for example in fixture.examples {
      let alone = try meter.referring([example])
      #expect(alone[0].reference == example.reference)
    }
    // What is cut in training does not count for the reference either.
    let short = try meter.referring(fixture.examples, contextLength: 7)
    #expect(short[0].reference != fixture.examples[0].reference)
  }

  /// A model that is sure of the answers has finite odds.
  @Test func certainAnswersKeepOrpoFinite() throws {
    let fixture = try PreferenceFixture("llama.orpo")
    let loss = try #require(PreferenceLoss(.orpo, beta: 0.1))
    let batch = TrainingBatch(fixture.examples.prefix(1).map { TrainingSequence($0, limit: 1000) })
    let rows = PairRows(batch, foretellsWholes: true) {
      BatchRows($0, sharesBeginnings: true)
    }
    let losses = [Double](repeating: 0, count: rows.rows.places.count)
    let found = loss.judge(rows, losses, PreferenceLoss.Totals(batch))
    #expect(found.sum.mean?.isFinite == true)
    #expect(!found.weights.contains { !$0.isFinite })
  }

  @Test(arguments: ["llama.dpo", "llama.orpo"])
  func aTrainingThatGoesOnEndsAsOneThatNeverStopped(name: String) throws {
    let fixture = try PreferenceFixture(name)
    let folder = try TemporaryDirectory()
    func trainer() throws -> AdapterTrainer { try fixture.trainer { $0.tokensPerStep = 1 } }
    let whole = try trainer()
    while try whole.step() != nil {}
    let first = try trainer()
    try first.measure(fixture.examples)
    for _ in 0..<4 { _ = try first.step() }
    try first.measure(fixture.examples)
    try first.writeCheckpoint(to: folder.path("point"))
    let second = try trainer()
    try second.resume(from: folder.path("point"))
    #expect(second.watch == first.watch && second.watch.points.last?.rewards != nil)
    while try second.step() != nil {}
    #expect(second.factors == whole.factors)
  }

  /// What DPO is trained with where nobody says, and when its loss is given up.
  @Test func pairsHaveDefaultsOfTheirOwn() throws {
    let fixture = try PreferenceFixture("llama.dpo")
    let plain = TrainingOptions(for: fixture.examples.map(\.chosen), on: fixture.model)
    let dpo = TrainingOptions(for: fixture.examples, on: fixture.model)
    let orpo = TrainingOptions(for: fixture.examples, on: fixture.model, objective: .orpo)
    #expect([plain, dpo, orpo].map(\.objective) == [.sft, .dpo, .orpo])
    #expect(abs(dpo.learningRate - plain.learningRate / 10) < 1e-12)
    #expect(orpo.learningRate == plain.learningRate)
    var long = dpo
    long.steps = 400
    let sweep = try RateSweep(fixture.model, examples: fixture.examples, options: long)
    #expect(sweep.trials.isEmpty && sweep.rate == long.learningRate)
    var watch = LossWatch()
    try watch.add(0.69, after: 0, rewards: fixture.rewards)
    try watch.add(3.4, after: 1, rewards: fixture.rewards)
    #expect(throws: TrainingError.self) {
      try watch.add(3.5, after: 2, rewards: fixture.rewards)
    }
  }

  /// A set of pairs is learnt by DPO unless somebody says otherwise, who need not know of references.
  @Test func pairsWithoutAReferenceAreRefused() throws {
    let fixture = try PreferenceFixture("llama.dpo")
    let pairs = fixture.examples.map { example in
      var pair = example
      pair.reference = nil
      return pair
    }
    let options = TrainingOptions(for: pairs, on: fixture.model)
    let error = #expect(throws: TrainingError.noReference(line: pairs[0].line)) {
      try AdapterTrainer(fixture.model, examples: pairs, options: options)
    }
    #expect(
      error?.description
        == "line \(pairs[0].line): the pair has no reference, which dpo compares with; "
        + "let LossMeter.referring find it, or train by orpo or sft")
  }

  /// Single answers learn from the chosen side alone, whether or not there is another.
  @Test func pairsAreLearntByTheirChosenAnswers() throws {
    let fixture = try PreferenceFixture("llama.dpo")
    let pairs = try fixture.trainer { $0.objective = .sft }
    var options = pairs.options
    options.objective = .sft
    let single = try AdapterTrainer(
      fixture.model, examples: fixture.examples.map(\.chosen), options: options)
    single.factors = fixture.factors
    #expect(try pairs.step() == single.step())
    #expect(pairs.factors == single.factors)
    #expect(try pairs.loss(of: fixture.examples) == single.loss(of: fixture.examples))
  }

  @Test func whatIsNoPairIsRefused() throws {
    let fixture = try PreferenceFixture("llama.orpo")
    var options = try fixture.trainer().options
    for objective in [TrainingObjective.dpo, .orpo] {
      options.objective = objective
      let error = #expect(throws: TrainingError.self) {
        try AdapterTrainer(
          fixture.model, examples: [fixture.examples[0], fixture.examples[1].chosen],
          options: options)
      }
      #expect(
        error.map { "\($0)" }
          == "line 2: is no pair of a chosen and a rejected answer, which dpo and orpo learn from; "
          + "give lines with prompt, chosen and rejected, or train by sft")
    }
  }

  /// Both sides need a token to foretell within the context, and each is cut by itself.
  @Test func pairsAreCutSideBySide() throws {
    func pair(_ chosen: Int, _ rejected: Int) -> TokenizedExample {
      func side(_ count: Int) -> TokenizedExample {
        TokenizedExample(line: 1, tokens: Array(repeating: 1, count: count), trained: [4..<count])
      }
      return TokenizedExample(chosen: side(chosen), rejected: side(rejected))
    }
    let plan = BatchPlan([pair(6, 20), pair(8, 8)], contextLength: 10, tokensPerBatch: 100)
    #expect(plan.cutCount == 1 && plan.exampleCount == 2)
    #expect(plan.epoch(0).map(\.pairCount) == [2])
    #expect(plan.epoch(0)[0].tokenCount == 6 + 10 + 16)
    let none = BatchPlan([pair(6, 20)], contextLength: 4, tokensPerBatch: 100)
    #expect(none.exampleCount == 0)
    let packed = BatchPlan(
      [pair(8, 8), pair(8, 8)], contextLength: 10, tokensPerBatch: 100, arrangement: .packed)
    #expect(packed.epoch(0)[0].sequences.map(\.tokens.count) == [16, 16])
  }
}
