import Adapters
import Kernels
import LanguageModels
import TestSupport
import Testing
import Tokenization

@testable import AdapterTraining

/// Trainings of adapters that begin at their invocation.
@Suite struct ActivatedTrainingTests {
  private static let invocation: [Token] = [100, 7]

  private let fixture: GradientFixture
  /// Each answer in one piece.
  private let examples: [TokenizedExample]

  init() throws {
    fixture = try GradientFixture("llama.activated")
    examples = fixture.examples.map { example in
      TokenizedExample(
        line: 1, tokens: example.tokens,
        trained: [example.trained[0].lowerBound..<example.tokens.count])
    }
  }

  private func trainer(
    _ examples: [TokenizedExample]? = nil, _ change: (inout TrainingOptions) -> Void = { _ in }
  ) throws -> AdapterTrainer {
    var options = TrainingOptions()
    options.rank = fixture.factors.layers.flatMap(\.values).first?.a.rows ?? 1
    options.alpha = Double(fixture.scale) * Double(options.rank)
    (options.steps, options.warmupSteps, options.learningRate) = (10, 2, 0.01)
    (options.threads, options.precision, options.invocation) = (1, .single, Self.invocation)
    change(&options)
    return try AdapterTrainer(fixture.model, examples: examples ?? self.examples, options: options)
  }

  private func adapter(_ invocation: [Token]? = Self.invocation) -> AppliedAdapter {
    AppliedAdapter(
      identifier: "x", contentHash: "", layers: fixture.factors.pairs, scale: fixture.scale,
      invocation: invocation)
  }

  @Test(arguments: [false, true]) func gradientsAreThoseOfPEFT(_ shares: Bool) throws {
    var pass = GradientPass(
      fixture.model, scale: fixture.scale, operations: Operations(pool: WorkerPool(threads: 1)))
    pass.sharesBeginnings = shares
    let answers = examples.flatMap { $0.answers(beginningAt: Self.invocation) }
    #expect(answers.map(\.start) == [5, 4])
    var sequence = TrainingSequence()
    for answer in answers { sequence.append(answer, limit: 1000) }
    let apart = TrainingBatch(answers.map { TrainingSequence($0, limit: 1000) })
    for batch in [apart, TrainingBatch([sequence])] {
      let result = try pass.run(batch, fixture.factors, total: batch.targetCount)
      #expect(abs(result.loss / Double(result.count) - fixture.loss) < 1e-4 * fixture.loss)
      #expect(try #require(result.gradients).worst(beside: fixture.gradients) < 2e-5)
    }
  }

  @Test func tenStepsAreThoseOfPEFT() throws {
    let trainer = try trainer()
    trainer.factors = fixture.factors
    for expected in fixture.losses {
      let found = try #require(try trainer.step()).loss
      #expect(abs(found - expected) < 1e-3 * expected)
    }
    #expect(try trainer.step() == nil && fixture.losses.count == 10)
  }

  @Test func lossesAreThoseOfPEFT() throws {
    func loss(_ adapter: AppliedAdapter?) throws -> Double {
      let losses = try LossMeter(fixture.model, adapter: adapter, threads: 1).losses(of: examples)
      return losses.reduce(0) { $0 + $1.nats } / Double(losses.reduce(0) { $0 + $1.tokens })
    }
    #expect(try abs(loss(adapter()) - fixture.loss) < 1e-4 * fixture.loss)
    #expect(try abs(loss(adapter(nil)) - fixture.loss) > 1e-2 * fixture.loss)
    #expect(try abs(loss(adapter([99])) - loss(nil)) < 1e-6)
  }

  /// Each answer of a chat is what an adapter learns that begins before it.
  @Test func eachAnswerHasTheLastInvocationBeforeIt() {
    let chat = TokenizedExample(
      line: 3, tokens: [1, 100, 7, 5, 6, 100, 7, 8, 100, 7], trained: [3..<5, 7..<10])
    let answers = chat.answers(beginningAt: Self.invocation)
    #expect(answers.map(\.tokens) == [Array(chat.tokens[..<5]), chat.tokens])
    #expect(answers.map(\.trained) == [[3..<5], [7..<10]])
    #expect(answers.map(\.start) == [1, 5])
    let without = TokenizedExample(line: 1, tokens: [1, 2, 3], trained: [1..<3])
    #expect(without.answers(beginningAt: Self.invocation).map(\.isActivated) == [false])
    let pair = TokenizedExample(chosen: chat, rejected: examples[0])
    #expect(pair.answers(beginningAt: Self.invocation).map(\.start) == [5])
    #expect(pair.answers(beginningAt: Self.invocation)[0].rejected?.start == 5)
    let half = TokenizedExample(chosen: chat, rejected: without)
    #expect(half.answers(beginningAt: Self.invocation).map(\.isActivated) == [false])
  }

  /// What stands before an invocation is shared, and nothing of it is the adapter's.
  @Test func beginningsAreSharedUpToTheInvocation() {
    let system = (0..<20).map { Token($0 % 7 + 1) }
    func answers(_ rest: [Token]) -> [TrainingSequence] {
      let tokens = system + Self.invocation + rest
      return TokenizedExample(line: 1, tokens: tokens, trained: [22..<tokens.count])
        .answers(beginningAt: Self.invocation).map { TrainingSequence($0, limit: 1000) }
    }
    let batch = TrainingBatch(answers([9, 9]) + answers([8]))
    let rows = BatchRows(batch, sharesBeginnings: true)
    #expect(
      rows.segments == [
        RowSegment(rows: 0..<20), RowSegment(rows: 20..<24, before: [0..<20]),
        RowSegment(rows: 24..<27, before: [0..<20]),
      ])
    #expect(rows.active == [Float](repeating: 0, count: 20) + [Float](repeating: 1, count: 7))
    let plain = TokenizedExample(line: 1, tokens: system + [1], trained: [20..<21])
    #expect(
      BatchRows(TrainingBatch([.init(plain, limit: 99)]), sharesBeginnings: true).active == nil)
  }

  @Test func thePackageSaysWhereItBegins() throws {
    let folder = try TemporaryDirectory()
    let trainer = try trainer()
    _ = try trainer.step()
    #expect(trainer.adapter.invocation == Self.invocation)
    let metadata = try AdapterMetadata(
      name: "activated", baseModelSignature: fixture.model.signature(), loraRank: 4)
    let path = try trainer.writePackage(metadata, to: folder.path("activated"))
    let package = try Adapter(package: path, for: fixture.model.contract())
    #expect(package.metadata.settings.invocation == Self.invocation)
    let next = try AdapterTrainer(
      fixture.model, examples: examples, options: TrainingOptions(), from: package)
    #expect(next.options.invocation == Self.invocation)
    let json = trainer.options.json
    #expect(try TrainingOptions(json: json).invocation == Self.invocation)
  }

  @Test func whatCannotBeginIsRefused() throws {
    #expect(throws: TrainingError.noInvocation) { try trainer { $0.invocation = [99] } }
    #expect(throws: TrainingError.self) { try trainer { $0.invocation = [] } }
    #expect(throws: TrainingError.self) { try trainer { $0.invocation = [160] } }
    let error = "\(TrainingError.noInvocation)"
    #expect(error.hasPrefix("the invocation stands before no answer"))
  }
}
