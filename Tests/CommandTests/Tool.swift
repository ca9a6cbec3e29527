import Foundation
import Kernels
import Synchronization
import TestSupport

@testable import fmadapter

/// The program itself: the one that is built beside the tests, or that `FMADAPTER_TEST_PROGRAM` names.
enum Tool {
  /// A program that is tried in place of the one that was built with the tests: that for release.
  private static let named = ProcessInfo.processInfo.environment["FMADAPTER_TEST_PROGRAM"]
  static var isOptimized: Bool { named != nil }
  /// Steps of a small training that take longer than to stop it.
  static let manySteps = "1500"

  static let path: String = {
    if let named { return named }
    let runner = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let beside = runner.deletingLastPathComponent().appendingPathComponent("fmadapter").path
    if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    return Fixtures.repository.appendingPathComponent(".build/debug/fmadapter").path
  }()

  /// Runs a command with an empty store of its own, at 80 columns, to its end.
  ///
  /// It runs in this process, as a start takes longer than most commands; what is about processes needs ``launch``.
  static func run(
    _ arguments: String..., input: String = "", store: TemporaryDirectory? = nil,
    environment: [String: String?] = [:]
  ) throws -> ProcessResult {
    try run(arguments, input: input, store: store, environment: environment)
  }

  static func run(
    _ arguments: [String], input: String = "", store: TemporaryDirectory? = nil,
    environment: [String: String?] = [:]
  ) throws -> ProcessResult {
    if named != nil {
      return try launch(arguments, input: input, store: store, environment: environment)
    }
    return try with(store, environment) { environment in
      try execute(arguments, input, Subprocess.variables(environment))
    }
  }

  /// The same in a process of its own.
  static func launch(
    _ arguments: [String], input: String = "", store: TemporaryDirectory? = nil,
    environment: [String: String?] = [:]
  ) throws -> ProcessResult {
    try with(store, environment) { environment in
      try Subprocess.run(path, arguments, input: input, environment: environment)
    }
  }

  private static func with<R>(
    _ store: TemporaryDirectory?, _ environment: [String: String?],
    _ body: ([String: String?]) throws -> R
  ) throws -> R {
    let folder = try store ?? TemporaryDirectory()
    return try withExtendedLifetime(folder) {
      try body(["FMADAPTER_HOME": folder.path("store")].merging(environment) { $1 })
    }
  }

  private static func execute(
    _ arguments: [String], _ input: String, _ environment: [String: String]
  ) throws -> ProcessResult {
    let started = ContinuousClock.now
    let capture = try Capture(input: input)
    let program = Program(environment: environment, streams: capture.streams) { try await $0() }
    let status = onThreadOfItsOwn { await program.run(arguments).rawValue }
    // The next command may need a lock that this one has let go.
    Subprocess.waitForStarts()
    return ProcessResult(
      status: status, output: capture.output, errorOutput: capture.errors,
      duration: started.duration(to: .now))
  }

  /// Waits for `body`, which needs none of the threads that tests share.
  private static func onThreadOfItsOwn(_ body: @escaping @Sendable () async -> Int32) -> Int32 {
    let result = Mutex<Int32>(0)
    let isDone = DispatchSemaphore(value: 0)
    Task(executorPreference: TaskThread()) {
      let value = await body()
      result.withLock { $0 = value }
      isDone.signal()
    }
    isDone.wait()
    return result.withLock { $0 }
  }
}

/// Streams of a command that runs in this process: what it reads, and what it has printed.
struct Capture: Sendable {
  private let input, printed, said: NamelessFile

  init(input: String = "") throws {
    self.input = try NamelessFile(input)
    (printed, said) = try (NamelessFile(), NamelessFile())
  }

  var streams: StandardStreams {
    StandardStreams(
      input: input.descriptor, output: printed.descriptor, error: said.descriptor)
  }

  func terminal(json: Bool = false) -> Terminal {
    Terminal(environment: [:], json: json, streams: streams)
  }

  var output: [UInt8] { printed.bytes }
  var errors: [UInt8] { said.bytes }
}

/// A file without a name.
private final class NamelessFile: Sendable {
  let descriptor: Int32
  private var file: FileHandle { FileHandle(fileDescriptor: descriptor) }

  init(_ text: String = "") throws {
    var name = Array((NSTemporaryDirectory() + "/fmadapter-test-XXXXXX").utf8CString)
    descriptor = mkstemp(&name)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(name)
    try file.write(contentsOf: Data(text.utf8))
    try file.seek(toOffset: 0)
  }

  deinit { close(descriptor) }

  /// All that was written; what is written next comes behind it.
  var bytes: [UInt8] {
    try? file.seek(toOffset: 0)
    return [UInt8]((try? file.readToEnd()) ?? Data())
  }
}
