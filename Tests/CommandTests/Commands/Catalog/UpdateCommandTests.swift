import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct UpdateCommandTests {
  @Test func checkChangesNothingAndUpdateDoes() throws {
    let catalog = try CatalogSample(publishing: "1.0.0")
    try catalog.run("install", "echo").expectSuccess()
    let current = try catalog.run("update", "--check")
    #expect(current.text == "fmadapter-echo-ccccccc 1.0.0 is up to date\n")
    try catalog.publish("1.1.0")
    let check = try catalog.run("update", "--check").expectSuccess()
    #expect(check.text == "fmadapter-echo-ccccccc 1.0.0 -> 1.1.0\n")
    let entries = try catalog.run("update", "--check", "--json").objects()
    #expect(entries.first?["state"] as? String == "available")
    #expect(entries.first?["offered"] as? String == "1.1.0")
    #expect(try catalog.installedVersion() == "1.0.0")
    let update = try catalog.run("update", "--json").expectSuccess()
    #expect(
      try update.objects().first?["outcome"] as? String == "installed")
    #expect(try catalog.installedVersion() == "1.1.0")
    let again = try catalog.run("update", "echo")
    #expect(again.errorText == "fmadapter-echo-ccccccc 1.1.0 is up to date\n")
  }

  @Test(arguments: [false, true]) func anUpdateOfEqualBytesSettles(isRemote: Bool) throws {
    let catalog = try CatalogSample()
    let server = try FaultServer(root: catalog.site)
    func publish(_ version: String) throws {
      try catalog.run(
        "publish", catalog.site, catalog.sample.package, "--package-version", version
      ).expectSuccess()
    }
    try publish("1.0.0")
    let place = isRemote ? server.url("plain", file: "index.json") : catalog.site
    try catalog.run("catalog", "add", place).expectSuccess()
    try catalog.run("install", "echo").expectSuccess()
    try publish("1.1.0")
    #expect(try catalog.run("update", "--check").text.contains("1.0.0 -> 1.1.0"))
    try catalog.run("update").expectSuccess()
    #expect(try catalog.installedVersion() == "1.1.0")
    #expect(try catalog.run("update", "--check").text.hasSuffix("1.1.0 is up to date\n"))
    try catalog.run("verify").expectSuccess()
    try catalog.run("doctor").expectSuccess()
  }

  @Test func aLowerVersionIsRefusedUnlessAsked() throws {
    let catalog = try CatalogSample(publishing: "1.1.0")
    try catalog.run("install", "echo").expectSuccess()
    try catalog.republish("1.0.0")
    try catalog.run("update").expectStatus(
      5,
      error: "fmadapter-echo-ccccccc: 1.1.0 is installed and the catalog's 1.0.0 is "
        + "older; to go back, name the version: 'fmadapter install fmadapter-echo-ccccccc@1.0.0'")
    #expect(try catalog.installedVersion() == "1.1.0")
    try catalog.run("update", "--check").expectSuccess()
    try catalog.run("update", "--allow-downgrade").expectSuccess()
    #expect(try catalog.installedVersion() == "1.0.0")
  }

  @Test func theSameVersionWithOtherBytesIsRefusedUnlessForced() throws {
    let catalog = try CatalogSample(publishing: "1.0.0")
    try catalog.run("install", "echo").expectSuccess()
    try catalog.republish("1.0.0")
    for words in [["update"], ["install", "echo"]] {
      try Tool.run(words, store: catalog.store).expectStatus(
        5,
        saying:
          "fmadapter-echo-ccccccc 1.0.0: the same version exists with other bytes: its publisher "
          + "changed what \(catalog.site)/index.json has as 1.0.0 without a new version; ask there "
          + "before you take it with --force")
    }
    try catalog.run("update", "--force").expectSuccess()
    #expect(
      try catalog.run("update", "--check").text
        == "fmadapter-echo-ccccccc 1.0.0 is up to date\n")
  }

  @Test func whatWouldBeTakenIsShownWithoutTakingIt() throws {
    let catalog = try CatalogSample(publishing: "1.1.0")
    try catalog.run("install", "echo").expectSuccess()
    for (version, option, refused, taken) in [
      (
        "1.0.0", "--allow-downgrade", "is newer than the catalog's 1.0.0",
        "-> 1.0.0, which is older"
      ),
      ("1.1.0", "--force", "is not what the catalog now has as 1.1.0", "-> other bytes of 1.1.0"),
    ] {
      try catalog.republish(version)
      for (words, text) in [([], refused), ([option], taken)] {
        let check = try Tool.run(["update", "--check"] + words, store: catalog.store)
          .expectSuccess()
        #expect(check.text == "fmadapter-echo-ccccccc 1.1.0 \(text)\n")
        let entries = try Tool.run(["update", "--check", "--json"] + words, store: catalog.store)
          .objects()
        #expect(entries.map { $0["wouldInstall"] as? Bool } == [!words.isEmpty])
      }
      #expect(try catalog.installedVersion() == "1.1.0")
    }
  }

  @Test func aPrereleaseStaysUntilAReleaseIsOut() throws {
    let catalog = try CatalogSample(publishing: "1.9.0", "2.0.0-rc.1")
    try catalog.run("install", "echo@2.0.0-rc.1").expectSuccess()
    for words in [["update"], ["update", "echo"], ["update", "--check"]] {
      let result = try Tool.run(words, store: catalog.store).expectSuccess()
      #expect(
        result.text + result.errorText
          == "fmadapter-echo-ccccccc 2.0.0-rc.1 is a pre-release, newer than the catalog's 1.9.0\n")
    }
    try catalog.run("update", "--allow-downgrade").expectSuccess()
    #expect(try catalog.installedVersion() == "1.9.0")
    try catalog.run("install", "echo@2.0.0-rc.1").expectSuccess()
    try catalog.publish("2.0.0")
    try catalog.run("update").expectSuccess()
    #expect(try catalog.installedVersion() == "2.0.0")
  }

  @Test(arguments: [false, true]) func aDeadCatalogIsToldOf(isRemote: Bool) throws {
    let catalog = try CatalogSample()
    try catalog.run("publish", catalog.site, catalog.package("1.0.0")).expectSuccess()
    // Of the server it is the token that is missing later, of the folder all of it.
    let server = try FaultServer(root: catalog.site)
    let place =
      isRemote ? server.url("wants=secret", file: "index.json") : "\(catalog.site)/index.json"
    for words in [["catalog", "add", place], ["install", "echo"]] {
      let words = words + (isRemote ? ["--token-stdin"] : [])
      try Tool.run(words, input: "secret\n", store: catalog.store).expectSuccess()
    }
    if !isRemote { try FileManager.default.removeItem(atPath: catalog.site) }
    for words in [["update"], ["update", "echo"], ["update", "--check"]] {
      let result = try Tool.run(words, store: catalog.store)
      #expect(result.status == (isRemote ? 7 : 3), "\(result.errorText)")
      let text = result.text + result.errorText
      #expect(text.contains("fmadapter-echo-ccccccc 1.0.0 is unreachable: \(place): "), "\(text)")
      #expect(text.contains("if the catalog \(place) has moved, add its new address"), "\(text)")
      let entries = try Tool.run(words + ["--json"], store: catalog.store).objects()
      #expect(entries.first?["state"] as? String == "unreachable")
      #expect((entries.first?["reason"] as? String)?.hasPrefix(place) == true)
      #expect(entries.first?["catalog"] as? String == place)
      #expect(
        entries.first?["outcome"] as? String == (words.contains("--check") ? nil : "failed"))
    }
  }

  @Test func aDeadCatalogOfNobodyIsToldOfWithTheOthersAlone() throws {
    let catalog = try CatalogSample(publishing: "1.0.0")
    try catalog.run("install", "echo").expectSuccess()
    try catalog.run("catalog", "add", "/nowhere", "--no-check").expectSuccess()
    try catalog.publish("1.1.0")
    let all = try catalog.run("update")
    #expect(all.status == 3 && all.errorText.contains("error: /nowhere/index.json: there is no"))
    #expect(!all.errorText.contains("has moved"), "nothing came from there")
    #expect(try catalog.installedVersion() == "1.1.0")
    let one = try catalog.run("update", "echo")
    #expect(one.status == 0 && one.errorText.contains("warning: passed over: /nowhere/index.json"))
    try FileManager.default.removeItem(atPath: catalog.site)
    let own = try catalog.run("update", "echo")
    #expect(own.status == 3 && own.errorText.contains("error: \(catalog.site)/index.json: "))
    #expect(own.errorText.contains("warning: passed over: /nowhere/index.json"))
  }

  @Test func anUnreadableAdapterIsToldOfAndStopsNoOther() throws {
    let catalog = try CatalogSample(publishing: "1.0.0")
    try catalog.run("install", "echo").expectSuccess()
    let file = catalog.store.path(
      "store/adapters/fmadapter-echo-ccccccc/package.fmadapter/metadata.json")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    try Data("no metadata".utf8).write(to: URL(fileURLWithPath: file))
    for words in [["update"], ["update", "--check"], ["update", "echo"]] {
      try Tool.run(words, store: catalog.store).expectStatus(
        5, saying: "the adapter cannot be read: ")
    }
    let entries = try catalog.run("update", "--json").objects()
    #expect(entries.map { $0["identifier"] as? String } == ["fmadapter-echo-ccccccc"])
    #expect(entries.map { $0["state"] as? String } == ["unreadable"])
    // The same bytes mend it, others have to be asked for.
    try catalog.republish("0.9.0")
    try catalog.run("install", "echo").expectStatus(5)
    let same = catalog.store.path("packages/1.0.0.fmadapter")
    try catalog.run("install", same).expectSuccess()
    try catalog.run("verify").expectSuccess()
  }

  @Test func whatIsInNoCatalogIsLeftAlone() throws {
    let catalog = try CatalogSample()
    try catalog.run("install", catalog.sample.package).expectSuccess()
    let all = try catalog.run("update").expectSuccess()
    #expect(
      all.errorText
        == "no catalog is configured; add one with 'fmadapter catalog add ADDRESS'\n")
    let named = try catalog.run("update", "--check", "echo")
    #expect(named.text == "fmadapter-echo-ccccccc 0.0.0 is in no catalog\n")
    try catalog.run("update", "nothing").expectStatus(3)
  }
}
