import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct InstalledAdapterTests {
  @Test func aStoreThatDoesNotExistIsEmpty() async throws {
    let (fixture, store) = try StoreFixture.opened()
    #expect(try store.adapters().adapters == [])
    #expect(try store.bases().bases == [])
    #expect(try FileSystem.info(fixture.root) == nil)
  }

  @Test func aNameMeansTheOneForTheBaseInUse() async throws {
    let (fixture, store) = try StoreFixture.opened()
    try await store.installAdapter(.path(fixture.package()))
    #expect(try store.adapter(named: "demo").identifier.signaturePrefix == "0123456")
    try await store.installAdapter(.path(fixture.package(signature: StoreFixture.second)))
    let both = ["fmadapter-demo-0123456", "fmadapter-demo-fedcba9"]
    #expect(throws: StoreError.ambiguous("demo", candidates: both)) {
      try store.adapter(named: "demo")
    }
    try await store.installBase(.path(fixture.base("second.gguf", signature: StoreFixture.second)))
    #expect(try store.adapter(named: "demo").identifier.signaturePrefix == "fedcba9")
    #expect(try store.adapter(named: both[0]).facts == [.downloaded, .obsolete])
    #expect(try store.adapter(named: both[1]).facts == [.downloaded, .fitsCurrentBase])
  }

  @Test func anUnknownNameListsWhatThereIs() async throws {
    let (fixture, store) = try StoreFixture.opened()
    #expect(throws: StoreError.noAdapter("x", known: [])) { try store.adapter(named: "x") }
    try await store.installAdapter(.path(fixture.package()))
    #expect(throws: StoreError.noAdapter("x", known: ["fmadapter-demo-0123456"])) {
      try store.removeAdapter("x")
    }
  }

  @Test func aRemovedAdapterIsGone() async throws {
    let (fixture, store) = try StoreFixture.opened()
    try await store.installAdapter(.path(fixture.package()))
    #expect(try store.removeAdapter("demo").description == "fmadapter-demo-0123456")
    #expect(try fixture.names("adapters") == [] && fixture.names("ingest") == [])
    #expect(throws: StoreError.self) { try store.removeAdapter("demo") }
  }

  @Test func whatHasANameThatIsNoTextGoesWithItsAdapter() async throws {
    let (fixture, store) = try StoreFixture.opened()
    let adapter = try await store.installAdapter(.path(fixture.package())).adapter
    try FileSystem.makeWritable(adapter.path)
    let package = adapter.path.dropFirst(fixture.directory.path.count + 1)
    try fixture.directory.write("x", to: [0x78, 0xFF], in: String(package))
    let used = try store.usage().size(of: .adapter)
    #expect(used == (adapter.receipt?.size ?? 0) + Self.size(FilePath.parent(of: adapter.path)) + 1)
    try store.removeAdapter("demo")
    #expect(try fixture.names("adapters") == [] && fixture.names("ingest") == [])
  }

  private static func size(_ entry: String) -> Int {
    (try? FileSystem.info(entry + "/receipt.json"))??.size ?? 0
  }

  @Test func brokenAndForeignEntriesAreReportedAndInTheWayOfNothing() async throws {
    let (fixture, store) = try StoreFixture.opened()
    let adapter = try await store.installAdapter(.path(fixture.package())).adapter
    let entry = FilePath.parent(of: adapter.path)
    try FileSystem.makeWritable(entry)
    try fixture.directory.write("{", to: "store/adapters/fmadapter-demo-0123456/receipt.json")
    try fixture.directory.write("x", to: "store/adapters/readme.txt")
    try fixture.directory.write("x", to: "store/adapters/mine/file")
    try fixture.directory.write("x", to: "store/adapters/fmadapter-cut-0123456/receipt.json")
    try fixture.directory.copy(
      URL(fileURLWithPath: entry), to: "store/adapters/fmadapter-moved-0123456")
    try fixture.directory.write("x", to: "store/bases/\(StoreFixture.second)/receipt.json")

    let (adapters, problems) = try store.adapters()
    #expect(adapters.map(\.identifier.description) == ["fmadapter-demo-0123456"])
    #expect(adapters.first?.receipt == nil)
    let paths = problems.map { FilePath.name(of: $0.path) }
    #expect(
      paths
        == [
          "fmadapter-cut-0123456", "fmadapter-moved-0123456", "mine", "readme.txt",
          "fmadapter-demo-0123456",
        ].sorted())
    #expect(try store.bases().problems.count == 1)
    // What cannot be read can still be removed by its identifier, and nothing else was.
    try store.removeAdapter("fmadapter-cut-0123456")
    #expect(try store.adapters().problems.count == 4)
    // Installing the same again brings the receipt back.
    #expect(try await store.installAdapter(.path(fixture.package())).outcome == .replaced)
    #expect(try store.adapter(named: "demo").receipt != nil)
  }

  /// What two processes remove at once one of them finds gone, between its look and its rename.
  @Test func whatAnotherHasRemovedMeanwhileIsNotInstalled() async throws {
    let (fixture, store) = try StoreFixture.opened()
    let identifier = try await store.installAdapter(.path(fixture.package())).adapter.identifier
    try store.discard(identifier, named: "demo")
    #expect(throws: StoreError.noAdapter("demo", known: [])) {
      try store.discard(identifier, named: "demo")
    }
    #expect(try fixture.names("ingest") == [])
  }
}
