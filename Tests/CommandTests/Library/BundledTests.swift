import Foundation
import TestSupport
import Testing

@testable import fmadapter

/// What comes with the program goes by its name, and is named where there is nothing else.
@Suite(.waits) struct BundledTests {
  private static let adapters = Fixtures.repository.appendingPathComponent("adapters").path

  @Test func theNamesAreThoseOfTheFolders() throws {
    let files = FileManager.default
    let bases = try files.contentsOfDirectory(atPath: Self.adapters)
    let names = bases.flatMap { base in
      ((try? files.contentsOfDirectory(atPath: "\(Self.adapters)/\(base)")) ?? [])
        .filter { $0.hasSuffix(".fmadapter") }.map { String($0.dropLast(10)) }
    }
    #expect(Set(names).sorted() == Bundled.adapterNames)
    let base = Bundled.baseName
    #expect(files.fileExists(atPath: "\(Self.adapters)/\(base)/\(base).gguf"))
    let help = try Tool.run("install", "--help").text
    for name in Bundled.adapterNames { #expect(help.contains(name), "\(name)") }
  }

  @Test(arguments: [
    "tagging", "tagging@", "fmadapter-tagging-87c91e2", "fmadapter-tagging-87c91e2@",
  ])
  func aNameMayHaveAVersion(_ text: String) throws {
    let folder = try TemporaryDirectory()
    try Tool.run("base", "install", "AFM-9M", store: folder).expectSuccess()
    let version = try Library.metadata(of: Self.adapters + "/afm-9m/tagging.fmadapter").version
    let name = text.hasSuffix("@") ? text + "\(version)" : text
    let result = try Tool.run("install", name, store: folder).expectSuccess()
    #expect(result.text == "fmadapter-tagging-87c91e2\n")
  }

  @Test func anAdapterWithoutItsBaseSaysWhereThatIs() throws {
    try Tool.run("install", "fmadapter-tagging-87c91e2").expectSuccess(
      saying: "'fmadapter base install afm-9m' installs the one that comes with the program")
  }

  @Test func anAdapterForAnotherBaseSaysWhichThatIs() throws {
    let folder = try TemporaryDirectory()
    try Tool.run("base", "install", "afm-9m", store: folder).expectSuccess()
    try Tool.run("install", "triage", store: folder).expectSuccess(
      saying: "its base smollm2-135m (2072059) is not installed, so it cannot run yet; "
        + "'fmadapter base install smollm2-135m' installs it\n")
  }

  @Test func anotherVersionIsNotFound() throws {
    let result = try Tool.run("install", "tagging@99.0.0").expectStatus(
      3, saying: "no catalog has tagging@99.0.0, and the program comes with tagging")
    #expect(result.errorText.hasSuffix("install that one with 'fmadapter install tagging'\n"))
    try Tool.run("install", "fmadapter-tagging-0000000").expectStatus(3)
  }

  /// What is missing and comes with the program, or has a short name, is told so.
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
      ["run", "--base", "SmolLM2-135M", "a b"],
      "'fmadapter base install smollm2-135m' installs it (98.4 MB, Apache-2.0)"
    ),
    (
      ["run", "a b"],
      "'fmadapter base install smollm2-135m' installs one (98.4 MB, Apache-2.0), "
        + "'fmadapter base install afm-9m' a tiny one that comes with the program"
    ),
  ])
  func whatIsMissingIsNamed(_ words: [String], _ remedy: String) throws {
    let result = try Tool.run(words).expectStatus(3, saying: "; \(remedy)\n")
    #expect(!result.errorText.contains("A prompt of one word"))
  }

  /// Whoever looks into an empty store reads what to do first.
  @Test(arguments: [
    "list", "base list", "df", "prune", "prune --dry-run", "update", "update --check", "verify",
    "doctor",
  ])
  func anEmptyStoreSaysWhereToBegin(_ line: String) throws {
    try Tool.run(line.split(separator: " ").map(String.init)).expect(
      saying: "; \(Bundled.firstSteps)\n")
    for name in ["smollm2-135m", "afm-9m"] {
      #expect(Bundled.firstSteps.contains("fmadapter base install \(name)"))
    }
  }
}

/// Of several adapters of one name the one is meant that fits.
@Suite struct BundledChoiceTests {
  private static let (first, second, other) = (
    String(repeating: "a", count: 40), String(repeating: "b", count: 40),
    String(repeating: "c", count: 40)
  )
  private let folder: TemporaryDirectory
  private let bundled: Bundled

  init() throws {
    folder = try TemporaryDirectory()
    for (base, signature) in [("afm-9m", Self.first), ("smollm2-135m", Self.second)] {
      let sample = try SampleBase(signature: signature)
      try folder.copy(
        URL(fileURLWithPath: sample.package), to: "\(base)/echo.fmadapter")
    }
    try folder.write("words", to: "prompts/echo.jsonl")
    bundled = Bundled(folder: folder.path)
  }

  @Test(arguments: [
    ("echo", [first], "afm-9m"), ("echo", [second], "smollm2-135m"),
    ("echo", [first, second], "afm-9m"), ("echo", [other, first], "afm-9m"),
    ("echo", [other], "smollm2-135m"), ("echo", [], "smollm2-135m"),
    ("fmadapter-echo-aaaaaaa", [second], "afm-9m"), ("nobody", [first], nil),
  ])
  func theBasesDecide(_ name: String, _ bases: [String], _ place: String?) throws {
    let request = try #require(OfferInstallation.request(name))
    #expect(try bundled.adapter(request, for: bases)?.base == place)
  }

  @Test func aBaseIsKnownByItsAdapters() {
    #expect(bundled.baseName(signed: Self.second) == "smollm2-135m")
    #expect(bundled.baseName(signed: Self.other) == nil)
  }
}
