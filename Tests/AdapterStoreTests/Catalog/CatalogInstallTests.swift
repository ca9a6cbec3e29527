import Adapters
import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// From a published folder through a server without a network into the store.
@Suite(.waits) struct CatalogInstallTests {
  private let fixture: StoreFixture
  private let server = ScriptedServer([:])
  private var site: String { fixture.directory.path("site") }

  init() throws { fixture = try StoreFixture() }

  private func store() -> AdapterStore {
    var process = ProcessFacts()
    process.now = { Date(timeIntervalSince1970: 1_800_000_000) }
    return fixture.store(over: server, process)
  }

  /// Publishes `packages`, and serves what the folder has then.
  private func publish(_ packages: String...) throws {
    _ = try CatalogPublisher(directory: site).publish(packages)
    for (path, bytes) in try CatalogPublisherTests.tree(site) {
      server.replace("https://one.example/\(path)", ScriptedServer.Object(bytes: bytes))
    }
  }

  private func prepare() async throws -> (AdapterStore, AdapterRequest) {
    let store = store()
    try await store.installBase(.path(try fixture.base("tiny.gguf")))
    try store.addCatalog(CatalogSource("https://one.example/", directory: "/"))
    return (store, try #require(AdapterRequest("demo")))
  }

  private func all(_ updates: some AsyncSequence<AdapterEvent, Never>) async -> [AdapterEvent] {
    var events: [AdapterEvent] = []
    for await event in updates { events.append(event) }
    return events
  }

  @Test func aNameIsInstalledAndUpdated() async throws {
    let (store, request) = try await prepare()
    try publish(try fixture.package("demo", stating: "1.0.0"))
    let identifier = try AdapterIdentifier("fmadapter-demo-0123456")
    let followers = [
      store.statusUpdates(for: identifier), store.statusUpdates(for: identifier),
    ]
    let first = try await store.installAdapter(.offer(store.resolve(request).offer))
    #expect(first.outcome == .installed)
    #expect(first.adapter.version.description == "1.0.0")
    #expect(first.adapter.receipt?.catalog == "https://one.example/index.json")
    #expect(
      first.adapter.facts == [.downloadAvailable, .upToDate, .downloaded, .fitsCurrentBase])
    for follower in followers {
      let events = await all(follower)
      #expect(events.first == .began && events.last == .finished)
      #expect(events.count <= 3)
    }
    try publish(try fixture.package("demo", version: 2, stating: "1.1.0"))
    let update = try #require(try await store.updates().updates.first)
    #expect(update.state == .available)
    #expect(try store.status(of: identifier).contains([.updateAvailable, .outOfDate]))
    let offer = try #require(update.offer)
    try store.checkReplacement(by: offer)
    let second = try await store.installAdapter(.offer(offer))
    #expect(second.outcome == .replaced)
    #expect(second.adapter.version.description == "1.1.0")
    #expect(try await store.updates().updates.map(\.state) == [.upToDate])
    #expect(try await store.installAdapter(.offer(offer)).outcome == .alreadyInstalled)
  }

  /// The ways of an adapter into a store that say only on the way which one it is.
  enum Way: String, CaseIterable {
    case path, address, again, refusedPath, refusedAddress
  }

  @Test(arguments: Way.allCases)
  func followersHearTheEndWhicheverWayItComes(_ way: Way) async throws {
    let store = store()
    let identifier = try AdapterIdentifier("fmadapter-demo-0123456")
    let path = try fixture.package("demo", stating: "1.0.0")
    let url = "https://one.example/demo/"
    for name in PackageFile.known {
      guard let bytes = try? FileSystem.read("\(path)/\(name)", limit: 1 << 20) else { continue }
      server.replace(url + name, ScriptedServer.Object(bytes: bytes))
    }
    if way == .again { try await store.installAdapter(.url(url)) }
    if way == .refusedPath {
      try fixture.directory.write(
        "", to: "sources/\(FilePath.name(of: path))/\(PackageFile.weights)")
    }
    if way == .refusedAddress {
      server.replace(url + PackageFile.weights, ScriptedServer.Object(bytes: []))
    }
    let updates = store.statusUpdates(for: identifier)
    let isByPath = way == .path || way == .refusedPath
    let result: Result<AdapterInstallation, StoreError>
    do throws(StoreError) {
      result = .success(
        isByPath
          ? try await store.installAdapter(.path(path)) : try await store.installAdapter(.url(url)))
    } catch {
      result = .failure(error)
    }
    let events = await all(updates)
    #expect(events.first == .began && events.count <= 3)
    switch (way, result) {
    case (.refusedPath, .failure(let error)), (.refusedAddress, .failure(let error)):
      #expect(events.last == .failed(error))
    case (.path, .success(let result)), (.address, .success(let result)):
      #expect(events.last == .finished && result.outcome == .installed)
      #expect(result.adapter.facts == [.downloaded, .obsolete])
    case (.again, .success(let result)):
      #expect(events.last == .finished && result.outcome == .alreadyInstalled)
    default: Issue.record("\(result)")
    }
    #expect(try !store.status(of: identifier).contains(.downloading))
  }

  @Test func wrongBytesAreNotInstalled() async throws {
    let (store, request) = try await prepare()
    try publish(try fixture.package("demo", stating: "1.0.0"))
    let path = try StoreFixture.folder(of: "demo 1.0.0", in: site) + "/adapter_weights.bin"
    var bytes = try FileSystem.read("\(site)/\(path)", limit: 1 << 20)
    bytes[bytes.count - 1] ^= 1
    server.replace("https://one.example/\(path)", ScriptedServer.Object(bytes: bytes))
    let identifier = try AdapterIdentifier("fmadapter-demo-0123456")
    let updates = store.statusUpdates(for: identifier)
    let offer = try await store.resolve(request).offer
    await #expect {
      try await store.installAdapter(.offer(offer))
    } throws: { error in
      (error as? StoreError)?.code == .corrupted
    }
    guard case .failed(let failure)? = await all(updates).last, failure.code == .corrupted else {
      Issue.record("the followers do not know")
      return
    }
    #expect(try store.status(of: identifier) == .downloadAvailable)
    #expect(try fixture.names("adapters").isEmpty)
  }

  @Test func aRedirectedCatalogLeadsFromWhereItIs() async throws {
    let catalog = try Catalog(
      parsing: StoreFixture.index(["demo 1.0.0"]), url: "https://mirror.example/deep/index.json")
    #expect(
      catalog.adapters.first?.url
        == "https://mirror.example/deep/fmadapter-demo-0123456/1.0.0/")
  }

  @Test(arguments: ["metadata.json", "adapter_weights.bin"])
  func aFileThatACatalogInAFolderLacksIsNotFound(_ name: String) async throws {
    let store = store()
    try await store.installBase(.path(try fixture.base("tiny.gguf")))
    try store.addCatalog(CatalogSource(site, directory: "/"))
    _ = try CatalogPublisher(directory: site).publish([
      try fixture.package("demo", stating: "1.0.0")
    ])
    let folder = try StoreFixture.folder(of: "demo 1.0.0", in: site)
    let path = FilePath.join(site, "\(folder)/\(name)")
    try FileSystem.removeTree(path)
    let request = try #require(AdapterRequest("demo"))
    let error = StoreError.notInFolder(path: path)
    await #expect(throws: error) {
      try await store.installAdapter(.offer(store.resolve(request).offer))
    }
    #expect(try fixture.names("adapters") == [] && fixture.names("ingest") == [])
  }

  /// Through nginx and libcurl.
  @Test func aPublishedFolderIsServedAndInstalledByName() async throws {
    let publisher = CatalogPublisher(directory: site)
    _ = try publisher.publish([try fixture.package("demo", stating: "1.0.0")])
    let nginx = try StaticServer(root: site)
    let process = ProcessFacts()
    let store = AdapterStore(
      root: fixture.root, tool: "tests 1", process: process,
      downloader: Downloader(
        root: fixture.root, transport: CurlTransport(policy: TransportPolicy()), process: process),
      readBase: StoreFixture.readBase)
    try await store.installBase(.path(try fixture.base("tiny.gguf")))
    try store.addCatalog(CatalogSource(nginx.origin, directory: "/"))
    let request = try #require(AdapterRequest("demo"))
    let first = try await store.installAdapter(.offer(store.resolve(request).offer))
    #expect(first.adapter.version.description == "1.0.0")
    #expect(first.adapter.receipt?.catalog == "\(nginx.origin)/index.json")
    _ = try publisher.publish([try fixture.package("demo", version: 2, stating: "1.1.0")])
    let second = try await store.installAdapter(.offer(store.resolve(request).offer))
    #expect(second.outcome == .replaced)
    #expect(second.adapter.version.description == "1.1.0")
  }
}
