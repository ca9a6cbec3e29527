import ChatTemplates
import Synchronization

/// A request that has been let in, with what was said before it.
struct SessionTurn: Sendable {
  let request: SessionRequest
  let history: Transcript
  /// The tokens of the history, if they are known.
  let spoken: SpokenTokens?
  let prewarming: Task<Void, Never>?
  let state: TurnState

  init(
    request: SessionRequest, history: Transcript, spoken: SpokenTokens?,
    prewarming: Task<Void, Never>?, before: TurnState?
  ) {
    (self.request, self.history, self.spoken) = (request, history, spoken)
    (self.prewarming, state) = (prewarming, TurnState(after: before))
  }

  func waitForPrewarming() async {
    guard let prewarming else { return }
    await withTaskCancellationHandler {
      await prewarming.value
    } onCancel: {
      prewarming.cancel()
    }
  }
}

/// How far a turn is: whether somebody still waits for its answer, and whether it has ended.
final class TurnState: Sendable {
  private struct State {
    var visitors = 0
    var isLeft = false
    var isCancelled = false
    var hasEnded = false
    var isDisturbed = false
    var usage = LanguageModelSession.Usage()
    var stop: (@Sendable () -> Void)?
    var written: (@Sendable () -> String)?
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// The turn that was stopped for this one.
    var before: TurnState?
  }

  private let state: Mutex<State>

  init(after before: TurnState?) { state = Mutex(State(before: before)) }

  /// Whether nobody waits for the answer.
  var isGivenUp: Bool { state.withLock { $0.isLeft || $0.isCancelled } }

  /// The turn is being stopped.
  func cancel() { state.withLock { $0.isCancelled = true } }

  /// Somebody waits for the answer, too.
  func enter() { state.withLock { ($0.visitors, $0.isLeft) = ($0.visitors + 1, false) } }

  /// Somebody does so no more; unless others do, nobody waits for the answer until somebody does again.
  func leave() {
    state.withLock { state in
      state.visitors -= 1
      state.isLeft = state.visitors <= 0
    }
  }

  /// Whether somebody has tried to change the transcript meanwhile.
  var isDisturbed: Bool { state.withLock { $0.isDisturbed } }

  func wasDisturbed() { state.withLock { $0.isDisturbed = true } }

  /// What the answers of the turn have taken.
  var usage: LanguageModelSession.Usage { state.withLock { $0.usage } }

  func add(_ usage: LanguageModelSession.Usage) { state.withLock { $0.usage.add(usage) } }

  /// How the turn is stopped from outside of its task, and what there is of its answer till then.
  func onStop(_ stop: @escaping @Sendable () -> Void, written: @escaping @Sendable () -> String) {
    state.withLock { ($0.stop, $0.written) = (stop, written) }
  }

  func stop() { state.withLock { $0.stop }?() }

  /// What there is of an answer that nobody reads any more, but could; nil where it was cancelled.
  var leftText: String? {
    let written = state.withLock { $0.isLeft && !$0.isCancelled ? $0.written : nil }
    return written?()
  }

  /// The turn has left the session alone.
  func end() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      state.hasEnded = true
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until the turn that was stopped for this one has ended.
  func waitForThoseBefore() async {
    let before = state.withLock { state in
      defer { state.before = nil }
      return state.before
    }
    await before?.wait()
  }

  private func wait() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiting.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }
}
