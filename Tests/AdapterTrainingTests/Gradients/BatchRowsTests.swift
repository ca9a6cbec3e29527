import Kernels
import LanguageModels
import Testing
import Tokenization

@testable import AdapterTraining

@Suite struct BatchRowsTests {
  /// An example whose tokens from `answer` on are learnt.
  private static func sequence(_ tokens: [Token], answer: Int) -> TrainingSequence {
    TrainingSequence(
      TokenizedExample(line: 1, tokens: tokens, trained: [answer..<tokens.count]), limit: 1000)
  }

  private static let system = (0..<20).map { Token($0 % 7 + 1) }
  private static let long = (0..<18).map { Token($0 % 5 + 8) }

  /// Two that go apart behind a long common prompt, one behind the first words alone, and one of its own.
  private static let batch = TrainingBatch([
    sequence(system + long + [1, 2, 3], answer: 39),
    sequence([5, 6, 7, 8], answer: 2),
    sequence(system + [9, 9, 4], answer: 22),
    sequence(system + long + [4, 5], answer: 39),
  ])

  @Test func whatExamplesBeginWithHasItsRowsOnce() {
    let rows = BatchRows(Self.batch, sharesBeginnings: true)
    #expect(
      rows.segments == [
        RowSegment(rows: 0..<20), RowSegment(rows: 20..<38, before: [0..<20]),
        RowSegment(rows: 38..<41, before: [0..<20, 20..<38]),
        RowSegment(rows: 41..<43, before: [0..<20, 20..<38]),
        RowSegment(rows: 43..<46, before: [0..<20]), RowSegment(rows: 46..<50),
      ])
    #expect(rows.tokens[..<38] == (Self.system + Self.long)[...])
    // In the order of the examples, wherever their rows are.
    #expect(rows.targets == [2, 3, 7, 8, 4, 5])
    #expect(rows.places == [38, 39, 47, 48, 44, 41])
    #expect(rows.commonCount == 0)
    #expect(
      BatchRows(
        TrainingBatch([Self.batch.sequences[0], Self.batch.sequences[2]]), sharesBeginnings: true
      )
      .commonCount == 20)
    #expect(BatchRows(Self.batch, sharesBeginnings: false).tokens.count == 108)
  }

  /// What is foretold from is never shared, and a few tokens are not worth it: twice 30 tokens, of which the rest is learnt.
  @Test(arguments: [(30, 31), (20, 41), (17, 44), (16, 60), (1, 60)])
  func whatIsForetoldIsNotShared(_ answer: Int, _ expected: Int) {
    let tokens = (0..<30).map { Token($0 + 1) }
    let batch = TrainingBatch((0..<2).map { _ in Self.sequence(tokens, answer: answer) })
    let rows = BatchRows(batch, sharesBeginnings: true)
    #expect(rows.tokens.count == expected)
    #expect(Set(rows.places).count == batch.targetCount)
  }

  /// The gradients are those of rows of their own, but for how sums are rounded.
  @Test(arguments: GradientFixture.names) func gradientsAreTheSame(name: String) throws {
    let fixture = try GradientFixture(name)
    let operations = Operations(pool: WorkerPool(threads: 1))
    var pass = GradientPass(fixture.model, scale: fixture.scale, operations: operations)
    #expect(pass.sharesBeginnings == !["lfm2", "lfm2-taps", "qwen35"].contains(name))
    func run() throws -> (losses: [Double], gradients: AdapterFactors) {
      let found = try pass.run(Self.batch, fixture.factors, total: Self.batch.targetCount)
      return (found.losses, try #require(found.gradients))
    }
    let shared = try run()
    pass.sharesBeginnings = false
    let apart = try run()
    for (one, other) in zip(shared.losses, apart.losses) {
      #expect(abs(one - other) < 1e-4 * other)
    }
    #expect(shared.gradients.worst(beside: apart.gradients) < 2e-5)
  }
}
