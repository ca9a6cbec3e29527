import Adapters
import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct InstallTests {
  @Test func anOlderVersionIsTakenOnlyWhenAsked() async throws {
    let (fixture, store) = try StoreFixture.opened()
    try await store.installAdapter(.path(fixture.package(stating: "1.0.0")))
    let newer = try await store.installAdapter(.path(fixture.package(version: 2, stating: "1.1.0")))
    #expect(newer.outcome == .replaced && newer.replaced?.description == "1.0.0")
    for (stated, offered) in [("1.0.0", "1.0.0"), ("1.1.0-rc.1", "1.1.0-rc.1"), (nil, "0.0.0")] {
      let older = try fixture.package(version: 3, stating: stated)
      await #expect(
        throws: StoreError.olderPackage(
          "fmadapter-demo-0123456", installed: "1.1.0", offered: offered)
      ) { try await store.installAdapter(.path(older)) }
    }
    #expect(try store.adapter(named: "demo").version.description == "1.1.0")
    #expect(try fixture.names("ingest") == [])
    let forced = try await store.installAdapter(
      .path(fixture.package(version: 3, stating: "1.0.0")), policy: InstallPolicy(replaces: true))
    #expect(forced.outcome == .replaced && forced.adapter.version.description == "1.0.0")
  }

  @Test func anInstalledPackageIsCompleteReadOnlyAndRecorded() async throws {
    let fixture = try StoreFixture()
    let source = try fixture.package()
    try fixture.directory.write("notes", to: "sources/demo-012-1.fmadapter/notes.txt")
    let store = fixture.store()
    let result = try await store.installAdapter(.path(source))
    let adapter = result.adapter

    #expect(result.outcome == .installed)
    #expect(result.report.findings.map(\.rule) == ["package.extra", "draft.count"])
    #expect(adapter.identifier.description == "fmadapter-demo-0123456")
    #expect(adapter.facts == [.downloaded, .obsolete])
    let entry = "adapters/fmadapter-demo-0123456"
    #expect(try fixture.names(entry) == ["package.fmadapter", "receipt.json"])
    #expect(
      try fixture.names("\(entry)/package.fmadapter") == ["adapter_weights.bin", "metadata.json"])
    for file in ["package.fmadapter", "package.fmadapter/metadata.json", "receipt.json"] {
      let mode = try FileSystem.info("\(fixture.root)/\(entry)/\(file)")?.mode
      #expect((mode ?? 0) & 0o222 == 0, "\(file)")
    }
    let receipt = try #require(adapter.receipt)
    #expect(receipt.source == source && receipt.tool == "tests 1")
    #expect(receipt.installed == Date(timeIntervalSince1970: 1_800_000_000))
    let weights = try FileSystem.read("\(source)/adapter_weights.bin", limit: 1 << 20)
    let record = try #require(receipt.files.first { $0.path.hasSuffix("adapter_weights.bin") })
    #expect(record.sha256 == SHA256.hex(weights) && record.size == weights.count)
    #expect(record.chunks == [SHA256.hex(weights)])
    #expect(try fixture.names("ingest") == [])
    #expect(try FileSystem.info(source)?.kind == .directory)
  }

  @Test func theSameContentAgainCopiesNothing() async throws {
    let (fixture, store) = try StoreFixture.opened()
    try await store.installAdapter(.path(fixture.package()))
    let entry = "\(fixture.root)/adapters/fmadapter-demo-0123456"
    let before = try FileSystem.info(entry)
    let elsewhere = try fixture.directory.copy(
      URL(fileURLWithPath: fixture.package()), to: "elsewhere/x.fmadapter")
    let again = try await store.installAdapter(.path(elsewhere))
    #expect(again.outcome == .alreadyInstalled)
    #expect(try FileSystem.info(entry) == before)
  }

  @Test func otherContentTakesThePlace() async throws {
    let (fixture, store) = try StoreFixture.opened()
    try await store.installAdapter(.path(fixture.package()))
    let result = try await store.installAdapter(.path(fixture.package(version: 2)))
    #expect(result.outcome == .replaced)
    #expect(result.adapter.metadata.author == "version 2")
    #expect(try store.adapters().adapters.count == 1)
    #expect(try fixture.names("ingest") == [])
  }

  @Test func aBrokenPackageChangesNothing() async throws {
    let (fixture, store) = try StoreFixture.opened()
    try await store.installAdapter(.path(fixture.package()))
    let source = try fixture.package(version: 2)
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: "\(source)/adapter_weights.bin"))
    try file.seek(toOffset: 128)
    try file.write(contentsOf: Data([0xFF, 0x7F]))
    try file.close()
    let error = await #expect(throws: StoreError.self) {
      try await store.installAdapter(.path(source))
    }
    guard let report = error?.report else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(report.errors.map(\.rule) == ["values.nan", "identity.weights"])
    #expect(try store.adapter(named: "demo").metadata.author == "version 1")
  }

  @Test func thePackageIsComparedWithItsInstalledBase() async throws {
    let (fixture, store) = try StoreFixture.opened()
    try await store.installBase(.path(fixture.base("b.gguf")))
    let wrong = BaseContract(
      signature: StoreFixture.first, architecture: "llama",
      layers: [[.query: MatrixShape(rows: 4, columns: 4)]])
    let pair = LowRankPair(
      a: .init([1, 0x30, 2, 0x30, 3, 0x30, 4, 0x30]),
      b: .init([1, 0x30, 1, 0x30, 1, 0x30, 1, 0x30]),
      rank: 1, shape: MatrixShape(rows: 4, columns: 4))
    var metadata = try AdapterMetadata(
      name: "other", baseModelSignature: wrong.signature, loraRank: 1)
    metadata.statedSettings = AdapterSettings(alpha: 1)
    let source = try AdapterWriter.write(
      metadata, layers: [[.query: pair]], to: "\(fixture.sources)/other")
    let error = await #expect(throws: StoreError.self) {
      try await store.installAdapter(.path(source))
    }
    guard let report = error?.report else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(report.category == .package)
    #expect(try fixture.names("adapters") == [])
  }

  @Test func whatIsTakenAwayAtOnceWasInstalledAllTheSame() async throws {
    let fixture = try StoreFixture()
    let folders = [fixture.root + "/adapters", fixture.root + "/bases"]
    let store = fixture.store {
      $0.interruption = { (step: InstallStep) throws(SimulatedDeath) in
        // What another process may do between the rename and the report.
        guard step == .cleanUp else { return }
        for folder in folders { try? FileSystem.removeTree(folder) }
      }
    }
    let adapter = try await store.installAdapter(.path(fixture.package(stating: "1.2.0")))
    #expect(adapter.outcome == .installed && adapter.adapter.version.description == "1.2.0")
    #expect(adapter.adapter.identifier.description == "fmadapter-demo-0123456")
    #expect(adapter.adapter.facts == [.downloaded, .obsolete])
    let installation = try await store.installBase(.path(fixture.base("a.gguf")))
    let (base, outcome) = (installation.base, installation.outcome)
    #expect(outcome == .installed && base.name == "a" && !base.isCurrent)
    #expect(base.path == "\(fixture.root)/bases/\(StoreFixture.first)/base.gguf")
    #expect(try store.adapters().adapters == [])
    #expect(try store.bases().bases == [])
  }

  @Test func aMisplacedPackageHasNoSayInWhatTakesItsPlace() async throws {
    let (fixture, store) = try StoreFixture.opened()
    let package = try fixture.package(stating: "1.0.0")
    let other = try fixture.package("other", version: 2, stating: "5.0.0")
    var places: [String] = []
    for source in [package, other] {
      places.append(FilePath.parent(of: try await store.installAdapter(.path(source)).adapter.path))
    }
    try FileSystem.exchange(places[0], places[1])
    let result = try await store.installAdapter(.path(package))
    #expect(result.outcome == .replaced && result.adapter.version.description == "1.0.0")
    #expect(try await store.verify(["demo"]).map(\.damage) == [[]])
    #expect(try store.adapter(named: "demo").receipt != nil)
  }

  @Test func nothingThereIsNotFound() async throws {
    let fixture = try StoreFixture()
    let path = "\(fixture.sources)/none"
    await #expect(throws: StoreError.noSource(path: path)) {
      try await fixture.store().installAdapter(.path(path))
    }
    #expect(try FileSystem.info(fixture.root) == nil, "a failed installation made a store")
  }

  @Test func damageUnderAnInstalledNameIsHealed() async throws {
    let (fixture, store) = try StoreFixture.opened()
    let source = try fixture.package()
    let adapter = try await store.installAdapter(.path(source)).adapter
    try FileSystem.makeWritable(adapter.path)
    let file = "\(adapter.path)/adapter_weights.bin"
    var bytes = try FileSystem.read(file, limit: 1 << 20)
    bytes[130] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    let outcome = try await store.installAdapter(.path(source)).outcome
    #expect(outcome == .replaced)
    #expect(try FileSystem.read(file, limit: 1 << 20) != bytes)
  }

  @Test func aFileAtTheInstalledNameIsNotTouched() async throws {
    let fixture = try StoreFixture()
    let path = try fixture.directory.write("mine", to: "store/adapters/fmadapter-demo-0123456")
    await #expect(throws: StoreError.occupied(path: path)) {
      try await fixture.store().installAdapter(.path(fixture.package()))
    }
    #expect(try FileSystem.read(path, limit: 10) == Array("mine".utf8))
    #expect(try fixture.names("ingest") == [])
  }

  @Test func aFolderThatIsNotTheStoresIsNeitherReplacedNorRemoved() async throws {
    let fixture = try StoreFixture()
    let file = try fixture.directory.write(
      "mine", to: "store/adapters/fmadapter-demo-0123456/thesis.txt")
    let path = FilePath.parent(of: file)
    await #expect(throws: StoreError.occupied(path: path)) {
      try await fixture.store().installAdapter(.path(fixture.package()))
    }
    #expect(throws: StoreError.occupied(path: path)) {
      try fixture.store().removeAdapter("fmadapter-demo-0123456")
    }
    #expect(try FileSystem.read(file, limit: 10) == Array("mine".utf8))
  }

  @Test func aStoreThatCannotBeMadeIsAStorageFailure() async throws {
    let fixture = try StoreFixture()
    try fixture.directory.write("a file", to: "store")
    let error = await #expect(throws: StoreError.self) {
      try await fixture.store().installAdapter(.path(fixture.package()))
    }
    #expect(error?.code == .noStore)
  }
}
