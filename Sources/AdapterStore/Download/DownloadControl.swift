import Synchronization

/// Pauses, resumes and cancels an installation from anywhere, and tells how far it is.
///
/// Each installation takes one of its own.
public final class DownloadControl: Sendable {
  private struct State {
    var isPaused = false
    var isCancelled = false
    var interruptible: [Int: Interruptible] = [:]
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var readers: [Int: AsyncStream<DownloadProgress>.Continuation] = [:]
    var latest: DownloadProgress?
    var isOver = false
    var next = 0

    /// Whether what runs has to end, or, where it is not ended `byPause`, by a cancellation alone.
    func ends(byPause: Bool) -> Bool { isCancelled || (byPause && isPaused) }
  }

  private struct Interruptible {
    let byPause: Bool
    let cancel: @Sendable () -> Void
  }

  private let state = Mutex(State())

  /// A download that may run.
  public init() {}

  /// Whether it is paused.
  public var isPaused: Bool { state.withLock(\.isPaused) }
  /// Whether it was cancelled, which cannot be taken back.
  public var isCancelled: Bool { state.withLock(\.isCancelled) }

  /// Ends the connections and keeps what has come; the download waits for ``resume()``.
  public func pause() { change { $0.isPaused = true } }

  /// Goes on from where it was paused.
  public func resume() { change { $0.isPaused = false } }

  /// Ends the download with `StoreError.cancelled`; what has come is kept for the next time.
  public func cancel() { change { $0.isCancelled = true } }

  /// How far the installation is, from now on; first how far it is already.
  ///
  /// It ends with the installation. Any number of readers may ask, each gets all; what they have not taken is kept for them.
  public var progress: some AsyncSequence<DownloadProgress, Never> & Sendable {
    let (stream, continuation) = AsyncStream<DownloadProgress>.makeStream()
    let key = state.withLock { state -> Int? in
      if let latest = state.latest { continuation.yield(latest) }
      guard !state.isOver else { return nil }
      state.next += 1
      state.readers[state.next] = continuation
      return state.next
    }
    guard let key else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.readers.removeValue(forKey: key) }
    }
    return stream
  }

  /// Tells all readers.
  func tell(_ progress: DownloadProgress) {
    let readers = state.withLock { state in
      state.latest = progress
      return Array(state.readers.values)
    }
    for reader in readers { reader.yield(progress) }
  }

  /// Ends what readers get.
  package func endProgress() {
    let readers = state.withLock { state in
      state.isOver = true
      defer { state.readers = [:] }
      return Array(state.readers.values)
    }
    for reader in readers { reader.finish() }
  }

  /// Waits while it is paused.
  ///
  /// - Throws: `StoreError.cancelled`.
  func pass() async throws(StoreError) {
    let key = state.withLock { state in
      state.next += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          guard state.isPaused, !state.isCancelled, !Task.isCancelled else { return false }
          state.waiting[key] = continuation
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: key) }?.resume()
    }
    if isCancelled || Task.isCancelled { throw .cancelled }
  }

  /// Runs `body` in a task, on `executor` where it is given, that a cancellation, from here or of the calling task, cancels, and
  /// with `byPause` a pause, too.
  func interruptible<R: Sendable>(
    byPause: Bool = true, on executor: (any TaskExecutor)? = nil,
    _ body: sending @escaping () async -> R
  ) async -> R {
    // Nothing begins before it can be interrupted, also by what it does itself.
    let (known, knows) = AsyncStream<Void>.makeStream()
    let task = Task(executorPreference: executor) {
      for await _ in known {}
      return await body()
    }
    let (key, isOver) = state.withLock { state in
      state.next += 1
      state.interruptible[state.next] = Interruptible(byPause: byPause) { task.cancel() }
      return (state.next, state.ends(byPause: byPause))
    }
    if isOver { task.cancel() }
    knows.finish()
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    _ = state.withLock { $0.interruptible.removeValue(forKey: key) }
    return result
  }

  private func change(_ body: (inout State) -> Void) {
    let (ended, continuations) = state.withLock { state in
      body(&state)
      let runs = !state.isPaused || state.isCancelled
      defer { if runs { state.waiting = [:] } }
      let ended = state.interruptible.values.filter { state.ends(byPause: $0.byPause) }
      return (ended, runs ? Array(state.waiting.values) : [])
    }
    for task in ended { task.cancel() }
    continuations.forEach { $0.resume() }
  }
}

/// How far a download is.
public struct DownloadProgress: Sendable, Equatable {
  /// Path of the file within the entry.
  public var file: String
  /// Bytes that are on the disk, those of earlier runs included.
  public var received: Int
  /// Bytes of the whole file, once known.
  public var total: Int?
  /// Bytes per second over the last seconds; zero while nothing comes.
  public var rate: Double
  /// What it waits for, such as another attempt, in words for people; nil while bytes flow.
  public var waiting: String?

  /// The state of a file before anything is known of it.
  init(
    file: String, received: Int = 0, total: Int? = nil, rate: Double = 0, waiting: String? = nil
  ) {
    self.file = file
    self.received = received
    self.total = total
    self.rate = rate
    self.waiting = waiting
  }

  /// Seconds until the end at the present rate; nil where that cannot be told.
  public var secondsLeft: Double? {
    guard let total, rate > 0 else { return nil }
    return Double(max(0, total - received)) / rate
  }
}

/// Tells how far a file is, at most ten times a second.
final class ProgressMeter: Sendable {
  private struct State {
    var progress: DownloadProgress
    var samples: [(seconds: Double, received: Int)] = []
    var reported = -Double.infinity
  }

  private let seconds: @Sendable () -> Double
  private let report: @Sendable (DownloadProgress) -> Void
  private let state: Mutex<State>

  /// Seconds over which the rate is taken.
  private static let window = 4.0

  init(
    _ file: RemoteFile, seconds: @escaping @Sendable () -> Double,
    report: @escaping @Sendable (DownloadProgress) -> Void
  ) {
    self.seconds = seconds
    self.report = report
    state = Mutex(State(progress: DownloadProgress(file: file.path, total: file.size)))
  }

  /// Bytes that are there, and that there will be.
  func update(received: Int, total: Int?, always: Bool = false) {
    let now = seconds()
    let due = state.withLock { state -> DownloadProgress? in
      guard always || state.progress.waiting != nil || now - state.reported >= 0.1 else {
        return nil
      }
      if received < state.progress.received { state.samples = [] }
      state.samples.append((now, received))
      state.samples.removeAll { now - $0.seconds > Self.window }
      state.progress.received = received
      state.progress.total = total ?? state.progress.total
      state.progress.waiting = nil
      state.progress.rate = Self.rate(state.samples)
      state.reported = now
      return state.progress
    }
    if let due { report(due) }
  }

  /// What it waits for.
  func wait(_ reason: String, received: Int? = nil) {
    let progress = state.withLock { state in
      state.samples = []
      state.progress.rate = 0
      state.progress.waiting = reason
      state.progress.received = received ?? state.progress.received
      return state.progress
    }
    report(progress)
  }

  private static func rate(_ samples: [(seconds: Double, received: Int)]) -> Double {
    guard let first = samples.first, let last = samples.last, last.seconds > first.seconds else {
      return 0
    }
    return Double(last.received - first.received) / (last.seconds - first.seconds)
  }
}
