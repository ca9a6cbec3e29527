import Dispatch
import Glibc
import Kernels
import Synchronization
import SystemFiles

/// Turns Ctrl-C, termination and the loss of the terminal into an orderly end: the job is cancelled, and if it has not ended
/// after 0.4 seconds the program is, unless what was made is being kept.
///
/// Ctrl-Z gives the terminal back before it suspends the program.
final class Interruption: Sendable {
  static let shared = Interruption()

  private struct State {
    var cancel: (@Sendable () -> Void)?
    var onInterrupt: (@Sendable () -> Void)?
    /// What SIGHUP asks for, where that is not the end.
    var onHangUp: (@Sendable () -> Void)?
    /// Says that the end takes longer; nil while nothing is kept.
    var onDelay: (@Sendable () -> Void)?
    var ending: ExitCode?
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "fmadapter.signals")
  private let patience: DispatchTimeInterval
  private let exit: @Sendable (ExitCode) -> Void

  init(
    patience: DispatchTimeInterval = .milliseconds(400),
    exit: @escaping @Sendable (ExitCode) -> Void = { _exit($0.rawValue) }
  ) {
    (self.patience, self.exit) = (patience, exit)
  }

  /// How the program has to end, once a signal has come.
  var ending: ExitCode? { state.withLock(\.ending) }

  /// From now on signals are taken; call it once, on the main thread, before there are others.
  ///
  /// - Returns: Whether the system gives the thread that takes them.
  func install() -> Bool {
    let signals = [SIGINT, SIGTERM, SIGTSTP, SIGCONT] + (Self.ignores(SIGHUP) ? [] : [SIGHUP])
    TerminalControl.block(signals)
    return OwnThread.run { while true { self.take(TerminalControl.next(of: signals)) } }
  }

  private func take(_ signal: Int32) {
    switch signal {
    case SIGINT: received(.interrupted)
    case SIGTERM: received(.terminated)
    case SIGHUP:
      if let handler = state.withLock(\.onHangUp) { handler() } else { hangUp() }
    case SIGTSTP: TerminalControl.suspend()
    default: TerminalControl.comeBack()
    }
  }

  /// Whether whoever started the program, such as nohup, lets it ignore a signal.
  private static func ignores(_ number: Int32) -> Bool {
    let handler = signal(number, SIG_IGN)
    _ = signal(number, handler)
    return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Ends as SIGTERM does; both the system and a shell may say that the terminal is gone, which is no second signal.
  func hangUp() {
    if ending == nil { received(.terminated) }
  }

  /// Lets the first signal call `cancel`, at once if it has come already.
  func onEnding(_ cancel: @escaping @Sendable () -> Void) {
    let isEnding = state.withLock { state in
      state.cancel = cancel
      return state.ending != nil
    }
    if isEnding { cancel() }
  }

  /// Runs `body`; meanwhile SIGHUP calls `handler`, as servers have it, instead of ending the program.
  func reloading<R>(_ handler: @escaping @Sendable () -> Void, _ body: () throws -> R) rethrows -> R
  {
    state.withLock { $0.onHangUp = handler }
    defer { state.withLock { $0.onHangUp = nil } }
    return try body()
  }

  /// Runs `body`; meanwhile Ctrl-C calls `handler` instead of ending the program, or ends it where that is nil.
  func handling<R>(_ handler: (@Sendable () -> Void)?, _ body: () throws -> R) rethrows -> R {
    let before = exchange(handler)
    defer { _ = exchange(before) }
    return try body()
  }

  func handling<R>(
    _ handler: (@Sendable () -> Void)?, _ body: () async throws -> R
  ) async rethrows -> R {
    let before = exchange(handler)
    defer { _ = exchange(before) }
    return try await body()
  }

  private func exchange(_ handler: (@Sendable () -> Void)?) -> (@Sendable () -> Void)? {
    state.withLock { state in
      defer { state.onInterrupt = handler }
      return state.onInterrupt
    }
  }

  /// Forgets a signal that has come: what it asked for is done, and in order.
  func hasEndedInOrder() { state.withLock { $0.ending = nil } }

  /// Runs `body`, which keeps what it made once it is cancelled: for that it has all the time that it takes, and a second
  /// signal ends the program at once; `onDelay` may say so where it takes long.
  ///
  /// Meanwhile a pipe that nobody reads does not end the program, but fails what writes to it, see ``loseReader()``.
  func keeping<R>(_ onDelay: @escaping @Sendable () -> Void, _ body: () throws -> R) rethrows -> R {
    state.withLock { $0.onDelay = onDelay }
    let usual = signal(SIGPIPE, SIG_IGN)
    defer {
      state.withLock { $0.onDelay = nil }
      _ = signal(SIGPIPE, usual)
    }
    return try body()
  }

  /// Ends as SIGTERM does, as nobody reads what is said any more; false where nothing is kept.
  func loseReader() -> Bool {
    guard state.withLock({ $0.onDelay != nil }) else { return false }
    hangUp()
    return true
  }

  func received(_ code: ExitCode) {
    if code == .interrupted, let handler = state.withLock(\.onInterrupt) { return handler() }
    let (first, cancel) = state.withLock { state in
      let first = state.ending == nil
      state.ending = state.ending ?? code
      return (first, state.cancel)
    }
    TerminalControl.giveKeysBack(drops: true)
    guard first else { return exit(code) }
    cancel?()
    end(code)
  }

  /// Ends the program once it has had its time, and nothing is kept any more.
  private func end(_ code: ExitCode, tells: Bool = true) {
    queue.asyncAfter(deadline: .now() + patience) { [self] in
      guard ending != nil else { return }
      guard let onDelay = state.withLock(\.onDelay) else {
        // The job may have taken them again before it saw that it is cancelled.
        TerminalControl.giveKeysBack(drops: true)
        return exit(code)
      }
      if tells { onDelay() }
      end(code, tells: false)
    }
  }
}

/// Raised by a signal, seen by the task that works.
final class StopFlag: Sendable {
  private let raised = Atomic(false)
  var isRaised: Bool { raised.load(ordering: .relaxed) }
  @Sendable func raise() { raised.store(true, ordering: .relaxed) }
}
