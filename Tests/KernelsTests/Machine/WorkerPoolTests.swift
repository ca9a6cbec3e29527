import Foundation
import Synchronization
import Testing

@testable import Kernels

@Suite struct WorkerPoolTests {
  /// Counts how often each chunk ran.
  private final class Counters: Sendable {
    let counts: [Box]
    init(_ count: Int) { counts = (0..<count).map { _ in Box() } }

    final class Box: Sendable {
      let value = Atomic<Int>(0)
    }
  }

  private func run(_ pool: WorkerPool, _ counters: Counters) {
    pool.run(
      { job, chunk in
        guard let job else { return }
        let counters = Unmanaged<Counters>.fromOpaque(job).takeUnretainedValue()
        counters.counts[chunk].value.add(1, ordering: .relaxed)
      }, Unmanaged.passUnretained(counters).toOpaque(), chunks: counters.counts.count)
  }

  @Test(arguments: [1, 2, 3, 8])
  func everyChunkRunsOncePerJob(threads: Int) {
    let pool = WorkerPool(threads: threads)
    #expect(pool.threads == threads)
    for chunks in [0, 1, 2, 5, 100] {
      let counters = Counters(chunks)
      for _ in 0..<50 { run(pool, counters) }
      #expect(counters.counts.allSatisfy { $0.value.load(ordering: .relaxed) == 50 })
    }
  }

  /// Runs a job of which each thread has to take a chunk, as the chunks wait for each other; how many threads took one.
  ///
  /// Its end depends on no clock: it comes however late the system lets the others run.
  private func meet(_ pool: WorkerPool) -> Int {
    let here = Atomic<Int>(0)
    let threads = Mutex<Set<pthread_t>>([])
    pool.perform(pool.threads) { _, _ in
      threads.withLock { _ = $0.insert(pthread_self()) }
      here.add(1, ordering: .relaxed)
      while here.load(ordering: .relaxed) < pool.threads { sched_yield() }
    }
    return threads.withLock { $0.count }
  }

  @Test(.timeLimit(.minutes(15)), arguments: [1, 2, 3, 8])
  func allThreadsWork(threads: Int) {
    let pool = WorkerPool(threads: threads)
    for _ in 0..<20 { #expect(meet(pool) == threads) }
  }

  /// Chunks that last a while, until another thread has taken one; how many it were, of `jobs` jobs at most.
  private func others(_ pool: WorkerPool, work: Int, jobs: Int = .max) -> Int {
    final class Threads: Sendable {
      let caller = pthread_self()
      let others = Atomic<Int>(0)
    }
    let threads = Threads()
    var job = 0
    while job < jobs, threads.others.load(ordering: .relaxed) == 0 {
      pool.run(
        { job, _ in
          guard let job else { return }
          let threads = Unmanaged<Threads>.fromOpaque(job).takeUnretainedValue()
          if pthread_equal(pthread_self(), threads.caller) == 0 {
            threads.others.add(1, ordering: .relaxed)
          }
          let start = ContinuousClock.now
          while start.duration(to: .now) < .microseconds(50) {}
        }, Unmanaged.passUnretained(threads).toOpaque(), chunks: 8, work: work)
      job += 1
    }
    return threads.others.load(ordering: .relaxed)
  }

  /// Handing a job to other threads takes longer than a short one does; many short ones wake them all the same.
  @Test(.timeLimit(.minutes(15))) func shortJobsStayWithTheirCaller() {
    let pool = WorkerPool(threads: 2)
    #expect(others(pool, work: 1_000, jobs: 200) == 0)
    waitForSleep(pool)
    // Six of these last longer than to wake a thread takes.
    #expect((0..<6).contains { _ in pool.board.isWorthSharing(20_000) })
    #expect(others(pool, work: 20_000) > 0)
  }

  @Test(.timeLimit(.minutes(15))) func sleepingWorkersWakeUp() {
    let pool = WorkerPool(threads: 2)
    for _ in 0..<3 {
      waitForSleep(pool)
      #expect(meet(pool) == 2)
    }
  }

  /// Waits until the other thread has found nothing to do for a while.
  private func waitForSleep(_ pool: WorkerPool) {
    while pool.board.sleepers.load(ordering: .relaxed) == 0 { sched_yield() }
  }

  @Test func workersThatOfferTheirProcessorLoseNoChunk() {
    let pool = WorkerPool(threads: 3)
    let counters = Counters(60)
    let jobs = 5
    for _ in 0..<jobs {
      pool.run(
        { job, chunk in
          guard let job else { return }
          Unmanaged<Counters>.fromOpaque(job).takeUnretainedValue().counts[chunk].value.add(
            1, ordering: .relaxed)
          // A few chunks last longer than a turn, so that turns end within a job.
          let start = ContinuousClock.now
          while start.duration(to: .now) < .microseconds(300) {}
        }, Unmanaged.passUnretained(counters).toOpaque(), chunks: counters.counts.count)
    }
    #expect(counters.counts.allSatisfy { $0.value.load(ordering: .relaxed) == jobs })
  }

  @Test func callersThatShareAPoolDoNotMixTheirJobs() async {
    let pool = WorkerPool(threads: 2)
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let counters = Counters(40)
          for _ in 0..<200 { run(pool, counters) }
          return counters.counts.allSatisfy { $0.value.load(ordering: .relaxed) == 200 }
        }
      }
      for await complete in group { #expect(complete) }
    }
  }
}
