import Foundation
import SystemFiles
import TestSupport
import Testing

/// Models that are split over several files, as commands meet them.
@Suite(.waits) struct SplitBaseTests {
  private static func fixture(_ name: String) -> String {
    Fixtures.path("TensorFilesTests", "split/\(name).gguf")
  }

  private let store: TemporaryDirectory

  init() throws { store = try TemporaryDirectory() }

  private func run(_ words: String...) throws -> ProcessResult { try Tool.run(words, store: store) }

  @Test func itRunsWhereItLies() throws {
    func answer(_ name: String) throws -> ProcessResult {
      try run(
        "run", "--no-adapter", "--raw", "--seed", "1", "-n", "12", "--base", Self.fixture(name),
        "hello", "--json")
    }
    let (whole, split) = (try answer("tiny"), try answer("tiny-00001-of-00003"))
    #expect(whole.status == 0 && split.status == 0, "\(split.errorText)")
    func text(_ result: ProcessResult) throws -> String? { try result.object()["text"] as? String }
    #expect(try text(split) == text(whole) && text(whole)?.isEmpty == false)
    let info = try run("base", "info", Self.fixture("bare-00001-of-00003"))
    #expect(info.text.contains("20.7 kB in 3 files\n"), "\(info.text)")
    #expect(info.text.hasPrefix("name         bare\nmodel        tiny\n"), "\(info.text)")
  }

  @Test func itIsInstalledAsOneFile() throws {
    let installed = try run("base", "install", Self.fixture("tiny-00001-of-00003"), "--json")
      .expectSuccess()
    #expect(try run("base", "list").text.contains("\ntiny  "))
    let base = try installed.object()
    let path = try #require(base["path"] as? String)
    #expect(base["source"] as? String == Self.fixture("tiny-00001-of-00003"))
    let wanted = try FileSystem.read(Self.fixture("tiny"), limit: 1 << 20)
    #expect(try FileSystem.read(path, limit: 1 << 20) == wanted)
    // The whole file is the same base, with the same bytes.
    try run("base", "install", Self.fixture("tiny")).expect(saying: "is installed already")
    try run("base", "install", Self.fixture("bare-00001-of-00003")).expect(
      saying: "is installed already")
    try run("verify").expectSuccess()
    #expect(try FileManager.default.contentsOfDirectory(atPath: store.path("store/ingest")).isEmpty)
  }

  @Test func aLinkToTheFirstPartLeadsToTheOthersBesideIt() throws {
    // As in the cache of the hub: names in one folder, bytes in another.
    for number in 1...3 {
      let name = "tiny-0000\(number)-of-00003"
      let bytes = try store.copy(URL(fileURLWithPath: Self.fixture(name)), to: "blobs/\(number)")
      try FileManager.default.createDirectory(
        atPath: store.path("names"), withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: store.path("names/\(name).gguf"), withDestinationPath: bytes)
    }
    try run("base", "install", store.path("names/tiny-00001-of-00003.gguf")).expectSuccess()
  }

  @Test func quantizingMakesOneFile() throws {
    let output = store.path("small.gguf")
    let first = Self.fixture("tiny-00001-of-00003")
    let result = try run("base", "quantize", first, "-o", output, "--type", "f32").expectSuccess()
    let info = try run("base", "info", output, "--json").object()
    #expect(info["parts"] == nil && info["title"] as? String == "tiny")
    let split = try run("base", "info", first, "--json").object()
    #expect(split["parts"] as? Int == 3)
    #expect((split["signature"] as? String).map { $0 + "\n" } == result.text)
  }

  @Test func whatIsWrongIsSaid() throws {
    let part = try run("base", "install", Self.fixture("tiny-00002-of-00003")).expectStatus(4)
    #expect(
      part.errorText.hasSuffix(
        "this is part 2 of 3; give the first one, “tiny-00001-of-00003.gguf”, and the others are found\n"
      ),
      "\(part.errorText)")
    let link = try run("base", "install", "--link", Self.fixture("tiny-00001-of-00003"))
      .expectStatus(2)
    #expect(
      link.errorText.contains(
        "--link is for one file; the parts of a model are made one in the store"))
    let alone = try store.copy(
      URL(fileURLWithPath: Self.fixture("tiny-00001-of-00003")), to: "tiny-00001-of-00003.gguf")
    try run("run", "--base", alone, "--no-adapter", "hi").expectStatus(
      4,
      saying: "part 2, “tiny-00002-of-00003.gguf”, is not beside it; put all parts into one folder")
  }
}
