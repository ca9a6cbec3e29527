import Glibc
import Serving
import SystemFiles

/// Where a server listens: as the command line has it, or at the sockets that systemd has opened.
struct ListeningPlaces {
  static let listen = Option(
    "--listen", .text("address"), "Address to listen at (default: 127.0.0.1, this machine alone)")
  static let port = Option(
    "--port", .integer(0...65535), "Port (default: 8080); 0 for a free one")
  static let socket = Option(
    "--socket", .file, "Listen at this path in the file system in place of an address")
  static let options: [any OptionDeclaration] = [listen, port, socket]

  let places: [ListeningSocket.Place]
  /// What systemd has opened.
  private let given: [ListeningSocket]

  /// - Throws: `UsageError` for options that contradict each other or `manager`, and what is wrong with its sockets.
  init(_ invocation: Invocation, _ manager: ServiceManager) throws {
    let arguments = invocation.arguments
    try invocation.exclude(Self.socket, Self.listen)
    try invocation.exclude(Self.socket, Self.port)
    do throws(ListeningSocket.Defect) {
      given = try manager.sockets()
    } catch {
      throw Self.failure(error, .path(""))
    }
    guard given.isEmpty else {
      if let option = Self.options.first(where: arguments.has) {
        throw invocation.conflict(
          "systemd has opened the sockets\(remedy: "leave \(option.name) out, or start it without the socket unit")"
        )
      }
      places = given.map(\.place)
      return
    }
    if let path = arguments.value(Self.socket) {
      places = [.path(path)]
    } else {
      let address = arguments.value(Self.listen) ?? "127.0.0.1"
      places = [.address(address, port: arguments.value(Self.port) ?? 8080)]
    }
  }

  /// The addresses among the places.
  var addresses: [String] {
    places.compactMap { place in
      if case .address(let address, _) = place { address } else { nil }
    }
  }

  /// The sockets, open.
  ///
  /// - Throws: `Failure` where there is none to be had.
  func open() throws -> [ListeningSocket] {
    guard given.isEmpty else { return given }
    return try places.map(Self.open)
  }

  /// A socket that listens at `place`.
  ///
  /// - Throws: `Failure` where there is none to be had.
  static func open(_ place: ListeningSocket.Place) throws(Failure) -> ListeningSocket {
    do throws(ListeningSocket.Defect) {
      return try ListeningSocket(place)
    } catch {
      throw failure(error, place)
    }
  }

  static func failure(_ defect: ListeningSocket.Defect, _ place: ListeningSocket.Place) -> Failure {
    switch defect {
    case .noAddress(let text):
      Failure(
        .usage,
        "'\(text)' is no address of this machine\(remedy: "give one as numbers, such as 127.0.0.1 or ::")"
      )
    case .longPath(let path):
      Failure(
        .usage, "\(path): the path of a socket may have 107 bytes\(remedy: "take a shorter one")")
    case .inUse:
      Failure(
        .busy,
        "another program listens at \(title(place))\(remedy: "end it, or take another place with --port or --socket")"
      )
    case .occupied(let path):
      Failure(.storage, "\(path): something else stands there\(remedy: "take another path")")
    case .notListening(let descriptor):
      Failure(
        .usage,
        "descriptor \(descriptor) of LISTEN_FDS is no socket that listens\(remedy: "write ListenStream= and Accept=no into the socket unit")"
      )
    case .system(let code):
      unsafe Failure(.storage, "\(title(place)): \(String(cString: strerror(code)))")
    }
  }

  static func title(_ place: ListeningSocket.Place) -> String {
    switch place {
    case .address(let address, let port):
      "http://\(address.contains(":") ? "[\(address)]" : address):\(port)"
    case .path(let path): path
    }
  }
}
