import Foundation
import Kernels
import SystemFiles
import TestSupport
import Testing

@Suite(.waits) struct DoctorCommandTests {
  @Test func whatIsWrongIsExplainedThenMended() throws {
    let sample = try SampleBase().install()
    let well = try Tool.run("doctor", store: sample.folder)
    #expect(well.status == 0, "\(well.text)")
    #expect(well.errorText.hasSuffix("all is well\n"))
    #expect(well.text.contains("processor"))
    let quiet = try Tool.run("doctor", "--quiet", store: sample.folder)
    #expect(quiet.status == 0 && quiet.text.isEmpty && quiet.errorText.isEmpty)

    let receipt = sample.folder.path("store/adapters/fmadapter-echo-ccccccc/receipt.json")
    try FileSystem.removeTree(receipt)
    let ill = try Tool.run("doctor", store: sample.folder).expectStatus(5)
    #expect(ill.text.contains("error    receipt.missing  \(receipt)\n  The receipt is missing"))
    #expect(
      try Tool.run("doctor", "--quiet", store: sample.folder).text.hasPrefix("error    receipt."))
    #expect(
      ill.errorText.hasSuffix("1 error, 0 warnings; 'fmadapter doctor --fix' can mend some of it\n")
    )

    let mended = try Tool.run("doctor", "--fix", store: sample.folder)
    #expect(mended.status == 0, "\(mended.text)")
    #expect(mended.text.contains("fixed    receipt.missing"))
    #expect(mended.errorText.hasSuffix("all is well; fixed 1\n"))
    try Tool.run("verify", store: sample.folder).expectSuccess()
  }

  @Test func whatCouldNotBeMendedIsNotPromisedAgain() throws {
    let sample = try SampleBase().install()
    try sample.spoilMetadata()
    try FileSystem.removeTree(sample.package)
    for (words, isPromised) in [([], true), (["--fix"], false)] {
      let result = try Tool.run(["doctor"] + words, store: sample.folder).expectStatus(5)
      #expect(result.errorText.contains("can mend some of it") == isPromised, "\(result.text)")
    }
  }

  @Test func findingsAreJSONToo() throws {
    let sample = try SampleBase().install()
    try Tool.run("base", "remove", "cccc", store: sample.folder).expectSuccess()
    let report = try Tool.run("doctor", "--json", store: sample.folder).expectStatus(6).object()
    let findings = try #require(report["findings"] as? [[String: Any]])
    #expect(findings.map { $0["rule"] as? String } == ["adapter.obsolete"])
    #expect(findings.first?["state"] as? String == "open")
    let facts = try #require(report["facts"] as? [[String: Any]])
    func numbers(_ name: String) -> [String: Int]? {
      facts.first { $0["name"] as? String == name }?["numbers"] as? [String: Int]
    }
    #expect(numbers("installed") == ["adapter": 1, "base": 0])
    let space = try FileSystem.space(at: sample.folder.path)
    #expect(numbers("free")?["capacity"] == space.capacity && numbers("free")?.count == 2)
    #expect(numbers("libcurl") == nil)
  }

  /// What the environment names is taken where the machine has it; any other name does no harm.
  @Test(arguments: CPUVariant.allCases.map(\.rawValue) + ["", "PLAIN", "avx99"])
  func theEnvironmentChoosesTheInstructionSet(name: String) throws {
    let result = try Tool.launch(["doctor", "--json"], environment: ["FMADAPTER_CPU": name])
    let report = try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any]
    let facts = try #require(report?["facts"] as? [[String: Any]])
    let named = CPUVariant(rawValue: name).flatMap { CPUVariant.available.contains($0) ? $0 : nil }
    let expected = try #require(named ?? CPUVariant.available.last)
    let processor = facts.first { $0["name"] as? String == "processor" }
    #expect(processor?["value"] as? String == expected.rawValue)
  }

  @Test func linesFitTheTerminal() throws {
    let result = try Tool.run(
      "doctor", environment: ["CURL_CA_BUNDLE": "/nowhere", "COLUMNS": "60"]
    ).expectStatus(8)
    #expect(result.text.contains("error    certificates.missing  /nowhere\n"))
    for line in result.text.split(separator: "\n") where line.hasPrefix("  ") {
      #expect(line.count <= 60)
    }
  }
}
