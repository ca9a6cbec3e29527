import TestSupport
import Testing

@testable import AdapterStore

@Suite struct ResolutionTests {
  private let fixture: StoreFixture
  private let downloads = ScriptedDownloads()
  private static let (first, second) = (StoreFixture.first, StoreFixture.second)

  init() throws { fixture = try StoreFixture() }

  private func resolve(_ text: String, from catalog: String? = nil) async throws -> String {
    let request = try #require(AdapterRequest(text))
    let source = try catalog.map {
      try CatalogSource(StoreFixture.catalogAddress($0), directory: "/")
    }
    let offer = try await fixture.store().resolve(request, from: source, by: downloads).offer
    return "\(offer.adapter.identifier) \(offer.adapter.version) \(offer.catalog)"
  }

  private static let offered = [
    "demo 1.0.0", "demo 1.10.0", "demo 1.9.0", "demo 1.10.1!", "demo 2.0.0-rc.1",
    "demo 1.11.0 \(second)",
    "trial 0.1.0-beta", "other 3.0.0 \(second)",
  ]

  @Test(
    arguments: [
      ("demo", "fmadapter-demo-0123456 1.10.0"),
      ("demo@1.9.0", "fmadapter-demo-0123456 1.9.0"),
      ("demo@2.0.0-rc.1", "fmadapter-demo-0123456 2.0.0-rc.1"),
      ("demo@1.9.0+any.build", "fmadapter-demo-0123456 1.9.0"),
      ("trial@0.1.0-beta", "fmadapter-trial-0123456 0.1.0-beta"),
      ("fmadapter-demo-0123456", "fmadapter-demo-0123456 1.10.0"),
      ("fmadapter-demo-fedcba9", "fmadapter-demo-fedcba9 1.11.0"),
      ("fmadapter-other-fedcba9@3.0.0", "fmadapter-other-fedcba9 3.0.0"),
    ])
  func theNewestThatFits(_ text: String, _ expected: String) async throws {
    try await fixture.store().installBase(.path(try fixture.base("tiny.gguf")))
    try await fixture.addCatalog("one", Self.offered, to: downloads)
    #expect(try await resolve(text) == "\(expected) https://one.example/index.json")
  }

  @Test(
    arguments: [
      ("demo@1.10.1", StoreError.yanked("demo@1.10.1", version: "1.10.1", reason: "wrong")),
      ("dem", .notInCatalogs("dem", known: ["demo", "other", "trial"])),
      (
        "demo@9.0.0",
        .notInCatalogs(
          "demo@9.0.0",
          known: ["demo@2.0.0-rc.1", "demo@1.11.0", "demo@1.10.0", "demo@1.9.0", "demo@1.0.0"])
      ),
      ("trial", .notInCatalogs("trial", known: ["trial@0.1.0-beta"])),
      (
        "other",
        .incompatible("other", reason: "catalogs have 3.0.0 for the base \(second)")
      ),
      (
        "demo@1.11.0",
        .incompatible("demo@1.11.0", reason: "catalogs have 1.11.0 for the base \(second)")
      ),
      (
        "fmadapter-demo-ccccccc",
        .notInCatalogs("fmadapter-demo-ccccccc", known: ["demo", "other", "trial"])
      ),
    ] as [(String, StoreError)])
  func refusals(_ text: String, _ expected: StoreError) async throws {
    try await fixture.store().installBase(.path(try fixture.base("tiny.gguf")))
    try await fixture.addCatalog("one", Self.offered, to: downloads)
    await #expect(throws: expected) { try await resolve(text) }
  }

  @Test func basesThatAreInstalledAreNamed() async throws {
    let store = fixture.store()
    try await store.installBase(.path(try fixture.base("tiny.gguf")))
    try await store.installBase(.path(try fixture.base("large.gguf", signature: Self.second)))
    try await fixture.addCatalog(
      "one", ["other 3.0.0 \(Self.second)", "other 2.0.0 \(Self.second)"], to: downloads)
    await #expect(
      throws: StoreError.incompatible(
        "other", reason: "catalogs have 3.0.0, 2.0.0 for the base large \(Self.second)")
    ) { try await resolve("other") }
    try store.useBase("large")
    #expect(
      try await resolve("other")
        == "fmadapter-other-fedcba9 3.0.0 https://one.example/index.json")
  }

  @Test func aNameNeedsABaseAndAnIdentifierDoesNot() async throws {
    try await fixture.addCatalog("one", Self.offered, to: downloads)
    await #expect(throws: StoreError.noCurrentBase(installed: 0)) { try await resolve("demo") }
    #expect(try await resolve("fmadapter-demo-0123456").contains(" 1.10.0 "))
  }

  @Test func whereSeveralCatalogsOfferItOneHasToBeNamed() async throws {
    try await fixture.store().installBase(.path(try fixture.base("tiny.gguf")))
    try await fixture.addCatalog("one", ["demo 1.0.0"], to: downloads)
    try await fixture.addCatalog("two", ["demo 1.1.0"], to: downloads)
    let addresses = ["one", "two"].map(StoreFixture.catalogAddress)
    for text in ["demo", "fmadapter-demo-0123456"] {
      await #expect(throws: StoreError.severalCatalogs(text, catalogs: addresses)) {
        try await resolve(text)
      }
    }
    #expect(
      try await resolve("demo", from: "one")
        == "fmadapter-demo-0123456 1.0.0 https://one.example/index.json")
    #expect(
      try await resolve("demo@1.1.0")
        == "fmadapter-demo-0123456 1.1.0 https://two.example/index.json"
    )
    await #expect(
      throws: StoreError.noCatalog(StoreFixture.catalogAddress("three"), known: addresses)
    ) { try await resolve("demo", from: "three") }
  }

  @Test func anAdapterStaysWithItsCatalog() async throws {
    try await fixture.store().installBase(.path(try fixture.base("tiny.gguf")))
    let package = try fixture.package("demo", stating: "1.0.0")
    _ = try await fixture.installPackage(package, from: "one")
    try await fixture.addCatalog("evil", ["demo 9.0.0"], to: downloads)
    try await fixture.addCatalog("one", ["demo 1.0.0", "demo 1.0.1"], to: downloads)
    #expect(
      try await resolve("demo") == "fmadapter-demo-0123456 1.0.1 https://one.example/index.json")
    #expect(try await resolve("demo", from: "evil").contains(" 9.0.0 "))
    // An answer that does not come is no reason to take another's.
    let address = StoreFixture.catalogAddress("one")
    let silence = StoreError.network(url: address, reason: "no answer")
    downloads.answer(address, .failure(silence))
    await #expect(throws: StoreError.catalogLost(address, silence)) {
      try await resolve("demo")
    }
    let updates = try await fixture.store().updates(of: [], by: downloads).updates
    #expect(updates.map(\.state) == [.unreachable])
    downloads.answer(address, .success(StoreFixture.index([])))
    #expect(try await resolve("demo").contains(" 9.0.0 "))
  }

  @Test func oneCatalogThatFailsStopsNoOther() async throws {
    try await fixture.store().installBase(.path(try fixture.base("tiny.gguf")))
    try await fixture.addCatalog("dead", [], to: downloads)
    try await fixture.addCatalog("broken", [], to: downloads)
    try await fixture.addCatalog("one", ["demo 1.0.0"], to: downloads)
    let (dead, broken) = (
      StoreFixture.catalogAddress("dead"), StoreFixture.catalogAddress("broken")
    )
    downloads.answer(dead, .failure(.network(url: dead, reason: "no answer")))
    downloads.answer(broken, .success(Array("[]".utf8)))
    let request = try #require(AdapterRequest("demo"))
    let (offer, failures) = try await fixture.store().resolve(request, by: downloads)
    #expect(offer.adapter.version.description == "1.0.0")
    #expect(failures.map(\.catalog.address) == [dead, broken])
    #expect(failures.map(\.error.code) == [.network, .invalidCatalog])
    // The dead one may have it, so that nobody can say that it does not exist.
    await #expect(throws: StoreError.network(url: dead, reason: "no answer")) {
      try await resolve("nothing")
    }
  }

  @Test func withoutCatalogsThereIsNothing() async throws {
    await #expect(throws: StoreError.notInCatalogs("demo", known: [])) { try await resolve("demo") }
    #expect(downloads.requests.isEmpty)
  }

  @Test(
    arguments: [
      "", "@", "@1.0.0", "demo@", "demo@1", "demo@latest", "de mo", "demo-x", "../demo",
      "d\u{E9}mo",
      "fmadapter-demo", "demo@1.0.0@2.0.0", "fmadapter-demo-0123456@x",
    ])
  func notARequest(_ text: String) {
    #expect(AdapterRequest(text) == nil)
  }

  @Test func aLocalCatalogNeedsNoDownloads() async throws {
    let store = fixture.store()
    try await store.installBase(.path(try fixture.base("tiny.gguf")))
    let site = fixture.directory.path("my site")
    _ = try CatalogPublisher(directory: site).publish([
      try fixture.package("demo", stating: "1.2.0")
    ])
    try store.addCatalog(CatalogSource(site, directory: "/"))
    #expect(try await resolve("demo") == "fmadapter-demo-0123456 1.2.0 \(site)/index.json")
    #expect(downloads.requests.isEmpty)
    try store.addCatalog(CatalogSource("/nowhere", directory: "/"))
    let request = try #require(AdapterRequest("demo"))
    #expect(
      try await store.resolve(request, by: downloads).failures.map(\.error) == [
        .noIndex(path: "/nowhere/index.json")
      ])
  }
}
