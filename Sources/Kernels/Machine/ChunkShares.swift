import Synchronization

/// Who takes which chunks of a job: each thread has a share of neighbouring ones, and helps others when its own is taken.
///
/// From job to job a thread has the same share, so what a chunk writes is mostly in the caches of the processor that writes it
/// again. Each word has cache lines of its own: to get one that another processor has written last takes as long as some hundred
/// products, and on some virtual machines five times that.
///
/// A job is a word: its number << 24 | how many chunks it has. Words of threads begin with the number of the job that they are of, so
/// nobody has to reset them.
@safe
final class ChunkShares: Sendable {
  /// Chunks of a job at most.
  static let most = 1 << shift - 1
  private static let shift = 24
  // In words; processors fetch lines of 64 bytes in pairs.
  private static let stride = 16

  /// Threads that have shares.
  let threads: Int
  // Of each thread, how many chunks of its share are taken, and in lines behind those how many chunks it has done.
  nonisolated(unsafe) private let words: UnsafeMutablePointer<Atomic<UInt64>>

  init(threads: Int) {
    self.threads = threads
    let count = 2 * threads * Self.stride
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: count * MemoryLayout<UInt64>.stride,
      alignment: Self.stride * MemoryLayout<UInt64>.stride)
    unsafe words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: count)
    for index in 0..<count { unsafe (words + index).initialize(to: Atomic(0)) }
  }

  deinit {
    unsafe words.deinitialize(count: 2 * threads * Self.stride)
    unsafe words.deallocate()
  }

  /// The job behind `last`.
  static func job(after last: UInt64, chunks: Int) -> UInt64 {
    (last >> UInt64(shift) &+ 1) << UInt64(shift) | UInt64(chunks)
  }

  private static func number(_ word: UInt64) -> UInt64 { word >> UInt64(shift) }
  private static func count(_ word: UInt64) -> Int { Int(word & UInt64(most)) }

  private func taken(_ thread: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    unsafe words + thread * Self.stride
  }

  private func done(_ thread: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    unsafe words + (threads + thread) * Self.stride
  }

  /// Runs chunks of `job` as `thread`, first those of its share, until all are taken or `wanted` is false.
  func take(_ job: UInt64, as thread: Int, while wanted: () -> Bool, _ body: (Int) -> Void) {
    for offset in 0..<threads {
      // Whose share is done needs no look at what is left of it.
      if offset > 0, isDone(job) { return }
      let owner = (thread + offset) % threads
      var count = 0
      while wanted(), let chunk = next(job, of: owner) {
        body(chunk)
        count += 1
      }
      if count > 0 { note(count, job, by: thread) }
    }
  }

  /// Whether all chunks of `job` have been done; what they wrote is visible then.
  func isDone(_ job: UInt64) -> Bool {
    let sum = (0..<threads).reduce(0) { sum, thread in
      let word = unsafe done(thread).pointee.load(ordering: .acquiring)
      return sum + (Self.number(word) == Self.number(job) ? Self.count(word) : 0)
    }
    return sum >= Self.count(job)
  }

  /// A chunk of the share of `owner` that nobody has taken yet; nil where there is none, and where the job is over.
  private func next(_ job: UInt64, of owner: Int) -> Int? {
    let chunks = Self.count(job)
    let first = owner * chunks / threads, count = (owner + 1) * chunks / threads - first
    guard count > 0 else { return nil }
    let number = Self.number(job)
    var word = unsafe taken(owner).pointee.load(ordering: .relaxed)
    while true {
      // A later job's chunks are not for who knows an earlier one.
      guard Self.number(word) <= number else { return nil }
      let next = Self.number(word) == number ? Self.count(word) : 0
      guard next < count else { return nil }
      let result = unsafe taken(owner).pointee.compareExchange(
        expected: word, desired: number << UInt64(Self.shift) | UInt64(next + 1),
        ordering: .acquiringAndReleasing)
      if result.exchanged { return first + next }
      word = result.original
    }
  }

  /// Counts chunks that `thread` has done.
  private func note(_ count: Int, _ job: UInt64, by thread: Int) {
    let word = unsafe done(thread).pointee.load(ordering: .relaxed)
    let before = Self.number(word) == Self.number(job) ? Self.count(word) : 0
    let after = Self.number(job) << UInt64(Self.shift) | UInt64(before + count)
    unsafe done(thread).pointee.store(after, ordering: .releasing)
  }
}
