import Foundation
import JSON

#if canImport(Glibc)
  import Glibc
#endif

/// A connection to a server on this machine that sends what it is told, right or wrong.
final class TestConnection {
  private let socket: Int32

  init(port: Int) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw POSIXError(.ECONNREFUSED) }
  }

  deinit { close(socket) }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// What has come, as soon as something does; empty at the end.
  func receive() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = recv(socket, &bytes, bytes.count, 0)
    return count > 0 ? Array(bytes.prefix(count)) : []
  }

  /// All that comes until the server closes the connection.
  func receiveAll() -> String {
    var all: [UInt8] = []
    while true {
      let part = receive()
      if part.isEmpty { return String(decoding: all, as: UTF8.self) }
      all += part
    }
  }

  /// Resets the connection instead of closing it in order.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    shutdown(socket, Int32(SHUT_RDWR))
  }
}

/// An answer as a client sees it.
struct TestAnswer {
  let status: Int
  let head: String
  let body: String

  init(_ text: String) {
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    head = String(parts.first ?? "")
    status = Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0
    let rest = parts.count > 1 ? String(parts[1]) : ""
    body = head.lowercased().contains("transfer-encoding: chunked") ? Self.joined(rest) : rest
  }

  /// The chunks of a body.
  private static func joined(_ text: String) -> String {
    var (rest, body) = (Array(text.utf8)[...], [UInt8]())
    while let end = rest.firstIndex(of: 13),
      let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16), size > 0
    {
      body += rest[(end + 2)...].prefix(size)
      rest = rest[(end + 2)...].dropFirst(size + 2)
    }
    return String(decoding: body, as: UTF8.self)
  }

  /// The value of a field of the head, by its name in lowercase.
  func field(_ name: String) -> String? {
    head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name): ") }
      .map { String($0.dropFirst(name.count + 2)) }
  }

  var json: JSONValue { (try? JSONDocument(parsing: Array(body.utf8)).root) ?? .null }

  /// The objects of server-sent events, without the end mark.
  var events: [JSONObject] {
    body.components(separatedBy: "\n\n").compactMap { event in
      let data = event.split(separator: "\n").first { $0.hasPrefix("data: ") }?.dropFirst(6)
      return data.flatMap { try? JSONDocument(parsing: Array($0.utf8)).root.object }
    }
  }
}

extension TestAnswer {
  /// What the server on `port` answers.
  static func of(
    _ method: String, _ path: String, _ body: String = "", fields: [String] = [], port: Int
  ) throws -> TestAnswer {
    let connection = try TestConnection(port: port)
    connection.send(request(method, path, body, fields: fields + ["Connection: close"]))
    return TestAnswer(connection.receiveAll())
  }

  /// A request in good order.
  static func request(
    _ method: String, _ path: String, _ body: String = "", fields: [String] = []
  ) -> String {
    let lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1"] + fields
    return (lines + ["Content-Length: \(body.utf8.count)", "", body]).joined(separator: "\r\n")
  }
}

extension JSONValue {
  /// The value at a path such as `choices.0.message`.
  subscript(path path: String) -> JSONValue? {
    path.split(separator: ".").reduce(Optional(self)) { value, key in
      if let index = Int(key) {
        value?.array.flatMap { $0.indices.contains(index) ? $0[index] : nil }
      } else {
        value?.object?[String(key)]
      }
    }
  }
}
