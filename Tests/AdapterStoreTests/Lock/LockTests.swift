import Adapters
import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite(.waits) struct LockTests {
  private let fixture: StoreFixture
  private let server = ScriptedServer([:])
  private var site: String { fixture.directory.path("site") }

  init() throws { fixture = try StoreFixture() }

  /// A store that has two adapters of a served catalog and one of a folder.
  private func filled() async throws -> AdapterStore {
    _ = try CatalogPublisher(directory: site).publish([
      try fixture.package("demo", stating: "1.0.0"),
      try fixture.package("other", version: 2, stating: "2.0.0"),
    ])
    try serve()
    let store = fixture.store(over: server)
    try await store.installBase(.path(try fixture.base("tiny.gguf")))
    try store.addCatalog(CatalogSource("https://one.example/", directory: "/"))
    for name in ["demo", "other"] {
      let request = try #require(AdapterRequest(name))
      try await store.installAdapter(.offer(store.resolve(request).offer))
    }
    try await store.installAdapter(.path(try fixture.package("local", version: 3)))
    return store
  }

  private func serve(_ origin: String = "https://one.example") throws {
    for (path, bytes) in try CatalogPublisherTests.tree(site) {
      server.replace("\(origin)/\(path)", ScriptedServer.Object(bytes: bytes))
    }
  }

  private func empty(_ name: String = "empty") -> AdapterStore {
    StoreFixture.store(at: fixture.directory.path(name), over: server, ProcessFacts())
  }

  private func names(_ store: AdapterStore) throws -> [String] {
    try store.adapters().adapters.map { "\($0.identifier.name) \($0.version)" }
  }

  @Test func anotherStoreGetsTheSameBytes() async throws {
    let store = try await filled()
    let lock = try store.lock()
    #expect(lock.adapters.map(\.identifier.name) == ["demo", "local", "other"])
    #expect(
      lock.adapters.map(\.catalog) == [
        "https://one.example/index.json", nil, "https://one.example/index.json",
      ])
    let read = try LockFile(parsing: Array(lock.text.utf8), path: "here")
    #expect(read == lock)
    let other = empty()
    let results = try await other.install(lock)
    #expect(results.map(\.outcome) == [.installed, .installed, .installed])
    #expect(try names(other) == names(store))
    for (one, two) in try zip(store.adapters().adapters, other.adapters().adapters) {
      #expect(one.receipt?.files == two.receipt?.files)
      #expect(one.receipt?.catalog == two.receipt?.catalog)
    }
    #expect(try await other.install(lock).map(\.outcome).allSatisfy { $0 == .alreadyInstalled })
    // What was installed by a lock file is locked as what it was.
    #expect(try other.lock() == lock)
    #expect(try store.lock(["demo", "fmadapter-demo-0123456"]).adapters.count == 1)
  }

  @Test func itGoesBackToTheVersionThatIsLocked() async throws {
    let store = try await filled()
    let lock = try store.lock(["demo"])
    try await store.installAdapter(.path(try fixture.package("demo", version: 4, stating: "1.5.0")))
    let results = try await store.install(lock)
    #expect(results.map(\.outcome) == [.replaced])
    #expect(results.first?.replaced?.description == "1.5.0")
    #expect(try names(store) == ["demo 1.0.0", "local 0.0.0", "other 2.0.0"])
  }

  /// Of the last adapter a file is wrong, is gone, or is no package.
  @Test(arguments: ["changed", "gone"])
  func oneThatFailsKeepsAllOut(_ fault: String) async throws {
    let lock = try await filled().lock(["demo", "other"])
    let file = try StoreFixture.folder(of: "other 2.0.0", in: site) + "/adapter_weights.bin"
    let bytes = try FileSystem.read("\(site)/\(file)", limit: 1 << 20)
    server.replace(
      "https://one.example/\(file)",
      ScriptedServer.Object(bytes: fault == "changed" ? bytes.reversed() : []))
    let store = empty()
    await #expect(throws: StoreError.self) { try await store.install(lock) }
    #expect(try store.adapters().adapters.isEmpty)
    #expect(try FileSystem.list("\(fixture.directory.path("empty"))/ingest").isEmpty)
    try serve()
    #expect(try await store.install(lock).count == 2)
  }

  /// The copy lists what it has, lists nothing, or has a version where programs put them that gave it no folder of its own.
  @Test(arguments: ["folder", "server"], ["listed", "not listed", "elsewhere"])
  func aMirrorHasAll(_ kind: String, _ index: String) async throws {
    let store = try await filled()
    let lock = try store.lock(["demo", "other"])
    switch index {
    case "not listed": try FileSystem.removeTree("\(site)/index.json")
    case "elsewhere":
      let place = try StoreFixture.folder(of: "demo 1.0.0", in: site)
      for name in ["metadata.json", "adapter_weights.bin"] {
        try FileSystem.rename(
          "\(site)/\(place)/\(name)", to: "\(site)/\(FilePath.parent(of: place))/\(name)")
      }
      try fixture.directory.edit("site/index.json", place, FilePath.parent(of: place))
    default: break
    }
    try serve("https://mirror.example/all")
    let before = server.log.count
    let mirror = try CatalogSource(
      kind == "folder" ? site : "https://mirror.example/all/", directory: "/")
    let other = empty()
    #expect(try await other.install(lock, mirror: mirror).count == 2)
    #expect(server.log.dropFirst(before).allSatisfy { !$0.url.contains("one.example") })
    // It belongs to its catalog all the same.
    #expect(try other.lock() == lock)
    // What it has not is nowhere asked for.
    let all = try store.lock()
    await #expect(throws: StoreError.self) { try await empty("third").install(all, mirror: mirror) }
    #expect(try empty("third").adapters().adapters.isEmpty)
  }

  @Test(
    arguments: [
      ("\"formatVersion\": 1", "\"formatVersion\": 2", "formatVersion, line"),
      ("\"version\": \"1.0.0\"", "\"version\": \"1\"", "not a semantic version"),
      (
        "https://one.example/fmadapter-demo", "ftp://one.example/fmadapter-demo",
        "the scheme is not known"
      ),
      ("https://one.example/fmadapter-demo", "one/fmadapter-demo", "the address is not whole"),
      (
        "https://one.example/fmadapter-demo", "https://one.example/../fmadapter-demo",
        "steps such as .."
      ),
      ("fmadapter-other-0123456\"", "fmadapter-demo-0123456\"", "the name is not the one"),
    ])
  func aBrokenFileIsRefused(_ old: String, _ new: String, _ text: String) async throws {
    let good = try await filled().lock(["demo", "other"]).text
    let error = #expect(throws: StoreError.self) {
      try LockFile(parsing: Array(good.replacing(old, with: new).utf8), path: "a.lock")
    }
    #expect(error?.code == .lock)
    #expect(error?.description.hasPrefix("a.lock: no lock file: ") == true)
    #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
  }

  /// Dependency confusion: a name of one catalog is given to another.
  @Test func oneNameComesFromOneCatalog() async throws {
    let store = try await filled()
    let lock = try store.lock(["demo"])
    let entry = lock.text.split(separator: "\n").joined(separator: "\n")
    let inner = try #require(entry.firstRange(of: "\"adapters\": ["))
    let end = try #require(entry.lastIndex(of: "]"))
    let body = String(entry[inner.upperBound..<end])
    let second = body.replacing(
      "0123456789abcdef0123456789abcdef01234567", with: StoreFixture.second
    )
    .replacing("-0123456", with: "-fedcba9")
    func parse(_ second: String) throws -> LockFile {
      try LockFile(
        parsing: Array("{\"formatVersion\": 1, \"adapters\": [\(body), \(second)]}".utf8), path: "a"
      )
    }
    #expect(try parse(second).adapters.count == 2)
    let error = #expect(throws: StoreError.self) {
      try parse(second.replacing("one.example/index", with: "two.example/index"))
    }
    #expect(error?.description.contains("belongs to another catalog above") == true)
    #expect(throws: StoreError.self) { try parse(body) }
  }

  @Test func whatNobodyKnowsIsNotLocked() async throws {
    let store = try await filled()
    let receipt = "\(fixture.root)/adapters/fmadapter-demo-0123456/receipt.json"
    try FileManager.default.removeItem(atPath: receipt)
    let error = #expect(throws: StoreError.self) { try store.lock(["demo"]) }
    #expect(error?.code == .lock)
  }
}
