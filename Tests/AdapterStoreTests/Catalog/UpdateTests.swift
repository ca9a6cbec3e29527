import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct UpdateTests {
  private let fixture: StoreFixture
  private let downloads = ScriptedDownloads()

  init() throws { fixture = try StoreFixture() }

  private func states(_ names: String...) async throws -> [String] {
    try await fixture.store().updates(of: names, by: downloads).updates.map {
      "\($0.identifier.name) \($0.installed) \($0.state) \($0.offer?.adapter.version.description ?? "-")"
    }
  }

  @Test(
    arguments: [
      (["demo 1.3.0"], "demo 1.2.0 available 1.3.0"),
      (["demo 1.3.0", "demo 1.10.0", "demo 2.0.0-beta"], "demo 1.2.0 available 1.10.0"),
      (["demo 1.2.0"], "demo 1.2.0 changed 1.2.0"),
      (["demo 1.1.9"], "demo 1.2.0 older 1.1.9"),
      (["demo 1.3.0-rc.1"], "demo 1.2.0 unlisted -"),
      (["demo 1.3.0 \(StoreFixture.second)"], "demo 1.2.0 unlisted -"),
      (["other 1.3.0"], "demo 1.2.0 unlisted -"),
    ])
  func comparison(_ offered: [String], _ expected: String) async throws {
    _ = try await fixture.installPackage(try fixture.package("demo", stating: "1.2.0"))
    try await fixture.addCatalog("one", offered, to: downloads)
    #expect(try await states("demo") == [expected])
    #expect(try await states() == [expected])
  }

  /// What is installed, or what is newer, was withdrawn.
  @Test(
    arguments: [
      (["demo 1.2.0", "demo 1.3.0!"], "demo 1.2.0 upToDate 1.2.0", nil),
      (["demo 1.2.0!", "demo 1.3.0"], "demo 1.2.0 available 1.3.0", "wrong"),
      (["demo 1.2.0!", "demo 1.1.0"], "demo 1.2.0 yanked 1.1.0", "wrong"),
      (["demo 1.2.0!"], "demo 1.2.0 yanked -", "wrong"),
      (["demo 1.3.0!"], "demo 1.2.0 unlisted -", nil),
    ] as [([String], String, String?)])
  func whatIsWithdrawnIsPassedOver(
    _ offered: [String], _ expected: String, _ reason: String?
  ) async throws {
    let package = try fixture.package("demo", stating: "1.2.0")
    let adapter = try await fixture.installPackage(package)
    let digests = Dictionary(
      uniqueKeysWithValues: (adapter.receipt?.files ?? []).map {
        (FilePath.name(of: $0.path), ($0.size, $0.sha256))
      })
    try await fixture.addCatalog("one", offered, to: downloads, as: digests)
    #expect(try await states("demo") == [expected])
    let told = try fixture.store().adapter(named: "demo")
    #expect(told.yanked == reason)
    #expect(told.facts.contains(.outOfDate) == (reason != nil))
    let update = try #require(
      try await fixture.store().updates(of: [], by: downloads).updates.first)
    #expect(update.isInstallable() == (update.state == .available))
    let report = try await fixture.store().examine(system: SystemFacts())
    #expect(report.findings.contains { $0.rule == "adapter.yanked" } == (reason != nil))
  }

  @Test func theSameBytesAreUpToDate() async throws {
    let package = try fixture.package("demo", stating: "1.2.0")
    _ = try await fixture.installPackage(package)
    let site = fixture.directory.path("site")
    _ = try CatalogPublisher(directory: site).publish([package])
    try fixture.store().addCatalog(CatalogSource(site, directory: "/"))
    #expect(try await states() == ["demo 1.2.0 upToDate 1.2.0"])
  }

  /// An earlier program left out what it did not know; other bytes of what it knew are a change.
  @Test func whatAnEarlierProgramLeftOutIsAnUpdate() async throws {
    let package = try fixture.package("demo", stating: "1.2.0")
    let adapter = try await fixture.installPackage(package)
    let digest = try #require(adapter.receipt?.files.first?.sha256)
    _ = try CatalogPublisher(directory: fixture.directory.path("site")).publish([package])
    try fixture.directory.edit(
      "site/index.json", "\"files\": [", "\"files\": [\(SampleCatalog.file("draft_suffixes.bin")),")
    try fixture.store().addCatalog(
      CatalogSource(fixture.directory.path("site"), directory: "/"))
    #expect(try await states() == ["demo 1.2.0 available 1.2.0"])
    try fixture.directory.edit("site/index.json", digest, String(digest.reversed()))
    #expect(try await states() == ["demo 1.2.0 changed 1.2.0"])
  }

  @Test func anotherCatalogDoesNotTakeANameOver() async throws {
    let package = try fixture.package("demo", stating: "1.2.0")
    _ = try await fixture.installPackage(package, from: "one")
    try await fixture.addCatalog("hostile", ["demo 99.0.0"], to: downloads)
    try await fixture.addCatalog("one", ["demo 1.3.0"], to: downloads)
    #expect(try await states() == ["demo 1.2.0 available 1.3.0"])
    let own = try CatalogSource(StoreFixture.catalogAddress("one"), directory: "/")
    try fixture.store().removeCatalog(own)
    #expect(try await states() == ["demo 1.2.0 available 99.0.0"])
  }

  @Test func aPackageThatStatesNoneHasTheVersionThatItCameAs() async throws {
    let package = try fixture.package("demo")
    #expect(try await fixture.installPackage(package).version.description == "0.0.0")
    let adapter = try await fixture.installPackage(package, from: "one", as: "1.5.0")
    #expect(adapter.version.description == "1.5.0")
  }

  @Test func lowerAndChangedVersionsAreRefusedUnlessAsked() async throws {
    let adapter = try await fixture.installPackage(try fixture.package("demo", stating: "1.2.0"))
    let catalog = try CatalogSource("https://one.example/", directory: "/")
    func update(_ entry: String) throws -> AdapterUpdate {
      let parsed = try Catalog(parsing: StoreFixture.index([entry]), url: catalog.address)
      return AdapterUpdate(
        of: adapter, in: parsed.adapters.map { CatalogOffer(adapter: $0, catalog: catalog) })
    }
    let (older, changed) = (try update("demo 1.1.0"), try update("demo 1.2.0"))
    #expect(
      throws: StoreError.olderVersion(
        "fmadapter-demo-0123456", installed: "1.2.0", offered: "1.1.0")
    ) { try older.check(allowDowngrade: false, force: true) }
    #expect(throws: Never.self) { try older.check(allowDowngrade: true, force: false) }
    #expect(
      throws: StoreError.changedOffer(
        "fmadapter-demo-0123456 1.2.0", catalog: "https://one.example/index.json", version: "1.2.0")
    ) { try changed.check(allowDowngrade: true, force: false) }
    #expect(throws: Never.self) { try changed.check(allowDowngrade: false, force: true) }
    #expect(throws: Never.self) {
      try update("demo 1.3.0").check(allowDowngrade: false, force: false)
      try update("other 1.3.0").check(allowDowngrade: false, force: false)
    }
  }

  @Test(
    arguments: [
      (["demo 1.3.0"], "demo 1.3.0-rc.1 available 1.3.0"),
      (["demo 1.2.0"], "demo 1.3.0-rc.1 prerelease 1.2.0"),
      (["demo 1.2.0", "demo 1.3.0-rc.1", "demo 1.3.0-rc.2"], "demo 1.3.0-rc.1 prerelease 1.2.0"),
      (["demo 1.3.0-rc.1"], "demo 1.3.0-rc.1 prerelease -"),
      (["other 1.3.0"], "demo 1.3.0-rc.1 unlisted -"),
    ])
  func aPrereleaseStaysUntilARelease(_ offered: [String], _ expected: String) async throws {
    _ = try await fixture.installPackage(try fixture.package("demo", stating: "1.3.0-rc.1"))
    try await fixture.addCatalog("one", offered, to: downloads)
    #expect(try await states("demo") == [expected])
    let update = try #require(
      try await fixture.store().updates(of: [], by: downloads).updates.first)
    #expect(update.isInstallable() == (update.state == .available))
    #expect(update.isInstallable(allowDowngrade: true) == (update.offer != nil))
  }

  /// A catalog `one` that reads, a catalog `dead` that does not, and where the adapter came from.
  @Test(
    arguments: [
      ("dead", ["demo 1.3.0"], "demo 1.2.0 unreachable -"),
      ("dead", [], "demo 1.2.0 unreachable -"),
      ("one", ["demo 1.3.0"], "demo 1.2.0 available 1.3.0"),
      ("one", [], "demo 1.2.0 unlisted -"),
      ("removed", ["demo 1.3.0"], "demo 1.2.0 available 1.3.0"),
      ("removed", [], "demo 1.2.0 unreachable -"),
      (nil, ["demo 1.3.0"], "demo 1.2.0 available 1.3.0"),
      (nil, [], "demo 1.2.0 unreachable -"),
    ] as [(String?, [String], String)])
  func aDeadCatalogIsToldOf(
    _ home: String?, _ offered: [String], _ expected: String
  ) async throws {
    _ = try await fixture.installPackage(
      try fixture.package("demo", stating: "1.2.0"), from: home)
    try await fixture.addCatalog("dead", [], to: downloads)
    let dead = StoreFixture.catalogAddress("dead")
    let error = StoreError.network(url: dead, reason: "no answer")
    downloads.answer(dead, .failure(error))
    try await fixture.addCatalog("one", offered, to: downloads)
    let survey = try await fixture.store().updates(of: [], by: downloads)
    #expect(try await states() == [expected])
    let told = home == "dead" ? StoreError.catalogLost(dead, error) : error
    #expect(survey.failures.map(\.error) == [told])
    let update = try #require(survey.updates.first)
    #expect(update.failure?.error == (update.state == .unreachable ? told : nil))
  }

  @Test func aCatalogThatCannotBeUnderstoodHasNotMoved() async throws {
    _ = try await fixture.installPackage(try fixture.package("demo", stating: "1.2.0"), from: "one")
    try await fixture.addCatalog("one", [], to: downloads)
    let address = StoreFixture.catalogAddress("one")
    let error = StoreError.invalidCatalog(url: address, reason: "version 2 is not known here")
    downloads.answer(address, .failure(error))
    #expect(
      try await fixture.store().updates(of: [], by: downloads).failures.map(\.error) == [error])
  }

  @Test func whatCannotBeReadIsToldOf() async throws {
    _ = try await fixture.installPackage(try fixture.package("demo"))
    try await fixture.addCatalog("one", ["demo 1.0.0"], to: downloads)
    try fixture.flipBit(
      "adapters/fmadapter-demo-0123456/package.fmadapter/metadata.json", at: 0)
    let survey = try await fixture.store().updates(of: [], by: downloads)
    #expect(survey.updates.isEmpty)
    #expect(survey.unreadable.map(\.identifier.name) == ["demo"])
    let error = try #require(survey.unreadable.first?.error)
    await #expect(throws: error) { try await states("demo") }
    await #expect(throws: StoreError.noAdapter("x", known: [])) { try await states("x") }
  }
}
