import Adapters
import Foundation
import Synchronization
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// What whoever sits between a publisher and a store can try, by the names that The Update Framework has for it.
@Suite(.waits) struct SignedCatalogTests {
  private static let origin = "https://one.example"
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)
  private static let day = 86_400.0

  private let fixture: StoreFixture
  private let server = ScriptedServer([:])
  private let clock = Clock()
  private var site: String { fixture.directory.path("site") }
  private let source: CatalogSource

  init() throws {
    fixture = try StoreFixture()
    source = try CatalogSource(Self.origin, directory: "/")
  }

  private final class Clock: Sendable {
    let now = Mutex(start)
    func pass(_ seconds: Double) { now.withLock { $0 += seconds } }
    @Sendable func read() -> Date { now.withLock(\.self) }
  }

  private static func path(_ name: String) -> String {
    Fixtures.path("AdaptersTests", "signatures/\(name)")
  }

  private func publisher(_ directory: String? = nil, key: String = "p256") throws
    -> CatalogPublisher
  {
    var publisher = CatalogPublisher(directory: directory ?? site)
    publisher.signer = try PrivateKey(file: Self.path("\(key).pem"))
    publisher.validity = 10 * Self.day
    publisher.now = clock.read
    return publisher
  }

  private func publish(_ version: String, _ number: Int = 1, to directory: String? = nil) throws {
    _ = try publisher(directory).publish([
      try fixture.package("demo", version: number, stating: version)
    ])
  }

  /// Serves what the folder has now; `files` alone where they are named.
  private func serve(_ files: [String] = [], of directory: String? = nil) throws {
    for (path, bytes) in try CatalogPublisherTests.tree(directory ?? site)
    where files.isEmpty || files.contains(path) {
      server.replace("\(Self.origin)/\(path)", ScriptedServer.Object(bytes: bytes))
    }
  }

  private func serve(_ bytes: [UInt8]) {
    server.replace("\(Self.origin)/index.signed.json", ScriptedServer.Object(bytes: bytes))
  }

  private func signed(_ directory: String? = nil) throws -> [UInt8] {
    try FileSystem.read("\(directory ?? site)/index.signed.json", limit: 1 << 20)
  }

  private func store(pinned: String? = "p256") throws -> AdapterStore {
    var process = ProcessFacts()
    process.now = clock.read
    let store = fixture.store(over: server, process)
    try store.addCatalog(
      source, keys: pinned.map { [try PublicKey(file: Self.path("\($0).pub"))] } ?? [])
    return store
  }

  /// What the store says of the catalog now: its versions, or why it does not believe it.
  private func reading(_ store: AdapterStore) async throws -> String {
    let survey = try await store.surveyCatalogs()
    guard let error = survey.failures.first?.error else {
      return survey.offers.map { "\($0.adapter.version)" }.joined(separator: " ")
    }
    return switch error.cause as? CatalogFault {
    case .unknownKeys: "unknown keys"
    case .unsigned: "unsigned"
    case .otherKey: "other key"
    case .forged: "forged"
    case .noSerial: "no serial"
    case .expired: "expired"
    case .rolledBack(let serial, let seen): "\(serial) after \(seen)"
    case .twoOfOneSerial(let serial): "two of \(serial)"
    case .otherCatalog: "other catalog"
    case nil: "\(error.code)"
    }
  }

  @Test(arguments: ["p256", "p384", "p521"])
  func whatAKeySignedIsBelieved(_ key: String) async throws {
    _ = try publisher(key: key).publish([try fixture.package("demo", stating: "1.0.0")])
    try serve()
    let store = try store(pinned: key)
    #expect(try await reading(store) == "1.0.0")
    #expect(store.keptCatalog(source)?.catalog.issue?.serial == 1)
    try await store.installBase(.path(try fixture.base("tiny.gguf")))
    let request = try #require(AdapterRequest("demo"))
    let result = try await store.installAdapter(.offer(store.resolve(request).offer))
    #expect(result.outcome == .installed)
  }

  @Test func arbitraryInstallation() async throws {
    try publish("1.0.0")
    try serve()
    #expect(try await reading(store(pinned: "p384")) == "other key")
  }

  @Test func arbitraryInstallationUnderTheNameOfAKey() async throws {
    try publish("1.0.0")
    let text = String(decoding: try signed(), as: UTF8.self)
    let payload = try FileSystem.read("\(site)/index.json", limit: 1 << 20)
    let other = String(decoding: payload, as: UTF8.self).replacing("1.0.0", with: "1.0.9")
    serve(
      Array(
        text.replacing(
          Data(payload).base64EncodedString(), with: Data(other.utf8).base64EncodedString()
        ).utf8))
    #expect(try await reading(store()) == "forged")
  }

  @Test func arbitraryFiles() async throws {
    try publish("1.0.0")
    try serve()
    let weights = try StoreFixture.folder(of: "demo 1.0.0", in: site) + "/adapter_weights.bin"
    let bytes = try FileSystem.read("\(site)/\(weights)", limit: 1 << 20)
    server.replace("\(Self.origin)/\(weights)", ScriptedServer.Object(bytes: bytes.reversed()))
    let store = try store()
    try await store.installBase(.path(try fixture.base("tiny.gguf")))
    let offer = try await store.resolve(try #require(AdapterRequest("demo"))).offer
    let error = await #expect(throws: StoreError.self) {
      try await store.installAdapter(.offer(offer))
    }
    #expect(error?.code == .corrupted)
    #expect(try store.adapters().adapters.isEmpty)
  }

  /// Who takes the signature away gets nobody to believe what is not signed.
  @Test func downgradeToWhatIsNotSigned() async throws {
    try publish("1.0.0")
    try serve(["index.json"])
    #expect(try await reading(store()) == "unsigned")
    #expect(try await reading(store(pinned: nil)) == "unsigned")
  }

  @Test func indefiniteFreeze() async throws {
    try publish("1.0.0")
    try serve()
    let store = try store()
    #expect(try await reading(store) == "1.0.0")
    clock.pass(9 * Self.day)
    try publish("1.1.0", 2)
    // It is held back, and nobody notices yet.
    #expect(try await reading(store) == "1.0.0")
    clock.pass(2 * Self.day)
    #expect(try await reading(store) == "expired")
    try serve()
    #expect(try await reading(store) == "1.0.0 1.1.0")
  }

  @Test func rollback() async throws {
    try publish("1.0.0")
    let old = try signed()
    try publish("1.1.0", 2)
    try serve()
    let store = try store()
    #expect(try await reading(store) == "1.0.0 1.1.0")
    serve(old)
    #expect(try await reading(store) == "1 after 2")
    // What was seen lasts, also for a look that keeps nothing.
    let error = await #expect(throws: StoreError.self) {
      try await fixture.store(over: server).readCatalog(source, isKept: false)
    }
    #expect(error?.cause as? CatalogFault == .rolledBack(serial: 1, seen: 2))
  }

  /// A key that is used in two places makes two of a number.
  @Test func twoOfOneSerial() async throws {
    try publish("1.0.0")
    let other = fixture.directory.path("other")
    try FileManager.default.copyItem(atPath: site, toPath: other)
    try publish("1.1.0", 2)
    try publish("1.2.0", 3, to: other)
    try serve()
    let store = try store()
    #expect(try await reading(store) == "1.0.0 1.1.0")
    serve(try signed(other))
    #expect(try await reading(store) == "two of 2")
  }

  /// Files of before beside an index of now.
  @Test func mixAndMatch() async throws {
    try publish("1.0.0")
    try serve()
    var publisher = try publisher()
    publisher.replaces = true
    _ = try publisher.publish([try fixture.package("demo", version: 2, stating: "1.0.0")])
    try serve(["index.signed.json"])
    let store = try store()
    try await store.installBase(.path(try fixture.base("tiny.gguf")))
    let offer = try await store.resolve(try #require(AdapterRequest("demo"))).offer
    let error = await #expect(throws: StoreError.self) {
      try await store.installAdapter(.offer(offer))
    }
    #expect([.corrupted, .notOnServer].contains(error?.code))
  }

  /// Another catalog of the same publisher, such as the one for trials.
  @Test func wrongCatalog() async throws {
    try publish("1.0.0")
    try serve()
    let store = try store()
    #expect(try await reading(store) == "1.0.0")
    let trials = fixture.directory.path("trials")
    for number in 1...3 { try publish("2.0.\(number)", number, to: trials) }
    serve(try signed(trials))
    #expect(try await reading(store) == "other catalog")
  }

  @Test func endlessData() async throws {
    try publish("1.0.0")
    serve([UInt8](repeating: 32, count: SignedIndex.sizeLimit + 1))
    #expect(try await reading(store()) != "1.0.0")
    #expect(try store().keptCatalog(source) == nil)
  }

  /// A stolen key can make a number that nobody exceeds; the catalog is begun anew with another key.
  @Test func fastForward() async throws {
    try publish("1.0.0")
    try serve()
    let store = try store()
    #expect(try await reading(store) == "1.0.0")
    try fixture.directory.edit("site/index.json", "\"serial\": 1", "\"serial\": 9007199254740990")
    let index = try FileSystem.read("\(site)/index.json", limit: 1 << 20)
    try SignedIndex.write(index, to: site, signing: PrivateKey(file: Self.path("p256.pem")))
    try serve()
    #expect(try await reading(store) == "1.0.0")
    try FileManager.default.removeItem(atPath: "\(site)/index.signed.json")
    _ = try publisher(key: "p384").signIndex()
    try serve()
    #expect(try await reading(store) == "other key")
    let key = try PublicKey(file: Self.path("p384.pub"))
    let error = #expect(throws: StoreError.self) { try store.addCatalog(source, keys: [key]) }
    #expect(error?.code == .otherKeys)
    try store.removeCatalog(source)
    try store.addCatalog(source, keys: [key])
    #expect(try await reading(store) == "1.0.0")
  }

  @Test func keysStayWithTheCatalog() async throws {
    let store = try store()
    let key = try PublicKey(file: Self.path("p256.pub"))
    #expect(try store.keys(of: source) == [key])
    #expect(try !store.addCatalog(source))
    #expect(try !store.addCatalog(source, keys: [key]))
    #expect(try store.keys(of: source) == [key])
    #expect(store.catalogs().catalogs == [source])
    // An entry that cannot be read may have had keys.
    let entry = "\(fixture.root)/catalogs/\(source.digest)"
    try Data("\(source.address)\n1\n-----BEGIN PUBLIC KEY-----\nAAAA\n".utf8)
      .write(to: URL(fileURLWithPath: entry))
    #expect(store.catalogs().catalogs == [] && store.catalogs().problems.count == 1)
    let error = #expect(throws: StoreError.self) { try store.keys(of: source) }
    #expect(error?.cause as? CatalogFault == .unknownKeys(entry: entry))
  }

  @Test func anyOfSeveralKeysWillDo() async throws {
    try publish("1.0.0")
    try serve()
    var process = ProcessFacts()
    process.now = clock.read
    let store = fixture.store(over: server, process)
    let keys = try ["p521", "p256"].map { try PublicKey(file: Self.path("\($0).pub")) }
    try store.addCatalog(source, keys: keys)
    #expect(try await reading(store) == "1.0.0")
    try FileManager.default.removeItem(atPath: "\(site)/index.signed.json")
    _ = try publisher(key: "p521").signIndex()
    try serve()
    // The number goes on where the folder's index has one.
    #expect(try await reading(store) == "1.0.0")
  }
}
