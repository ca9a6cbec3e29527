import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// What is not the store's, and what nobody knows, is not the store's to remove.
@Suite struct OwnershipTests {
  private let fixture: StoreFixture
  private static let identifier = "fmadapter-demo-0123456"
  private var adapter: String { "\(fixture.root)/adapters/\(Self.identifier)" }
  private var base: String { "\(fixture.root)/bases/\(StoreFixture.first)" }

  init() throws { fixture = try StoreFixture() }

  private func plant(in path: String) throws -> String {
    let file = "\(path)/thesis.txt"
    try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
    return file
  }

  @Test(arguments: ["demo", "DEMO", identifier])
  func anAdapterWithAForeignFileStaysByWhicheverName(_ name: String) async throws {
    let store = fixture.store()
    try await store.installBase(.path(fixture.base("a.gguf")))
    try await store.installAdapter(.path(fixture.package()))
    let file = try plant(in: adapter)
    #expect(throws: StoreError.occupied(path: adapter)) { try store.removeAdapter(name) }
    #expect(try FileSystem.read(file, limit: 10) == Array("mine".utf8))
    // Also one that cannot be read.
    try fixture.flipBit("adapters/\(Self.identifier)/package.fmadapter/metadata.json", at: 0)
    #expect(throws: StoreError.occupied(path: adapter)) { try store.removeAdapter(name) }
    #expect(try FileSystem.info(file) != nil)
    #expect(try fixture.names("ingest") == [])
  }

  @Test func aBaseWithAForeignFileStays() async throws {
    let store = fixture.store()
    try await store.installBase(.path(fixture.base("a.gguf")))
    let file = try plant(in: base)
    #expect(throws: StoreError.occupied(path: base)) { try store.removeBase("a") }
    #expect(try FileSystem.info(file) != nil)
    #expect(try store.currentBase().name == "a")
  }

  @Test func whatIsPrunedHasNoForeignFile() async throws {
    let store = fixture.store()
    try await store.installAdapter(.path(fixture.package()))
    let file = try plant(in: adapter)
    let results = try store.prune(try store.prunable(PruneSelection(kinds: [.adapter])))
    #expect(results.map(\.outcome) == [.failed])
    #expect(results.first?.reason?.contains("not the store's") == true)
    #expect(try FileSystem.info(file) != nil)
  }

  /// A base that another from the same address would take the place of.
  @Test func aFormerBaseWithAForeignFileStays() async throws {
    let (url, server) = ("https://host.example/m.gguf", ScriptedServer([:]))
    let store = fixture.store(over: server)
    server.replace(url, ScriptedServer.Object(bytes: Array(StoreFixture.first.utf8)))
    try await store.installBase(.url(url))
    let file = try plant(in: base)
    server.replace(url, ScriptedServer.Object(bytes: Array(StoreFixture.second.utf8)))
    await #expect(throws: StoreError.occupied(path: base)) {
      try await store.installBase(.url(url), policy: InstallPolicy(replaces: true))
    }
    #expect(try FileSystem.info(file) != nil)
    #expect(try store.bases().bases.map(\.signature) == [StoreFixture.first])
  }

  /// Whoever owns a folder may change it without being able to look into it.
  @Test func aFolderThatCannotBeReadIsNotTheStores() throws {
    let item = FilePath.parent(of: try fixture.directory.write("new", to: "store/new/item"))
    let file = try fixture.directory.write("mine", to: "store/adapters/\(Self.identifier)/a.txt")
    let unseen = StoreError.storage(.system(.list, path: adapter, code: EACCES))
    try OrdinaryUser.run(owning: fixture.directory.path) { () throws in
      chmod(adapter, 0o300)
      #expect(throws: unseen) { try Commit.isOurs(adapter) }
      #expect(throws: unseen) { try Commit.run(item, to: adapter) { false } }
      #expect(throws: unseen) { try fixture.store().removeAdapter(Self.identifier) }
      #expect(fixture.store().occupant(of: adapter) == nil)
      chmod(adapter, 0o700)
      #expect(try FileSystem.read(file, limit: 10) == Array("mine".utf8))
      #expect(try FileSystem.read("\(item)/item", limit: 10) == Array("new".utf8))
    }
  }

  /// Bases that `doctor` has set aside may come back: as long as nobody can say which, no adapter is of no use.
  @Test func whatIsLostIsKnownBeforeAnythingIsPruned() async throws {
    let store = fixture.store()
    try await store.installAdapter(.path(fixture.package()))
    try fixture.directory.write("x", to: "store/lost+found/\(StoreFixture.first).0123/base.gguf")
    #expect(try store.prunable(PruneSelection(kinds: [.adapter])) == [])
    let place = "\(fixture.root)/lost+found"
    try OrdinaryUser.run(owning: fixture.directory.path) {
      chmod(place, 0o300)
      #expect(throws: StoreError.storage(.system(.list, path: place, code: EACCES))) {
        try store.prunable(PruneSelection(kinds: [.adapter]))
      }
      chmod(place, 0o700)
    }
  }
}
