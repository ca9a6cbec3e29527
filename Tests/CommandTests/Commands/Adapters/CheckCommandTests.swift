import Adapters
import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct CheckCommandTests {
  @Test func anAdapterThatDivergedIsShownButNeitherRunNorPublished() throws {
    let sample = try SampleBase()
    let file = sample.package + "/metadata.json"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try #require(text.contains("\"alpha\": 4"))
    try text.replacing("\"alpha\": 4", with: "\"alpha\": 400000")
      .write(toFile: file, atomically: false, encoding: .utf8)
    for words in [
      ["check", sample.package], ["publish", sample.folder.path("site"), sample.package],
      ["install", sample.package], ["run", sample.package, "--base", sample.base, "hi"],
    ] {
      let result = try Tool.run(words)
      #expect(result.status == 4, "\(words)")
      #expect(
        (result.text + result.errorText).contains("values.diverged"), "\(words) \(result.errorText)"
      )
    }
    try Tool.run("info", sample.package).expectSuccess()
  }

  @Test func metadataOfSevenHundredThousandKeysIsRefusedAtOnce() throws {
    let package = try SamplePackage()
    let keys = (0..<700_000).map { "\"\($0)\":1" }.joined(separator: ",")
    try "{\(keys)}".write(
      toFile: package.path + "/metadata.json", atomically: false, encoding: .utf8)
    // A tenth of what it once took.
    let result = try Subprocess.run(
      "/bin/sh", ["-c", "ulimit -v 400000; exec \"$TOOL\" check \"$PACKAGE\""],
      environment: ["TOOL": Tool.path, "PACKAGE": package.path]
    ).expectStatus(4)
    #expect(result.text.contains("there are more than 65,536 values"), "\(result.text)")
  }

  @Test func aGoodPackageIsAccepted() throws {
    let package = try SamplePackage()
    let result = try Tool.run("check", package.path).expectSuccess()
    #expect(result.errorText.isEmpty)
    #expect(result.text.hasSuffix("tiny.fmadapter: accepted, 1 note\n"))
  }

  @Test func everyFindingIsReportedInOneRun() throws {
    let package = try SamplePackage()
    try package.edit("\"loraRank\": 8", "\"loraRank\": -8")
    try package.cut(to: 50_000)
    let result = try Tool.run("check", package.path).expectStatus(4)
    for rule in ["metadata.rank", "container.count", "container.tail"] {
      #expect(result.text.contains("error    \(rule)  ("), "\(rule)")
    }
    #expect(result.text.components(separatedBy: "Remedy: ").count > 3)
    #expect(result.text.hasSuffix("tiny.fmadapter: refused, 3 errors, 1 note\n"))
  }

  @Test func otherBytesThanRecordedAreAnIntegrityError() throws {
    let package = try SamplePackage()
    let digest = String(repeating: "0", count: 64)
    try package.edit(
      "\"alpha\": 16.0,",
      """
      "fmadapter": {"formatVersion": 1, "alpha": 16.0, "targets": ["attn_q", "attn_k", "attn_v", \
      "attn_output", "ffn_gate", "ffn_up", "ffn_down"], "weightsSHA256": "\(digest)"},
      """)
    try Tool.run("check", package.path).expectStatus(5)
  }

  @Test func findingsAreJSONToo() throws {
    let package = try SamplePackage()
    try package.edit("\"loraRank\": 8", "\"loraRank\": 0")
    let report = try Tool.run("check", "--json", package.path).expectStatus(4).object()
    #expect(report["accepted"] as? Bool == false)
    #expect(report["exitCode"] as? Int == 4)
    let findings = try #require(report["findings"] as? [[String: Any]])
    #expect(findings.contains { $0["rule"] as? String == "metadata.rank" })
    for finding in findings {
      #expect(
        finding.keys.sorted() == ["category", "message", "place", "remedy", "rule", "severity"])
    }
  }

  @Test func findingsAreSARIFToo() throws {
    let package = try SamplePackage()
    try package.edit("\"loraRank\": 8", "\"loraRank\": 0")
    let log = try Tool.run("check", "--sarif", package.path).expectStatus(4).object()
    let results = (log["runs"] as? [[String: Any]])?.first?["results"] as? [[String: Any]]
    let rank = try #require(results?.first { $0["ruleId"] as? String == "metadata.rank" })
    #expect(rank["level"] as? String == "error")
    let location = try #require((rank["locations"] as? [[String: Any]])?.first)
    let place = location["physicalLocation"] as? [String: [String: Any]]
    #expect(
      place?["artifactLocation"]?["uri"] as? String == "file://\(package.path)/metadata.json")
    let names = location["logicalLocations"] as? [[String: String]]
    #expect(names == [["fullyQualifiedName": "loraRank"]])
  }

  @Test func narrowTerminalsGetNarrowLines() {
    let place = Finding.Place("adapter_weights.bin", tensor: "blk.0.attn_q.lora_a", offset: 64)
    let finding = Finding(
      "container.sentinel", at: place, "The record does not start as records do.",
      remedy: "Copy the file again.")
    let report = CheckReport(package: "x", findings: [finding])
    #expect(
      report.lines(columns: 40).map(\.text) == [
        "error    container.sentinel", "    in adapter_weights.bin,",
        "    blk.0.attn_q.lora_a, byte 64",
        "    The record does not start as records", "    do.", "    Remedy: Copy the file again.",
        "",
        "x: refused, 1 error",
      ])
  }
}
