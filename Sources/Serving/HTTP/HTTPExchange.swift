import CFMMicrohttpd
import JSON
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A request while it comes, and its answer while it goes, on the thread of its connection.
@safe final class HTTPExchange {
  private let server: HTTPServer
  private let connection: OpaquePointer
  private let head: HTTPHead
  private let socket: Int32
  private var body: [UInt8] = []
  private var isTooLarge = false
  /// What is sent of a stream.
  private var stream: (any HTTPStream)?
  private var rest: ArraySlice<UInt8> = []

  init(_ server: HTTPServer, _ connection: OpaquePointer, _ head: HTTPHead) {
    unsafe (self.server, self.connection, self.head) = unsafe (server, connection, head)
    socket = unsafe http_socket(connection)
  }

  static func fields(of connection: OpaquePointer) -> [(name: String, value: String)] {
    final class Fields {
      var all: [(name: String, value: String)] = []
    }
    let fields = Fields()
    let context = unsafe Unmanaged.passUnretained(fields).toOpaque()
    unsafe MHD_get_connection_values_n(
      connection, .HEADER_KIND,
      { context, _, name, nameCount, value, valueCount in
        guard let context = unsafe context, let name = unsafe name else { return .NO }
        let fields = unsafe Unmanaged<Fields>.fromOpaque(context).takeUnretainedValue()
        func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
          unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        }
        unsafe fields.all.append((text(name, nameCount).lowercased(), text(value, valueCount)))
        return .YES
      }, context)
    return fields.all
  }

  /// The head has come.
  func begin() -> MHD_Result {
    server.deadlines.set(socket, server.limits.bodySeconds)
    if let defect = Framing.defect(of: head) {
      return refuse(ServingError(.invalidRequest, "The request is not as HTTP has it: \(defect)"))
    }
    if Framing.length(of: head) ?? 0 > server.limits.bodyBytes { return refuse(tooLarge) }
    if let response = server.check(request()) { return send(response, closes: true) }
    return .YES
  }

  private var tooLarge: ServingError {
    ServingError(.tooLarge, "The body is larger than \(server.limits.bodyBytes) bytes.")
  }

  func take(_ bytes: UnsafeRawBufferPointer) {
    guard !isTooLarge else { return }
    isTooLarge = body.count + bytes.count > server.limits.bodyBytes
    if isTooLarge { body = [] } else { unsafe body.append(contentsOf: bytes) }
  }

  /// The request is whole.
  func answer() -> MHD_Result {
    // Generating takes as long as it takes, and the library would count that as silence.
    unsafe http_set_timeout(connection, 0)
    server.deadlines.set(socket, nil)
    if isTooLarge { return refuse(tooLarge) }
    guard let response = server.handler(request()) else { return .NO }
    return send(response, closes: false)
  }

  private func request() -> HTTPRequest {
    HTTPRequest(
      method: head.method, path: head.target, fields: head.fields, body: body, client: client,
      isGone: { [server, socket] in server.isEnding.load(ordering: .relaxed) || Self.isGone(socket)
      })
  }

  #if os(Linux)
    /// `POLLRDHUP`, which the headers show to none but GNU's programs: the other side sends no more.
    private static let hangUp: Int16 = 0x2000
  #else
    private static let hangUp: Int16 = 0
  #endif

  /// Whether the other side has closed the connection, or was reset.
  private static func isGone(_ socket: Int32) -> Bool {
    var look = pollfd(fd: socket, events: hangUp, revents: 0)
    return unsafe poll(&look, 1, 0) > 0
  }

  /// The address of the other side; the same for all of a socket without addresses.
  private var client: String {
    var address = sockaddr_storage()
    var count = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard unsafe getpeername(socket, address, &count) == 0,
          unsafe getnameinfo(address, count, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
            == 0
        else { return "local" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      }
    }
  }

  private func refuse(_ error: ServingError) -> MHD_Result {
    send(.json(.object(OpenAIErrors.json(error)), status: error.kind.status), closes: true)
  }
}

extension HTTPExchange {
  private func send(_ response: HTTPResponse, closes: Bool) -> MHD_Result {
    let made: OpaquePointer?
    switch response.body {
    case .bytes(let bytes):
      unsafe made = unsafe bytes.withUnsafeBytes { bytes in
        unsafe MHD_create_response_from_buffer(
          bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
      }
    case .stream(let stream):
      self.stream = stream
      unsafe made = unsafe MHD_create_response_from_callback(
        HTTP_SIZE_UNKNOWN, 64 << 10,
        { context, _, buffer, count in
          guard let context = unsafe context, let buffer = unsafe buffer else {
            return HTTP_END_OF_STREAM
          }
          let exchange = unsafe Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue()
          return unsafe exchange.write(UnsafeMutableRawBufferPointer(start: buffer, count: count))
        }, Unmanaged.passUnretained(self).toOpaque(), nil)
    }
    guard let made = unsafe made else { return .NO }
    defer { unsafe MHD_destroy_response(made) }
    for field in response.fields { unsafe MHD_add_response_header(made, field.name, field.value) }
    if closes { unsafe MHD_add_response_header(made, "Connection", "close") }
    server.deadlines.set(socket, server.limits.sendSeconds)
    return unsafe MHD_queue_response(connection, UInt32(response.status), made)
  }

  /// Writes what comes next of the stream, as much of it as has room; the rest comes with the next call.
  private func write(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    if rest.isEmpty {
      server.deadlines.set(socket, nil)
      rest = stream?.next()?[...] ?? []
      server.deadlines.set(socket, server.limits.sendSeconds)
    }
    guard !rest.isEmpty else { return HTTP_END_OF_STREAM }
    let part = rest.prefix(buffer.count)
    unsafe buffer.copyBytes(from: part)
    rest = rest.dropFirst(part.count)
    return part.count
  }

  /// The answer has been sent, or never will be.
  static func end(
    _ connection: OpaquePointer?, _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) {
    guard let place = unsafe place, let known = unsafe place.pointee else { return }
    unsafe place.pointee = nil
    let exchange = unsafe Unmanaged<HTTPExchange>.fromOpaque(known).takeRetainedValue()
    exchange.stream = nil
    let limits = exchange.server.limits
    unsafe http_set_timeout(connection, UInt32(limits.idleSeconds))
    exchange.server.deadlines.set(exchange.socket, limits.idleSeconds + limits.headSeconds)
  }
}
