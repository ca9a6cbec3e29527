import Synchronization

/// Sends something that says nothing while an answer lets wait for itself, so that no proxy on the way takes its connection for dead.
///
/// An answer that waits for its place has not begun: its head goes out with the first of them. Only the thread of the connection may call it.
final class HTTPPulse: Sendable {
  private struct State {
    /// How the answer is written; nil where none is awaited.
    var framing: HTTPFraming?
    /// What is sent; nil where nothing may be.
    var ping: [UInt8]?
    /// Whether the head was sent.
    var hasBegun = false
    var last = ContinuousClock.now
    var hasFailed = false
  }

  private let descriptor: Int32
  private let limits: HTTPLimits
  private let state = Mutex(State())

  init(_ descriptor: Int32, _ limits: HTTPLimits) {
    (self.descriptor, self.limits) = (descriptor, limits)
  }

  /// Whether the head of the answer was sent.
  var hasBegun: Bool { state.withLock { $0.hasBegun } }

  /// Awaits an answer that is written so; nothing is sent while nobody has said what may be.
  func wait(for framing: HTTPFraming) { state.withLock { $0 = State(framing: framing) } }

  /// Begins to send `ping` where nothing else is sent for a while; nothing if nil.
  func begin(_ ping: [UInt8]?) {
    state.withLock { state in
      state.ping = ping
      state.last = .now
    }
  }

  /// Notes that something has been sent, such as the head.
  func note() {
    state.withLock { state in
      state.hasBegun = true
      state.last = .now
    }
  }

  /// Nothing is awaited any more.
  func end() { state.withLock { $0 = State() } }

  /// Sends what is due; false where the other side takes nothing any more.
  func beat() -> Bool {
    if let due = due() {
      var socket = HTTPSocket(descriptor, limits)
      if !socket.send(due) { state.withLock { $0.hasFailed = true } }
    }
    return state.withLock { !$0.hasFailed }
  }

  private func due() -> [UInt8]? {
    let before = state.withLock { state -> State? in
      let interval = Duration.seconds(limits.pingSeconds)
      guard state.ping != nil, state.last.duration(to: .now) >= interval else { return nil }
      defer { (state.hasBegun, state.last) = (true, .now) }
      return state
    }
    guard let before, let framing = before.framing, let ping = before.ping else { return nil }
    guard !before.hasBegun else { return framing.framed(ping) }
    let head = HTTPResponse.events(LastEvents([]))
    framing.record.note(status: head.status)
    return framing.head(head) + framing.framed(ping)
  }
}
