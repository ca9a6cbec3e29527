import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite struct InstallByNameTests {
  @Test func theNewestThatFitsIsInstalledAndSaidSo() throws {
    let catalog = try CatalogSample()
    try catalog.publish("1.0.0", "1.10.0", "1.9.0", "2.0.0-rc.1")
    let result = try catalog.run("install", "echo")
    #expect(result.status == 0)
    #expect(result.text == "fmadapter-echo-ccccccc\n")
    #expect(
      result.errorText.hasPrefix(
        "echo 1.10.0 for base ccccccc (sample) from \(catalog.site)/index.json\n"
          + "installed fmadapter-echo-ccccccc ("))
    #expect(try catalog.installedVersion() == "1.10.0")
    let entry = try #require(try CatalogSample.objects(catalog.run("list", "--json")).first)
    #expect(entry["catalog"] as? String == "file://\(catalog.site)/index.json")
    #expect(
      entry["facts"] as? [String] == [
        "downloadAvailable", "upToDate", "downloaded", "fitsCurrentBase",
      ])
    let again = try catalog.run("install", "fmadapter-echo-ccccccc")
    #expect(again.errorText.hasSuffix("is installed already; nothing to do\n"))
  }

  @Test func aVersionMayBeNamed() throws {
    let catalog = try CatalogSample()
    try catalog.publish("1.0.0", "1.9.0", "2.0.0-rc.1")
    #expect(try catalog.run("install", "echo@2.0.0-rc.1").status == 0)
    #expect(try catalog.installedVersion() == "2.0.0-rc.1")
    // A name alone does not lead back, a version does.
    let older = try catalog.run("install", "echo")
    #expect(older.status == 5)
    #expect(
      older.errorText.hasSuffix(
        "fmadapter: error: fmadapter-echo-ccccccc: 2.0.0-rc.1 is installed and the catalog's 1.9.0 "
          + "is older; to go back, allow the downgrade or name the version\n"))
    #expect(try catalog.run("install", "echo@1.0.0").status == 0)
    #expect(try catalog.installedVersion() == "1.0.0")
  }

  @Test func whatIsNotThereIsSuggested() throws {
    let catalog = try CatalogSample()
    let empty = try catalog.run("install", "echo")
    #expect(empty.status == 3)
    #expect(
      empty.errorText
        == "fmadapter: error: no catalog has an adapter 'echo'; none offers any; "
        + "'fmadapter catalog add ADDRESS' adds one\n")
    try catalog.publish("1.0.0")
    let near = try catalog.run("install", "ecko")
    #expect(near.status == 3)
    #expect(
      near.errorText
        == "fmadapter: error: no catalog has an adapter 'ecko'; did you mean 'echo'?\n")
    let version = try catalog.run("install", "echo@9.0.0")
    #expect(version.status == 3)
    #expect(
      version.errorText
        == "fmadapter: error: no catalog has an adapter 'echo@9.0.0'; there are: echo@1.0.0\n")
  }

  @Test func noFitIsSix() throws {
    let catalog = try CatalogSample()
    try catalog.publish("1.0.0")
    let other = try SampleBase(signature: String(repeating: "d", count: 40))
    #expect(try catalog.run("base", "install", other.base).status == 0)
    #expect(try catalog.run("base", "use", "dddd").status == 0)
    let result = try catalog.run("install", "echo")
    #expect(result.status == 6)
    #expect(
      result.errorText
        == "fmadapter: error: 'echo' does not fit the base in use: catalogs have 1.0.0 for the base "
        + "sample \(SampleBase.signature)\n")
  }

  @Test func aPathThatIsThereWins() throws {
    let catalog = try CatalogSample()
    try catalog.publish("1.0.0")
    let path = try catalog.package("1.5.0")
    #expect(try catalog.run("install", path).status == 0)
    #expect(try catalog.installedVersion() == "1.5.0")
    let changed = try catalog.run("install", "./echo@1.0.0")
    #expect(changed.status == 3)
    #expect(
      changed.errorText
        == "fmadapter: error: ./echo@1.0.0: there is nothing to install; "
        + "give the path of a package folder or of a base\n")
  }

  @Test func bytesThatAreNotTheCatalogsAreRefused() throws {
    let catalog = try CatalogSample()
    try catalog.publish("1.0.0")
    let file = "\(catalog.site)/fmadapter-echo-ccccccc/1.0.0/adapter_weights.bin"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    bytes[bytes.count - 1] ^= 1
    try bytes.write(to: URL(fileURLWithPath: file))
    let result = try catalog.run("install", "echo")
    #expect(result.status == 5)
    #expect(result.errorText.contains("and the catalog says"))
    #expect(try catalog.installedVersion() == nil)
  }
}
