import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct CatalogCommandTests {
  @Test func aCatalogIsAddedListedAndRemoved() throws {
    let catalog = try CatalogSample()
    let index = "\(catalog.site)/index.json"
    let none = try catalog.run("catalog", "list")
    #expect(none.output.isEmpty)
    #expect(
      none.errorText
        == "no catalog is configured; add one with 'fmadapter catalog add ADDRESS'\n")
    try catalog.run("publish", catalog.site, catalog.package("1.0.0")).expectSuccess()
    let added = try catalog.run("catalog", "add", catalog.site)
    #expect(added.text == index + "\n")
    #expect(added.errorText == "found 1 version in \(index)\n")
    let again = try catalog.run("catalog", "add", index, "--no-check")
    #expect(again.errorText == "\(index) is there already\n")
    for outcome in ["unchanged", "added"] {
      let told = try catalog.run("catalog", "add", index, "--json").text
      #expect(told.contains("\"outcome\" : \"\(outcome)\""), "\(told)")
      if outcome == "unchanged" { _ = try catalog.run("catalog", "remove", index) }
    }
    let list = try catalog.run("catalog", "list").text
    #expect(list.hasPrefix("CATALOG"))
    #expect(list.contains("\(index)         1  20"))
    let entries = try catalog.run("catalog", "list", "--json").objects()
    #expect(entries.map { $0["place"] as? String } == [index])
    #expect(entries.first?["address"] as? String == "file://" + index)
    #expect(entries.first?["versions"] as? Int == 1)
    let removed = try catalog.run("catalog", "remove", catalog.site)
    #expect(removed.errorText == "removed \(index)\n")
    #expect(try catalog.run("catalog", "list", "--json").text == "[\n\n]\n")
  }

  @Test func aVersionThatNoPackageWouldGetIsRefused() throws {
    let catalog = try CatalogSample()
    let package = try catalog.package("1.0.0")
    let result = try catalog.run("publish", catalog.site, package, "--package-version", "1.1.0")
      .expectStatus(2)
    #expect(
      result.errorText.hasPrefix(
        "fmadapter: error: --package-version is for packages that state none, and \(package) states 1.0.0; "
          + "leave it out, or change creatorDefined.fmadapter.version in its metadata.json\n"),
      "\(result.errorText)")
    try catalog.run("publish", catalog.site, package, "--package-version", "1.0.0").expectSuccess()
  }

  @Test func aBusyServerIsWaitedForWithAWord() throws {
    let catalog = try CatalogSample(publishing: "1.0.0")
    let server = try FaultServer(root: catalog.site)
    func address() -> String {
      server.url("status=503;retry-after=6;times=1", file: "index.json")
    }
    for words in [["catalog", "show"], ["catalog", "add"]] {
      let url = address()
      try Tool.run(words + [url], store: catalog.store).expectSuccess(
        saying: "\(url): the server is busy (503), again in 6 s\n")
    }
  }

  @Test func whatIsNoCatalogIsNotAdded() throws {
    let catalog = try CatalogSample()
    try catalog.run("catalog", "add", "/nowhere").expectStatus(
      3,
      error: "/nowhere/index.json: there is no such catalog; publish packages "
        + "there, or check the path")
    try catalog.store.write("<html>", to: "page/index.json")
    try catalog.run("catalog", "add", catalog.store.path("page")).expectStatus(
      4, saying: "not a catalog: line 1, byte 0: found '<', expected a value")
    try catalog.run("catalog", "add", "ftp://a.example/").expectStatus(4)
    try catalog.run("catalog", "remove", "/nowhere").expectStatus(3)
    #expect(try catalog.run("catalog", "list", "--json").text == "[\n\n]\n")
  }

  @Test(arguments: ["show", "add"])
  func aBareWordGetsAHint(_ command: String) throws {
    try CatalogSample().run("catalog", command, "x").expectStatus(
      3,
      error: "there is no folder ./x with a catalog; give the path of one, such as ./x, or "
        + "an address; without one 'fmadapter catalog show' shows the adapters of all catalogs")
  }

  @Test func aLongDescriptionIsCutWithAMark() throws {
    let catalog = try CatalogSample()
    let long = String(repeating: "word ", count: 40)
    try catalog.run("publish", catalog.site, catalog.package("1.0.0", note: long)).expectSuccess()
    let shown = try catalog.run("catalog", "show", catalog.site).text
    #expect(shown.contains("fits    Says it againword word"))
    #expect(shown.hasSuffix("…\n"))
  }

  @Test func whatIsOfferedIsShown() throws {
    let catalog = try CatalogSample(publishing: "1.0.0", "1.10.0", "1.9.0", "2.0.0-rc.1")
    let shown = try catalog.run("catalog", "show").text.split(separator: "\n")
    #expect(shown.count == 2)
    #expect(shown.last?.split(separator: " ").prefix(3) == ["echo", "1.10.0", "ccccccc"])
    #expect(shown.last?.hasSuffix("fits    Says it again") == true)
    let all = try catalog.run("catalog", "show", "--all", "--json").objects()
    #expect(
      all.map { $0["version"] as? String } == ["1.0.0", "1.9.0", "1.10.0", "2.0.0-rc.1"])
    #expect(all.first?["facts"] as? [String] == ["downloadAvailable"])
    try catalog.run("install", "echo@1.9.0").expectSuccess()
    #expect(try catalog.run("catalog", "show").text.contains("update available"))
    try catalog.run("catalog", "show", "/nowhere").expectStatus(3)
  }

  @Test func everyVersionHasAStatusOfItsOwn() throws {
    let catalog = try CatalogSample(publishing: "1.0.0", "1.1.0", "1.2.0", "2.0.0-rc.1")
    try catalog.run("install", "echo@1.1.0").expectSuccess()
    func shown() throws -> [String: String] {
      let lines = try catalog.run("catalog", "show", "--all").text.split(separator: "\n")
        .dropFirst()
      let pairs = lines.map { line in
        let words = line.split(separator: " ").map(String.init)
        return (words[1], words[5..<(words.firstIndex(of: "Says") ?? 5)].joined(separator: " "))
      }
      return Dictionary(pairs) { first, _ in first }
    }
    #expect(
      try shown() == [
        "1.0.0": "fits", "1.1.0": "installed", "1.2.0": "update available", "2.0.0-rc.1": "fits",
      ])
    let facts = try catalog.run("catalog", "show", "--all", "--json").objects()
      .map { $0["facts"] as? [String] }
    #expect(facts.map { $0?.contains("downloaded") } == [false, true, false, false])
    #expect(facts.map { $0?.contains("updateAvailable") } == [false, true, true, false])
    try catalog.republish("1.1.0", "1.2.0")
    #expect(try shown() == ["1.1.0": "changed", "1.2.0": "update available"])
  }

  @Test func aCatalogWhoseDiskIsAbsentIsListedAndRemoved() throws {
    let catalog = try CatalogSample()
    try catalog.run("publish", catalog.site, catalog.package("1.0.0")).expectSuccess()
    let link = catalog.store.path("mounted")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: catalog.site)
    for place in [catalog.site, link] {
      try catalog.run("catalog", "add", place).expectSuccess()
    }
    try FileManager.default.removeItem(atPath: catalog.site)
    let list = try catalog.run("catalog", "list", "--json").objects()
    #expect(list.map { $0["versions"] as? Int } == [1, 1])
    try catalog.run("catalog", "show").expectStatus(3)
    for place in [catalog.site, link] {
      try catalog.run("catalog", "remove", place).expectSuccess()
    }
    #expect(try catalog.run("catalog", "list").output.isEmpty)
  }

  @Test func whereNoStoreCanBeThatIsSaid() throws {
    let catalog = try CatalogSample()
    try catalog.run("publish", catalog.site, catalog.package("1.0.0")).expectSuccess()
    let root = catalog.store.path("unmounted")
    try FileManager.default.createSymbolicLink(
      atPath: root, withDestinationPath: "/not/mounted")
    for words in [
      ["catalog", "list"], ["catalog", "show"], ["catalog", "show", catalog.site],
      ["catalog", "add", catalog.site], ["catalog", "remove", catalog.site], ["update"],
      ["install", "echo"], ["base", "install", catalog.sample.base],
    ] {
      let result = try Tool.run(words, environment: ["FMADAPTER_HOME": root])
      #expect(result.status == 8, "\(words): \(result.errorText)")
      #expect(
        result.errorText.contains("no store can be there: the link \(root) leads nowhere"),
        "\(words): \(result.errorText)")
    }
  }

  @Test func anEntryOfTheListThatCannotBeReadIsRemovedByItsAddress() throws {
    let catalog = try CatalogSample(publishing: "1.0.0")
    try catalog.run("install", "echo").expectSuccess()
    let folder = catalog.store.path("store/catalogs")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
    try catalog.store.write("nonsense", to: "store/catalogs/\(name)")
    let cases: [([String], Int32)] = [
      (["catalog", "list"], 0), (["catalog", "show"], 0), (["update"], 0),
      (["install", "echo"], 3),
    ]
    for (words, status) in cases {
      let result = try Tool.run(words, store: catalog.store)
      #expect(result.status == status, "\(words): \(result.errorText)")
      #expect(result.errorText.contains("This is not an entry of the list"), "\(words)")
      #expect(!result.errorText.contains("no catalog is configured"), "\(words)")
    }
    try catalog.run("catalog", "remove", catalog.site).expectSuccess()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
  }

  @Test func anUnreachableCatalogIsPassedOver() throws {
    let catalog = try CatalogSample()
    try catalog.run("catalog", "add", "/nowhere", "--no-check").expectSuccess()
    try catalog.publish("1.0.0")
    let installed = try catalog.run("install", "echo").expectSuccess()
    #expect(
      installed.errorText.hasPrefix(
        "fmadapter: warning: passed over: /nowhere/index.json: there is no such catalog; publish packages there, or check the path\n"
      ))
  }

  /// What the server wants, and what is said to be written for it.
  @Test(arguments: [
    ("secret", "TOKEN"), ("me:secret", "USER:PASSWORD"), ("me:one two", "USER:PASSWORD"),
  ])
  func aTokenReachesTheCatalogsServer(_ token: String, _ word: String) throws {
    let catalog = try CatalogSample()
    try catalog.run("publish", catalog.site, catalog.package("1.0.0")).expectSuccess()
    let server = try FaultServer(root: catalog.site)
    let wanted = token.replacing(" ", with: "%20")
    let address = server.url("wants=\(wanted)", file: "index.json")
    for words in [["catalog", "show", address], ["catalog", "add", address]] {
      try Tool.run(words, store: catalog.store).expectStatus(7, saying: "401", " \(word)' in ")
      try Tool.run(
        words + ["--token-stdin"], input: " \n", store: catalog.store
      ).expectStatus(
        2,
        error:
          "standard input has no token; give it through a pipe or a file, as with '--token-stdin < FILE'"
      )
      try Tool.run(
        words + ["--token-stdin"], input: "\(token)\n", store: catalog.store
      ).expectSuccess()
    }
  }

  @Test(arguments: ["secrex\u{7F}t\r", "\u{1B}[200~secret\r\u{1B}[201~\r", "wrong\u{15}secret\r"])
  func aPersonIsAskedForTheToken(typed: String) throws {
    let catalog = try CatalogSample()
    try catalog.run("publish", catalog.site, catalog.package("1.0.0")).expectSuccess()
    let server = try FaultServer(root: catalog.site)
    let terminal = try PseudoTerminal(
      ["catalog", "show", server.url("wants=secret", file: "index.json"), "--token-stdin"],
      environment: ["FMADAPTER_HOME": catalog.store.path("store")])
    try terminal.type(typed, after: "token: ")
    #expect(terminal.finish() == 0, "\(terminal.screen)")
    // The address has the word, too.
    #expect(!terminal.screen.replacing("wants=secret", with: "").contains("secre"))
  }

  /// What asks goes to a file, where nobody sees it.
  @Test func theTokenIsNotShownToWhoeverIsNotAsked() throws {
    let catalog = try CatalogSample()
    try catalog.run("publish", catalog.site, catalog.package("1.0.0")).expectSuccess()
    let server = try FaultServer(root: catalog.site)
    let address = server.url("wants=secret", file: "index.json")
    let log = try catalog.store.write("", to: "log")
    let terminal = try PseudoTerminal(
      ["-c", "exec \"$0\" catalog show '\(address)' --token-stdin 2> '\(log)'", Tool.path],
      program: "/bin/sh", environment: ["FMADAPTER_HOME": catalog.store.path("store")])
    for _ in 1...1500 where try !String(contentsOfFile: log, encoding: .utf8).contains("token:") {
      usleep(20_000)
    }
    try terminal.type("secret\r")
    #expect(terminal.finish() == 0, "\(terminal.screen)")
    #expect(!terminal.screen.replacing("wants=secret", with: "").contains("secret"))
  }

  @Test func plainHTTPHasToBeAllowed() throws {
    let catalog = try CatalogSample()
    // Nothing answers there; what counts is whether it is asked.
    for words in [["catalog", "show"], ["catalog", "add"]] {
      let words = words + ["http://adapters.invalid/"]
      try Tool.run(words, store: catalog.store).expect(saying: "use https, or --allow-http")
      let allowed = try Tool.run(words + ["--allow-http"], store: catalog.store).expectStatus(7)
      #expect(!allowed.errorText.contains("--allow-http"), "\(allowed.errorText)")
    }
  }
}
