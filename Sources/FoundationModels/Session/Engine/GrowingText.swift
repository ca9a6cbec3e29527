import Synchronization

/// A text that one task writes, piece by piece, and that any number of tasks read meanwhile.
final class GrowingText: Sendable {
  /// What there is of a text, and how often one was begun.
  struct Current: Sendable {
    var text = ""
    var beginning = 0
  }

  private struct State {
    var current = Current()
    /// How often something has come.
    var changes = 0
    var end: Result<Void, any Error>?
    var tickets = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]

    mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
      defer { waiting = [:] }
      return Array(waiting.values)
    }
  }

  private let state = Mutex(State())

  /// Adds a piece; nil begins another text.
  func append(_ piece: String?) {
    let waiting = state.withLock { state in
      if let piece {
        state.current.text += piece
      } else {
        state.current = Current(beginning: state.current.beginning + 1)
      }
      state.changes += 1
      return state.takeWaiting()
    }
    for reader in waiting { reader.resume() }
  }

  /// Nothing more comes.
  func end(_ result: Result<Void, any Error>) {
    let waiting = state.withLock { state in
      state.end = result
      return state.takeWaiting()
    }
    for reader in waiting { reader.resume() }
  }

  var current: Current { state.withLock { $0.current } }

  /// Waits until more has come than the `seen` changes, and counts them; false at the end, or when the task is cancelled.
  ///
  /// - Throws: The error that the text has ended in.
  func hasMore(than seen: inout Int) async throws -> Bool {
    while true {
      let (changes, end) = state.withLock { ($0.changes, $0.end) }
      if changes > seen {
        seen = changes
        return true
      }
      if let end {
        try end.get()
        return false
      }
      guard !Task.isCancelled else { return false }
      await wait(after: seen)
    }
  }

  private func wait(after seen: Int) async {
    let ticket = state.withLock { state in
      state.tickets += 1
      return state.tickets
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        let isOver = state.withLock { state in
          guard state.changes == seen, state.end == nil, !Task.isCancelled else { return true }
          state.waiting[ticket] = reader
          return false
        }
        if isOver { reader.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
    }
  }
}
