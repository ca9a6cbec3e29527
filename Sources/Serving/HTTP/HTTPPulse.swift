import Synchronization

/// Sends something that says nothing while an answer lets wait for itself, so that no proxy on the way takes its connection for dead.
///
/// Only the thread of the connection may call it.
final class HTTPPulse: Sendable {
  private struct State {
    /// What is sent; nil where nothing may be.
    var ping: [UInt8]?
    var last = ContinuousClock.now
    var hasFailed = false
  }

  private let descriptor: Int32
  private let limits: HTTPLimits
  private let state = Mutex(State())

  init(_ descriptor: Int32, _ limits: HTTPLimits) {
    (self.descriptor, self.limits) = (descriptor, limits)
  }

  /// Begins to send `ping` where nothing else is sent for a while; nil ends that.
  func begin(_ ping: [UInt8]?) {
    state.withLock { $0 = State(ping: ping) }
  }

  /// Notes that something has been sent.
  func note() { state.withLock { $0.last = .now } }

  /// Sends what is due; false where the other side takes nothing any more.
  func beat() -> Bool {
    let due = state.withLock { state -> [UInt8]? in
      let interval = Duration.seconds(limits.pingSeconds)
      guard let ping = state.ping, state.last.duration(to: .now) >= interval else { return nil }
      state.last = .now
      return ping
    }
    if let due {
      var socket = HTTPSocket(descriptor, limits)
      if !socket.send(due) { state.withLock { $0.hasFailed = true } }
    }
    return state.withLock { !$0.hasFailed }
  }
}
