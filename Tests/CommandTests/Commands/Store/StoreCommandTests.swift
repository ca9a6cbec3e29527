import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct StoreCommandTests {
  private static let noAdapter =
    "no adapter 'echo' is installed, nor any other; install one with 'fmadapter install NAME'"

  @Test func installListRemove() throws {
    let sample = try SampleBase()
    let store = sample.folder
    #expect(
      try Tool.run("base", "install", sample.base, store: store).text == SampleBase.signature + "\n"
    )
    let installed = try Tool.run("install", sample.package, store: store)
    #expect(installed.text == "fmadapter-echo-ccccccc\n")
    #expect(installed.errorText.hasPrefix("installed fmadapter-echo-ccccccc ("))
    let again = try Tool.run("install", sample.package, store: store)
    #expect(again.errorText == "fmadapter-echo-ccccccc is installed already; nothing to do\n")
    let list = try Tool.run("list", store: store).text
    #expect(list.hasPrefix("IDENTIFIER              VERSION  RANK"))
    #expect(list.hasSuffix("ready\n"))
    #expect(try Tool.run("list", "--names", store: store).text == "fmadapter-echo-ccccccc\n")
    #expect(
      try Tool.run("remove", "echo", store: store).errorText == "removed fmadapter-echo-ccccccc\n")
    let empty = try Tool.run("list", store: store)
    #expect(empty.output.isEmpty)
    #expect(
      empty.errorText == "no adapter is installed; install one with 'fmadapter install PATH'\n")
  }

  @Test func aNarrowTerminalGetsAList() throws {
    let sample = try SampleBase().install()
    let list = try Tool.run("list", store: sample.folder, environment: ["COLUMNS": "40"]).text
    #expect(list.hasPrefix("identifier: fmadapter-echo-ccccccc\nrank: 2\n"))
    for line in list.split(separator: "\n") { #expect(line.count <= 40) }
  }

  @Test func listsAreJSONToo() throws {
    let sample = try SampleBase().install()
    let adapters = try json(Tool.run("list", "--json", store: sample.folder))
    #expect(adapters.first?["identifier"] as? String == "fmadapter-echo-ccccccc")
    #expect(adapters.first?["facts"] as? [String] == ["downloaded", "fitsCurrentBase"])
    let bases = try json(Tool.run("base", "list", "--json", store: sample.folder))
    #expect(bases.first?["signature"] as? String == SampleBase.signature)
    #expect(bases.first?["inUse"] as? Bool == true)
    #expect(try json(Tool.run("list", "--json")).isEmpty)
  }

  private func json(_ result: ProcessResult) throws -> [[String: Any]] {
    result.expectSuccess()
    return try result.objects()
  }

  @Test func anAdapterWithoutItsBaseIsInstalledAndSaysSo() throws {
    let sample = try SampleBase()
    try Tool.run("install", sample.package, store: sample.folder).expectSuccess(
      saying: "its base \(SampleBase.signature) is not installed")
    #expect(try Tool.run("list", store: sample.folder).text.contains("base not installed"))
  }

  @Test func aBrokenPackageChangesNothing() throws {
    let package = try SamplePackage()
    try package.cut(to: 1000)
    let result = try Tool.run("install", package.path, store: package.folder).expectStatus(4)
    #expect(result.output.isEmpty)
    #expect(
      result.errorText.hasPrefix("fmadapter: error: \(package.path): refused, 1 error, 1 note\n"))
    #expect(result.errorText.contains("error    container.size  ("))
    #expect(try Tool.run("list", "--names", store: package.folder).output.isEmpty)
  }

  @Test(
    arguments: [
      (
        ["install", "/nowhere"], 3,
        "/nowhere: there is nothing to install; give the path of a package folder or of a base"
      ),
      (["install", "x.gguf"], 4, "x.gguf is a base, not an adapter; use 'fmadapter base install'"),
      (
        ["install", "smollm2-135m"], 4,
        "smollm2-135m is a base, not an adapter; use 'fmadapter base install'"
      ),
      (["install", "AFM-9M"], 4, "AFM-9M is a base, not an adapter; use 'fmadapter base install'"),
      (["info", "echo"], 3, Self.noAdapter),
      (["remove", "echo"], 3, Self.noAdapter),
      (
        ["remove", "./echo"], 2,
        "<adapter> is the name of an installed adapter, not a path\nSee 'fmadapter remove --help'."
      ),
      (
        ["base", "use", "dddd"], 3,
        "no base 'dddd' is installed, nor any other; install one with 'fmadapter base install PATH'"
      ),
      (
        ["base", "use", "./x"], 2,
        "<base> is the name of an installed base, not a path\nSee 'fmadapter base use --help'."
      ),
      (["run", "echo", "x"], 3, Self.noAdapter),
      (
        ["base", "convert", "x"], 2,
        "--output is needed: -o base.gguf\nSee 'fmadapter base convert --help'."
      ),
      (
        ["base", "quantize", "x", "-o", "y"], 2,
        "--type is needed: --type q4_k\nSee 'fmadapter base quantize --help'."
      ),
      (
        ["logits", "--base", "x.gguf"], 2,
        "--tokens is needed: --tokens 1,2,3\nSee 'fmadapter logits --help'."
      ),
    ] as [([String], Int32, String)])
  func errorsSayWhatToDo(_ words: [String], _ status: Int32, _ message: String) throws {
    let result = try Tool.run(words).expectStatus(status)
    #expect(result.output.isEmpty)
    #expect(result.errorText == "fmadapter: error: \(message)\n")
  }

  @Test func aPathIsNeverLookedUpAsAName() throws {
    let sample = try SampleBase().install()
    try Tool.run("info", "echo", store: sample.folder).expectSuccess()
    try Tool.run("info", "./echo", store: sample.folder).expectStatus(3)
    try Tool.run("info", "adapters/echo", store: sample.folder).expectStatus(3)
  }

  @Test(arguments: ["dangling", "file", "file/below"])
  func wherePlacesHoldNoStoreIsSaidByAll(_ place: String) throws {
    let folder = try TemporaryDirectory()
    try folder.write("not a folder", to: "file")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("dangling"), withDestinationPath: "/not/mounted")
    let root = folder.path(place)
    for words in [
      ["verify"], ["verify", "--repair"], ["list"], ["list", "--partials"], ["base", "list"],
      ["df"],
      ["prune", "--yes"], ["update"], ["doctor"], ["doctor", "--fix"],
    ] {
      let result = try Tool.run(words, environment: ["FMADAPTER_HOME": root])
      #expect(result.status == 8, "\(words): \(result.errorText)")
      let said = (result.text + result.errorText).split(whereSeparator: \.isWhitespace)
      #expect(said.joined(separator: " ").contains(root), "\(words): \(said)")
      #expect(said.contains("FMADAPTER_HOME"), "\(words): \(said)")
    }
    let missing = folder.path("not/yet")
    for words in [["verify"], ["list"], ["prune", "--yes"], ["update"]] {
      try Tool.run(words, environment: ["FMADAPTER_HOME": missing]).expectSuccess()
    }
  }

  @Test func withoutAHomeTheStoreHasNoPlace() throws {
    try Tool.run(
      "list", environment: ["FMADAPTER_HOME": nil, "HOME": nil, "XDG_DATA_HOME": nil]
    ).expectStatus(8, saying: "set FMADAPTER_HOME")
  }

  @Test func theListShowsVersions() throws {
    let catalog = try CatalogSample(publishing: "1.4.0")
    try catalog.run("install", "echo").expectSuccess()
    let lines = try catalog.run("list").text.split(separator: "\n")
    #expect(lines.first?.hasPrefix("IDENTIFIER              VERSION  RANK") == true)
    #expect(lines.last?.hasPrefix("fmadapter-echo-ccccccc  1.4.0       2") == true)
  }

  @Test func errorsOfWhatWasDownloadedNameTheAddress() throws {
    let sample = try SampleBase()
    let server = try FaultServer(root: sample.folder.path)
    let folder = sample.package
    let metadata = folder + "/metadata.json"
    let text = try String(contentsOfFile: metadata, encoding: .utf8)
    for broken in [
      text.replacing("\"loraRank\" : 2", with: "\"loraRank\" : -2")
        .replacing("\"loraRank\": 2", with: "\"loraRank\": -2"), "{}", "{",
    ] {
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: metadata)
      try FileManager.default.removeItem(atPath: metadata)
      try broken.write(toFile: metadata, atomically: false, encoding: .utf8)
      let address = "\(server.origin)/plain/echo.fmadapter"
      let result = try Tool.run("install", address + "/", store: sample.folder).expectStatus(
        4, saying: "fmadapter: error: \(address)")
      #expect(!result.errorText.contains("/ingest/"), "\(result.errorText)")
    }
  }
}
