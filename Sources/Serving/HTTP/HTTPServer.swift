import CFMMicrohttpd
import Dispatch
import Kernels
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Takes requests over HTTP/1.1, each connection on a thread of its own.
///
/// The library reads and writes; what it lets pass and should not is refused here, before a request is handed on.
@safe package final class HTTPServer: Sendable {
  package typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse?
  /// Why a request is refused of which only the head has come; nil where it may go on.
  package typealias Check = @Sendable (HTTPRequest) -> HTTPResponse?

  let limits: HTTPLimits
  let deadlines = Deadlines()
  let check: Check
  let handler: Handler
  /// Whether answers are to end.
  let isEnding = Atomic(false)
  /// Where the library has its own; 0 before the start and behind the end.
  private let daemon = Atomic(0)

  /// A server that is not started yet.
  package init(_ limits: HTTPLimits, check: @escaping Check, handler: @escaping Handler) {
    (self.limits, self.check, self.handler) = (limits, check, handler)
  }

  /// Takes requests from `socket`, which listens, until ``stop()``.
  ///
  /// - Returns: Whether the library could start.
  package func start(on socket: ListeningSocket) -> Bool {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    func item(_ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil)
      -> MHD_OptionItem
    {
      unsafe MHD_OptionItem(option: option, value: value, ptr_value: pointer)
    }
    let completed: MHD_RequestCompletedCallback = { _, connection, state, _ in
      unsafe HTTPExchange.end(connection, state)
    }
    let notified: MHD_NotifyConnectionCallback = { context, connection, _, code in
      unsafe HTTPServer.of(context).note(connection, code)
    }
    let unescape:
      @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int =
        {
          // A decoded path could have a slash or an end in it that the sent one has not.
          unsafe $2.map { unsafe strlen($0) } ?? 0
        }
    var options = unsafe [
      item(.LISTEN_SOCKET, Int(socket.descriptor)),
      item(.CONNECTION_LIMIT, limits.connections),
      item(.CONNECTION_MEMORY_LIMIT, 2 * limits.headBytes),
      item(.CONNECTION_TIMEOUT, Int(limits.idleSeconds)),
      item(.THREAD_STACK_SIZE, OwnThread.stackBytes),
      item(.STRICT_FOR_CLIENT, 1),
      item(.NOTIFY_COMPLETED, unsafeBitCast(completed, to: Int.self), context),
      item(.NOTIFY_CONNECTION, unsafeBitCast(notified, to: Int.self), context),
      item(.UNESCAPE_CALLBACK, unsafeBitCast(unescape, to: Int.self), context),
      item(.END, 0),
    ]
    let started = unsafe options.withUnsafeMutableBufferPointer { options in
      unsafe http_start(
        { unsafe HTTPServer.access($0, $1, $2, $3, $4, $5, $6, $7) }, context, options.baseAddress)
    }
    deadlines.start()
    daemon.store(Int(bitPattern: started), ordering: .sequentiallyConsistent)
    return unsafe started != nil
  }

  static func of(_ context: UnsafeMutableRawPointer?) -> HTTPServer {
    guard let context = unsafe context else { preconditionFailure("a server without itself") }
    return unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
  }
}

extension HTTPServer {
  /// Takes what comes of a request: first its head, then its body in parts, then word that it is whole.
  private static func access(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ target: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?,
    _ bytes: UnsafePointer<CChar>?,
    _ count: UnsafeMutablePointer<Int>?, _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> MHD_Result {
    guard let connection = unsafe connection, let count = unsafe count, let place = unsafe place
    else {
      return .NO
    }
    guard let known = unsafe place.pointee else {
      let head = unsafe HTTPHead(
        method: text(method), target: text(target), version: text(version),
        fields: HTTPExchange.fields(of: connection))
      let exchange = unsafe HTTPExchange(of(context), connection, head)
      unsafe place.pointee = Unmanaged.passRetained(exchange).toOpaque()
      return exchange.begin()
    }
    let exchange = unsafe Unmanaged<HTTPExchange>.fromOpaque(known).takeUnretainedValue()
    guard unsafe count.pointee > 0 else { return exchange.answer() }
    unsafe exchange.take(UnsafeRawBufferPointer(start: bytes, count: count.pointee))
    unsafe count.pointee = 0
    return .YES
  }

  private static func text(_ text: UnsafePointer<CChar>?) -> String {
    unsafe text.map { unsafe String(cString: $0) } ?? ""
  }

  private func note(_ connection: OpaquePointer?, _ code: MHD_ConnectionNotificationCode) {
    let socket = unsafe http_socket(connection)
    guard socket >= 0 else { return }
    let begins = code.rawValue == 0
    deadlines.set(socket, begins ? limits.headSeconds : nil)
  }

  /// Takes no more requests; those that are being answered go on.
  package func quiesce() {
    let daemon = unsafe OpaquePointer(bitPattern: daemon.load(ordering: .sequentiallyConsistent))
    if let daemon = unsafe daemon { _ = unsafe MHD_quiesce_daemon(daemon) }
  }

  /// Ends all answers and connections, and waits until they have ended.
  package func stop() {
    isEnding.store(true, ordering: .relaxed)
    deadlines.end(all: true)
    let place = daemon.exchange(0, ordering: .sequentiallyConsistent)
    if let daemon = unsafe OpaquePointer(bitPattern: place) { unsafe MHD_stop_daemon(daemon) }
    deadlines.stop()
  }
}
