import Foundation
import TestSupport
import Testing

@testable import fmadapter

/// With `--json` standard error holds JSON objects alone, one a line.
@Suite(.waits) struct JSONErrorTests {
  @Test(
    arguments: [
      (["list", "--json", "--nonsense"], 2, "usage"), (["base", "nonsense", "--json"], 2, "usage"),
      (["--json"], 2, "usage"), (["info", "nobody", "--json"], 3, "notFound"),
      (["check", "/nowhere", "--json"], 3, "notFound"),
      (["base", "info", "/dev/null", "--json"], 4, "invalid"),
      (["catalog", "show", "--json", "http://127.0.0.1:1/"], 7, "network"),
      (["verify", "nobody", "--json"], 3, "notFound"),
      (["remove", "nobody", "--json"], 3, "notFound"),
      (["data", "check", "/nowhere", "--json"], 3, "notFound"),
    ] as [([String], Int32, String)])
  func errorsAreObjects(_ words: [String], _ code: Int32, _ kind: String) throws {
    let result = try Tool.run(words).expectStatus(code)
    #expect(result.output.isEmpty)
    let text = try Tool.run(words.filter { $0 != "--json" }).errorText
    let error = try result.error()
    #expect(error["code"] as? Int32 == code)
    #expect(error["kind"] as? String == kind)
    let message = try #require(error["message"] as? String)
    #expect(text.contains(message) || words.contains("--nonsense") || words == ["--json"])
  }

  @Test func usageErrorsNameTheHelp() throws {
    let result = try Tool.run("check", "--json")
    #expect(
      result.errorText == """
        {"error": {"code": 2, "kind": "usage", "message": "<package> is missing", "remedy": "See 'fmadapter check --help'."}}

        """)
  }

  /// An error of each library, as it is printed with and without `--json`.
  @Test(arguments: [
    (
      ["info", "./nowhere"], "./nowhere: there is no such package",
      "give the path of a .fmadapter folder"
    ),
    (
      ["base", "info", "/dev/null"], "/dev/null: not a regular file",
      "give the path of the file itself"
    ),
    (
      ["base", "info"], "no base is installed",
      "'fmadapter base install smollm2-135m' installs one (98.4 MB, Apache-2.0), 'fmadapter base install afm-9m' a tiny one that comes with the program"
    ),
    (
      ["catalog", "add", "file://host/x"],
      "file://host/x: not a catalog: the address has no absolute path",
      "write file:///path/"
    ),
    (
      ["install", "nobody"], "no catalog has an adapter 'nobody', nor any other",
      "'fmadapter catalog add ADDRESS' adds a catalog"
    ),
    (
      ["tokenize", "x", "y"], "one word too many: 'x'",
      "give the text on standard input, or in a file with --file"
    ),
    (["list", "x"], "one word too many: 'x'", "leave it out"),
  ])
  func theRemedyStandsApart(_ words: [String], _ message: String, _ remedy: String) throws {
    let text = try Tool.run(words).errorText
    #expect(text.hasPrefix("fmadapter: error: \(message); \(remedy)\n"), "\(text)")
    let error = try Tool.run(words + ["--json"]).error()
    #expect(error["message"] as? String == message)
    #expect(error["remedy"] as? String == remedy)
  }

  @Test func refusedPackagesBringTheirFindings() throws {
    let package = try SamplePackage()
    try package.edit("\"loraRank\": 8", "\"loraRank\": -8")
    let error = try Tool.run("install", package.path, "--json").expectStatus(4).error()
    let findings = try #require(error["findings"] as? [[String: Any]])
    #expect(findings.contains { $0["rule"] as? String == "metadata.rank" })
  }

  @Test func warningsAreObjectsAndNotesAreLeftOut() throws {
    let folder = try TemporaryDirectory()
    _ = try folder.write("x", to: "store/bases/foreign")
    let warning = try Tool.run("base", "list", "--json", store: folder).expectSuccess().error(
      "warning")
    #expect(
      (warning["message"] as? String)?.hasSuffix("/foreign: This is not the store's.") == true)
    #expect(
      warning["remedy"] as? String == "Move it elsewhere; the store neither uses nor removes it.")
    let sample = try SampleBase()
    #expect(try Tool.run("base", "install", sample.base, "--json").errorText.isEmpty)
  }

  @Test func whatChangesTheStoreAnswersInJSON() throws {
    let sample = try SampleBase().install()
    func object(_ words: String...) throws -> [String: Any] {
      try Tool.run(words + ["--json"], store: sample.folder).expectSuccess().object()
    }
    #expect(try object("base", "use", "sample")["inUse"] as? Bool == true)
    #expect(try object("remove", "echo")["removed"] as? [String] == ["fmadapter-echo-ccccccc"])
    #expect(
      try object("base", "remove", "sample")["removed"] as? [String] == [SampleBase.signature])
    let lines = (1...20).map { "{\"prompt\": \"q\($0)\", \"completion\": \"a\($0)\"}\n" }.joined()
    let file = try sample.folder.write(lines, to: "all.jsonl")
    let split = try object("data", "split", file, "-o", sample.folder.path("out"))
    let (training, heldOut) = (
      split["training"] as? [String: Any], split["heldOut"] as? [String: Any]
    )
    #expect(training?["path"] as? String == sample.folder.path("out/train.jsonl"))
    #expect((training?["examples"] as? Int ?? 0) + (heldOut?["examples"] as? Int ?? 0) == 20)
  }
}
