import Synchronization

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
  public init(
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
