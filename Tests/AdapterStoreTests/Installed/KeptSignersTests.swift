import Adapters
import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// What was demanded to be signed makes room for nothing that those keys did not sign.
@Suite struct KeptSignersTests {
  private let fixture: StoreFixture
  private let store: AdapterStore
  private let site: String
  private let policy: InstallPolicy

  init() throws {
    (fixture, store) = try StoreFixture.opened()
    site = fixture.directory.path("site")
    policy = InstallPolicy(signers: [try Self.privateKey("p256").publicKey])
  }

  private static func privateKey(_ name: String) throws -> PrivateKey {
    try PrivateKey(file: Fixtures.path("AdaptersTests", "signatures/\(name).pem"))
  }

  /// A package of `version`, signed by `key`.
  private func package(_ version: String, by key: String?) throws -> String {
    let package = try fixture.package("demo", stating: version)
    let file = FilePath.join(package, PackageFile.signature)
    if let key {
      let bundle = try PackageSignature.bundle(signing: package, with: Self.privateKey(key))
      try Data(bundle).write(to: URL(fileURLWithPath: file))
    } else {
      try FileSystem.removeTree(file)
    }
    return package
  }

  private func install(
    _ version: String, by key: String?, _ policy: InstallPolicy = InstallPolicy()
  ) async throws -> InstalledAdapter {
    try await store.installAdapter(.path(package(version, by: key)), policy: policy).adapter
  }

  private func code(_ body: () async throws -> Void) async -> StoreError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? StoreError)?.code
    }
  }

  @Test func onlyTheSameKeyTakesItsPlace() async throws {
    let first = try await install("1.0.0", by: "p256", policy)
    #expect(first.receipt?.signerFingerprints == policy.signers.map(\.fingerprint))
    for key in [nil, "p384"] {
      let refused = await code { _ = try await install("1.1.0", by: key) }
      #expect(refused == .otherSigner)
    }
    let forced = await code {
      _ = try await install("1.1.0", by: nil, InstallPolicy(replaces: true))
    }
    #expect(forced == .otherSigner)
    #expect(try store.adapters().adapters.map(\.version.description) == ["1.0.0"])
    #expect(try fixture.names("ingest") == [])
    // The keys go on to what they signed.
    let second = try await install("1.1.0", by: "p256")
    #expect(second.receipt?.signers == first.receipt?.signers)
    #expect(await code { _ = try await install("1.2.0", by: nil) } == .otherSigner)
    // Others are demanded, or nothing is there.
    let other = InstallPolicy(signers: [try Self.privateKey("p384").publicKey])
    let third = try await install("1.2.0", by: "p384", other)
    #expect(third.receipt?.signerFingerprints == other.signers.map(\.fingerprint))
    try store.removeAdapter("demo")
    #expect(try await install("1.3.0", by: nil).receipt?.signers == nil)
  }

  @Test func aLaterDemandHoldsWhatIsThere() async throws {
    let first = try await install("1.0.0", by: "p256")
    #expect(first.receipt?.signers == nil)
    _ = try await store.installAdapter(.path(first.path), policy: policy)
    #expect(await code { _ = try await install("1.1.0", by: nil) } == .otherSigner)
  }

  @Test func whatNobodyDemandedIsReplacedAsBefore() async throws {
    _ = try await install("1.0.0", by: "p256")
    #expect(try await install("1.1.0", by: nil).version.description == "1.1.0")
  }

  @Test(arguments: [true, false])
  func aCatalogTakesItNotOver(isSigned: Bool) async throws {
    _ = try await install("1.0.0", by: "p256", policy)
    var publisher = CatalogPublisher(directory: site)
    _ = try publisher.publish([package("1.1.0", by: isSigned ? "p384" : nil)])
    _ = try store.addCatalog(CatalogSource(site, directory: "/"))
    let offer = try #require(try await store.updates().updates.first?.offer)
    #expect((await code { try store.checkSigned(offer) } == nil) == isSigned)
    #expect(
      await code { _ = try await store.installAdapter(.offer(offer)) } == .otherSigner)
    publisher.replaces = true
    publisher.signer = try Self.privateKey("p256")
    _ = try publisher.publish([package("1.1.0", by: nil)])
    let good = try #require(try await store.updates().updates.first?.offer)
    let result = try await store.installAdapter(.offer(good))
    #expect(result.adapter.receipt?.signerFingerprints == policy.signers.map(\.fingerprint))
  }

  /// Nothing of a lock file is installed where one of it may not be.
  @Test func aLockFileIsHeldToTheKeysBeforeAnythingChanges() async throws {
    _ = try await install("1.1.0", by: nil)
    let lock = try store.lock(["demo"])
    let kept = fixture.directory.path("kept")
    _ = try CatalogPublisher(directory: kept).publish([package("1.1.0", by: nil)])
    try store.removeAdapter("demo")
    _ = try await install("1.0.0", by: "p256", policy)
    let mirror = try CatalogSource(kept, directory: "/")
    #expect(await code { _ = try await store.install(lock, mirror: mirror) } == .otherSigner)
    #expect(try store.adapters().adapters.map(\.version.description) == ["1.0.0"])
    #expect(try fixture.names("ingest") == [])
  }

  /// Keys that cannot be read have signed nothing, and receipts without any are read as before.
  @Test func aReceiptWithABrokenKeyLetsNothingIn() async throws {
    let adapter = try await install("1.0.0", by: "p256", policy)
    let target = FilePath.parent(of: adapter.path)
    try store.changeReceipt(of: target) { $0.signers = ["no key"] }
    #expect(await code { _ = try await install("1.1.0", by: "p256") } == .otherSigner)
    #expect(try store.adapters().adapters.first?.receipt?.signerFingerprints == ["?"])
    try store.changeReceipt(of: target) { $0.signers = nil }
    let text = String(
      decoding: try FileSystem.read(FilePath.join(target, StoreLayout.receipt), limit: 1 << 20),
      as: UTF8.self)
    #expect(!text.contains("signers"))
    #expect(try store.adapters().adapters.first?.receipt != nil)
  }
}
