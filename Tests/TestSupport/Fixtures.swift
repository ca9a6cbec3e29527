import Foundation

/// Whether the long matrices are wanted too: `tools/test --all`.
package let runsAllTests = ProcessInfo.processInfo.environment["FMADAPTER_ALL_TESTS"] == "1"

/// The time in which everything happens that the program promises to do at once.
///
/// A machine that does much else may not even run it by then: only the long matrices hold it close to the promise.
package let soon: Duration = runsAllTests ? .milliseconds(1500) : .seconds(30)

/// Files committed beside the tests, found through this file's own place so that no bundle is needed.
package enum Fixtures {
  /// Root of the checkout.
  package static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The fixture `name` of the test target `module`: `Tests/<module>/Fixtures/<name>`.
  package static func url(_ module: String, _ name: String) -> URL {
    repository.appendingPathComponent("Tests/\(module)/Fixtures/\(name)")
  }

  /// Path of the fixture `name` of the test target `module`.
  package static func path(_ module: String, _ name: String) -> String {
    url(module, name).path
  }

  /// All bytes of the fixture `name` of the test target `module`.
  package static func bytes(_ module: String, _ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: url(module, name)))
  }
}
