import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct InstallByNameTests {
  @Test func ofSeveralEachIsALineOfJSON() throws {
    let packages = ["tagging", "commands"].map {
      Fixtures.repository.appendingPathComponent("adapters/afm-9m/\($0).fmadapter").path
    }
    let result = try Tool.run(["install", "--json"] + packages).expectSuccess()
    let names = try result.text.objects().map { try #require($0["name"] as? String) }
    #expect(names.sorted() == ["commands", "tagging"])
  }

  @Test func theNewestThatFitsIsInstalledAndSaidSo() throws {
    let catalog = try CatalogSample(publishing: "1.0.0", "1.10.0", "1.9.0", "2.0.0-rc.1")
    let result = try catalog.run("install", "echo").expectSuccess()
    #expect(result.text == "fmadapter-echo-ccccccc\n")
    #expect(
      result.errorText.hasPrefix(
        "echo 1.10.0 for base ccccccc (sample) from \(catalog.site)/index.json\n"
          + "installed fmadapter-echo-ccccccc ("))
    #expect(try catalog.installedVersion() == "1.10.0")
    let entry = try #require(try catalog.run("list", "--json").objects().first)
    #expect(entry["catalog"] as? String == "file://\(catalog.site)/index.json")
    #expect(
      entry["facts"] as? [String] == [
        "downloadAvailable", "upToDate", "downloaded", "fitsCurrentBase",
      ])
    let again = try catalog.run("install", "fmadapter-echo-ccccccc")
    #expect(again.errorText.hasSuffix("is installed already; nothing to do\n"))
  }

  @Test func aVersionMayBeNamed() throws {
    let catalog = try CatalogSample(publishing: "1.0.0", "1.9.0", "2.0.0-rc.1")
    try catalog.run("install", "echo@2.0.0-rc.1").expectSuccess()
    #expect(try catalog.installedVersion() == "2.0.0-rc.1")
    // A name alone does not lead back, a version does.
    let older = try catalog.run("install", "echo").expectStatus(5)
    #expect(
      older.errorText.hasSuffix(
        "fmadapter: error: fmadapter-echo-ccccccc: 2.0.0-rc.1 is installed and the catalog's 1.9.0 "
          + "is older; to go back, name the version: 'fmadapter install fmadapter-echo-ccccccc@1.9.0'\n"
      ))
    try catalog.run("install", "fmadapter-echo-ccccccc@1.9.0").expectSuccess()
    try catalog.run("install", "echo@1.0.0").expectSuccess()
    #expect(try catalog.installedVersion() == "1.0.0")
  }

  @Test func whereTwoCatalogsOfferItOneIsNamedOrAskedFor() throws {
    let catalog = try CatalogSample(publishing: "1.0.0")
    let second = catalog.store.path("second")
    try catalog.run("publish", second, catalog.package("2.0.0")).expectSuccess()
    try catalog.run("catalog", "add", second).expectSuccess()
    try catalog.run("install", "echo").expectStatus(
      2,
      error: "several catalogs offer 'echo': \(catalog.site)/index.json, "
        + "\(second)/index.json; choose one with --catalog ADDRESS")
    #expect(try catalog.installedVersion() == nil)
    let terminal = try PseudoTerminal(
      ["install", "echo"], environment: ["FMADAPTER_HOME": catalog.store.path("store")])
    try terminal.type("2\n", after: "which one? [1-2] ")
    #expect(terminal.wait(for: "installed fmadapter-echo-ccccccc"), "\(terminal.screen)")
    #expect(try catalog.installedVersion() == "2.0.0")
    // It stays where it came from, and goes elsewhere when that is said.
    let again = try catalog.run("install", "echo")
    #expect(again.status == 0 && again.errorText.contains("from \(second)/index.json"))
    try catalog.run("install", "echo", "--catalog", catalog.site).expectStatus(5)
    try catalog.run("install", "echo", "--catalog", catalog.site, "--force").expectSuccess()
    #expect(try catalog.installedVersion() == "1.0.0")
    try catalog.run("install", "echo", "--catalog", "/nowhere").expectStatus(3)
    try catalog.run("install", "./x", "--catalog", catalog.site).expectStatus(2)
  }

  @Test(arguments: [false, true])
  func aCatalogOfAnotherVersionThanThePackagesIsRefused(_ isServed: Bool) throws {
    let catalog = try CatalogSample(publishing: "1.0.0")
    let index = "\(catalog.site)/index.json"
    let text = try String(contentsOfFile: index, encoding: .utf8)
    try text.replacing("\"version\": \"1.0.0\"", with: "\"version\": \"1.5.0\"")
      .write(toFile: index, atomically: true, encoding: .utf8)
    let server = try StaticServer(root: catalog.site)
    if isServed {
      try catalog.run("catalog", "remove", catalog.site)
      try catalog.run("catalog", "add", server.url("index.json")).expectSuccess()
    }
    try catalog.run("install", "echo").expectStatus(
      5, saying: "the package is version 1.0.0 where the catalog says 1.5.0")
    #expect(try catalog.installedVersion() == nil)
  }

  @Test func anOlderPackageOfAPathOrAnAddressIsTakenOnlyWhenAsked() throws {
    let catalog = try CatalogSample()
    try catalog.run("install", catalog.package("1.1.0")).expectSuccess()
    let older = try catalog.package("1.0.0")
    let server = try StaticServer(root: older)
    for place in [older, server.url("")] {
      let refused = try catalog.run("install", place).expectStatus(5)
      #expect(
        refused.errorText.hasSuffix(
          "fmadapter: error: fmadapter-echo-ccccccc: 1.1.0 is installed and the package's 1.0.0 is "
            + "older; to go back, say --force\n"), "\(refused.errorText)")
    }
    let forced = try catalog.run("install", older, "--force")
    #expect(forced.errorText.hasPrefix("replaced fmadapter-echo-ccccccc 1.1.0 by 1.0.0 ("))
    try catalog.run("install", catalog.package("1.2.0")).expectSuccess()
    try catalog.run("install", server.url(""), "--force").expectSuccess()
    #expect(try catalog.installedVersion() == "1.0.0")
  }

  @Test func aCatalogThatHasMovedIsFollowedOnceTheOldAddressIsGone() throws {
    let catalog = try CatalogSample(publishing: "1.0.0")
    try catalog.run("install", "echo").expectSuccess()
    let moved = catalog.store.path("moved")
    try FileManager.default.moveItem(atPath: catalog.site, toPath: moved)
    try catalog.run("catalog", "add", moved).expectSuccess()
    let refused = try catalog.run("install", "echo")
    let old = "\(catalog.site)/index.json"
    refused.expectStatus(3)
    #expect(
      refused.errorText.contains(
        "if the catalog \(old) has moved, add its new address with 'fmadapter catalog add ADDRESS', and "
          + "take the old one away with 'fmadapter catalog remove \(old)'"), "\(refused.errorText)")
    try catalog.run("catalog", "remove", catalog.site).expectSuccess()
    let found = try catalog.run("install", "echo")
    #expect(found.status == 0 && found.errorText.contains("is installed already"))
    let entry = try #require(try catalog.run("list", "--json").objects().first)
    #expect(entry["catalog"] as? String == "file://\(moved)/index.json")
  }

  @Test func whatIsNotThereIsSuggested() throws {
    let catalog = try CatalogSample()
    let bundled = try catalog.run("install", "taging")
    #expect(
      bundled.errorText
        == "fmadapter: error: no catalog has an adapter 'taging'; did you mean 'tagging'?\n")
    try catalog.publish("1.0.0")
    try catalog.run("install", "ecko").expectStatus(
      3,
      error: "no catalog has an adapter 'ecko'; did you mean 'echo'?")
    try catalog.run("install", "echo@9.0.0").expectStatus(
      3,
      error: "no catalog has an adapter 'echo@9.0.0'; there are: echo@1.0.0")
  }

  @Test func noFitIsSix() throws {
    let catalog = try CatalogSample(publishing: "1.0.0")
    let other = try SampleBase(signature: String(repeating: "d", count: 40))
    try catalog.run("base", "install", other.base).expectSuccess()
    try catalog.run("base", "use", "dddd").expectSuccess()
    try catalog.run("install", "echo").expectStatus(
      6,
      error: "'echo' does not fit the base in use: catalogs have 1.0.0 for the base "
        + "sample \(SampleBase.signature); 'fmadapter base use NAME' chooses another base")
  }

  @Test func aPathThatIsThereWins() throws {
    let catalog = try CatalogSample(publishing: "1.0.0")
    let path = try catalog.package("1.5.0")
    try catalog.run("install", path).expectSuccess()
    #expect(try catalog.installedVersion() == "1.5.0")
    try catalog.run("install", "./echo@1.0.0").expectStatus(
      3,
      error: "./echo@1.0.0: there is nothing to install; "
        + "give the path of a package folder or of a base")
  }

  @Test func bytesThatAreNotTheCatalogsAreRefused() throws {
    let catalog = try CatalogSample(publishing: "1.0.0")
    let file = try catalog.firstFolder() + "adapter_weights.bin"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    bytes[bytes.count - 1] ^= 1
    try bytes.write(to: URL(fileURLWithPath: file))
    try catalog.run("install", "echo").expectStatus(5, saying: "and the catalog says")
    #expect(try catalog.installedVersion() == nil)
  }
}
