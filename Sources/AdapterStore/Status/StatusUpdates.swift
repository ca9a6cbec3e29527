import Synchronization

/// What happens to an adapter, or a base, while it comes.
public enum AdapterEvent: Sendable, Equatable {
  /// Its download began, or began again after a pause.
  case began
  /// Its download waits to be resumed.
  case paused
  /// Bytes came; of several such events that were not taken in time, the latest stands for all.
  case downloading(DownloadProgress)
  /// It is installed; the last event.
  case finished
  /// It is not installed, and why; the last event.
  case failed(StoreError)

  /// Whether nothing comes after it.
  var isLast: Bool {
    switch self {
    case .finished, .failed: true
    case .began, .paused, .downloading: false
    }
  }
}

/// The events of one download: they end after `finished` or `failed`, or when its task is cancelled.
///
/// Whoever wants to follow asks for updates of their own. Events are kept from the moment of asking until they are taken.
struct StatusUpdates: AsyncSequence, Sendable {
  let observer: StatusObserver

  struct AsyncIterator: AsyncIteratorProtocol {
    let observer: StatusObserver

    mutating func next() async -> AdapterEvent? { await observer.next() }

    mutating func next(
      isolation actor: isolated (any Actor)?
    ) async -> AdapterEvent? {
      await observer.next()
    }
  }

  /// The follower itself; two iterators share its events.
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(observer: observer) }
}

/// What one follower has not taken yet.
final class StatusObserver: Sendable {
  private typealias Waiter = CheckedContinuation<AdapterEvent?, Never>

  /// One who has waited for an event, to be woken once no lock is held: who waits may run on any executor.
  struct Waking: Sendable {
    fileprivate let waiter: CheckedContinuation<AdapterEvent?, Never>
    fileprivate let event: AdapterEvent?

    func wake() { waiter.resume(returning: event) }
  }

  private struct State {
    var pending: [AdapterEvent] = []
    var waiters: [Waiter] = []
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Keeps `event`, or gives back who waits for it; nothing is kept after the last one.
  func receive(_ event: AdapterEvent) -> [Waking] {
    state.withLock { state -> [Waking] in
      guard !state.isClosed else { return [] }
      if state.waiters.isEmpty {
        Self.add(event, to: &state.pending)
        state.isClosed = event.isLast
        return []
      }
      var woken = [Waking(waiter: state.waiters.removeFirst(), event: event)]
      if event.isLast {
        woken += state.waiters.map { Waking(waiter: $0, event: nil) }
        state.waiters = []
        state.isClosed = true
      }
      return woken
    }
  }

  /// The next event, waiting for it; nil after the last one and in a cancelled task.
  func next() async -> AdapterEvent? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let ready = state.withLock { state -> AdapterEvent?? in
          if !state.pending.isEmpty { return .some(state.pending.removeFirst()) }
          if state.isClosed { return .some(nil) }
          state.waiters.append(waiter)
          return nil
        }
        if let ready { waiter.resume(returning: ready) }
      }
    } onCancel: {
      close()
    }
  }

  private func close() {
    let waiters = state.withLock { state in
      defer { state = State(isClosed: true) }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: nil) }
  }

  /// Of progress and pauses the latest stands for all; the beginning and the end always stay.
  private static func add(_ event: AdapterEvent, to pending: inout [AdapterEvent]) {
    if !event.isLast {
      let hasBegun = pending.first == .began && event != .began
      pending = hasBegun ? [.began] : []
    }
    pending.append(event)
  }
}
