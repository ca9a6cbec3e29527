import Foundation
import TestSupport
import Testing

@testable import fmadapter

/// The help of every command, and a manual page, compared with `Fixtures`.
///
/// After a change of the texts, `FMADAPTER_WRITE_GOLDEN=1 swift test --filter GoldenHelp` writes them anew.
@Suite(.waits) struct GoldenHelpTests {
  static let places = CompletionScript(root: .root).entries.map(\.place)

  @Test(arguments: places)
  func helpIsAsWritten(_ place: String) throws {
    let words = place.split(separator: "/").map(String.init)
    let name = "help/" + (["fmadapter"] + words).joined(separator: "-") + ".txt"
    try compare(Tool.run(words + ["--help"]), name)
  }

  /// All pages are made by the same code; one shows what it makes.
  @Test func aManualPageIsAsWritten() throws {
    let page = try Tool.run(["man", "tokenize"], environment: ["SOURCE_DATE_EPOCH": "1795305600"])
    try compare(page, "man/fmadapter-tokenize.1")
  }

  private func compare(_ result: ProcessResult, _ name: String) throws {
    if ProcessInfo.processInfo.environment["FMADAPTER_WRITE_GOLDEN"] != nil {
      try Data(result.output).write(to: Fixtures.url("CommandTests", name))
    }
    result.expectSuccess()
    #expect(result.errorText.isEmpty)
    #expect(result.output == (try Fixtures.bytes("CommandTests", name)), "\(name)")
  }
}
