import Foundation
import TestSupport
import Testing

@testable import fmadapter

/// What comes with the program goes by its name, and is named where there is nothing else.
@Suite(.waits) struct BundledTests {
  @Test func theNamesAreThoseOfTheFolder() throws {
    let folder = Fixtures.repository.appendingPathComponent("adapters").path
    let adapters = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".fmadapter") }.map { String($0.dropLast(10)) }
    #expect(adapters.sorted() == Bundled.adapterNames)
    #expect(FileManager.default.fileExists(atPath: "\(folder)/base/\(Bundled.baseName).gguf"))
    let help = try Tool.run("install", "--help").text
    for name in Bundled.adapterNames { #expect(help.contains(name), "\(name)") }
  }

  @Test(arguments: [
    "tagging", "tagging@", "fmadapter-tagging-87c91e2", "fmadapter-tagging-87c91e2@",
  ])
  func aNameMayHaveAVersion(_ text: String) throws {
    let folder = Fixtures.repository.appendingPathComponent("adapters").path
    let version = try Shelf.metadata(of: folder + "/tagging.fmadapter").version
    let name = text.hasSuffix("@") ? text + "\(version)" : text
    let result = try Tool.run("install", name).expectSuccess()
    #expect(result.text == "fmadapter-tagging-87c91e2\n")
    #expect(result.errorText.contains("'fmadapter base install afm-9m' installs the one"))
  }

  @Test func anotherVersionIsNotFound() throws {
    let result = try Tool.run("install", "tagging@99.0.0").expectStatus(
      3, saying: "no catalog has tagging@99.0.0, and the program comes with tagging")
    #expect(result.errorText.hasSuffix("install that one with 'fmadapter install tagging'\n"))
    try Tool.run("install", "fmadapter-tagging-0000000").expectStatus(3)
  }

  /// What is missing and comes with the program is told so.
  @Test(arguments: [
    (["run", "tagging", "x"], "it comes with the program: 'fmadapter install tagging'"),
    (
      ["export", "playwriting", "--to", "gguf", "-o", "x.gguf"],
      "it comes with the program: 'fmadapter install playwriting'"
    ),
    (
      ["run", "--base", "afm-9m", "a b"],
      "it comes with the program: 'fmadapter base install afm-9m'"
    ),
    (
      ["run", "a b"],
      "'fmadapter base install afm-9m' installs the one that comes with the program"
    ),
  ])
  func whatIsMissingIsNamed(_ words: [String], _ remedy: String) throws {
    try Tool.run(words).expectStatus(3, saying: "; \(remedy)\n")
  }

  /// Whoever looks into an empty store reads what to do first.
  @Test(arguments: [
    "list", "base list", "df", "prune", "prune --dry-run", "update", "update --check", "verify",
    "doctor",
  ])
  func anEmptyStoreSaysWhereToBegin(_ line: String) throws {
    try Tool.run(line.split(separator: " ").map(String.init)).expect(
      saying: "; \(Bundled.firstSteps)\n")
    #expect(Bundled.firstSteps.contains("fmadapter base install afm-9m"))
  }
}
