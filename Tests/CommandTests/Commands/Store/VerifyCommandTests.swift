import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct VerifyCommandTests {
  @Test func aWholeStoreIsVerifiedEntryByEntry() throws {
    let sample = try SampleBase().install()
    let result = try Tool.run("verify", store: sample.folder).expectSuccess()
    let lines = result.text.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("ok       fmadapter-echo-ccccccc  ") == true)
    #expect(lines.last?.hasPrefix("ok       sample (ccccccc)  ") == true)
    let store = sample.folder.path("store")
    #expect(result.errorText.hasPrefix("verifying \(store) ...\n2 entries right, "))
    let one = try Tool.run("verify", "echo", "--quiet", store: sample.folder)
    #expect(one.status == 0 && one.text.isEmpty && one.errorText.isEmpty)
  }

  /// What the adapter is before, and what becomes of it with `--repair`.
  @Test(arguments: [
    ("right", "intact", 0), ("damaged", "repaired", 0), ("lost", "damaged", 5),
  ])
  func quietPrintsWhatIsWrongAndJSONWhatBecameOfIt(
    _ state: String, _ outcome: String, _ status: Int32
  ) throws {
    let sample = try SampleBase().install()
    let name = "fmadapter-echo-ccccccc"
    let file = "store/adapters/\(name)/package.fmadapter/metadata.json"
    let source = FilePath.join(sample.package, "metadata.json")
    let size = try FileSystem.read(source, limit: 1 << 20).count
    func damage() throws {
      guard state != "right" else { return }
      try FileSystem.makeWritable(sample.folder.path(file))
      try sample.folder.write("{", to: file)
      if state == "lost" { try FileSystem.removeTree(sample.package) }
    }
    try damage()
    let quiet = try Tool.run("verify", "--repair", "--quiet", store: sample.folder).expectStatus(
      status)
    let lines = quiet.text.split(separator: "\n").map(String.init)
    switch state {
    case "right": #expect(lines == [] && quiet.errorText.isEmpty)
    case "damaged":
      #expect(lines.count == 3 && lines.first?.hasPrefix("damaged  \(name)  ") == true)
      #expect(lines.last == "repaired  \(name)  \(Figures.size(size)) from \(source)")
      #expect(quiet.errorText.isEmpty)
    default:
      #expect(lines.count == 2 && quiet.errorText.contains("1 of 2 entries still damaged"))
    }

    try damage()
    let entries = try Tool.run("verify", "--repair", "--json", "--quiet", store: sample.folder)
      .expectStatus(status).objects()
    #expect(entries.compactMap { $0["outcome"] as? String } == [outcome, "intact"])
    #expect(entries.last?["repair"] == nil)
    let repair = entries.first?["repair"] as? [String: Any]
    #expect((repair?["fetched"] as? Int) == ["repaired": size, "damaged": 0][outcome])
    #expect((repair?["sources"] as? [String]) == ["repaired": [source], "damaged": []][outcome])
    #expect((repair?["reason"] as? String != nil) == (outcome == "damaged"))
  }

  @Test func damageIsNamedAndHasCodeFive() throws {
    let sample = try SampleBase().install()
    try sample.spoilMetadata()
    let result = try Tool.run("verify", store: sample.folder).expectStatus(5)
    #expect(result.text.hasPrefix("damaged  fmadapter-echo-ccccccc  "))
    #expect(
      result.text.contains("\n  package.fmadapter/metadata.json: bytes 0 to "), "\(result.text)")
    #expect(
      result.errorText.hasSuffix(
        "fmadapter: error: 1 of 2 entries damaged; mend it with 'fmadapter verify --repair', "
          + "or install it again\n"))
    let entries = try Tool.run("verify", "--json", "echo", store: sample.folder).expectStatus(5)
      .objects()
    let damage = try #require(entries.first?["damage"] as? [[String: Any]])
    #expect(damage.first?["kind"] as? String == "changed")
    #expect(damage.first?["start"] as? Int == 0)
  }

  @Test(arguments: [["verify"], ["verify", "--repair"], ["doctor"], ["doctor", "--fix"]])
  func tokensThatCannotBeUsedDoNotStopUpkeep(_ words: [String]) throws {
    let sample = try SampleBase().install()
    let environment = ["FMADAPTER_TOKEN": "secret"]
    try Tool.run(words, store: sample.folder, environment: environment).expectSuccess(
      saying:
        "warning: no token is used: FMADAPTER_TOKEN: no host may have it; set FMADAPTER_TOKEN_HOST")
    try Tool.run(["update"], store: sample.folder, environment: environment).expectStatus(2)
  }

  @Test func whatHasNoReceiptIsForTheDoctor() throws {
    let sample = try SampleBase().install()
    try FileSystem.removeTree(
      sample.folder.path("store/adapters/fmadapter-echo-ccccccc/receipt.json"))
    for (words, damaged) in [([], "damaged"), (["--repair"], "still damaged")] {
      let result = try Tool.run(["verify"] + words, store: sample.folder).expectStatus(5)
      #expect(
        result.errorText.hasSuffix(
          "1 of 2 entries \(damaged); mend it with 'fmadapter doctor --fix', or install it again\n"),
        "\(result.errorText)")
    }
  }

  @Test func whatANewerProgramWroteIsNeitherRightNorDamaged() throws {
    let sample = try SampleBase().install()
    let file = "store/adapters/fmadapter-echo-ccccccc/receipt.json"
    let receipt = try String(contentsOfFile: sample.folder.path(file), encoding: .utf8)
    try FileSystem.makeWritable(sample.folder.path(file))
    try sample.folder.write(
      receipt.replacing("\"formatVersion\" : 1", with: "\"formatVersion\" : 2"), to: file)
    let words = "written by a newer fmadapter (format 2, this one knows 1)"
    for repair in [[], ["--repair"]] {
      let result = try Tool.run(["verify"] + repair, store: sample.folder).expectStatus(8)
      #expect(result.text.hasPrefix("unread   fmadapter-echo-ccccccc  "))
      #expect(result.text.contains("\n  receipt.json: \(words); use a newer fmadapter\n"))
      #expect(
        result.errorText.hasSuffix(
          "fmadapter: error: 1 of 2 entries cannot be read; 'fmadapter doctor' says why, and with "
            + "--fix gives permissions back\n"), "\(result.errorText)")
    }
    let doctor = try Tool.run("doctor", "--fix", store: sample.folder)
    #expect(doctor.status == 8 && doctor.text.contains("error    receipt.newer  "))
    #expect(FileManager.default.fileExists(atPath: sample.folder.path(file)))
  }

  @Test func repairMendsFromTheFolderThatItCameFrom() throws {
    let sample = try SampleBase().install()
    try sample.spoilMetadata()
    let result = try Tool.run("verify", "--repair", store: sample.folder).expectSuccess(
      saying: "repairing fmadapter-echo-ccccccc ...\n2 entries")
    #expect(result.text.contains("\nrepaired  fmadapter-echo-ccccccc  "))
    #expect(result.text.contains("/metadata.json\n"))
    try Tool.run("verify", store: sample.folder).expectSuccess()
    try Tool.run("run", "echo", "x", "--max-tokens", "2", store: sample.folder).expectSuccess()

    try sample.spoilMetadata()
    try FileSystem.removeTree(sample.package)
    try Tool.run("verify", "--repair", store: sample.folder).expectStatus(
      5, saying: "1 of 2 entries still damaged; install it again")
  }

  @Test func whoRunsADamagedAdapterReadsWhatMendsIt() throws {
    let sample = try SampleBase().install()
    let file = "store/adapters/fmadapter-echo-ccccccc/package.fmadapter/adapter_weights.bin"
    let bytes = try FileSystem.read(sample.folder.path(file), limit: 1 << 20)
    try FileSystem.makeWritable(sample.folder.path(file))
    try sample.folder.write(Array(bytes.dropLast(64)), to: file)
    try Tool.run("run", "echo", "x", store: sample.folder).expectStatus(
      4, saying: "    Remedy: Mend it with 'fmadapter verify --repair', or install it again.\n")
    try Tool.run("verify", "--repair", store: sample.folder).expectSuccess()
  }

  @Test(arguments: [["verify", "--repair"], ["doctor", "--fix"]])
  func whatWasInstalledByARelativePathIsMendedFromAnywhere(_ command: [String]) throws {
    let sample = try SampleBase()
    let places = [["base", "install", "./sample.gguf"], ["install", "x/../echo.fmadapter/"]]
    try FileSystem.createDirectory(sample.folder.path("x"))
    for words in places {
      try Subprocess.run(
        Tool.path, words, environment: ["FMADAPTER_HOME": sample.folder.path("store")],
        directory: sample.folder.path
      ).expectSuccess()
    }
    let list = try Tool.run(["list", "--json"], store: sample.folder).objects()
    #expect(list.first?["source"] as? String == (try FileSystem.resolved(sample.package)))
    let damaged = [
      "store/adapters/fmadapter-echo-ccccccc/package.fmadapter/metadata.json",
      "store/bases/\(SampleBase.signature)/base.gguf",
    ]
    for file in damaged {
      try FileSystem.makeWritable(sample.folder.path(file))
      try sample.folder.write("{", to: file)
    }
    let result = try Tool.run(command, store: sample.folder)
    #expect(result.status == 0, "\(result.text) \(result.errorText)")
    try Tool.run("verify", store: sample.folder).expectSuccess()
  }

  @Test func whatCameFromAFileAddressIsMended() throws {
    let sample = try SampleBase()
    let address = "file://\(sample.package)/"
    try Tool.run("install", address, store: sample.folder).expectSuccess()
    try sample.spoilMetadata()
    try Tool.run("verify", "--repair", store: sample.folder).expectSuccess()
  }
}
