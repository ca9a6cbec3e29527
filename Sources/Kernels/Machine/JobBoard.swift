import CKernels
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where a caller puts a job and workers find it.
///
/// A worker joins a job only while it is open, and the caller waits only for those that joined: a worker
/// that the system has not scheduled holds nobody up. `state` is generation << 32 | open << 31 | joined.
@safe
final class JobBoard: Sendable {
  private static let open: UInt64 = 1 << 31
  private static let joined: UInt64 = open - 1
  // About 40 microseconds: longer than the serial steps between two jobs of one token.
  private static let spins = 2_000
  // Longer than what comes between two passes over a small base, choosing a token under a grammar for example: to be
  // woken takes a worker as long as such a pass. Other programs may have the processor meanwhile.
  private static let watch = Duration.microseconds(400)
  // What a job takes at least for which two threads beat one, where the other is awake: publishing it and waiting for its
  // end are some cache misses each. Waking a thread takes a few calls of the system, on a virtual machine a host's.
  private static let handOver = 8_000
  private static let wakeUp = 100_000

  private let claimed = Atomic<Bool>(false)
  private let stopped = Atomic<Bool>(false)
  private let state = Atomic<UInt64>(0)
  private let next = Atomic<Int>(0)
  let sleepers = Atomic<Int>(0)
  // Nanoseconds of the jobs that workers slept through, since they were last woken.
  private let slept = Atomic<Int>(0)
  // The word that sleepers wait on: it changes with each job. Allocated, because a futex needs an address.
  nonisolated(unsafe) private let bell: UnsafeMutablePointer<Atomic<UInt32>>
  // Written by the one who claimed the board while it is closed, read by those who joined.
  nonisolated(unsafe) private var body: WorkerPool.Chunk?
  nonisolated(unsafe) private var job: UnsafeRawPointer?
  nonisolated(unsafe) private var chunks = 0

  init() {
    unsafe bell = .allocate(capacity: 1)
    unsafe bell.initialize(to: Atomic(0))
  }

  deinit {
    unsafe bell.deinitialize(count: 1)
    unsafe bell.deallocate()
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
    unsafe (self.body, self.job, self.chunks) = (body, job, chunks)
    next.store(0, ordering: .relaxed)
    let generation = (state.load(ordering: .relaxed) >> 32) &+ 1
    state.store(generation << 32 | JobBoard.open, ordering: .sequentiallyConsistent)
    ring()
    takeChunks { true }
    state.bitwiseAnd(~JobBoard.open, ordering: .acquiringAndReleasing)
    waitForJoined()
    claimed.store(false, ordering: .releasing)
  }

  /// Ends all workers.
  func stop() {
    stopped.store(true, ordering: .sequentiallyConsistent)
    ring()
  }

  /// What a worker thread does until the board stops.
  func work() {
    var last: UInt64 = 0
    var idle = 0
    var slice = TimeSlice()
    var lastJob = ContinuousClock.now
    while !stopped.load(ordering: .relaxed) {
      if join(after: &last) {
        takeChunks { !slice.isOver }
        state.subtract(1, ordering: .releasing)
        if slice.isOver {
          slice.offer()
          // Back to the same job, if it is still open: no job is the zeroth.
          last = 0
        }
        idle = 0
      } else if idle < JobBoard.spins {
        if idle == 0 { lastJob = .now }
        idle += 1
        ck_pause()
      } else if ContinuousClock.now - lastJob < JobBoard.watch {
        sched_yield()
      } else {
        sleep(after: last)
        idle = 0
        slice = TimeSlice()
      }
    }
  }

  private func isNew(_ word: UInt64, _ last: UInt64) -> Bool {
    word & JobBoard.open != 0 && word >> 32 != last
  }

  private func join(after last: inout UInt64) -> Bool {
    let word = state.load(ordering: .relaxed)
    guard isNew(word, last) else { return false }
    let result = state.weakCompareExchange(
      expected: word, desired: word + 1, successOrdering: .acquiring, failureOrdering: .relaxed)
    if result.exchanged { last = word >> 32 }
    return result.exchanged
  }

  private func takeChunks(while wanted: () -> Bool) {
    guard let body = unsafe body else { return }
    while wanted() {
      let chunk = next.add(1, ordering: .relaxed).oldValue
      guard unsafe chunk < chunks else { return }
      unsafe body(job, chunk)
    }
  }

  private func waitForJoined() {
    var idle = 0
    while state.load(ordering: .acquiring) & JobBoard.joined != 0 {
      idle += 1
      if idle < JobBoard.spins { ck_pause() } else { sched_yield() }
    }
  }

  private func ring() {
    unsafe bell.pointee.add(1, ordering: .sequentiallyConsistent)
    if sleepers.load(ordering: .sequentiallyConsistent) > 0 { unsafe ck_wake_all(bell) }
  }

  private func sleep(after last: UInt64) {
    let heard = unsafe bell.pointee.load(ordering: .sequentiallyConsistent)
    sleepers.add(1, ordering: .sequentiallyConsistent)
    if !isNew(state.load(ordering: .sequentiallyConsistent), last),
      !stopped.load(ordering: .sequentiallyConsistent)
    {
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
