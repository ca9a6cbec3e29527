import Foundation
import TestSupport
import Testing

@testable import AdapterStore

/// From a published folder through nginx and libcurl into the store.
@Suite struct CatalogServerTests {
  @Test func aPublishedFolderIsServedAndInstalledByName() async throws {
    let fixture = try StoreFixture()
    let site = fixture.directory.path("site")
    let publisher = CatalogPublisher(directory: site)
    _ = try publisher.publish([try fixture.package("demo", stating: "1.0.0")])
    let nginx = try StaticServer(root: site)
    let process = ProcessFacts()
    let store = AdapterStore(
      root: fixture.root, tool: "tests 1", process: process,
      downloader: Downloader(
        root: fixture.root, transport: CurlTransport(policy: TransportPolicy()), process: process),
      readBase: StoreFixture.readBase)
    try await store.installBase(try fixture.base("tiny.gguf"))
    try await store.addCatalog(CatalogSource(nginx.origin, directory: "/"))
    let request = try #require(AdapterRequest("demo"))
    let first = try await store.install(store.resolve(request).offer)
    #expect(first.adapter.version.description == "1.0.0")
    #expect(first.adapter.receipt?.catalog == "\(nginx.origin)/index.json")
    _ = try publisher.publish([try fixture.package("demo", version: 2, stating: "1.1.0")])
    let second = try await store.install(store.resolve(request).offer)
    #expect(second.outcome == .replaced)
    #expect(second.adapter.version.description == "1.1.0")
  }
}
