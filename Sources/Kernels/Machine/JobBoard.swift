import CKernels
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where a caller puts a job and workers find it.
///
/// A worker takes chunks of a job only while there are some, and the caller waits only for chunks that have been taken: a worker
/// that the system has not scheduled holds nobody up.
@safe
final class JobBoard: Sendable {
  // About 40 microseconds: longer than the serial steps between two jobs of one token.
  private static let spins = 2_000
  // Longer than what comes between two passes over a small base, choosing a token under a grammar for example: to be
  // woken takes a worker as long as such a pass. Other programs may have the processor meanwhile.
  private static let watch = Duration.microseconds(400)
  // What a job takes at least for which two threads beat one, where the other is awake: publishing it and waiting for its
  // end are some cache misses each. Waking a thread takes a few calls of the system, on a virtual machine a host's.
  private static let handOver = 4_000
  private static let wakeUp = 100_000
  private static let end = UInt64.max

  /// What a job is, beside its word.
  @unsafe
  private struct Task {
    var body: WorkerPool.Chunk?
    var job: UnsafeRawPointer?
  }

  private let claimed = Atomic<Bool>(false)
  let sleepers = Atomic<Int>(0)
  // Nanoseconds of the jobs that workers slept through, since they were last woken.
  private let slept = Atomic<Int>(0)
  private let shares: ChunkShares
  // The word of the last job, and behind it what that is, in a line that only the one writes who claimed the board.
  nonisolated(unsafe) private let last: UnsafeMutablePointer<Atomic<UInt64>>
  nonisolated(unsafe) private let task: UnsafeMutablePointer<Task>
  // The word that sleepers wait on: it changes with each job that finds some. Allocated, because a futex needs an address.
  nonisolated(unsafe) private let bell: UnsafeMutablePointer<Atomic<UInt32>>

  /// A board for a caller and `workers`.
  init(workers: Int) {
    shares = ChunkShares(threads: workers + 1)
    let line = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
    unsafe last = line.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
    unsafe last.initialize(to: Atomic(0))
    unsafe task = (line + 16).bindMemory(to: Task.self, capacity: 1)
    unsafe task.initialize(to: Task())
    unsafe bell = .allocate(capacity: 1)
    unsafe bell.initialize(to: Atomic(0))
  }

  deinit {
    unsafe bell.deinitialize(count: 1)
    unsafe bell.deallocate()
    unsafe task.deinitialize(count: 1)
    unsafe last.deinitialize(count: 1)
    unsafe UnsafeMutableRawPointer(last).deallocate()
  }

  /// Whether a job that takes one thread `work` nanoseconds is done sooner by several.
  ///
  /// Short jobs do not wake workers one by one, but do so together.
  func isWorthSharing(_ work: Int) -> Bool {
    guard work >= JobBoard.handOver else { return false }
    guard work < JobBoard.wakeUp, sleepers.load(ordering: .relaxed) > 0 else { return true }
    guard slept.add(work, ordering: .relaxed).newValue > JobBoard.wakeUp else { return false }
    slept.store(0, ordering: .relaxed)
    return true
  }

  /// Takes the board for one job; false while it is taken.
  func claim() -> Bool {
    claimed.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged
  }

  /// Publishes a job, works on it, and returns when all of it is done; gives the board back.
  @unsafe
  func share(_ body: WorkerPool.Chunk, _ job: UnsafeRawPointer, chunks: Int) {
    unsafe task.pointee = Task(body: body, job: job)
    let word = unsafe ChunkShares.job(after: last.pointee.load(ordering: .relaxed), chunks: chunks)
    publish(word)
    shares.take(word, as: 0, while: { true }) { unsafe body(job, $0) }
    var idle = 0
    while !shares.isDone(word) {
      idle += 1
      if idle < JobBoard.spins { ck_pause() } else { sched_yield() }
    }
    claimed.store(false, ordering: .releasing)
  }

  /// Ends all workers.
  func stop() { publish(JobBoard.end) }

  /// What worker `index`, counted from 1, does until the board stops.
  func work(_ index: Int) {
    var seen: UInt64 = 0
    var idle = 0
    var slice = TimeSlice()
    var lastJob = ContinuousClock.now
    while true {
      let word = unsafe last.pointee.load(ordering: .acquiring)
      if word == JobBoard.end { return }
      if word != seen {
        seen = word
        shares.take(word, as: index, while: { !slice.isOver }) { chunk in
          // Its job is not over before this chunk is, and the next one is not there yet.
          let task = unsafe task.pointee
          if let body = unsafe task.body { unsafe body(task.job, chunk) }
        }
        if slice.isOver {
          slice.offer()
          // Back to the same job, if there is something left of it: no job is the zeroth.
          seen = 0
        }
        idle = 0
      } else if idle < JobBoard.spins {
        if idle == 0 { lastJob = .now }
        idle += 1
        ck_pause()
      } else if ContinuousClock.now - lastJob < JobBoard.watch {
        sched_yield()
      } else {
        sleep(after: word)
        idle = 0
        slice = TimeSlice()
      }
    }
  }

  /// Lets workers see `word`, those that sleep, too.
  private func publish(_ word: UInt64) {
    unsafe last.pointee.store(word, ordering: .sequentiallyConsistent)
    guard sleepers.load(ordering: .sequentiallyConsistent) > 0 else { return }
    unsafe bell.pointee.add(1, ordering: .sequentiallyConsistent)
    unsafe ck_wake_all(bell)
  }

  private func sleep(after word: UInt64) {
    let heard = unsafe bell.pointee.load(ordering: .sequentiallyConsistent)
    sleepers.add(1, ordering: .sequentiallyConsistent)
    if unsafe last.pointee.load(ordering: .sequentiallyConsistent) == word {
      unsafe ck_wait(bell, heard)
    }
    sleepers.subtract(1, ordering: .sequentiallyConsistent)
  }
}

/// How long a worker keeps its processor before it offers it to other programs.
///
/// A worker that the system stops in the middle of a chunk holds up all others for as long as it stays stopped, a few
/// milliseconds, so it stops by itself between two chunks first. Where another program took the processor, it rests
/// for a while: then the system leaves the caller, which cannot be replaced, on a processor of its own.
struct TimeSlice {
  // Shorter than the slices that Linux gives, which end at a tick: each 1 to 4 milliseconds.
  private static let longest = Duration.milliseconds(1)
  private static let contended = Duration.microseconds(300)
  private static let restInMicroseconds: UInt32 = 3_000

  private var start = ContinuousClock.now

  /// Whether it is time to offer the processor.
  var isOver: Bool { ContinuousClock.now - start > TimeSlice.longest }

  /// Lets others run, and begins a new slice.
  mutating func offer() {
    let before = ContinuousClock.now
    sched_yield()
    let wasTaken = ContinuousClock.now - before > TimeSlice.contended
    if wasTaken { usleep(TimeSlice.restInMicroseconds) }
    start = .now
  }
}
