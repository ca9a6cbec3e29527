import Kernels
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Takes requests over HTTP/1.1, each connection on a thread of its own.
package final class HTTPServer: Sendable {
  package typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse?
  /// Why a request is refused of which only the head has come; nil where it may go on.
  package typealias Check = @Sendable (HTTPRequest) -> HTTPResponse?

  /// Since when a connection waits for a request; nil while it has one.
  private struct Waiting {
    var since: ContinuousClock.Instant?
  }

  let limits: HTTPLimits
  let check: Check
  let handler: Handler
  /// Told of each request, once nothing more of its answer is sent.
  let ended: @Sendable (RequestRecord) -> Void
  /// Whether all that goes on is to end.
  let isEnding = Atomic(false)
  /// Whether no more connections are taken, and no other requests over those that are there.
  let isClosed = Atomic(false)
  private let connections = Mutex<[Int32: Waiting]>([:])
  private let accepting = Atomic(false)

  /// A server that is not started yet.
  package init(
    _ limits: HTTPLimits, check: @escaping Check, handler: @escaping Handler,
    ended: @escaping @Sendable (RequestRecord) -> Void
  ) {
    (self.limits, self.check, self.handler, self.ended) = (limits, check, handler, ended)
  }

  /// Takes requests from `sockets`, which listen, until ``stop()``.
  ///
  /// - Returns: Whether there is a thread for that.
  package func start(on sockets: [ListeningSocket]) -> Bool {
    accepting.store(true, ordering: .sequentiallyConsistent)
    let hasStarted = OwnThread.run { [self] in
      var refused = RefusedConnections()
      while !isClosed.load(ordering: .relaxed) {
        take(sockets, &refused)
        refused.sweep()
      }
      refused.end()
      for socket in sockets { Glibc.close(socket.descriptor) }
      accepting.store(false, ordering: .sequentiallyConsistent)
    }
    if !hasStarted { accepting.store(false, ordering: .sequentiallyConsistent) }
    return hasStarted
  }

  /// How often a thread that waits looks whether it is to end.
  private static let look: Int32 = 50

  /// Takes a connection of each socket that has one.
  private func take(_ sockets: [ListeningSocket], _ refused: inout RefusedConnections) {
    var looks = sockets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    guard unsafe poll(&looks, nfds_t(looks.count), Self.look) > 0 else { return }
    for look in looks where look.revents != 0 { accept(look.fd, &refused) }
  }

  private func accept(_ descriptor: Int32, _ refused: inout RefusedConnections) {
    let connection = Glibc.accept(descriptor, nil, nil)
    guard connection >= 0 else {
      // No descriptors are left: some will be.
      usleep(10_000)
      return
    }
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    let isIn = connections.withLock { connections in
      guard connections.count < limits.connections || Self.endOldest(of: &connections) else {
        return false
      }
      connections[connection] = Waiting(since: .now)
      return true
    }
    let hasThread =
      isIn
      && OwnThread.run { [self] in
        var served = HTTPConnection(self, connection)
        served.run()
        leave(connection)
      }
    guard !hasThread else { return }
    if isIn { connections.withLock { $0[connection] = nil } }
    refused.refuse(connection)
  }

  /// Ends the connection that has waited longest for a request; false where none waits.
  private static func endOldest(of connections: inout [Int32: Waiting]) -> Bool {
    let waiting = connections.compactMap { connection, state in
      state.since.map { (connection: connection, since: $0) }
    }
    guard let oldest = waiting.min(by: { $0.since < $1.since }) else { return false }
    shutdown(oldest.connection, Int32(SHUT_RDWR))
    connections[oldest.connection] = Waiting()
    return true
  }

  /// Notes whether a connection waits for a request.
  func note(_ connection: Int32, isWaiting: Bool) {
    connections.withLock { $0[connection] = Waiting(since: isWaiting ? .now : nil) }
  }

  /// The number belongs to the connection until it is closed, and nobody shuts down another one's.
  private func leave(_ connection: Int32) {
    connections.withLock { connections in
      connections[connection] = nil
      Glibc.close(connection)
    }
  }

  /// Takes no more connections, and waits until the answers to requests that have begun are sent.
  package func drain() {
    close()
    while hasRequests { usleep(10_000) }
  }

  /// Whether a connection has a request, or something of one has come that nobody has read.
  private var hasRequests: Bool {
    connections.withLock { connections in
      connections.contains { $1.since == nil || HTTPSocket.isReadable($0) }
    }
  }

  private func close() {
    isClosed.store(true, ordering: .sequentiallyConsistent)
    while accepting.load(ordering: .sequentiallyConsistent) { usleep(1000) }
  }

  /// Ends all answers and connections, and waits until they have ended.
  package func stop() {
    isEnding.store(true, ordering: .sequentiallyConsistent)
    close()
    while true {
      let isOver = connections.withLock { connections in
        for connection in connections.keys { shutdown(connection, Int32(SHUT_RDWR)) }
        return connections.isEmpty
      }
      if isOver { return }
      usleep(1000)
    }
  }
}
