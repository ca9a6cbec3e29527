import Foundation
import SystemFiles
import TestSupport
import Testing

@Suite(.waits) struct HubFolderTests {
  private let sample: SampleBase

  init() throws { sample = try SampleBase().install() }

  private var store: TemporaryDirectory { sample.folder }

  private func run(_ words: String...) throws -> ProcessResult {
    try Tool.run(words, store: store)
  }

  @Test func theFolderHasPackageFilesOfPEFTAndACard() throws {
    let package = try store.copy(URL(fileURLWithPath: sample.package), to: "told.fmadapter")
    let file = "\(package)/metadata.json"
    var object = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: file)))
        as? [String: Any])
    var creator = try #require(object["creatorDefined"] as? [String: Any])
    var own = try #require(creator["fmadapter"] as? [String: Any])
    own["evaluation"] = [
      "adapter": ["rule": 0.75], "base": ["rule": 0.25], "lines": 60, "set": "a \"b\".jsonl",
    ]
    creator["fmadapter"] = own
    (object["creatorDefined"], object["license"], object["description"]) = (
      creator, "Apache-2.0", "Says it again"
    )
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    try JSONSerialization.data(withJSONObject: object).write(to: URL(fileURLWithPath: file))
    let folder = store.path("upload")
    try run(
      "publish", "--to", "hf-folder", folder, package, "--base-model", "org/base"
    ).expectSuccess()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(
      names == [
        "README.md", "adapter_config.json", "adapter_model.safetensors", "echo.fmadapter",
      ])
    let card = try String(contentsOfFile: folder + "/README.md", encoding: .utf8)
    #expect(
      card.hasPrefix(
        """
        ---
        license: apache-2.0
        base_model: "org/base"
        library_name: peft
        pipeline_tag: text-generation
        tags:
        - lora
        - fmadapter
        model-index:
        - name: "echo"
          results:
          - task:
              type: text-generation
            dataset:
              name: "a \\"b\\".jsonl"
              type: "a \\"b\\".jsonl"
            metrics:
            - type: "rule"
              value: 0.75
        ---

        # echo

        Says it again

        """), "\(card)")
    #expect(card.contains("| rule | 0.75 | 0.25 |") && card.contains(", 60 lines."))
    let config = try String(contentsOfFile: folder + "/adapter_config.json", encoding: .utf8)
    #expect(config.contains("org/base"))
  }

  @Test func theHubGivesItBack() throws {
    let folder = try TemporaryDirectory()
    try run("publish", "--to", "hf-folder", folder.path("hub/you/echo"), "echo").expectSuccess(
      saying: "the card names no base; give its repository on the hub with --base-model")
    let server = try FaultServer(root: folder.path("hub"))
    try run("remove", "echo").expectSuccess()
    let result = try Tool.run(
      "install", "hf:you/echo", "--json", store: store,
      environment: ["HF_ENDPOINT": server.url("hub", file: ""), "HF_TOKEN": nil]
    ).expectSuccess()
    let path = try #require(try result.object()["path"] as? String)
    for name in try FileManager.default.contentsOfDirectory(atPath: sample.package) {
      #expect(
        try FileSystem.read("\(path)/\(name)", limit: 1 << 20)
          == FileSystem.read("\(sample.package)/\(name)", limit: 1 << 20), "\(name)")
    }
  }

  @Test func whatIsThereIsKeptUnlessItMayBeReplaced() throws {
    let folder = store.path("upload")
    try run("publish", "--to", "hf-folder", folder, "echo").expectSuccess()
    try run("publish", "--to", "hf-folder", folder, "echo").expectStatus(
      2, error: "\(folder) exists; give another path, or --replace to replace it")
    try run("publish", "--to", "hf-folder", folder, "echo", "--replace").expectSuccess()
    try store.write("mine", to: "other/file")
    try run("publish", "--to", "hf-folder", store.path("other"), "echo", "--replace").expectStatus(
      2,
      error: "\(store.path("other")) is no folder of an adapter for the hub; give another path")
    #expect(
      Set(try FileManager.default.contentsOfDirectory(atPath: store.path("other"))) == ["file"])
  }

  @Test func optionsThatMeanNothingAreRefused() throws {
    let folder = store.path("upload")
    try run("publish", folder, "echo", "--base-model", "org/base").expectStatus(
      2, saying: "--base-model is for --to hf-folder")
    try run("publish", "--to", "hf-folder", folder, "echo", "echo").expectStatus(
      2, saying: "a repository has one adapter")
    try run("publish", "--to", "hf-folder", folder, "echo", "--package-version", "1.0.0")
      .expectStatus(2, saying: "are for catalogs and registries")
  }
}
