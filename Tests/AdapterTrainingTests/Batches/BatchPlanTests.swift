import TestSupport
import Testing
import Tokenization

@testable import AdapterTraining

@Suite struct BatchPlanTests {
  /// Examples of 3 to 40 tokens, the last half of each learnt; the tokens of an example are its line.
  private static func examples(_ count: Int = 60) -> [TokenizedExample] {
    var random = SeededGenerator(seed: 4)
    return (1...count).map { line in
      let length = Int.random(in: 3...40, using: &random)
      return TokenizedExample(
        line: line, tokens: Array(repeating: Token(line), count: length),
        trained: [length / 2..<length])
    }
  }

  private static func plan(
    _ arrangement: TrainingOptions.Arrangement, context: Int = 64, seed: UInt64 = 1
  ) -> BatchPlan {
    BatchPlan(
      examples(), contextLength: context, tokensPerBatch: 100, arrangement: arrangement, seed: seed)
  }

  private static func lines(_ batches: [TrainingBatch]) -> [Int] {
    batches.flatMap { $0.sequences.flatMap(\.lines) }
  }

  @Test(arguments: TrainingOptions.Arrangement.allCases)
  func everyExampleIsInEachEpochOnce(arrangement: TrainingOptions.Arrangement) {
    let plan = Self.plan(arrangement)
    for epoch in 0..<3 {
      #expect(Self.lines(plan.epoch(epoch)).sorted() == Array(1...60))
    }
  }

  @Test(arguments: TrainingOptions.Arrangement.allCases)
  func seedAndEpochDecideTheOrder(arrangement: TrainingOptions.Arrangement) {
    let plan = Self.plan(arrangement)
    #expect(plan.epoch(1) == Self.plan(arrangement).epoch(1))
    #expect(plan.epoch(0) != plan.epoch(1))
    #expect(plan.epoch(0) != Self.plan(arrangement, seed: 2).epoch(0))
  }

  @Test(arguments: TrainingOptions.Arrangement.allCases)
  func batchesHaveAboutAsManyTokensAsAsked(arrangement: TrainingOptions.Arrangement) {
    let batches = Self.plan(arrangement).epoch(0)
    let counts = batches.map(\.tokenCount).sorted()
    #expect(counts.dropFirst().allSatisfy { (100..<164).contains($0) }, "\(counts)")
    let examples = Self.examples()
    #expect(batches.reduce(0) { $0 + $1.tokenCount } == examples.reduce(0) { $0 + $1.tokens.count })
    #expect(
      batches.reduce(0) { $0 + $1.targetCount } == examples.reduce(0) { $0 + $1.trainedCount })
  }

  @Test func packedSequencesFillTheContext() {
    let sequences = Self.plan(.packed).epoch(0).flatMap(\.sequences)
    for sequence in sequences {
      #expect(sequence.tokens.count <= 64)
      #expect(sequence.segments.map(\.count).reduce(0, +) == sequence.tokens.count)
      for (segment, line) in zip(sequence.segments, sequence.lines) {
        #expect(sequence.tokens[segment].allSatisfy { $0 == Token(line) })
        #expect(sequence.targets[segment.upperBound - 1] == nil)
      }
    }
    #expect(sequences.count < 30)
  }

  @Test func sortedBatchesAreOfSimilarLengths() {
    let batches = Self.plan(.sorted).epoch(0)
    let spreads = batches.map { batch in
      let lengths = batch.sequences.map(\.tokens.count)
      return (lengths.max() ?? 0) - (lengths.min() ?? 0)
    }
    #expect(spreads.reduce(0, +) / spreads.count < 8, "\(spreads)")
  }

  @Test func targetsAreTheNextTokens() {
    let example = TokenizedExample(line: 1, tokens: [5, 6, 7, 8, 9], trained: [0..<1, 2..<4])
    let sequence = TrainingSequence(example, limit: 9)
    #expect(sequence.targets == [nil, 7, 8, nil, nil])
    #expect(TrainingSequence(example, limit: 3).targets == [nil, 7, nil])
  }

  @Test func longExamplesAreCutAndEmptyOnesSkipped() {
    let examples = [
      TokenizedExample(line: 1, tokens: Array(repeating: 1, count: 20), trained: [2..<20]),
      TokenizedExample(line: 2, tokens: Array(repeating: 2, count: 20), trained: [12..<20]),
      TokenizedExample(line: 3, tokens: [3], trained: [0..<1]),
      TokenizedExample(line: 4, tokens: [4, 4], trained: [1..<2]),
    ]
    let plan = BatchPlan(examples, contextLength: 10, tokensPerBatch: 8)
    #expect((plan.cutCount, plan.exampleCount) == (1, 2))
    #expect(Self.lines(plan.epoch(0)).sorted() == [1, 4])
    #expect(plan.epoch(0).map(\.tokenCount).reduce(0, +) == 12)
  }

  @Test func nothingGivesNoBatches() {
    #expect(BatchPlan([], contextLength: 10, tokensPerBatch: 8).epoch(0).isEmpty)
  }
}
