import Adapters
import Foundation
import JSON
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// What a publisher writes who has a key, and what it refuses.
@Suite struct SignedPublicationTests {
  private let fixture: StoreFixture
  private var site: String { fixture.directory.path("site") }

  init() throws { fixture = try StoreFixture() }

  private func publisher(_ key: String? = "p256", at seconds: Double = 0) throws
    -> CatalogPublisher
  {
    var publisher = CatalogPublisher(directory: site)
    publisher.signer = try key.map {
      try PrivateKey(file: Fixtures.path("AdaptersTests", "signatures/\($0).pem"))
    }
    publisher.validity = 100
    publisher.now = { Date(timeIntervalSince1970: 1_800_000_000 + seconds) }
    return publisher
  }

  private func index() throws -> Catalog {
    try Catalog(
      parsing: FileSystem.read("\(site)/index.json", limit: 1 << 20),
      url: "https://a.example/index.json")
  }

  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StoreError)?.code
    }
  }

  @Test func bothFilesSayTheSame() throws {
    _ = try publisher().publish([try fixture.package("demo", stating: "1.0.0")])
    let bytes = try FileSystem.read("\(site)/index.signed.json", limit: 1 << 20)
    let envelope = try SignedIndex.envelope(bytes, at: "here")
    #expect(try envelope.payload == FileSystem.read("\(site)/index.json", limit: 1 << 20))
    let issue = try #require(try index().issue)
    #expect(issue.serial == 1 && issue.expires.timeIntervalSince1970 == 1_800_000_100)
  }

  @Test func itIsRenewedWhenHalfOfItsTimeIsOver() throws {
    let package = try fixture.package("demo", stating: "1.0.0")
    _ = try publisher().publish([package])
    let first = try CatalogPublisherTests.tree(site)
    _ = try publisher(at: 49).publish([package])
    #expect(try CatalogPublisherTests.tree(site) == first)
    _ = try publisher(at: 51).publish([package])
    #expect(try index().issue?.serial == 2)
    #expect(try publisher(at: 102).signIndex()?.serial == 3)
    #expect(try publisher(at: 103).signIndex()?.serial == 3)
    #expect(
      try index().issue?.catalog
        == SignedIndex(
          directory: site, signer: publisher().signer?.publicKey)?.issue.catalog)
  }

  @Test func whatIsSignedIsNotChangedWithoutItsKey() throws {
    _ = try publisher().publish([try fixture.package("demo", stating: "1.0.0")])
    let before = try CatalogPublisherTests.tree(site)
    let other = try fixture.package("other", version: 2, stating: "1.0.0")
    for key in [nil, "p384"] {
      #expect(code { _ = try publisher(key).publish([other]) } == .signedCatalog)
      #expect(
        code {
          _ = try publisher(key).yank([try #require(AdapterRequest("demo@1.0.0"))], for: "")
        } == .signedCatalog)
    }
    #expect(code { _ = try publisher("p384").signIndex() } == .signedCatalog)
    #expect(try CatalogPublisherTests.tree(site) == before)
  }

  /// Who can write on the server cannot get the publisher to sign it.
  @Test func whatOthersWroteIntoTheIndexIsNotSigned() throws {
    _ = try publisher().publish([try fixture.package("demo", stating: "1.0.0")])
    try fixture.directory.edit("site/index.json", "\"1.0.0\"", "\"6.6.6\"")
    _ = try publisher().publish([try fixture.package("demo", version: 2, stating: "1.1.0")])
    #expect(try index().adapters.map(\.version.description) == ["1.0.0", "1.1.0"])
  }

  /// Killed between the two files, a publication is completed by the next one.
  @Test func theSignedFileIsTheOneThatCounts() throws {
    _ = try publisher().publish([try fixture.package("demo", stating: "1.0.0")])
    let old = try Data(contentsOf: URL(fileURLWithPath: "\(site)/index.json"))
    _ = try publisher().publish([try fixture.package("demo", version: 2, stating: "1.1.0")])
    try old.write(to: URL(fileURLWithPath: "\(site)/index.json"))
    #expect(try publisher().signIndex()?.serial == 2)
    #expect(try index().adapters.map(\.version.description) == ["1.0.0", "1.1.0"])
  }

  @Test func aVersionIsWithdrawnAndTakenBack() throws {
    _ = try publisher(nil).publish([
      try fixture.package("demo", stating: "1.0.0"),
      try fixture.package("demo", version: 2, stating: "1.1.0"),
    ])
    let before = try CatalogPublisherTests.tree(site)
    let request = try #require(AdapterRequest("demo@1.1.0"))
    let publisher = try publisher(nil)
    #expect(try publisher.yank([request], for: "wrong").map { "\($0.version)" } == ["1.1.0"])
    #expect(try publisher.yank([request], for: "wrong").isEmpty)
    #expect(try index().adapters.map(\.yanked) == [nil, "wrong"])
    #expect(try !publisher.yank([request], for: "").isEmpty)
    #expect(try index().adapters.map(\.yanked) == [nil, ""])
    // Publishing another one leaves it as it is.
    _ = try publisher.publish([try fixture.package("other", version: 3, stating: "1.0.0")])
    #expect(try index().adapters.map(\.yanked) == [nil, "", nil])
    #expect(try !publisher.yank([request], for: nil).isEmpty)
    #expect(try index().adapters.map(\.yanked) == [nil, nil, nil])
    #expect(
      try CatalogPublisherTests.tree(site).filter { before.keys.contains($0.key) }.count
        == before.count)
    #expect(
      code { _ = try publisher.yank([try #require(AdapterRequest("demo@3.0.0"))], for: "") }
        == .notInCatalogs)
  }

  @Test(
    arguments: [
      (#""serial": 1"#, #""serial": 0"#, "serial, line 57: not a number of an issue"),
      (#""serial": 1"#, #""number": 1"#, "'catalog', 'serial' and 'expires' go together"),
      ("2027-01-15T08:01:40Z", "soon", "not a time"),
      (#""catalog": ""#, #""catalog": "x"#, "not a name"),
    ])
  func aBrokenIssueIsRefused(_ old: String, _ new: String, _ text: String) throws {
    _ = try publisher().publish([try fixture.package("demo", stating: "1.0.0")])
    try fixture.directory.edit("site/index.json", old, new)
    let error = #expect(throws: StoreError.self) { try index() }
    #expect(error?.description.contains(text.split(separator: ": ").last ?? "") == true)
  }
}
