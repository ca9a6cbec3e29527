import Foundation
import JSON
import SystemFiles
import TestSupport
import Testing

@testable import Adapters

@Suite struct AdapterTests {
  private let fixture = Fixtures.path("AdaptersTests", "afm-tiny.fmadapter")

  @Test func theFixtureLoads() throws {
    let adapter = try Adapter(package: fixture, for: .afmTiny)
    #expect(adapter.identifier.description == "fmadapter-tiny_1-808de18")
    #expect(adapter.rank == 8 && adapter.alpha == 16 && adapter.scale == 2)
    let bytes = try Fixtures.bytes("AdaptersTests", "afm-tiny.fmadapter/adapter_weights.bin")
    #expect(adapter.contentHash == SHA256.hex(bytes))
    #expect(adapter.layers.map(\.count) == [7, 7, 7, 5, 5])
    let down = try #require(adapter.layers[4][.down])
    #expect(down.shape == MatrixShape(rows: 64, columns: 208))
    #expect(down.a.count == 8 * 208 * 2 && down.b.count == 64 * 8 * 2)
    #expect(adapter.layers[3][.key] == nil)
  }

  @Test func everyTensorIsTheOneOfTheCheckpoint() throws {
    let table =
      try JSONDocument(
        parsing: Fixtures.bytes("AdaptersTests", "afm-tiny.blobs.json")
      ).root.array ?? []
    let weights = try Fixtures.bytes("AdaptersTests", "afm-tiny.fmadapter/adapter_weights.bin")
    let adapter = try Adapter(package: fixture, for: .afmTiny)
    let tensors = BaseContract.afmTiny.tensors(targets: Set(LoRATarget.allCases), rank: 8)
    #expect(tensors.count == table.count && tensors.count == 62)
    for (tensor, entry) in zip(tensors, table) {
      let entry = try #require(entry.object)
      let start = try #require(entry["metadata_offset"]?.integer) + 64
      #expect(entry["name"]?.string == tensor.name)
      #expect(
        entry["shape"]?.array?.map(\.integer) == [tensor.shape.rows, tensor.shape.columns])
      let pair = try #require(adapter.layers[tensor.layer][tensor.target])
      let bytes = tensor.side == .a ? pair.a : pair.b
      #expect(bytes.array == Array(weights[start..<start + bytes.count]), "\(tensor.name)")
    }
  }

  @Test func tensorsOfOtherArchitecturesHaveGGUFNames() {
    let shape = MatrixShape(rows: 4, columns: 4)
    let base = BaseContract(
      signature: SamplePackage.signature, architecture: "llama",
      layers: [[.query: shape, .down: shape], [.query: shape]])
    #expect(
      base.tensors(targets: [.query, .down], rank: 2).map(\.name) == [
        "blk.0.attn_q.lora_a", "blk.0.attn_q.lora_b", "blk.0.ffn_down.lora_a",
        "blk.0.ffn_down.lora_b", "blk.1.attn_q.lora_a", "blk.1.attn_q.lora_b",
      ])
  }

  @Test func anyAdapterCanBeInspected() throws {
    for base in [nil, BaseContract.afmTiny, SamplePackage.contract] {
      let adapter = try Adapter(inspecting: fixture, base: base)
      #expect(adapter.layers.map(\.count) == [7, 7, 7, 5, 5])
    }
    let folder = try TemporaryDirectory()
    let copy = try folder.copy(
      Fixtures.url("AdaptersTests", "afm-tiny.fmadapter"), to: "a.fmadapter")
    try folder.write("{}", to: "a.fmadapter/metadata.json")
    let error = #expect(throws: AdapterError.self) { try Adapter(inspecting: copy) }
    guard case .refused(let report) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(report.category == .package)
  }

  @Test func theWrongBaseIsRefusedWithBothNamed() throws {
    let error = #expect(throws: AdapterError.self) {
      try Adapter(package: fixture, for: SamplePackage.contract)
    }
    let text = error?.description ?? ""
    #expect(text.contains("808de18c9c13f789b90640c7fa5f5dda1b81a1b9"))
    #expect(text.contains(SamplePackage.signature))
  }

  @Test func targetsThatTheAdapterLeavesOutHaveNoPair() throws {
    let directory = try TemporaryDirectory()
    let full = try Adapter(
      package: SamplePackage().write(to: directory.path), for: SamplePackage.contract)
    let some = full.layers.map { $0.filter { [.query, .value].contains($0.key) } }
    let path = try AdapterWriter.write(full.metadata, layers: some, to: directory.path("some"))
    let adapter = try Adapter(package: path, for: SamplePackage.contract)
    #expect(
      adapter.layers.map { Set($0.keys) } == [[.query, .value], [.query, .value], [.query]])
    #expect(adapter.metadata.settings.targets == [.query, .value])
    #expect(adapter.scale == 2)
  }
}

@Suite struct AdapterWriterTests {
  private let fixture = Fixtures.path("AdaptersTests", "afm-tiny.fmadapter")

  @Test func whatIsLoadedIsWrittenToTheByte() throws {
    let directory = try TemporaryDirectory()
    let adapter = try Adapter(package: fixture, for: .afmTiny)
    let path = try AdapterWriter.write(
      adapter.metadata, layers: adapter.layers, to: directory.path("copy"))
    #expect(path == directory.path("copy.fmadapter"))
    for file in ["adapter_weights.bin", "metadata.json"] {
      #expect(
        try FileSystem.read("\(path)/\(file)", limit: 1 << 20)
          == Fixtures.bytes("AdaptersTests", "afm-tiny.fmadapter/\(file)"), "\(file)")
    }
    #expect(try FileSystem.list(directory.path).map(\.name) == ["copy.fmadapter"])
  }

  @Test func aDraftIsCarriedAndTheDigestRecorded() throws {
    let directory = try TemporaryDirectory()
    var adapter = try Adapter(
      package: SamplePackage().write(to: directory.path), for: SamplePackage.contract)
    adapter.metadata.statedSettings?.weightsSHA256 = nil
    adapter.metadata.speculativeDecodingDraftTokenCount = 5
    let draft = AdapterWriter.Draft(
      program: .init(Array("program(1.0)".utf8)),
      weights: .init(BlobBytes.file([BlobBytes(type: 8, data: [1, 2, 3])])))
    let path = try AdapterWriter.write(
      adapter.metadata, layers: adapter.layers, draft: draft, to: directory.path("new.fmadapter"))
    #expect(try AdapterCheck.run(package: path, for: SamplePackage.contract).findings == [])
    let metadata = try AdapterMetadata(
      parsing: FileSystem.read("\(path)/metadata.json", limit: 1 << 20), file: "metadata.json")
    #expect(metadata.statedSettings?.weightsSHA256 == adapter.contentHash)
  }

  @Test func anExistingPackageIsKeptUnlessReplaced() throws {
    let directory = try TemporaryDirectory()
    let adapter = try Adapter(package: fixture, for: .afmTiny)
    let path = try AdapterWriter.write(
      adapter.metadata, layers: adapter.layers, to: directory.path("a"))
    var metadata = adapter.metadata
    metadata.author = "somebody else"
    let before = try Snapshot(of: directory.path)
    #expect(throws: AdapterError.exists(path: path)) {
      try AdapterWriter.write(metadata, layers: adapter.layers, to: path)
    }
    #expect(try Snapshot(of: directory.path) == before)
    try AdapterWriter.write(metadata, layers: adapter.layers, to: path, replacing: true)
    #expect(try Adapter(package: path, for: .afmTiny).metadata.author == "somebody else")
    #expect(try FileSystem.list(directory.path).map(\.name) == ["a.fmadapter"])
  }

  /// What its author put beside the files of a package is not this program's to remove.
  @Test func whatElseStandsInAPackageStays() throws {
    let directory = try TemporaryDirectory()
    let adapter = try Adapter(package: fixture, for: .afmTiny)
    let path = try AdapterWriter.write(
      adapter.metadata, layers: adapter.layers, to: directory.path("a"))
    try directory.write("mine", to: "a.fmadapter/LICENSE")
    try FileSystem.createDirectory(path + "/notes")
    try directory.write("more", to: "a.fmadapter/notes/1.txt")
    try directory.write("old", to: "a.fmadapter/draft.mil")
    let raw = FileName(bytes: [0x78, 0xFF])
    try directory.write("bytes", to: raw.bytes, in: "a.fmadapter")
    try AdapterWriter.write(adapter.metadata, layers: adapter.layers, to: path, replacing: true)
    try AdapterWriter.write(evaluation: .object([:]), into: path, for: .afmTiny)
    let names = try FileSystem.list(path).map(\.name)
    #expect(names == ["LICENSE", "adapter_weights.bin", "metadata.json", "notes", raw])
    try FileSystem.rename(RawPath(path).appending(raw), to: RawPath(path + "/x"))
    #expect(try FileSystem.read(path + "/x", limit: 9) == Array("bytes".utf8))
    #expect(try FileSystem.read(path + "/LICENSE", limit: 9) == Array("mine".utf8))
    #expect(try FileSystem.read(path + "/notes/1.txt", limit: 9) == Array("more".utf8))
    #expect(try FileSystem.list(directory.path).map(\.name) == ["a.fmadapter"])
  }

  @Test func aBadAdapterIsNotWritten() throws {
    let directory = try TemporaryDirectory()
    let adapter = try Adapter(package: fixture, for: .afmTiny)
    var layers = adapter.layers
    let pair = try #require(layers[0][.query])
    var a = pair.a.array
    a.replaceSubrange(0..<2, with: [0x00, 0x7E])
    layers[0][.query] = LowRankPair(a: .init(a), b: pair.b, rank: 8, shape: pair.shape)
    let error = #expect(throws: AdapterError.self) {
      try AdapterWriter.write(adapter.metadata, layers: layers, to: directory.path("bad"))
    }
    guard case .refused(let report) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(report.errors.map(\.rule) == ["values.nan"])
    #expect(report.package == directory.path("bad.fmadapter"))
    #expect(try FileSystem.list(directory.path) == [])
  }

  /// The folder may be changed, and not be opened to be brought to the disk.
  @Test func whatAnExchangeHasBroughtOutStaysUntilItIsConfirmed() throws {
    let directory = try TemporaryDirectory()
    let (work, target) = (directory.path("work"), directory.path("target"))
    let (new, old) = (
      try directory.write("new", to: "work/metadata.json"),
      try directory.write("old", to: "target/metadata.json")
    )
    let unconfirmed = AdapterError.file(.system(.confirm, path: target, code: EACCES))
    try OrdinaryUser.run(owning: directory.path) { () throws in
      chmod(directory.path, 0o300)
      defer { chmod(directory.path, 0o700) }
      #expect(throws: unconfirmed) {
        try AdapterWriter.publish(work, at: target, replacing: true, keepsOthers: true)
      }
      AdapterWriter.discard(work, after: unconfirmed)
      #expect(try FileSystem.read(old, limit: 10) == Array("new".utf8))
      #expect(try FileSystem.read(new, limit: 10) == Array("old".utf8))
    }
  }

  @Test func aMissingParentIsAFileError() throws {
    let directory = try TemporaryDirectory()
    let adapter = try Adapter(package: fixture, for: .afmTiny)
    let file = try directory.write("x", to: "file")
    let error = #expect(throws: AdapterError.self) {
      try AdapterWriter.write(adapter.metadata, layers: adapter.layers, to: file + "/a")
    }
    #expect(
      error?.description == "\(file)/a.fmadapter: cannot create the directory: Not a directory")
  }
}
