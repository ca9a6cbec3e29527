import Synchronization

/// Pauses, resumes and cancels a download from anywhere.
public final class DownloadControl: Sendable {
  private struct State {
    var isPaused = false
    var isCancelled = false
    var interrupt: [Int: @Sendable () -> Void] = [:]
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var next = 0
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

  /// Runs `body` in a task that a pause or a cancellation, from here or of the calling task, cancels.
  func interruptible<R: Sendable>(_ body: sending @escaping () async -> R) async -> R {
    let task = Task { await body() }
    let key = state.withLock { state in
      state.next += 1
      if state.isPaused || state.isCancelled { task.cancel() }
      state.interrupt[state.next] = { task.cancel() }
      return state.next
    }
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    state.withLock { $0.interrupt[key] = nil }
    return result
  }

  private func change(_ body: (inout State) -> Void) {
    let (interrupts, continuations) = state.withLock { state in
      body(&state)
      let runs = !state.isPaused || state.isCancelled
      defer { if runs { state.waiting = [:] } }
      let interrupts = state.isPaused || state.isCancelled ? Array(state.interrupt.values) : []
      return (interrupts, runs ? Array(state.waiting.values) : [])
    }
    interrupts.forEach { $0() }
    continuations.forEach { $0.resume() }
  }
}
