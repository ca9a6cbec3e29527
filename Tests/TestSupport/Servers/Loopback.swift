import Foundation

/// Ports of this machine's own address.
package enum Loopback {
  /// A TCP port of 127.0.0.1 that nobody listens on.
  package static func freePort() throws -> Int {
    let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(handle) }
    var address = Self.address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(handle, $0, length) == 0 ? getsockname(handle, $0, &length) : -1
      }
    }
    guard status == 0 else {
      throw ServerProcess.Failure(description: "no free port: error \(errno)")
    }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// Waits until `port` accepts a connection; false when it does not do so `within` that time.
  package static func accepts(port: Int, within: Duration) -> Bool {
    let end = ContinuousClock.now + within
    while ContinuousClock.now < end {
      if connects(port: port) { return true }
      usleep(5000)
    }
    return false
  }

  /// A TCP port of 127.0.0.1 that sends `bytes` to the first who connects, whatever is asked, and ends then.
  package static func answer(_ bytes: [UInt8]) throws -> Int {
    let port = try freePort()
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var (address, reuses) = (Self.address(port: port), Int32(1))
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<Int32>.size))
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0, listen(listener, 1) == 0 else {
      close(listener)
      throw ServerProcess.Failure(description: "no listener: error \(errno)")
    }
    Thread.detachNewThread {
      let link = accept(listener, nil, nil)
      var request = [UInt8](repeating: 0, count: 4096)
      _ = recv(link, &request, request.count, 0)
      _ = send(link, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      close(link)
      close(listener)
    }
    return port
  }

  private static func connects(port: Int) -> Bool {
    let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(handle) }
    var address = Self.address(port: port)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func address(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
