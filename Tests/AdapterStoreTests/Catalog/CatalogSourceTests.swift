import Foundation
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct CatalogSourceTests {
  @Test(
    arguments: [
      ("https://a.example/x", "https://a.example/x/index.json"),
      ("https://a.example/x/", "https://a.example/x/index.json"),
      ("https://a.example/x/index.json", "https://a.example/x/index.json"),
      ("https://a.example/list.json", "https://a.example/list.json"),
      ("https://a.json", "https://a.json/index.json"),
      ("http://127.0.0.1:8080", "http://127.0.0.1:8080/index.json"),
      ("/srv/adapters", "file:///srv/adapters/index.json"),
      ("/srv/adapters/index.json", "file:///srv/adapters/index.json"),
      ("shelf", "file:///home/me/shelf/index.json"),
      ("../shelf/", "file:///home/shelf/index.json"),
      ("my shelf", "file:///home/me/my%20shelf/index.json"),
      ("caf\u{E9}", "file:///home/me/caf%C3%A9/index.json"),
      ("file:///srv/my%20adapters", "file:///srv/my%20adapters/index.json"),
      ("a:b", "file:///home/me/a%3Ab/index.json"),
    ])
  func whatIsTypedBecomesAnAddress(_ text: String, _ address: String) throws {
    let source = try CatalogSource(text, directory: "/home/me")
    #expect(source.address == address)
    #expect(CatalogSource(listed: address) == source)
  }

  @Test(
    arguments: [
      (
        "https://user:secret@a.example/",
        "the address has a credential in it, which is not kept; put the token, or USER:PASSWORD, into "
          + "fmadapter/tokens in $XDG_CONFIG_HOME, else ~/.config, and write https://host/path/"
      ),
      (
        "https://a.example/?token=x",
        "the address has a credential in it, which is not kept; put the token, or USER:PASSWORD, into "
          + "fmadapter/tokens in $XDG_CONFIG_HOME, else ~/.config, and write https://host/path/"
      ),
      (
        "https:///x",
        "the address needs a host, and no user, query, fragment or space; write https://host/path/"
      ),
      (
        "ftp://a.example/",
        "catalogs are read by https, by http, from a registry (oci://), or from a folder; check the address, or tell its publisher"
      ),
      ("file://host/x", "the address has no absolute path; write file:///path/"),
      ("file:x", "the address has no absolute path; write file:///path/"),
    ])
  func refused(_ text: String, _ reason: String) {
    let error = #expect(throws: StoreError.self) { try CatalogSource(text, directory: "/") }
    #expect(error?.description == "\(WebAddress.shown(text)): not a catalog: \(reason)")
  }

  @Test func theListIsKeptInOrder() async throws {
    let (fixture, store) = try StoreFixture.opened()
    let first = try CatalogSource("https://a.example/", directory: "/")
    let second = try CatalogSource("/srv/x", directory: "/")
    #expect(store.catalogs().catalogs.isEmpty)
    #expect(try store.addCatalog(first))
    #expect(try store.addCatalog(second))
    #expect(try !store.addCatalog(first))
    #expect(fixture.store().catalogs().catalogs == [first, second])
    #expect(try fixture.names("catalogs").count == 2)
    try store.removeCatalog(first)
    #expect(store.catalogs().catalogs == [second])
    #expect(
      throws: StoreError.noCatalog("https://a.example/index.json", known: ["/srv/x/index.json"])
    ) { try store.removeCatalog(first) }
    #expect(try fixture.names("") == ["catalogs"])
  }

  @Test(arguments: [
    "", "nonsense", "https://a.example/index.json", "https://a.example/index.json\n-1\n",
    "https://a.example/index.json\n1\n", "https://a.example/index.json\n9223372036854775807\n",
    "ftp://a.example/index.json\n1\n", "\u{0}\n1\n",
  ])
  func whatIsNoEntryIsReportedAndPassedOver(_ text: String) async throws {
    let (fixture, store) = try StoreFixture.opened()
    let source = try CatalogSource("https://a.example/", directory: "/")
    try store.addCatalog(source)
    // Under this name nothing belongs: it is no digest.
    try fixture.directory.write(text, to: "store/catalogs/x")
    let (catalogs, problems) = store.catalogs()
    #expect(catalogs == [source])
    #expect(problems.map(\.path) == ["\(fixture.root)/catalogs/x"])
    #expect(problems.map(\.message) == ["This is not an entry of the list of catalogs."])
  }

  @Test func whatWasAddedLaterComesLaterThoughTheClockWentBack() async throws {
    let fixture = try StoreFixture()
    let sources = try ["d", "c", "b", "a"].map {
      try CatalogSource("https://\($0).example/", directory: "/")
    }
    for (index, source) in sources.enumerated() {
      let store = fixture.store { $0.now = { Date(timeIntervalSince1970: 1000 - Double(index)) } }
      try store.addCatalog(source)
    }
    #expect(fixture.store().catalogs().catalogs == sources)
  }

  @Test func anUnreadableListCountsAsEmpty() async throws {
    let fixture = try StoreFixture()
    try fixture.directory.write("x", to: "store/catalogs")
    let (catalogs, problems) = fixture.store().catalogs()
    #expect(catalogs.isEmpty)
    #expect(problems.count == 1)
    #expect(problems.first?.message.hasPrefix("The list of catalogs cannot be read:") == true)
  }
}
