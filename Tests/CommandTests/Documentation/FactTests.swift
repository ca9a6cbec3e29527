import Foundation
import TestSupport
import Testing

@testable import fmadapter

/// What pages state in figures is so.
@Suite(.waits) struct FactTests {
  @Test func theExitCodesAreThoseOfTheProgram() throws {
    let page = try #require(
      Documentation.page("Sources/fmadapter/fmadapter.docc/ExitCodes.md"))
    let rows = ExitCode.allCases.map { code in
      let kinds = code.kinds.map { "`\($0)`" }.joined(separator: ", ")
      return "| \(code.rawValue) | \(kinds) | \(code.meaning.dropLast()) |"
    }
    #expect(page.lines.filter { $0.contains(/^\| \d+ \|/) } == rows)
  }

  /// Whose types stand in the interface of another has to be imported, too.
  @Test func everyLibraryWithAPageIsAProduct() throws {
    let manifest = try String(
      contentsOf: Fixtures.repository.appendingPathComponent("Package.swift"), encoding: .utf8)
    let catalogs = Documentation.pages.compactMap { page in
      page.path.split(separator: "/").first { $0.hasSuffix(".docc") }?.dropLast(5)
    }
    #expect(Set(catalogs).count > 10)
    for name in Set(catalogs) where name != "fmadapter" {
      #expect(manifest.contains(".library(name: \"\(name)\""), "\(name)")
    }
  }

  /// Every option is told of where its task is, not in the help alone.
  @Test func everyOptionIsOnAPage() {
    let pages = Documentation.pages.filter {
      $0.path.hasPrefix("Sources/fmadapter/fmadapter.docc/")
    }
    let said = Set(
      pages.flatMap(\.lines).flatMap { $0.matches(of: /--[a-z0-9-]+/).map { String($0.output) } })
    for entry in CompletionScript(root: .root).entries {
      for option in entry.options where option.name != CommonOptions.help.name {
        #expect(said.contains(option.name), "\(entry.place) \(option.name)")
      }
    }
  }

  @Test func theCountsOfTheSuffixStoresAreTheirs() throws {
    let page = try #require(
      Documentation.page("Sources/fmadapter/fmadapter.docc/BundledBase.md"))
    let text = page.lines.joined(separator: " ")
    for name in ["playwriting", "tagging"] {
      let package = Fixtures.repository.appendingPathComponent("adapters/afm-9m/\(name).fmadapter")
        .path
      let info = try Tool.run("info", package).text
      let count = try #require(info.firstMatch(of: /suffixes +([\d,]+) texts/)?.1)
      #expect(
        text.contains("of `\(name)` has \(count) ") || text.contains("of `\(name)` the \(count) "))
    }
  }

  /// What a store has at its top, once it was used, stands on the page of it.
  @Test func theLayoutOfTheStoreIsThatOfAStore() throws {
    let page = try #require(
      Documentation.page("Sources/fmadapter/fmadapter.docc/StoreLayout.md"))
    let sample = try SampleBase().install()
    let site = sample.folder.path("site")
    for words in [
      ["publish", site, sample.package, "--package-version", "1.0.0"], ["catalog", "add", site],
      ["run", "echo", "hi", "-n", "2"],
    ] {
      let result = try Tool.run(words, store: sample.folder)
      #expect(result.status == 0, "\(words): \(result.errorText)")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: sample.folder.path("store"))
    #expect(names.count >= 6)
    let shown = Set(
      page.lines.filter { $0.hasPrefix("    ") }
        .flatMap { $0.split { !$0.isLetter && !$0.isNumber && !".+".contains($0) } })
    for name in names { #expect(shown.contains(name[...]), "\(name)") }
  }

  /// The share of prompts that the embedded base answers is measured in one place and told in two.
  @Test func theFigureOfTheBaseIsTheMeasuredOne() throws {
    let page = try #require(Documentation.page("adapters/base/prompts/README.md"))
    let row = try #require(
      page.lines.compactMap { $0.firstMatch(of: /^\| all \| (\d+) \| (\d+) \|/) }.first)
    let path = "Sources/fmadapter/fmadapter.docc/BundledBase.md"
    let told = try #require(Documentation.page(path))
    let text = "**\(row.1) of \(row.2)**"
    #expect(told.lines.contains { $0.contains(text) }, "\(path) does not say \(text)")
  }
}
