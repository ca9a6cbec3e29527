import Testing

@testable import fmadapter

/// What pages state in figures is so.
@Suite struct FactTests {
  @Test func theExitCodesAreThoseOfTheProgram() throws {
    let page = try #require(
      Documentation.page("Sources/fmadapter/fmadapter.docc/ExitCodes.md"))
    let rows = ExitCode.allCases.map { code in
      let kinds = code.kinds.map { "`\($0)`" }.joined(separator: ", ")
      return "| \(code.rawValue) | \(kinds) | \(code.meaning.dropLast()) |"
    }
    #expect(page.lines.filter { $0.contains(/^\| \d+ \|/) } == rows)
  }

  /// The share of prompts that the base answers is measured in one place and told in three.
  @Test func theFigureOfTheBaseIsTheMeasuredOne() throws {
    let page = try #require(Documentation.page("adapters/base/prompts/README.md"))
    let row = try #require(
      page.lines.compactMap { $0.firstMatch(of: /^\| all \| (\d+) \| (\d+) \|/) }.first)
    let told = [
      ("README.md", "Of \(row.2) prompts"), ("README.md", "**\(row.1)**"),
      ("Sources/fmadapter/fmadapter.docc/BundledBase.md", "**\(row.1) of \(row.2)**"),
    ]
    for (path, text) in told {
      let page = try #require(Documentation.page(path))
      #expect(page.lines.contains { $0.contains(text) }, "\(path) does not say \(text)")
    }
  }
}
