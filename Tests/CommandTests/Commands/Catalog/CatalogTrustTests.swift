import Foundation
import TestSupport
import Testing

@testable import fmadapter

/// Keys of catalogs, versions that were withdrawn, and lock files, as one types them.
@Suite(.waits) struct CatalogTrustTests {
  private let catalog: CatalogSample
  private var site: String { catalog.site }

  init() throws { catalog = try CatalogSample() }

  private static func key(_ name: String) -> String {
    Fixtures.path("AdaptersTests", "signatures/\(name)")
  }

  private func publish(_ version: String, by key: String? = "p256") throws -> ProcessResult {
    let signing = key.map { ["--sign", Self.key("\($0).pem")] } ?? []
    return try catalog.run(["publish", site, catalog.package(version)] + signing)
  }

  @Test func aSignedCatalogIsReadFromAServerByItsKeyAlone() throws {
    try publish("1.0.0").expectSuccess()
    let server = try FaultServer(root: site)
    let address = server.url("plain", file: "index.json")
    let wrong = try catalog.run("catalog", "add", address, "--key", Self.key("p384.pub"))
    #expect(wrong.status == 5 && wrong.errorText.contains("not believed: it is signed by the key "))
    let unpinned = try catalog.run("catalog", "add", address)
    #expect(unpinned.errorText.contains("the catalog is signed; with --key"))
    try catalog.run("catalog", "add", address, "--key", Self.key("p256.pub")).expectSuccess()
    let other = try catalog.run("catalog", "add", address, "--key", Self.key("p384.pub"))
    #expect(other.status == 5 && other.errorText.contains("its keys here are "))
    let listed = try #require(try catalog.run("catalog", "list", "--json").objects().first)
    #expect((listed["keys"] as? [String])?.count == 1 && listed["serial"] as? Int == 1)
    try catalog.run("install", "echo").expectSuccess()
    // What is not signed is not read in its place.
    try FileManager.default.removeItem(atPath: "\(site)/index.signed.json")
    let unsigned = try catalog.run("update", "--check")
    #expect(unsigned.status == 5)
    #expect(unsigned.errorText.contains("there is no signed index at "))
  }

  @Test func aSignedFolderIsChangedByItsKeyAlone() throws {
    try publish("1.0.0").expectSuccess()
    let next = try catalog.package("1.1.0")
    for key in [[], ["--sign", Self.key("p384.pem")]] {
      let refused = try catalog.run(["publish", site, next] + key)
      #expect(refused.status == 2 && refused.errorText.contains("the catalog is signed by the key"))
    }
    let unsigned = try catalog.run("catalog", "yank", site, "echo@1.0.0")
    #expect(unsigned.status == 2)
    let early = try catalog.run("catalog", "sign", site, "--sign", Self.key("p256.pem"))
    #expect(early.errorText == "signed as number 1\n")
    let late = try catalog.run(
      "catalog", "sign", site, "--sign", Self.key("p256.pem"), "--valid-for", "400d")
    #expect(late.errorText == "signed as number 2\n")
    #expect(try catalog.run("catalog", "sign", site).status == 2)
    #expect(try catalog.run("publish", site, site, "--valid-for", "1d").status == 2)
  }

  @Test func whatIsSignedIsNotReplacedByWhatIsNot() throws {
    let first = try catalog.package("1.0.0")
    try catalog.run("sign", first, "--key", Self.key("p256.pem")).expectSuccess()
    try catalog.run("publish", site, first).expectSuccess()
    try catalog.run("catalog", "add", site).expectSuccess()
    try catalog.run("install", "echo").expectSuccess()
    #expect(try catalog.run("list").text.contains("ready, signature unchecked\n"))
    try catalog.run("install", "echo", "--require-signed", Self.key("p256.pub")).expectSuccess()
    #expect(try catalog.run("list").text.contains("ready, signed\n"))
    try publish("1.1.0", by: nil).expectSuccess()
    let check = try catalog.run("update", "--check")
    #expect(
      check.text
        == "fmadapter-echo-ccccccc 1.0.0 was installed as signed, and the catalog's 1.1.0 is not signed\n"
    )
    let update = try catalog.run("update", "--json")
    #expect(update.status == 5)
    #expect(try update.objects().first?["outcome"] as? String == "refused")
    let listed = try #require(try catalog.run("list", "--json").objects().first)
    #expect(listed["version"] as? String == "1.0.0" && listed["signed"] as? Bool == true)
    let key = try #require((listed["signers"] as? [String])?.first)
    for words in [["update"], ["install", "echo"], ["install", "--force", "echo"]] {
      let refused = try catalog.run(words)
      #expect(refused.status == 5, "\(words)")
      #expect(
        refused.errorText.contains(
          "1.0.0 was installed as signed by \(key), and 1.1.0 is not signed"))
      #expect(refused.errorText.contains("or say 'fmadapter remove fmadapter-echo-ccccccc' first"))
    }
    #expect(try catalog.installedVersion() == "1.0.0")
    try catalog.run("remove", "echo").expectSuccess()
    try catalog.run("install", "echo").expectSuccess()
    #expect(try catalog.run("list").text.contains("ready\n"))
  }

  @Test func whoHasAWithdrawnVersionIsTold() throws {
    try publish("1.0.0", by: nil).expectSuccess()
    try publish("1.1.0", by: nil).expectSuccess()
    try catalog.run("catalog", "add", site).expectSuccess()
    try catalog.run("install", "echo").expectSuccess()
    let yanked = try catalog.run(
      "catalog", "yank", site, "echo@1.1.0", "--reason", "it\u{1B}[2Jlies")
    #expect(yanked.text == "fmadapter-echo-ccccccc@1.1.0\n")
    let update = try catalog.run("update")
    #expect(update.status == 0)
    #expect(
      update.errorText
        == "fmadapter-echo-ccccccc 1.1.0 was withdrawn by its publisher: it\\u{1b}[2Jlies, and the catalog's 1.0.0 is older\n"
    )
    #expect(try catalog.run("list").text.contains(", yanked"))
    #expect(try catalog.run("doctor").text.contains("adapter.yanked"))
    #expect(try catalog.run("catalog", "show", "--all").text.contains("installed, yanked"))
    let named = try catalog.run("install", "echo@1.1.0")
    #expect(named.status == 5 && named.errorText.contains("has withdrawn 1.1.0: it"))
    try catalog.run("update", "echo", "--allow-downgrade").expectSuccess()
    #expect(try catalog.installedVersion() == "1.0.0")
    try catalog.run("catalog", "yank", site, "echo@1.1.0", "--undo").expectSuccess()
    try catalog.run("update").expectSuccess()
    #expect(try catalog.installedVersion() == "1.1.0")
    for words in [["echo"], ["echo@1"], ["echo@9.0.0"], ["echo@1.1.0", "--undo", "--reason", "x"]] {
      #expect([2, 3].contains(try catalog.run(["catalog", "yank", site] + words).status))
    }
  }

  @Test func aLockFileIsFulfilledFromItsPlaceOrAMirror() throws {
    try publish("1.0.0", by: nil).expectSuccess()
    let server = try FaultServer(root: site)
    try catalog.run("catalog", "add", server.url("plain", file: "index.json")).expectSuccess()
    try catalog.run("install", "echo").expectSuccess()
    let lock = catalog.store.path("fmadapter.lock")
    try catalog.run("lock", "-o", lock).expectSuccess()
    #expect(try catalog.run("lock").text == String(contentsOfFile: lock, encoding: .utf8))
    try publish("1.1.0", by: nil).expectSuccess()
    try catalog.run("update").expectSuccess()
    #expect(try catalog.installedVersion() == "1.1.0")
    let back = try catalog.run("install", "--locked", lock)
    #expect(back.text == "fmadapter-echo-ccccccc\n")
    #expect(try catalog.installedVersion() == "1.0.0")
    let again = try catalog.run("install", "--locked", lock)
    #expect(again.errorText.contains("is installed already"))
    for (words, status) in [
      (["install", "--locked", lock, "echo"], 2), (["install", "--locked", lock, "--force"], 2),
      (["install"], 2), (["install", "--locked", "/nowhere"], 3),
      (["install", "--locked", catalog.sample.base], 4),
    ] as [([String], Int32)] {
      #expect(try catalog.run(words).status == status, "\(words)")
    }
    let before = try server.requests().count
    try catalog.run("remove", "echo").expectSuccess()
    let mirror = try catalog.run(
      ["install", "--locked", lock], environment: ["FMADAPTER_MIRROR": site])
    #expect(mirror.status == 0, "\(mirror.errorText)")
    #expect(try server.requests().count == before)
  }
}
