#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A socket that waits for connections.
package struct ListeningSocket: Sendable {
  /// Where a server is to listen.
  package enum Place: Sendable, Equatable {
    /// An address of this machine as numbers, and a port; 0 for any that is free.
    case address(String, port: Int)
    /// The path of a socket in the file system.
    case path(String)
  }

  /// Why there is no socket.
  package enum Defect: Error, Equatable {
    /// The text is no address.
    case noAddress(String)
    /// The path is longer than such a name may be.
    case longPath(String)
    /// Another process listens there.
    case inUse
    /// Something else stands at the path.
    case occupied(String)
    /// What was handed to the process is no socket that waits for connections; the number is that of the descriptor.
    case notListening(Int32)
    /// The system refuses; the number is that of `errno`.
    case system(Int32)
  }

  package let descriptor: Int32
  package let place: Place
  /// Whether the name in the file system, if there is one, is this process's own.
  private var isNamedHere = true

  /// Opens the socket.
  package init(_ place: Place) throws(Defect) {
    switch place {
    case .address(let text, let port): self = try Self.bound(text, port)
    case .path(let path): self = try Self.bound(path)
    }
  }

  private init(_ descriptor: Int32, _ place: Place) {
    (self.descriptor, self.place) = (descriptor, place)
  }

  /// Takes over a socket that another process has opened.
  package init(inherited descriptor: Int32) throws(Defect) {
    guard Self.option(SO_ACCEPTCONN, of: descriptor) == 1,
      Self.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue),
      let place = Self.place(of: descriptor)
    else { throw .notListening(descriptor) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    self.init(descriptor, place)
    isNamedHere = false
  }

  private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var count = socklen_t(MemoryLayout<Int32>.size)
    let code = unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &count)
    return code == 0 ? value : nil
  }

  /// Where a socket listens; nil for one of no kind that is known here.
  private static func place(of descriptor: Int32) -> Place? {
    var name = sockaddr_un()
    var count = socklen_t(MemoryLayout<sockaddr_un>.size)
    let code = unsafe withUnsafeMutablePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe getsockname(descriptor, address, &count)
      }
    }
    guard code == 0 else { return nil }
    if Int32(name.sun_family) == AF_UNIX {
      let path = unsafe withUnsafeBytes(of: name.sun_path) { bytes in
        unsafe bytes.prefix { $0 != 0 }.map(\.self)
      }
      return .path(String(decoding: path, as: UTF8.self))
    }
    return address(of: descriptor).map { .address($0.host, port: $0.port) }
  }

  private static func bound(_ text: String, _ port: Int) throws(Defect) -> ListeningSocket {
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(text, "\(port)", &hints, &found) == 0, let first = unsafe found else {
      throw .noAddress(text)
    }
    defer { unsafe freeaddrinfo(found) }
    let descriptor = unsafe socket(
      first.pointee.ai_family, hints.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .system(errno) }
    var yes: Int32 = 1
    unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard unsafe bind(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0,
      listen(descriptor, SOMAXCONN) == 0
    else {
      let code = errno
      close(descriptor)
      throw code == EADDRINUSE ? .inUse : .system(code)
    }
    return ListeningSocket(
      descriptor, .address(text, port: Self.address(of: descriptor)?.port ?? port))
  }

  /// The address as numbers, and the port; nil for a socket that has none.
  private static func address(of descriptor: Int32) -> (host: String, port: Int)? {
    var address = sockaddr_storage()
    var count = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: 8)
        guard unsafe getsockname(descriptor, address, &count) == 0,
          unsafe getnameinfo(
            address, count, &host, socklen_t(host.count), &port, socklen_t(port.count),
            NI_NUMERICHOST | NI_NUMERICSERV) == 0, let number = Int(Self.text(port))
        else { return nil }
        return (Self.text(host), number)
      }
    }
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func bound(_ path: String) throws(Defect) -> ListeningSocket {
    guard let name = SocketName(path), !path.hasPrefix("@") else { throw .longPath(path) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .system(errno) }
    func attempt(_ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Bool {
      unsafe name.with { unsafe Int(body(descriptor, $0, $1)) } == 0
    }
    func fail(_ defect: Defect) -> Defect {
      close(descriptor)
      return defect
    }
    // One that nobody listens at is left of a server that was killed.
    if unsafe attempt({ unsafe connect($0, $1, $2) }) { throw fail(.inUse) }
    let isLeft = errno == ECONNREFUSED
    var found = stat()
    if isLeft, unsafe lstat(path, &found) == 0, found.st_mode & S_IFMT == S_IFSOCK {
      unsafe unlink(path)
    }
    // Nobody but its owner may connect, from the first moment on.
    let mask = umask(0o077)
    let isBound = unsafe attempt { unsafe bind($0, $1, $2) }
    let code = errno
    umask(mask)
    guard isBound else { throw fail(code == EADDRINUSE ? .occupied(path) : .system(code)) }
    guard listen(descriptor, SOMAXCONN) == 0 else { throw fail(.system(errno)) }
    return ListeningSocket(descriptor, .path(path))
  }

  /// Removes the name of a socket in the file system.
  package func removeName() {
    if isNamedHere, case .path(let path) = place { unsafe unlink(path) }
  }
}
