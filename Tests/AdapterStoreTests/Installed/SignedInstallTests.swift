import Adapters
import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// Signatures travel into stores and catalogs, and installations may demand them.
@Suite struct SignedInstallTests {
  private let fixture: StoreFixture
  private let store: AdapterStore
  private var site: String { fixture.directory.path("site") }

  init() throws { (fixture, store) = try StoreFixture.opened() }

  private static func path(_ name: String) -> String {
    Fixtures.path("AdaptersTests", "signatures/\(name)")
  }

  private static func policy(_ name: String) throws -> InstallPolicy {
    InstallPolicy(signers: [try PublicKey(file: path("\(name).pub"))])
  }

  private func key() throws -> PrivateKey { try PrivateKey(file: Self.path("p256.pem")) }

  private func sign(_ package: String) throws {
    let bundle = try PackageSignature.bundle(signing: package, with: key())
    try Data(bundle).write(to: URL(fileURLWithPath: "\(package)/model.sig"))
  }

  private func rules(_ body: () async throws -> Void) async -> [String] {
    do {
      try await body()
      return []
    } catch {
      return (error as? StoreError)?.report?.findings.map(\.rule) ?? ["\(error)"]
    }
  }

  @Test func aSignatureIsInstalledWithItsPackage() async throws {
    let package = try fixture.package()
    try sign(package)
    let result = try await store.installAdapter(.path(package), policy: Self.policy("p256"))
    let report = try PackageSignature.check(
      package: result.adapter.path, by: Self.policy("p256").signers, isStored: true)
    #expect(report.isAccepted)
    // What is there already is held against the demand, too.
    #expect(
      await rules {
        _ = try await store.installAdapter(.path(package), policy: Self.policy("p384"))
      } == ["signature.key"])
  }

  @Test func whatNobodySignedIsRefusedAndNothingIsThere() async throws {
    let package = try fixture.package()
    #expect(
      await rules {
        _ = try await store.installAdapter(.path(package), policy: Self.policy("p256"))
      } == ["signature.missing"])
    try sign(package)
    #expect(
      await rules {
        _ = try await store.installAdapter(.path(package), policy: Self.policy("p521"))
      } == ["signature.key"])
    #expect(try store.adapters().adapters.isEmpty)
    #expect(try fixture.names("ingest") == [])
  }

  @Test func aPublicationIsSignedAndItsPackageStaysWhatItWas() async throws {
    let package = try fixture.package("demo", stating: "1.0.0")
    var publisher = CatalogPublisher(directory: site)
    publisher.signer = try key()
    #expect(try publisher.publish([package]).map(\.outcome) == [.added])
    #expect(try FileSystem.info("\(package)/model.sig") == nil)
    let before = try CatalogPublisherTests.tree(site)
    // Another signature would be other bytes.
    #expect(try publisher.publish([package]).map(\.outcome) == [.unchanged])
    #expect(try CatalogPublisherTests.tree(site) == before)
    let folder = try StoreFixture.folder(of: "demo 1.0.0", in: site)
    #expect(before.keys.contains("\(folder)/model.sig"))
    _ = try store.addCatalog(CatalogSource(site, directory: "/"))
    let request = try #require(AdapterRequest("fmadapter-demo-0123456"))
    let offer = try await store.resolve(request).offer
    #expect(
      await rules {
        _ = try await store.installAdapter(.offer(offer), policy: Self.policy("p384"))
      } == ["signature.key"])
    let result = try await store.installAdapter(.offer(offer), policy: Self.policy("p256"))
    #expect(result.outcome == .installed)
  }

  /// As the page on publishing says of folders that are made from nothing.
  @Test(arguments: [false, true])
  func aFolderFromNothingHasOtherAddressesForOtherSignatures(isSigned: Bool) throws {
    let package = try fixture.package("demo", stating: "1.0.0")
    if isSigned { try sign(package) }
    var trees: [[String: [UInt8]]] = []
    for name in ["one", "two"] {
      var publisher = CatalogPublisher(directory: fixture.directory.path(name))
      publisher.signer = try key()
      _ = try publisher.publish([package])
      trees.append(
        try CatalogPublisherTests.tree(publisher.directory).filter { !$0.key.hasPrefix("index.") })
    }
    #expect(trees[0].count == 3 && trees[1].count == 3)
    #expect(isSigned ? trees[0] == trees[1] : Set(trees[0].keys).isDisjoint(with: trees[1].keys))
  }

  @Test func aVersionThatWasPublishedUnsignedIsReplacedOnlyWhenAsked() throws {
    let package = try fixture.package("demo", stating: "1.0.0")
    var publisher = CatalogPublisher(directory: site)
    #expect(try publisher.publish([package]).map(\.outcome) == [.added])
    publisher.signer = try key()
    #expect(throws: StoreError.self) { try publisher.publish([package]) }
    publisher.replaces = true
    #expect(try publisher.publish([package]).map(\.outcome) == [.replaced])
  }
}
