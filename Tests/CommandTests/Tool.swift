import Foundation
import TestSupport

/// The program itself: the one that is built beside the tests, or that `FMADAPTER_TEST_PROGRAM` names.
enum Tool {
  /// A program that is tried in place of the one that was built with the tests: that for release.
  private static let named = ProcessInfo.processInfo.environment["FMADAPTER_TEST_PROGRAM"]
  static var isOptimized: Bool { named != nil }

  static let path: String = {
    if let named { return named }
    let runner = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let beside = runner.deletingLastPathComponent().appendingPathComponent("fmadapter").path
    if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    return Fixtures.repository.appendingPathComponent(".build/debug/fmadapter").path
  }()

  /// Runs the program with an empty store of its own, at 80 columns.
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
    let temporary = try store ?? TemporaryDirectory()
    var variables: [String: String?] = ["FMADAPTER_HOME": temporary.path("store")]
    variables.merge(environment) { $1 }
    return try withExtendedLifetime(temporary) {
      try Subprocess.run(path, arguments, input: input, environment: variables)
    }
  }
}
