#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The name of a socket of this machine: a path, or behind `@` a name that is no file.
struct SocketName {
  private var address = sockaddr_un()
  private let count: socklen_t

  /// Nil for one that is longer than it may be.
  init?(_ text: String) {
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard !text.isEmpty, text.utf8.count < room else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
      unsafe path.copyBytes(from: text.utf8)
      if text.hasPrefix("@") { unsafe path[0] = 0 }
    }
    count = socklen_t(MemoryLayout<sockaddr_un>.size - room + text.utf8.count)
  }

  /// What `body` makes of the address as calls of the system want it.
  func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int) -> Int {
    unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe body(address, count)
      }
    }
  }
}
