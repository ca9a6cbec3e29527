import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct HubListingTests {
  private static let commit = String(repeating: "c", count: 40)
  private static let digest = String(repeating: "d", count: 64)

  /// A listing of files, each with its size; those that are stored apart have a digest.
  private func listing(
    _ files: [(String, Int)], at text: String = "hf:o/r"
  ) throws -> HubListing {
    let siblings = files.map { path, size -> [String: Any] in
      let apart = [".gguf", ".safetensors", ".bin"].contains { path.hasSuffix($0) }
      var entry: [String: Any] = ["rfilename": path, "size": size, "blobId": Self.commit]
      if apart { entry["lfs"] = ["sha256": Self.digest, "size": size, "pointerSize": 135] }
      return entry
    }
    return try listing(["sha": Self.commit, "siblings": siblings], at: text)
  }

  private func listing(_ object: [String: Any], at text: String = "hf:o/r") throws -> HubListing {
    let bytes = [UInt8](try JSONSerialization.data(withJSONObject: object))
    return try HubListing(
      parsing: bytes, HubReference(text), ModelHub(environment: [:]))
  }

  private func paths(_ source: HubListing.BaseSource) -> [String] {
    switch source {
    case .model(let model): model.files.map(\.path)
    case .folder(_, let about, let weights): (about + weights).map(\.path)
    }
  }

  // MARK: - Which base

  @Test func theOnlyFileIsTaken() throws {
    let listing = try listing([
      ("README.md", 9), ("m.gguf", 5), ("mmproj-m.gguf", 4), ("imatrix.gguf", 3),
    ])
    #expect(try paths(listing.base(converts: false)) == ["m.gguf"])
    let file = listing.remote(listing.files[1], as: "base.gguf")
    #expect(file.url == "https://huggingface.co/o/r/resolve/\(Self.commit)/m.gguf")
    #expect(file.size == 5 && file.sha256 == Self.digest)
    #expect(file.claims.vouchers == [.hub])
    #expect(listing.remote(listing.files[0], as: "x").claims == [DigestClaim(.hubGit, Self.commit)])
  }

  @Test func projectorsAreToldByTheirName() throws {
    let listing = try listing([("m-mmproj-f16.gguf", 4), ("m.gguf", 5)])
    #expect(try paths(listing.base(converts: false)) == ["m.gguf"])
  }

  /// What the hub read in a file need not be fetched to be refused.
  @Test(
    arguments: [
      ("llama", nil), ("clip", nil),
      ("bert", "the file: this is a model for embeddings or ranking, which gives numbers"),
      ("gpt-oss", "the file: architecture 'gpt-oss' is not supported; use a base of afm, "),
    ] as [(String, String?)])
  func whatTheHubSaysOfTheModelCounts(architecture: String, text: String?) throws {
    for (place, isNamed) in [("hf:o/r", false), ("hf:o/r/m.gguf", true)] {
      let listing = try listing(
        [
          "sha": Self.commit, "siblings": [["rfilename": "m.gguf", "size": 9]],
          "gguf": ["architecture": architecture],
        ], at: place)
      guard let text else {
        #expect(try paths(listing.base(converts: false)) == ["m.gguf"], "\(isNamed)")
        continue
      }
      let error = #expect(throws: StoreError.self) { try listing.base(converts: false) }
      #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
    }
  }

  @Test func severalAreListedPartsTogetherTheSmallestFirst() throws {
    let listing = try listing([
      ("b.gguf", 50), ("q8/m-00002-of-00002.gguf", 30), ("q8/m-00001-of-00002.gguf", 40),
      ("a.gguf", 10), ("x-00001-of-00002.gguf", 1), ("config.json", 1),
    ])
    let error = #expect(throws: StoreError.self) { try listing.base(converts: false) }
    let choices = [
      HubChoice(path: "a.gguf", size: 10, parts: 1, reference: "hf:o/r/a.gguf"),
      HubChoice(path: "b.gguf", size: 50, parts: 1, reference: "hf:o/r/b.gguf"),
      HubChoice(
        path: "q8/m-00001-of-00002.gguf", size: 70, parts: 2,
        reference: "hf:o/r/q8/m-00001-of-00002.gguf"),
    ]
    #expect(error == .hub(.several(.base, choices), page: "https://huggingface.co/o/r"))
    #expect(
      error?.description
        == "https://huggingface.co/o/r: it has 3 bases; choose one, such as hf:o/r/a.gguf")
  }

  @Test(
    arguments: [
      ("a.gguf", ["a.gguf"]), ("q8", ["q8/m-00001-of-00002.gguf", "q8/m-00002-of-00002.gguf"]),
      (
        "q8/m-00002-of-00002.gguf", ["q8/m-00001-of-00002.gguf", "q8/m-00002-of-00002.gguf"]
      ),
      ("mmproj.gguf", ["mmproj.gguf"]), ("hf", ["hf/config.json", "hf/model.safetensors"]),
    ])
  func aPathChooses(_ path: String, _ wanted: [String]) throws {
    let listing = try listing(
      [
        ("a.gguf", 1), ("q8/m-00002-of-00002.gguf", 3), ("q8/m-00001-of-00002.gguf", 4),
        ("mmproj.gguf", 1), ("hf/config.json", 1), ("hf/model.safetensors", 9),
        ("hf/model-old.safetensors", 9),
      ], at: "hf:o/r@v1/\(path)")
    #expect(try paths(listing.base(converts: false)) == wanted)
  }

  @Test func aFolderIsConvertedWhereThereIsNoOtherOrItIsAsked() throws {
    let files = [
      ("config.json", 1), ("model-1.safetensors", 5), ("model-2.safetensors", 5),
      ("model.safetensors.index.json", 2), ("tokenizer.json", 3), ("consolidated.pth", 7),
      ("onnx/model.safetensors", 8),
    ]
    let wanted = [
      "config.json", "model.safetensors.index.json", "tokenizer.json", "model-1.safetensors",
      "model-2.safetensors",
    ]
    #expect(try paths(listing(files).base(converts: false)) == wanted)
    let both = try listing(files + [("m.gguf", 1)])
    #expect(try paths(both.base(converts: false)) == ["m.gguf"])
    #expect(try paths(both.base(converts: true)) == wanted)
  }

  @Test(
    arguments: [
      (
        [("README.md", 1)], "hf:o/r",
        "it has no base that can be installed: it has neither a GGUF file nor config.json and safetensors; "
          + "look for one whose name ends with GGUF"
      ),
      (
        [("config.json", 1), ("pytorch_model.bin", 1)], "hf:o/r",
        "it has no base that can be installed: its weights are pickles, which may run any program and are not "
          + "read; look for one with safetensors or GGUF files"
      ),
      (
        [("adapter_config.json", 1), ("adapter_model.safetensors", 1)], "hf:o/r",
        "it has no base that can be installed: it has a PEFT adapter (adapter_config.json), which is no "
          + "package; download its folder, and import it as a package"
      ),
      (
        [("metadata.json", 1), ("adapter_weights.bin", 1)], "hf:o/r",
        "it has no base that can be installed: it has an adapter; install that"
      ),
      (
        [("model.safetensors", 1)], "hf:o/r",
        "it has no base that can be installed: its safetensors have no config.json or no index beside them; look "
          + "for a repository in the form of transformers, or with GGUF files"
      ),
      ([("a.gguf", 1)], "hf:o/r/b.gguf", "there is no file 'b.gguf'; there are: a.gguf"),
      (
        [("a.txt", 1)], "hf:o/r/b", "there is no file 'b'; nothing there can be installed"
      ),
      (
        [("a.txt", 1)], "hf:o/r/a.txt",
        "it has no base that can be installed: 'a.txt' is no GGUF file; name one, or the folder that the file is in"
      ),
      (
        [("m-00001-of-00003.gguf", 1), ("m-00003-of-00003.gguf", 1)],
        "hf:o/r/m-00001-of-00003.gguf",
        "there is no file 'm-00002-of-00003.gguf'; nothing there can be installed"
      ),
    ] as [([(String, Int)], String, String)])
  func whatIsNotThereIsSaid(
    _ files: [(String, Int)], _ reference: String, _ text: String
  ) throws {
    let error = #expect(throws: StoreError.self) {
      try listing(files, at: reference).base(converts: false)
    }
    #expect(error?.description == "https://huggingface.co/o/r: " + text)
  }

  @Test(arguments: ["hf:o/r", "hf:o/r/m.gguf"])
  func aFileIsNotOfAnotherType(_ reference: String) throws {
    let error = #expect(throws: StoreError.self) {
      try listing([("m.gguf", 1)], at: reference).base(converts: true)
    }
    #expect(
      error?.description
        == "https://huggingface.co/o/r: it has no base that can be installed: a GGUF file is of the type that it is; "
        + "ask for no type, and quantize it to make it smaller")
  }

  // MARK: - Which package

  @Test func theOnlyPackageOrTheNamedOneIsTaken() throws {
    func files(_ folders: String...) -> [(String, Int)] {
      folders.flatMap { [($0 + "metadata.json", 1), ($0 + "adapter_weights.bin", 2)] }
    }
    let one = try listing(files("a.fmadapter/") + [("draft.gguf", 3)])
    #expect(
      try one.package().files.map(\.path)
        == ["a.fmadapter/metadata.json", "a.fmadapter/adapter_weights.bin"])
    let two = files("a.fmadapter/", "b.fmadapter/")
    let error = #expect(throws: StoreError.self) { try listing(two).package() }
    guard case .several(.package, let choices)? = error?.hubFault else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(choices.map(\.reference) == ["hf:o/r/a.fmadapter", "hf:o/r/b.fmadapter"])
    let named = try listing(two, at: "hf:o/r/b.fmadapter")
    #expect(try named.package().choice.path == "b.fmadapter")
    let root = try listing(files("", "x/"))
    #expect(try root.package().choice.reference == "hf:o/r")
  }

  @Test(
    arguments: [
      (
        [("adapter_config.json", 1), ("adapter_model.safetensors", 1)],
        "it has a PEFT adapter (adapter_config.json), which is no package; download its folder, and "
          + "import it as a package"
      ),
      ([("m.gguf", 1)], "it has a base; install that"),
      (
        [("metadata.json", 1)],
        "no folder of it has metadata.json and adapter_weights.bin; check the name"
      ),
    ] as [([(String, Int)], String)])
  func whatIsNoPackageIsSaid(_ files: [(String, Int)], _ text: String) throws {
    let error = #expect(throws: StoreError.self) { try listing(files).package() }
    #expect(
      error?.description
        == "https://huggingface.co/o/r: it has no package of an adapter: " + text)
  }

  // MARK: - Hostile answers

  @Test func namesThatLeadElsewhereAreLeftOut() throws {
    let listing = try listing([
      ("../../../etc/x.gguf", 1), ("/etc/x.gguf", 1), ("a/../../x.gguf", 1), ("a//x.gguf", 1),
      ("a\\x.gguf", 1), ("\u{1B}[2Jx.gguf", 1), ("x\u{202E}.gguf", 1), ("x\n.gguf", 1), ("", 1),
      ("a/./x.gguf", 1), (String(repeating: "n", count: 256) + ".gguf", 1), ("é ü.gguf", 1),
    ])
    #expect(listing.files.map(\.path) == ["é ü.gguf"])
  }

  @Test func manyFilesAreFew() throws {
    let files = (0..<40_000).map { ("f/\($0).txt", $0) } + [("m.gguf", 3)]
    #expect(try paths(listing(files).base(converts: false)) == ["m.gguf"])
    // Each part of a model is looked up once, whatever a name claims.
    let parts = (1...2000).map { ("m-\(String(format: "%05d", $0))-of-99999.gguf", 1) }
    #expect(throws: StoreError.self) { try listing(parts).base(converts: false) }
  }

  @Test(
    arguments: [
      ("[]", "it names no commit"), ("{\"sha\": \"main\"}", "it names no commit"),
      ("{\"sha\": \"\(commit)\"}", "it lists no files"),
      ("{\"sha\": \"\(commit)\", \"siblings\": [3]}", "a file has no name"),
      ("{\"sha\": \"\(commit)\", \"siblings\": [{\"rfilename\": 3}]}", "a file has no name"),
      (one("\"size\": -1"), "the sizes of 'm.gguf' cannot be right"),
      (one("\"size\": 1e30"), "the sizes of 'm.gguf' cannot be right"),
      (one("\"size\": 9223372036854775807"), "the sizes of 'm.gguf' cannot be right"),
      (one("\"size\": \"5\""), "the sizes of 'm.gguf' cannot be right"),
      (one("\"size\": 5, \"lfs\": {\"size\": 6}"), "the sizes of 'm.gguf' cannot be right"),
      ("<html>", "line 1: found '<', expected a value"),
    ])
  func whatIsNoListingIsRefused(_ text: String, _ reason: String) throws {
    let error = #expect(throws: StoreError.self) {
      try HubListing(
        parsing: Array(text.utf8), HubReference("hf:o/r"), ModelHub(environment: [:]))
    }
    guard case .badListing(let found)? = error?.hubFault else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(found.hasPrefix(reason), "\(found)")
  }

  private static func one(_ fields: String) -> String {
    "{\"sha\": \"\(commit)\", \"siblings\": [{\"rfilename\": \"m.gguf\", \(fields)}]}"
  }

  @Test func sizesAndDigestsNeedNotBeThere() throws {
    let listing = try listing([
      "sha": Self.commit,
      "siblings": [["rfilename": "m.gguf", "size": NSNull(), "lfs": ["sha256": "xyz"]]],
    ])
    #expect(listing.files == [HubFile(path: "m.gguf", size: nil, claim: nil)])
    #expect(listing.origin("m.gguf", listing.files).contents == nil)
  }

  @Test func theNameInGitIsCompared() throws {
    let folder = try TemporaryDirectory()
    // `printf hello | git hash-object --stdin`
    let path = try folder.write("hello", to: "f")
    let record = try FileRecord(path: "f", file: path)
    let right = DigestClaim(.hubGit, "b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0")
    #expect(try right.mismatch(record, at: path) == nil)
    #expect(
      try DigestClaim(.hubGit, Self.commit).mismatch(record, at: path)
        == "f has git name b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0 where \(Self.commit) was promised by git on the hub"
    )
    #expect(DigestClaim.conflict(in: [right, DigestClaim(.hub, Self.digest)]) == nil)
  }
}
