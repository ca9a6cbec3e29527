import Adapters
import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct StatusTests {
  private let fixture: StoreFixture
  private let downloads = ScriptedDownloads()

  init() throws { fixture = try StoreFixture() }

  private func identifier(_ name: String = "demo") throws -> AdapterIdentifier {
    try AdapterIdentifier("fmadapter-\(name)-0123456")
  }

  private func status(_ name: String = "demo") async throws -> [String] {
    try fixture.store().status(of: identifier(name)).names
  }

  /// Reads the catalogs once, as `install` and `update` do.
  private func look() async throws {
    _ = try await fixture.store().surveyCatalogs(by: downloads)
  }

  @Test func theBitsAreFixed() {
    #expect(
      [
        AdapterStatus.downloadAvailable, .updateAvailable, .upToDate, .outOfDate, .obsolete,
        .downloading, .downloaded, .fitsCurrentBase,
      ].map(\.rawValue) == [1, 2, 4, 8, 16, 32, 64, 128])
    #expect(
      AdapterStatus(rawValue: 69).names == ["downloadAvailable", "upToDate", "downloaded"])
    #expect(AdapterStatus(rawValue: 0).description == "[]")
  }

  @Test func factsComeAndGo() async throws {
    let store = fixture.store()
    #expect(try await status() == [])
    try await fixture.addCatalog("one", ["demo 1.0.0"], to: downloads)
    #expect(try await status() == [])
    try await look()
    #expect(try await status() == ["downloadAvailable"])
    _ = try await store.installAdapter(.path(try fixture.package("demo", stating: "0.9.0")))
    #expect(
      try await status() == [
        "downloadAvailable", "updateAvailable", "outOfDate", "obsolete", "downloaded",
      ])
    try await store.installBase(.path(try fixture.base("tiny.gguf")))
    _ = try await store.installAdapter(
      .path(try fixture.package("demo", version: 2, stating: "1.1.0")))
    #expect(
      try await status() == ["downloadAvailable", "upToDate", "downloaded", "fitsCurrentBase"])
    _ = try await store.installAdapter(
      .path(try fixture.package("demo", version: 3, stating: "1.0.0")),
      policy: InstallPolicy(replaces: true))
    #expect(
      try await status() == ["downloadAvailable", "outOfDate", "downloaded", "fitsCurrentBase"])
    #expect(try store.adapter(named: "demo").facts == store.status(of: identifier()))
    try store.removeCatalog(
      CatalogSource(StoreFixture.catalogAddress("one"), directory: "/"))
    #expect(try await status() == ["downloaded", "fitsCurrentBase"])
    #expect(try fixture.names("catalogs.d").isEmpty)
  }

  @Test func whatIsOnItsWayIsDownloading() async throws {
    let store = fixture.store()
    let updates = try store.statusUpdates(for: identifier())
    let feed = store.hub.begin("fmadapter-demo-0123456")
    #expect(try store.status(of: identifier()) == .downloading)
    feed.finished()
    #expect(try store.status(of: identifier()) == [])
    var events: [AdapterEvent] = []
    for await event in updates { events.append(event) }
    #expect(events == [.began, .finished])
  }

  @Test func askingChangesNothing() async throws {
    let store = fixture.store()
    try await fixture.addCatalog("one", ["demo 1.0.0", "new 1.0.0"], to: downloads)
    try await look()
    _ = try await store.installAdapter(.path(try fixture.package("demo", stating: "0.9.0")))
    // An orphan, an unreadable copy and something foreign are tempting.
    try fixture.directory.write("x", to: "store/ingest/0011223344556677-00000000-1-1/lock")
    try fixture.directory.write(
      "{", to: "store/catalogs.d/\(String(repeating: "0", count: 64)).json")
    try fixture.directory.write("x", to: "store/adapters/foreign")
    let before = try hash(fixture.root)
    let asked = downloads.requests
    for name in ["demo", "new", "absent"] { _ = try await status(name) }
    _ = try store.adapters()
    _ = try store.statusUpdates(for: identifier())
    #expect(try hash(fixture.root) == before)
    #expect(downloads.requests == asked)
  }

  @Test func anEmptyStoreIsNotCreatedByAsking() async throws {
    #expect(try await status() == [])
    #expect(try FileSystem.info(fixture.root) == nil)
  }

  @Test(
    arguments: [
      "", "{", "[]", "{\"formatVersion\":2}",
      "{\"formatVersion\":1,\"address\":\"x\",\"url\":\"y\",\"seen\":1,\"index\":\"{}\"}",
    ])
  func anUnreadableCopyIsAbsent(_ text: String) async throws {
    try await fixture.addCatalog("one", ["demo 1.0.0"], to: downloads)
    try await look()
    let name = try #require(try fixture.names("catalogs.d").first)
    try fixture.directory.write(text, to: "store/catalogs.d/\(name)")
    #expect(try await status() == [])
    try await look()
    #expect(try await status() == ["downloadAvailable"])
  }

  @Test func aCopyOutlivesACatalogThatDoesNotAnswer() async throws {
    try await fixture.addCatalog("one", ["demo 1.0.0"], to: downloads)
    try await look()
    let address = StoreFixture.catalogAddress("one")
    downloads.answer(address, .failure(.network(url: address, reason: "no answer")))
    try await look()
    #expect(try await status() == ["downloadAvailable"])
    downloads.answer(address, .success(StoreFixture.index([])))
    try await look()
    #expect(try await status() == [])
  }

  /// Names, kinds, times and digests of everything under `path`.
  private func hash(_ path: String) throws -> String {
    var text = ""
    for name in try FileManager.default.subpathsOfDirectory(atPath: path).sorted() {
      let file = "\(path)/\(name)"
      guard let info = try FileSystem.info(file) else { continue }
      text += "\(name) \(info)\n"
      if info.kind == .file {
        text += try SHA256.hex(TensorBytes(FileSystem.read(file, limit: 1 << 20))) + "\n"
      }
    }
    return SHA256.hex(TensorBytes(Array(text.utf8)))
  }
}
