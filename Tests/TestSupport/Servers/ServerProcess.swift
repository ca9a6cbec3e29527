import Foundation

/// A server that a test started; it ends with this value, and with the test process however that ends.
package final class ServerProcess: Sendable {
  private nonisolated(unsafe) let program: Subprocess

  /// What a server that could not be started said.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// Starts a program that ends by itself when its standard input does.
  package init(_ path: String, _ arguments: [String]) throws {
    program = try Subprocess(path, arguments, environment: ["LD_LIBRARY_PATH": nil])
  }

  deinit {
    try? program.input.fileHandleForWriting.close()
  }

  /// Starts `command` on a port that the kernel names, and waits until it accepts connections.
  ///
  /// Another process may take the port first; then another one is tried.
  package static func listening(
    _ command: (_ port: Int) throws -> [String]
  ) throws -> (server: ServerProcess, port: Int) {
    for _ in 0..<5 {
      let port = try Loopback.freePort()
      // The shell ends the server when standard input ends; a server seldom looks there itself. Threads of Swift's
      // pool block most signals, and children inherit that: only KILL is sure to arrive, and a shell that waits for
      // SIGCHLD waits for ever.
      let guarded = "\"$@\" </dev/null & child=$!; read -r line; kill -KILL $child"
      let server = try ServerProcess("/bin/sh", ["-c", guarded, "sh"] + command(port))
      if Loopback.accepts(port: port, within: .seconds(10)) { return (server, port) }
    }
    throw Failure(description: "no server accepts connections: \(try command(0))")
  }

  /// Sends `text` to the program's standard input.
  package func write(_ text: String) throws { try program.write(text) }

  /// The next line that the program prints, which has to be its last so far.
  package func line() throws -> String {
    var bytes: [UInt8] = []
    while !bytes.contains(10) {
      let more = program.readSome()
      guard !more.isEmpty else { throw Failure(description: try program.finish().errorText) }
      bytes += more
    }
    return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
  }

  /// Where `name` is, in the folders that servers are in; nil when it is not installed.
  package static func find(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return (path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/bin", "/bin"])
      .map { $0 + "/" + name }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// As `find`, with an error that names the remedy.
  package static func require(_ name: String) throws -> String {
    guard let path = find(name) else {
      throw Failure(description: "\(name) is not installed; tools/test installs it")
    }
    return path
  }
}
