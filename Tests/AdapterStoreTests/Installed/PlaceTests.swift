import Adapters
import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// What came from one address is told from what came from another, though both are shown alike.
@Suite struct PlaceTests {
  private let fixture: StoreFixture
  private let server = ScriptedServer([:])
  private static let replacing = InstallPolicy(replaces: true)

  init() throws { fixture = try StoreFixture() }

  private func store() -> AdapterStore { fixture.store(over: server) }

  private func serve(_ text: String, at url: String) {
    server.replace(url, ScriptedServer.Object(bytes: Array(text.utf8)))
  }

  @Test(arguments: ["key", "sig"])
  func neitherOfTwoBasesTakesThePlaceOfTheOther(_ name: String) async throws {
    let urls = [1, 2].map { "https://host.example/get?\(name)=\($0)" }
    serve(StoreFixture.first, at: urls[0])
    serve(StoreFixture.second, at: urls[1])
    let store = store()
    for url in urls {
      #expect(try await store.installBase(.url(url), policy: Self.replacing).outcome == .installed)
    }
    let bases = try store.bases().bases
    #expect(bases.map(\.signature) == [StoreFixture.first, StoreFixture.second])
    #expect(Set(bases.map(\.receipt.source)) == ["https://host.example/get?\(name)=***"])
    #expect(Set(bases.compactMap(\.receipt.identity)).count == 2)
    for url in urls {
      #expect(try await store.installBase(.url(url)).outcome == .alreadyInstalled)
    }
    // What is at the first now takes the place of what came from there, and of nothing else.
    serve(String(StoreFixture.first.reversed()), at: urls[0])
    #expect(try await store.installBase(.url(urls[0]), policy: Self.replacing).outcome == .replaced)
    #expect(
      Set(try store.bases().bases.map(\.signature))
        == [String(StoreFixture.first.reversed()), StoreFixture.second])
  }

  @Test func otherBytesOfAPackageFromAnotherAddressAreNoChange() async throws {
    let store = store()
    for number in [1, 2] {
      let path = try fixture.package(version: number, stating: "1.0.0")
      for name in PackageFile.required {
        let bytes = try FileSystem.read("\(path)/\(name)", limit: 1 << 20)
        server.replace(
          "https://host.example/\(name)?key=\(number)", ScriptedServer.Object(bytes: bytes))
      }
    }
    try await store.installAdapter(.url("https://host.example/?key=1"))
    let second = try await store.installAdapter(.url("https://host.example/?key=2"))
    #expect(second.outcome == .replaced && second.adapter.metadata.author == "version 2")
  }

  /// An address, the same with what may be fresh in it, and whether a receipt without an identity tells that.
  @Test(arguments: [
    ("https://host.example/a?rev=1", "https://host.example/a?rev=1", true),
    (
      "https://host.example/a?X-Amz-Signature=1&n=2",
      "https://host.example/a?X-Amz-Signature=3&n=2", true
    ),
    ("https://host.example/a?key=1", "https://host.example/a?key=1", false),
  ])
  func receiptsOfEarlierProgramsAreRead(
    _ url: String, _ fresh: String, _ isTold: Bool
  ) async throws {
    let store = store()
    serve(StoreFixture.first, at: url)
    serve(StoreFixture.first, at: fresh)
    let identity = try #require(try await store.installBase(.url(url)).base.receipt.identity)
    let path = "bases/\(StoreFixture.first)/receipt.json"
    try fixture.change(path, "\"identity\" : \"\(identity)\",", to: "")
    let old = try #require(Receipt(reading: "\(fixture.root)/\(path)"))
    #expect(old.identity == nil && old.isFrom(fresh) == isTold)
    #expect(try await store.installBase(.url(fresh)).outcome == .alreadyInstalled)
    // Now that the same bytes came from there, it is known.
    #expect(try store.currentBase().receipt.isFrom(fresh))
    serve(StoreFixture.second, at: fresh)
    #expect(try await store.installBase(.url(fresh), policy: Self.replacing).outcome == .replaced)
  }

  @Test func whatIsNotKnownIsNotReplacedAndNotTakenForAnother() throws {
    func receipt(_ source: String) -> Receipt {
      Receipt(source: source, installed: Date(), tool: "tests", files: [], base: nil)
    }
    let (one, two) = (receipt("https://h/a?key=1"), receipt("https://h/a?key=2"))
    #expect(one.isFromPlace(of: one) && !one.isFromPlace(of: two) && !one.mayBeFromPlace(of: two))
    try one.write(to: fixture.directory.path("receipt.json"))
    try fixture.directory.edit(
      "receipt.json", "\"identity\" : \"\(try #require(one.identity))\",", "")
    let old = try #require(Receipt(reading: fixture.directory.path("receipt.json")))
    #expect(
      !old.isFrom("https://h/a?key=1") && !old.isFromPlace(of: one) && old.mayBeFromPlace(of: two))
  }
}
