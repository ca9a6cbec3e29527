import Foundation
import TestSupport
import Testing

@testable import fmadapter

/// The help of every command, compared with `Fixtures/help`.
///
/// After a change of the texts, `FMADAPTER_WRITE_GOLDEN=1 swift test --filter GoldenHelp` writes them anew.
@Suite struct GoldenHelpTests {
  static let places = CompletionScript(root: .root).entries.map(\.place)

  @Test(arguments: places)
  func helpIsAsWritten(_ place: String) throws {
    let words = place.split(separator: "/").map(String.init)
    let result = try Tool.run(words + ["--help"])
    let name = "help/" + (["fmadapter"] + words).joined(separator: "-") + ".txt"
    if ProcessInfo.processInfo.environment["FMADAPTER_WRITE_GOLDEN"] != nil {
      try Data(result.output).write(to: Fixtures.url("CommandTests", name))
    }
    #expect(result.status == 0)
    #expect(result.errorText.isEmpty)
    #expect(result.output == (try Fixtures.bytes("CommandTests", name)), "\(name)")
  }
}
