import Foundation
import Synchronization

/// What a finished program left behind.
package struct ProcessResult: Sendable {
  /// Exit status, or 128 + signal number when a signal ended it (as a shell shows it).
  package let status: Int32
  package let output: [UInt8]
  package let errorOutput: [UInt8]
  /// From start to end.
  package let duration: Duration

  package init(status: Int32, output: [UInt8], errorOutput: [UInt8], duration: Duration) {
    (self.status, self.output, self.errorOutput) = (status, output, errorOutput)
    self.duration = duration
  }

  package var text: String { String(decoding: output, as: UTF8.self) }
  package var errorText: String { String(decoding: errorOutput, as: UTF8.self) }
}

/// A running program with its standard streams on pipes.
package final class Subprocess {
  package let process = Process()
  package let input: Pipe
  package let output: Pipe
  package let errors: Pipe
  private let started: ContinuousClock.Instant
  private let collectedErrors: Collector

  /// Starts `path`; `environment` is added to a small fixed one, and nil removes a variable.
  package init(
    _ path: String, _ arguments: [String], environment: [String: String?] = [:],
    directory: String? = nil
  ) throws {
    signal(SIGPIPE, SIG_IGN)
    (input, output, errors) = Self.spawning.withLock { _ in
      (Self.privatePipe(), Self.privatePipe(), Self.privatePipe())
    }
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = Self.variables(environment)
    if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    collectedErrors = Collector(errors.fileHandleForReading)
    started = .now
    try Self.start(process)
  }

  /// A small environment with the changes of `changes`, where nil removes a variable.
  package static func variables(_ changes: [String: String?]) -> [String: String] {
    var variables = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "LANG": "C.UTF-8", "HOME": "/nonexistent",
      // Of the waits between two attempts at a download.
      "FMADAPTER_WAIT_SCALE": "0.05",
    ]
    for (name, value) in changes { variables[name] = value }
    return variables
  }

  // A server that inherited another program's pipes would keep that program's readers waiting for as long as it
  // lives; so no program is started while pipes are made that others must not inherit.
  private static let spawning = Mutex(())

  /// Starts `process` while no other one is started and no pipes are made.
  package static func start(_ process: Process) throws {
    try spawning.withLock { _ in try process.run() }
  }

  /// Waits until each program whose start has begun has let go of what it inherited: until it runs, it has every open file,
  /// and with them their locks.
  ///
  /// To be called where a lock that this process has let go is tried at once.
  package static func waitForStarts() { spawning.withLock { _ in } }

  private static func privatePipe() -> Pipe {
    let pipe = Pipe()
    for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
      _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    return pipe
  }

  /// Sends `bytes` to the program's standard input.
  package func write(_ text: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
  }

  /// Waits for at least one byte of standard output and returns what has come; empty at its end.
  package func readSome() -> [UInt8] { [UInt8](output.fileHandleForReading.availableData) }

  package func interrupt() { kill(process.processIdentifier, SIGINT) }

  /// Closes standard input, reads the rest of both streams and waits for the end.
  package func finish() throws -> ProcessResult {
    try? input.fileHandleForWriting.close()
    let rest = (try? output.fileHandleForReading.readToEnd()) ?? Data()
    process.waitUntilExit()
    let signalled = process.terminationReason == .uncaughtSignal
    return ProcessResult(
      status: process.terminationStatus + (signalled ? 128 : 0), output: [UInt8](rest),
      errorOutput: collectedErrors.all(), duration: started.duration(to: .now))
  }

  /// Runs `path` to its end with `input` as its standard input.
  package static func run(
    _ path: String, _ arguments: [String], input: String = "",
    environment: [String: String?] = [:], directory: String? = nil
  ) throws -> ProcessResult {
    let program = try Subprocess(
      path, arguments, environment: environment, directory: directory)
    try? program.write(input)
    return try program.finish()
  }
}

/// Reads a stream on its own thread, so that a program that fills both pipes cannot block.
private final class Collector: @unchecked Sendable {
  // `bytes` is written by the thread before it leaves the group and read after.
  private var bytes: [UInt8] = []
  private let group = DispatchGroup()

  init(_ handle: FileHandle) {
    group.enter()
    Thread.detachNewThread { [self] in
      bytes = [UInt8]((try? handle.readToEnd()) ?? Data())
      group.leave()
    }
  }

  func all() -> [UInt8] {
    group.wait()
    return bytes
  }
}
