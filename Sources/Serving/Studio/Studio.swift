import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the page may have done beside chats: commands of the program, in a folder of its own.
package final class Studio: Sendable {
  private struct State {
    var jobs: [StudioJob] = []
    var count = 0
    var isClosed = false
  }

  /// Jobs that are remembered, at most; the oldest ones that have ended are forgotten.
  private static let limit = 200
  /// How often somebody who waits for a job looks.
  private static let look: UInt32 = 10_000

  let folder: StudioFolder
  let program: any StudioProgram
  private let state = Mutex(State())

  /// A studio that puts what it is given, and what its commands make, into `folder`, which is made when it is needed.
  package init(folder: String, _ program: any StudioProgram) {
    (self.folder, self.program) = (StudioFolder(path: folder), program)
  }

  /// A word that nobody guesses, which lets the page in.
  package static func newToken() -> String { RandomID.make() }

  /// The jobs, the oldest first.
  var jobs: [StudioJob] { state.withLock { $0.jobs } }

  /// Starts a command; one that is `kept` can be looked at later.
  ///
  /// - Throws: `.invalidRequest` for what may not be run, `.failed` where it cannot be.
  func start(_ words: [String], isKept: Bool) throws(ServingError) -> StudioJob {
    if let reason = program.refusal(of: words) { throw .invalid("words", reason) }
    try folder.make()
    let job: StudioJob? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.count += 1
      let job = StudioJob(state.count, words)
      if isKept { state.jobs.append(job) }
      if state.jobs.count > Self.limit, let old = state.jobs.firstIndex(where: \.hasEnded) {
        state.jobs.remove(at: old)
      }
      return job
    }
    guard let job else { throw ServingError(.unavailable, "The server is about to end.") }
    guard let command = program.start(words, in: folder.path, told: { job.note($0) }) else {
      job.note(.ended(-1))
      throw ServingError(.failed, "The command cannot be started.")
    }
    job.begin(command)
    return job
  }

  /// Waits until `job` has ended; stops it where `isGone` is true before, or the server ends.
  func wait(for job: StudioJob, isGone: () -> Bool) {
    // A second Ctrl-C would end it before it has kept what it keeps.
    var isStopped = false
    while !job.hasEnded {
      if !isStopped, isGone() || state.withLock(\.isClosed) {
        job.stop()
        isStopped = true
      }
      usleep(Self.look)
    }
  }

  /// Forgets a job that has ended.
  func forget(_ job: StudioJob) {
    state.withLock { $0.jobs.removeAll { $0 === job && $0.hasEnded } }
  }

  /// Stops all jobs, and waits until they have kept what they keep.
  package func close() {
    let running = state.withLock { state in
      state.isClosed = true
      return state.jobs.filter { !$0.hasEnded }
    }
    running.forEach { $0.stop() }
    while running.contains(where: { !$0.hasEnded }) { usleep(Self.look) }
  }
}
