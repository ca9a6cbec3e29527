import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// What befalls files of an installed adapter that say which version it is.
private enum Flaw: String, CaseIterable, CustomTestStringConvertible {
  case metadata, receipt, both

  static let entry = "adapters/fmadapter-demo-0123456"
  var testDescription: String { rawValue }

  func befall(_ fixture: StoreFixture) throws {
    if self != .receipt {
      try fixture.flipBit("\(Self.entry)/package.fmadapter/metadata.json", at: 0)
    }
    if self != .metadata {
      try fixture.damage("\(Self.entry)/receipt.json") { try $0.truncate(atOffset: 40) }
    }
  }
}

/// A damaged entry is no way around what is refused beside a sound one.
@Suite struct OccupantTests {
  private let fixture: StoreFixture
  private static let identifier = "fmadapter-demo-0123456"

  init() throws { fixture = try StoreFixture() }

  private func package(_ version: String) throws -> String {
    let seeds = ["1.0.0": 1, "1.1.0": 2, "1.1.0!": 3, "1.2.0": 4]
    return try fixture.package(
      version: seeds[version] ?? 9, stating: version.filter { $0 != "!" })
  }

  /// The name of the error, or how the installation ended.
  private func word(_ body: () async throws -> InstallOutcome) async -> String {
    do {
      return try await body().rawValue
    } catch {
      return (error as? StoreError).map { "\($0.code)" } ?? "\(error)"
    }
  }

  @Test(arguments: Flaw.allCases, ["1.0.0", "1.1.0", "1.1.0!", "1.2.0"])
  fileprivate func aPackageIsHeldAgainstWhatIsKnown(_ flaw: Flaw, _ offered: String) async throws {
    let store = fixture.store()
    try await store.installAdapter(.path(package("1.1.0")))
    try flaw.befall(fixture)
    let expected =
      switch (flaw, offered) {
      case (.both, _): "unknownVersion"
      case (_, "1.0.0"): "olderPackage"
      default: "replaced"
      }
    let source = try package(offered)
    #expect(await word { try await store.installAdapter(.path(source)).outcome } == expected)
    #expect(try fixture.names("ingest") == [])
    if expected == "replaced" { return }
    let forced = InstallPolicy(replaces: true)
    #expect(try await store.installAdapter(.path(source), policy: forced).outcome == .replaced)
    #expect(try await store.verify().map(\.isIntact) == [true])
  }

  @Test(arguments: Flaw.allCases, ["1.0.0", "1.1.0", "1.1.0!", "1.2.0"])
  fileprivate func anOfferIsHeldAgainstWhatIsKnown(_ flaw: Flaw, _ offered: String) async throws {
    let store = fixture.store()
    let site = fixture.directory.path("site")
    _ = try CatalogPublisher(directory: site).publish([package(offered)])
    let catalog = try CatalogSource(site, directory: "/")
    try await store.installAdapter(.path(package("1.1.0")))
    try flaw.befall(fixture)
    let offer = try #require(try await store.surveyCatalogs([catalog]).offers.first)
    let expected =
      switch (flaw, offered) {
      case (.both, _): "unknownVersion"
      case (_, "1.0.0"): "olderVersion"
      case (_, "1.1.0!"): "changedOffer"
      default: "replaced"
      }
    let found = await word {
      try store.checkReplacement(by: offer)
      return try await store.installAdapter(.offer(offer)).outcome
    }
    #expect(found == expected)
    try store.checkReplacement(by: offer, allowDowngrade: true, force: true)
  }

  @Test func whatIsUnreadableIsCalledSo() async throws {
    let store = fixture.store()
    try await store.installAdapter(.path(package("1.1.0")))
    try Flaw.metadata.befall(fixture)
    for name in ["demo", Self.identifier] {
      let error = #expect(throws: StoreError.self) { try store.adapter(named: name) }
      #expect(error?.description.contains("the adapter cannot be read: ") == true)
      #expect(error?.description.contains("\n") == false)
    }
    #expect(try store.unreadableAdapters().map(\.identifier.description) == [Self.identifier])
    #expect(try store.removeAdapter("demo").description == Self.identifier)
    #expect(try fixture.names("adapters") == [])
  }

  @Test(.disabled(if: geteuid() == 0, "root may read everything"))
  func whatThisUserMayNotReadIsNotDamage() async throws {
    let store = fixture.store()
    try await store.installAdapter(.path(package("1.1.0")))
    let file = "\(fixture.root)/adapters/\(Self.identifier)/package.fmadapter/metadata.json"
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file)
    let error = #expect(throws: StoreError.self) { try store.adapter(named: "demo") }
    #expect(error?.description.contains("check the permissions") == true)
    let problem = try #require(try store.adapters().problems.first)
    #expect(problem.message == "This user may not read the adapter.")
    #expect(try store.removeAdapter("demo").description == Self.identifier)
  }

  /// The weights that come, and whether the file of "a" that is there cannot be read.
  @Test(arguments: [("b", false, true), ("a", false, false), ("a", true, true)])
  func aBaseWithoutReceiptIsNotReplacedUnasked(
    _ weights: String, _ isUnreadable: Bool, _ isRefused: Bool
  ) async throws {
    let store = fixture.store()
    try await store.installBase(.path(fixture.base("tiny.gguf", weights: "a")))
    let entry = "bases/\(StoreFixture.first)"
    try fixture.damage("\(entry)/receipt.json") { try $0.truncate(atOffset: 40) }
    if isUnreadable {
      let model = "\(fixture.root)/\(entry)/\(StoreLayout.model)"
      try FileSystem.removeTree(model)
      try FileManager.default.createSymbolicLink(
        atPath: model, withDestinationPath: fixture.directory.path("away.gguf"))
    }
    let other = try fixture.base("other.gguf", weights: weights)
    let result = await word { try await store.installBase(.path(other)).outcome }
    #expect(result == (isRefused ? "otherBase" : "replaced"))
    let forced = InstallPolicy(replaces: true)
    #expect(try await store.installBase(.path(other), policy: forced).base.name == "other")
  }
}
