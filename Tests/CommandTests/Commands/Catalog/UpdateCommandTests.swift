import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct UpdateCommandTests {
  @Test func checkChangesNothingAndUpdateDoes() throws {
    let catalog = try CatalogSample()
    try catalog.publish("1.0.0")
    #expect(try catalog.run("install", "echo").status == 0)
    let current = try catalog.run("update", "--check")
    #expect(current.text == "fmadapter-echo-ccccccc 1.0.0 is up to date\n")
    try catalog.publish("1.1.0")
    let check = try catalog.run("update", "--check")
    #expect(check.status == 0)
    #expect(check.text == "fmadapter-echo-ccccccc 1.0.0 -> 1.1.0\n")
    let entries = try CatalogSample.objects(catalog.run("update", "--check", "--json"))
    #expect(entries.first?["state"] as? String == "available")
    #expect(entries.first?["offered"] as? String == "1.1.0")
    #expect(try catalog.installedVersion() == "1.0.0")
    let update = try catalog.run("update", "--json")
    #expect(update.status == 0)
    #expect(
      try CatalogSample.objects(update).first?["outcome"] as? String == "installed")
    #expect(try catalog.installedVersion() == "1.1.0")
    let again = try catalog.run("update", "echo")
    #expect(again.errorText == "fmadapter-echo-ccccccc 1.1.0 is up to date\n")
  }

  @Test(arguments: [false, true]) func anUpdateOfEqualBytesSettles(isRemote: Bool) throws {
    let catalog = try CatalogSample()
    let server = try FaultServer(root: catalog.site)
    func publish(_ version: String) throws {
      let result = try catalog.run(
        "publish", catalog.site, catalog.sample.package, "--package-version", version)
      #expect(result.status == 0, "\(result.errorText)")
    }
    try publish("1.0.0")
    let place = isRemote ? server.url("plain", file: "index.json") : catalog.site
    #expect(try catalog.run("catalog", "add", place).status == 0)
    #expect(try catalog.run("install", "echo").status == 0)
    try publish("1.1.0")
    #expect(try catalog.run("update", "--check").text.contains("1.0.0 -> 1.1.0"))
    let update = try catalog.run("update")
    #expect(update.status == 0, "\(update.errorText)")
    #expect(try catalog.installedVersion() == "1.1.0")
    #expect(try catalog.run("update", "--check").text.hasSuffix("1.1.0 is up to date\n"))
    #expect(try catalog.run("verify").status == 0)
    #expect(try catalog.run("doctor").status == 0)
  }

  @Test func aLowerVersionIsRefusedUnlessAsked() throws {
    let catalog = try CatalogSample()
    try catalog.publish("1.1.0")
    #expect(try catalog.run("install", "echo").status == 0)
    try catalog.republish("1.0.0")
    let refused = try catalog.run("update")
    #expect(refused.status == 5)
    #expect(
      refused.errorText
        == "fmadapter: error: fmadapter-echo-ccccccc: 1.1.0 is installed and the catalog's 1.0.0 is "
        + "older; to go back, name the version: 'fmadapter install fmadapter-echo-ccccccc@1.0.0'\n")
    #expect(try catalog.installedVersion() == "1.1.0")
    #expect(try catalog.run("update", "--check").status == 0)
    #expect(try catalog.run("update", "--allow-downgrade").status == 0)
    #expect(try catalog.installedVersion() == "1.0.0")
  }

  @Test func theSameVersionWithOtherBytesIsRefusedUnlessForced() throws {
    let catalog = try CatalogSample()
    try catalog.publish("1.0.0")
    #expect(try catalog.run("install", "echo").status == 0)
    try catalog.republish("1.0.0")
    for words in [["update"], ["install", "echo"]] {
      let refused = try Tool.run(words, store: catalog.store)
      #expect(refused.status == 5)
      #expect(
        refused.errorText.contains(
          "fmadapter-echo-ccccccc 1.0.0: the same version exists with other bytes: its publisher "
            + "changed what \(catalog.site)/index.json has as 1.0.0 without a new version; ask there "
            + "before you force it"))
    }
    #expect(try catalog.run("update", "--force").status == 0)
    #expect(
      try catalog.run("update", "--check").text
        == "fmadapter-echo-ccccccc 1.0.0 is up to date\n")
  }

  @Test func whatIsInNoCatalogIsLeftAlone() throws {
    let catalog = try CatalogSample()
    #expect(try catalog.run("install", catalog.sample.package).status == 0)
    let all = try catalog.run("update")
    #expect(all.status == 0)
    #expect(
      all.errorText
        == "no catalog is configured; add one with 'fmadapter catalog add ADDRESS'\n")
    let named = try catalog.run("update", "--check", "echo")
    #expect(named.text == "fmadapter-echo-ccccccc 0.0.0 is in no catalog\n")
    #expect(try catalog.run("update", "nothing").status == 3)
  }
}
