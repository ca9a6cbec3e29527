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

  /// Handing a job to other threads takes longer than a short one does; many short ones wake them all the same.
  @Test func shortJobsStayWithTheirCaller() {
    final class Threads: Sendable {
      let caller = pthread_self()
      let others = Atomic<Int>(0)
    }
    let pool = WorkerPool(threads: 2)
    func others(work: Int, jobs: Int, waiting: Bool = false) -> Int {
      let threads = Threads()
      for _ in 0..<jobs {
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
      }
      return threads.others.load(ordering: .relaxed)
    }
    #expect(others(work: 1_000, jobs: 200) == 0)
    #expect(others(work: 20_000, jobs: 2_000) > 0)
    #expect(others(work: .max, jobs: 200) > 0)
  }

  @Test func sleepingWorkersWakeUp() {
    let pool = WorkerPool(threads: 2)
    let counters = Counters(64)
    for _ in 0..<3 {
      run(pool, counters)
      // Longer than workers spin before they sleep.
      let start = ContinuousClock.now
      while start.duration(to: .now) < .milliseconds(1) {}
    }
    #expect(counters.counts.allSatisfy { $0.value.load(ordering: .relaxed) == 3 })
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

@Suite struct TaskThreadTests {
  private actor Counter {
    private var value = 0
    func count() { value += 1 }
  }

  /// More tasks than Swift has threads for wait, without giving theirs up, for an actor on a thread of its own.
  @Test func actorsWorkWhileAllOtherThreadsWait() async {
    let answers = await withTaskGroup(of: Int.self) { group in
      for index in 0..<16 {
        group.addTask {
          let done = DispatchSemaphore(value: 0)
          let counter = Counter()
          Task(executorPreference: TaskThread()) {
            await counter.count()
            done.signal()
          }
          Self.wait(for: done)
          return index
        }
      }
      return await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(answers == Set(0..<16))
  }

  private static func wait(for done: DispatchSemaphore) { done.wait() }

  private actor Threaded {
    private let thread = ActorThread()
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.unowned }

    /// Says that it is here, and whether Swift takes its thread for the actor's, then waits.
    func hold(_ arrival: AsyncStream<Bool>.Continuation, until opened: DispatchSemaphore) {
      arrival.yield(isIsolated())
      opened.wait()
    }

    private nonisolated func isIsolated() -> Bool { assumeIsolated { _ in true } }
  }

  /// More actors than Swift has threads for hold theirs, and tasks go on.
  @Test(.timeLimit(.minutes(2))) func actorsHoldNoThreadOfOthers() async {
    let (arrivals, arrival) = AsyncStream<Bool>.makeStream()
    let (opened, count) = (DispatchSemaphore(value: 0), WorkerPool.processors + 2)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask { await Threaded().hold(arrival, until: opened) }
      }
      var here = 0
      for await isIsolated in arrivals {
        #expect(isIsolated)
        here += 1
        if here == count { break }
      }
      for _ in 0..<count { opened.signal() }
    }
  }
}
