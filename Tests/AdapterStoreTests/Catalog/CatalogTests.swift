import Testing

@testable import AdapterStore

@Suite struct CatalogTests {
  private func parse(_ text: String, url: String = SampleCatalog.url) throws -> Catalog {
    try Catalog(parsing: Array(text.utf8), url: url)
  }

  @Test func everyMemberIsRead() throws {
    let catalog = try parse(SampleCatalog.text)
    #expect(catalog.url == SampleCatalog.url)
    let adapter = try #require(catalog.adapters.first)
    #expect(catalog.adapters.count == 1)
    #expect(adapter.identifier.description == "fmadapter-demo-0123456")
    #expect(adapter.name == "demo" && adapter.version.description == "1.0.0")
    #expect(adapter.baseModelSignature == StoreFixture.first)
    #expect(adapter.description == "A demo" && adapter.license == "MIT")
    #expect(adapter.url == "https://adapters.example/store/fmadapter-demo-0123456/1.0.0/")
    #expect(adapter.files.map(\.path) == ["metadata.json", "adapter_weights.bin"])
    #expect(adapter.size == 320)
  }

  @Test func descriptionAndLicenceMayBeMissingOrNull() throws {
    let text = SampleCatalog.text.replacingOccurrences(of: "\"license\": \"MIT\",", with: "")
      .replacingOccurrences(of: "\"A demo\"", with: "null")
    let adapter = try #require(try parse(text).adapters.first)
    #expect(adapter.description == nil && adapter.license == nil)
  }

  /// An adapter is installed without a file that only later programs know, as it is from a folder.
  @Test func filesOfLaterProgramsAreNotFetched() throws {
    let text = SampleCatalog.text.replacing(
      "\"files\": [", with: "\"files\": [\(SampleCatalog.laterFile),")
    let adapter = try #require(try parse(text).adapters.first)
    #expect(adapter.files.map(\.path) == ["metadata.json", "adapter_weights.bin"])
    #expect(adapter.laterFiles.map(\.path) == ["draft_tree.v2.bin"])
  }

  @Test func aCatalogMayBeEmpty() throws {
    #expect(try parse("{\"adapters\": [], \"formatVersion\": 1}").adapters.isEmpty)
  }

  @Test(arguments: HostileCatalog.all)
  func refused(_ catalog: HostileCatalog) {
    let error = #expect(throws: StoreError.self) { try parse(catalog.text) }
    let text = "\(SampleCatalog.url): not a catalog: \(catalog.reason)"
    #expect(
      error?.description == text
        || error?.description == text + "; check the address, or tell its publisher")
  }

  @Test(
    arguments: [
      ("https://a.example/x/index.json", "b/1", "https://a.example/x/b/1/"),
      ("https://a.example/x/index.json", "/b/1/", "https://a.example/b/1/"),
      ("https://a.example:8443/index.json", "/b/", "https://a.example:8443/b/"),
      ("https://a.example/x/index.json", "https://b.example/c", "https://b.example/c/"),
      ("http://127.0.0.1:80/index.json", "https://b.example/c/", "https://b.example/c/"),
      ("http://127.0.0.1:80/index.json", "http://127.0.0.1:81/c/", "http://127.0.0.1:81/c/"),
      ("https://a.example/x/index.json?sig=/1/2", "b/", "https://a.example/x/b/"),
      ("file:///srv/my%20adapters/index.json", "b/1/", "file:///srv/my%20adapters/b/1/"),
      ("file:///srv/index.json", "https://b.example/c/", "https://b.example/c/"),
    ])
  func addressesAreRelativeToTheCatalog(
    _ catalog: String, _ reference: String, _ folder: String
  ) throws {
    #expect(try CatalogAddress.folder(reference, relativeTo: catalog) == folder)
  }

  @Test func aLocalCatalogStaysInItsFolder() {
    for reference in ["/etc/", "file:///etc/", "../x/"] {
      #expect(throws: CatalogAddress.Refusal.self, "\(reference)") {
        try CatalogAddress.folder(reference, relativeTo: "file:///srv/index.json")
      }
    }
  }
}
