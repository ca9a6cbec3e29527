#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What systemd hands to a service, and is told by it.
///
/// Source: sd_listen_fds(3) and sd_notify(3), which promise both protocols for those who do without the library.
package struct ServiceManager: Sendable {
  /// What becomes of the service.
  package enum State: Sendable, Equatable {
    /// Requests are answered; the text is for `systemctl status`.
    case ready(String)
    /// What has begun comes to its end.
    case stopping

    fileprivate var text: String {
      switch self {
      case .ready(let status): "READY=1\nSTATUS=\(status.filter { !$0.isNewline })"
      case .stopping: "STOPPING=1"
      }
    }
  }

  private static let firstDescriptor: Int32 = 3
  /// Sockets of a service, at most.
  private static let limit: Int32 = 64
  private let environment: [String: String]

  /// Reads what `environment` says.
  package init(_ environment: [String: String]) { self.environment = environment }

  /// The sockets that were opened for this process; none where it was started in another way.
  ///
  /// - Throws: `.notListening` for what is no socket that waits for connections.
  package func sockets() throws(ListeningSocket.Defect) -> [ListeningSocket] {
    guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == getpid(),
      let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), (1...Self.limit).contains(count)
    else { return [] }
    var sockets: [ListeningSocket] = []
    for descriptor in Self.firstDescriptor..<(Self.firstDescriptor + count) {
      sockets.append(try ListeningSocket(inherited: descriptor))
    }
    return sockets
  }

  /// Says what becomes of the service, if somebody wants to know.
  package func tell(_ state: State) {
    guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@"),
      let address = SocketName(name)
    else { return }
    let sender = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard sender >= 0 else { return }
    defer { close(sender) }
    var text = Array(state.text.utf8)
    _ = unsafe address.with { pointer, count in
      unsafe sendto(sender, &text, text.count, Int32(MSG_NOSIGNAL), pointer, count)
    }
  }
}
