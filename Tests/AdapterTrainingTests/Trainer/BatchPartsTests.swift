import Kernels
import Synchronization
import Testing
import Tokenization

@testable import AdapterTraining

@Suite struct BatchPartsTests {
  private static func batch(_ lengths: [Int]) -> TrainingBatch {
    TrainingBatch(
      lengths.map { length in
        TrainingSequence(
          TokenizedExample(
            line: 1, tokens: Array(repeating: 1, count: length), trained: [0..<length]),
          limit: length)
      })
  }

  @Test(arguments: [
    ([100, 20], [120]), ([100, 40], [100, 40]), ([500, 500, 500, 500], [500, 500, 500, 500]),
    (Array(repeating: 100, count: 40), Array(repeating: 500, count: 8)),
    ([2000, 10, 10], [2000, 20]),
  ])
  func partsFollowFromTokensAlone(_ lengths: [Int], _ expected: [Int]) {
    for threads in [1, 3] {
      let parts = BatchParts(pool: WorkerPool(threads: threads), limit: 4096)
      #expect(parts.parts(of: Self.batch(lengths)).map(\.tokenCount) == expected)
    }
    let small = BatchParts(pool: WorkerPool(threads: 1), limit: 60)
    #expect(small.parts(of: Self.batch([30, 30, 30])).map(\.tokenCount) == [60, 30])
  }

  private static func chats(_ beginning: Int, _ count: Int, of others: Int = 1) -> TrainingBatch {
    TrainingBatch(
      (0..<count).map { number in
        let start = (0..<beginning).map { Token($0 + 1000 * (number % others)) }
        let own = (0..<30).map { Token(10_000 + 100 * number + $0) }
        return TrainingSequence(
          TokenizedExample(
            line: 1, tokens: start + own, trained: [beginning + 28..<beginning + 30]),
          limit: 5000)
      })
  }

  /// Parts have about as many rows; what is mostly alike stays together, up to the limit.
  @Test(arguments: [
    (chats(20, 6), 4096, [3, 3]), (chats(20, 3), 4096, [3]), (chats(500, 5), 4096, [5]),
    (chats(500, 6, of: 2), 4096, [3, 3]), (chats(10, 3), 4096, [3]),
    (chats(500, 40), 4096, [40]), (chats(500, 40), 1000, [16, 16, 8]),
    (chats(500, 2), 530, [1, 1]), (chats(500, 2), 100, [1, 1]),
  ])
  func whatBeginsAlikeIsCountedOnce(_ batch: TrainingBatch, _ limit: Int, _ expected: [Int]) {
    let parts = BatchParts(pool: WorkerPool(threads: 1), limit: limit, sharesBeginnings: true)
    #expect(parts.parts(of: batch).map(\.sequences.count) == expected)
  }

  @Test(arguments: [1, 2, 5]) func whatPartsFindIsInTheirOrder(threads: Int) throws {
    let parts = BatchParts(pool: WorkerPool(threads: threads), limit: 4096)
    let batches = (1...20).map { Self.batch([$0]) }
    let found = try parts.run(batches, isCancelled: { false }) {
      index, part, _ throws(TrainingError) in (index, part.tokenCount)
    }
    #expect(found.map(\.0) == Array(0..<20) && found.map(\.1) == Array(1...20))
  }

  /// A failure ends the others, which say only that they were told to end.
  @Test(arguments: [1, 3]) func theFirstFailureIsThrown(threads: Int) {
    let parts = BatchParts(pool: WorkerPool(threads: threads), limit: 4096)
    let batches = (1...8).map { Self.batch([$0]) }
    let error = #expect(throws: TrainingError.self) {
      try parts.run(batches, isCancelled: { false }) {
        index, _, isCancelled throws(TrainingError) -> Int in
        if index == 0 { throw .nothingToLearn }
        while !isCancelled() {}
        throw .cancelled
      }
    }
    #expect(error == .nothingToLearn)
  }

  @Test(arguments: [1, 3]) func whoeverCallsCanEndAllParts(threads: Int) {
    let parts = BatchParts(pool: WorkerPool(threads: threads), limit: 4096)
    let asked = Atomic(0)
    let error = #expect(throws: TrainingError.self) {
      try parts.run(
        (1...8).map { Self.batch([$0]) },
        isCancelled: { asked.add(1, ordering: .relaxed).newValue > 3 }
      ) { _, _, isCancelled throws(TrainingError) -> Int in
        while !isCancelled() {}
        throw .cancelled
      }
    }
    #expect(error == .cancelled)
  }
}
