import Foundation
import Synchronization

/// A web server of `Tests/FaultServer/fault_server.py`, which goes wrong in the way that its addresses ask for.
///
/// Its head lists the faults. Every address made here is new, so tests that share a server do not meet. One program is all
/// servers, as each start of Python takes longer than most tests.
package final class FaultServer: Sendable {
  /// One for all tests that need neither a folder nor another host.
  package static let shared = Result { try FaultServer() }

  package let host: String
  package let port: Int
  private let log: String
  private let program: FaultProgram
  private let count = Atomic<Int>(0)

  /// Serves made objects, and the files below `root`, on an address of this machine such as 127.0.0.2.
  package init(root: String = "", host: String = "127.0.0.1") throws {
    self.host = host
    log = NSTemporaryDirectory() + "/fmadapter-test-\(UUID().uuidString).log"
    program = try FaultProgram.shared.get()
    port = try program.serve(log: log, root: root, host: host)
  }

  /// Serves a registry with these faults, of which nothing is kept.
  package init(registry faults: String, host: String = "127.0.0.1") throws {
    self.host = host
    log = NSTemporaryDirectory() + "/fmadapter-test-\(UUID().uuidString).log"
    program = try FaultProgram.shared.get()
    port = try program.serve(log: log, root: faults, host: host, as: "registry")
  }

  deinit { program.end(log) }

  /// Scheme, host and port.
  package var origin: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)" }

  /// An address with these faults: of an object of `size` bytes, where the faults give it one, or of `file` below the
  /// root.
  package func url(_ faults: String, file: String? = nil) -> String {
    let number = count.add(1, ordering: .relaxed).newValue
    // The order of faults means nothing, so a number among them makes an address of its own.
    return "\(origin)/\(faults);test=\(number)/\(file ?? "object.bin")"
  }

  /// An address here that redirects to `target`.
  package func redirect(to target: String) -> String {
    let escaped = target.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return url("to=\(escaped)")
  }

  /// The requests so far, in order; those of `url` alone where it is given.
  package func requests(of url: String? = nil) throws -> [ServedRequest] {
    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    let decoder = JSONDecoder()
    let entries = lines.compactMap { try? decoder.decode(Entry.self, from: Data($0.utf8)) }
    let ends = Dictionary(
      entries.filter { $0.event == "response" }.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
    return entries.filter { $0.event == "request" }.map {
      ServedRequest(
        connection: $0.connection ?? 0, method: $0.method ?? "", target: $0.target ?? "",
        headers: $0.headers ?? [:], status: ends[$0.number]?.status,
        sent: ends[$0.number]?.sent ?? 0)
    }.filter { url == nil || origin + $0.target == url }
  }

  /// The whole log, to search for what must not be there.
  package func logText() throws -> String { try String(contentsOfFile: log, encoding: .utf8) }

  private struct Entry: Decodable {
    var event: String
    var number: Int
    var connection: Int?
    var method: String?
    var target: String?
    var headers: [String: String]?
    var status: Int?
    var sent: Int?
  }
}

/// The program that all servers run in.
private final class FaultProgram: Sendable {
  static let shared = Result { try FaultProgram() }

  private let process: ServerProcess
  // Held between a question and its answer.
  private let asking = Mutex(())

  private init() throws {
    let script = Fixtures.repository.appendingPathComponent("Tests/FaultServer/fault_server.py")
    process = try ServerProcess(ServerProcess.require("python3"), [script.path])
  }

  /// Starts a server; its port.
  func serve(log: String, root: String, host: String, as kind: String = "serve") throws -> Int {
    let answer = try asking.withLock { _ in
      try process.write("\(kind)\t\(log)\t\(root)\t\(host)\n")
      return try process.line()
    }
    guard let port = Int(answer) else {
      throw ServerProcess.Failure(description: "no fault server on \(host): \(answer)")
    }
    return port
  }

  func end(_ log: String) { try? process.write("end\t\(log)\n") }
}

/// A request that a server got.
package struct ServedRequest: Sendable {
  /// Requests of one connection have the same number.
  package let connection: Int
  package let method: String
  package let target: String
  /// By names in lower case.
  package let headers: [String: String]
  /// Nil while the response is not at its end.
  package let status: Int?
  /// Bytes of body that were handed to the kernel.
  package let sent: Int
}
