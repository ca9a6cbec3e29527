import JSON

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Connections for which there was no place: each is told so, and kept for a moment, for what the client still sends would else take the
/// answer from it.
///
/// No call waits for a client.
struct RefusedConnections {
  private var connections: [(descriptor: Int32, end: ContinuousClock.Instant)] = []

  /// Connections that are kept at once; more let go of the oldest.
  private static let limit = 64
  private static let seconds = 2.0
  /// Parts that are taken of one connection at a time.
  private static let parts = 16

  /// Tells the client of a connection that there is no place, and lets go of it later.
  mutating func refuse(_ descriptor: Int32) {
    let error = ServingError(
      .unavailable, "All connections that may be open at once are busy; try again later.")
    let response = HTTPResponse.json(
      .object(Interface.openAI.body(of: error)), status: error.kind.status, [("Retry-After", "1")])
    var bytes = HTTPFraming(record: RequestRecord()).head(response)
    if case .bytes(let body) = response.body { bytes += body }
    let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    // All of it fits into what the system keeps for a new connection.
    _ = unsafe Glibc.send(descriptor, bytes, bytes.count, flags)
    shutdown(descriptor, Int32(SHUT_WR))
    if connections.count >= Self.limit { close(connections.removeFirst().descriptor) }
    connections.append((descriptor, .now + .seconds(Self.seconds)))
  }

  /// Lets go of those whose clients have closed them, or whose time is over.
  mutating func sweep() {
    let now = ContinuousClock.now
    connections.removeAll { connection in
      guard connection.end < now || Self.isOver(connection.descriptor) else { return false }
      close(connection.descriptor)
      return true
    }
  }

  /// Takes what has come; true where nothing more will.
  private static func isOver(_ descriptor: Int32) -> Bool {
    var part = [UInt8](repeating: 0, count: 16 << 10)
    for _ in 0..<parts {
      let count = unsafe recv(descriptor, &part, part.count, Int32(MSG_DONTWAIT))
      if count <= 0 { return count == 0 || errno != EAGAIN && errno != EINTR }
    }
    return false
  }

  /// Lets go of all.
  mutating func end() {
    for connection in connections { close(connection.descriptor) }
    connections = []
  }
}
