import Testing

@testable import Kernels

@Suite struct ChunkSharesTests {
  private func taken(_ shares: ChunkShares, _ job: UInt64, as thread: Int) -> [Int] {
    var chunks: [Int] = []
    shares.take(job, as: thread, while: { true }) { chunks.append($0) }
    return chunks
  }

  /// A thread begins with its own share, and goes on with those of others, who find nothing any more.
  @Test(arguments: [(1, 5), (2, 7), (3, 100), (8, 3), (8, 0)])
  func whoComesFirstTakesAll(threads: Int, chunks: Int) {
    for first in 0..<threads {
      let shares = ChunkShares(threads: threads)
      let job = ChunkShares.job(after: 0, chunks: chunks)
      let mine = taken(shares, job, as: first)
      #expect(mine.sorted() == Array(0..<chunks) && shares.isDone(job))
      #expect(mine.first == (chunks < threads ? mine.first : first * chunks / threads))
      for other in 0..<threads { #expect(taken(shares, job, as: other).isEmpty) }
    }
  }

  /// What one has taken and not done is waited for; the others' chunks are not his.
  @Test func aChunkThatIsNotDoneIsMissing() {
    let shares = ChunkShares(threads: 2)
    let job = ChunkShares.job(after: 0, chunks: 4)
    var seen: [Int] = []
    shares.take(job, as: 1, while: { seen.count < 1 }) { chunk in
      seen.append(chunk)
      #expect(taken(shares, job, as: 0) == [0, 1, 3] && !shares.isDone(job))
    }
    #expect(seen == [2] && shares.isDone(job))
  }

  /// A thread that wakes up too late takes no chunk of the next job for one of the last.
  @Test func jobsThatAreOverHaveNoChunks() {
    let shares = ChunkShares(threads: 2)
    let old = ChunkShares.job(after: 0, chunks: 2)
    #expect(taken(shares, old, as: 0) == [0, 1])
    let new = ChunkShares.job(after: old, chunks: 2)
    #expect(new != old && !shares.isDone(new) && taken(shares, old, as: 1).isEmpty)
    #expect(taken(shares, new, as: 1) == [1, 0] && shares.isDone(new))
  }
}
