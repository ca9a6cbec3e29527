import Foundation
import SystemFiles
import TestSupport
import Testing

/// Bases and packages from a hub that behaves like the Hugging Face Hub, and goes wrong like it.
@Suite(.waits) struct HubTests {
  private let site: HubSite

  init() throws { site = try HubSite() }

  // MARK: - Bases

  @Test func aBaseIsFetchedOfOneCommitAndNotTwice() throws {
    let hub = site.hub()
    let first = try hub.run("base", "install", "hf:org/one", "--json").expectSuccess()
    let base = try first.object()
    let commit = try #require(base["commit"] as? String)
    #expect(base["source"] as? String == "hf:org/one/tiny.gguf" && commit.count == 40)
    #expect(base["unverified"] as? [String] == [])
    #expect(try site.bytes(base) == site.tiny)
    let receipt = try site.receipt(of: base)
    let origin = try #require(receipt["hub"] as? [String: Any])
    #expect(origin["repository"] as? String == "org/one")
    #expect(origin["revision"] as? String == "main" && origin["path"] as? String == "tiny.gguf")
    #expect(origin["commit"] as? String == commit)
    let files = try #require(base["files"] as? [[String: Any]])
    #expect(files.first?["vouchers"] as? [String] == ["the hub", "X-Linked-Etag"])
    let asked = try site.server.requests().map(\.target)
    #expect(asked.count == 3, "\(asked)")
    #expect(asked.filter { $0.contains("/resolve/") }.allSatisfy { $0.contains("/\(commit)/") })
    // The same again asks for the listing alone, whatever else was changed in the repository.
    try site.folder.write("more words", to: "hub/org/one/README.md")
    for text in ["hf:org/one", "hf:org/one/tiny.gguf", "hf://org/one/"] {
      let again = try hub.run("base", "install", text)
      #expect(again.errorText.hasPrefix("tiny (llama, 20.4 kB) is installed already"))
    }
    #expect(try site.server.requests().count == 6)
  }

  @Test(arguments: ["@v1", "@refs%2Fpr%2F1", "@refs/pr/1", "@a%2Fb"])
  func aRevisionIsAskedForAndKept(_ revision: String) throws {
    let result = try site.hub().run("base", "install", "hf:org/one\(revision)", "--json")
      .expectSuccess()
    let origin = try site.receipt(of: result.object())["hub"] as? [String: Any]
    let word = String(revision.dropFirst()).replacing("%2F", with: "/")
    #expect(origin?["revision"] as? String == word)
  }

  @Test func anExpiredAddressIsAskedForAnew() throws {
    // Each signed address is good for one request, and each request brings 5,000 bytes.
    let hub = site.hub("objects=" + HubSite.escaped("cut=fin;at=5000"))
    let result = try hub.run("base", "install", "hf:org/one", "--json").expectSuccess()
    #expect(try site.bytes(result.object()) == site.tiny)
    let asked = try site.server.requests()
    let signed = asked.filter { $0.target.contains("ticket=") }
    #expect(signed.count == 5 && Set(signed.map(\.target)).count == 5)
    #expect(asked.filter { $0.target.contains("/resolve/") }.count == 5)
    #expect(signed.dropFirst().allSatisfy { $0.headers["range"] != nil })
    #expect(signed.reduce(0) { $0 + $1.sent } == site.tiny.count, "no byte twice")
  }

  @Test func anAddressThatExpiredBeforeItsUseIsAskedForAnew() throws {
    let hub = site.hub("objects=" + HubSite.escaped("status=403") + ";until=expired")
    try site.folder.write("", to: "hub/expired")
    try hub.run("base", "install", "hf:org/one").expectStatus(
      7, saying: "the address that it redirects to is not valid any more (403)")
    try FileManager.default.removeItem(atPath: site.folder.path("hub/expired"))
    try hub.run("base", "install", "hf:org/one").expectSuccess()
  }

  @Test func ofSeveralOneHasToBeChosen() throws {
    let hub = site.hub()
    let result = try hub.run("base", "install", "hf:org/many").expectStatus(2)
    let lines = result.errorText.split(separator: "\n", omittingEmptySubsequences: false)
    let first = "/org/many: it has 2 bases; choose one, such as hf:org/many/other.gguf"
    #expect(lines.first?.hasSuffix(first) == true, "\(result.errorText)")
    #expect(lines.contains("  NAME                                     SIZE  MEMORY"))
    #expect(lines.contains("  hf:org/many/other.gguf                20.4 kB  fits"))
    #expect(lines.contains("  hf:org/many/tiny-00001-of-00003.gguf  20.7 kB  fits"))
    #expect(lines.contains { $0.hasPrefix("  This machine has ") && $0.hasSuffix(" of it free.") })
    let error = try hub.run("base", "install", "hf:org/many", "--json").error()
    let choices = try #require(error["choices"] as? [[String: Any]])
    #expect(choices.map { $0["parts"] as? Int } == [1, 3])
    #expect(choices.map { $0["fits"] as? Bool } == [true, true])
    #expect(choices.last?["reference"] as? String == "hf:org/many/tiny-00001-of-00003.gguf")
    #expect(error["code"] as? Int == 2)
  }

  @Test func partsAreFetchedWholeAndKeptWhenOneFails() throws {
    let name = "tiny-00001-of-00003.gguf"
    let faults = HubSite.escaped("status=503;only=tiny-00002-of-00003.gguf")
    let hub = site.hub("objects=\(faults);until=broken")
    try site.folder.write("", to: "hub/broken")
    let cut = try hub.run("base", "install", "hf:org/many/\(name)")
    #expect(cut.status == 7 && cut.errorText.contains("(503)"), "\(cut.errorText)")
    #expect(try site.names("bases") == [] && site.names("ingest").count == 1)
    try FileManager.default.removeItem(atPath: site.folder.path("hub/broken"))
    let base = try hub.run("base", "install", "hf:org/many/\(name)", "--json").expectSuccess()
      .object()
    #expect(try site.bytes(base) == site.tiny)
    #expect(base["name"] as? String == "tiny" && base["unverified"] as? [String] == [])
    #expect(try site.names("ingest") == [])
    // The first part was there already.
    let asked = try site.server.requests().map(\.target)
    #expect(asked.filter { $0.contains("/resolve/") && $0.hasSuffix(name) }.count == 1)
    try hub.run("base", "install", "hf:org/many/\(name)").expect(saying: "is installed already")
    #expect(try site.server.requests().count == asked.count + 1)
  }

  @Test func partsAtAPlainAddressAreFetchedToo() throws {
    let address = site.server.url("plain", file: "org/many/tiny-00001-of-00003.gguf")
    let base = try site.hub().run("base", "install", address, "--json").expectSuccess().object()
    #expect(try site.bytes(base) == site.tiny && base["name"] as? String == "tiny")
    #expect(base["unverified"] as? [String] == ["base.gguf"])
    let second = address.replacing("00001-of", with: "00002-of")
    let part = try site.hub().run("base", "install", second).expectStatus(4)
    #expect(
      part.errorText.hasSuffix(
        "this is part 2 of 3; give the address of the first, “tiny-00001-of-00003.gguf”\n"))
    let digest = try site.hub().run(
      "base", "install", address, "--sha256", String(repeating: "0", count: 64))
    #expect(digest.status == 2 && digest.errorText.contains("--sha256 is for one file"))
  }

  @Test func aFolderIsFetchedAndConverted() throws {
    let hub = site.hub()
    let base = try hub.run("base", "install", "hf:org/granite", "--type", "q8_0", "--json")
      .expectSuccess().object()
    #expect(base["name"] as? String == "granite" && base["source"] as? String == "hf:org/granite")
    let local = try TemporaryDirectory()
    let folder = Fixtures.path("LanguageModelsTests", "hugging-face/granite")
    let same = try Tool.run("base", "install", folder, "--type", "q8_0", "--json", store: local)
    #expect(try site.bytes(base) == site.bytes(same.object()))
    #expect(try site.names("ingest") == [])
    let count = try site.server.requests().count
    try hub.run("base", "install", "hf:org/granite", "--type", "q8_0").expect(
      saying: "is installed already")
    #expect(try site.server.requests().count == count + 1)
    let other = try hub.run("base", "install", "hf:org/granite", "--type", "f16")
    #expect(other.status == 5 && other.errorText.contains("--replace"), "\(other.errorText)")
  }

  @Test func whatCannotBeConvertedIsNotFetched() throws {
    try site.folder.write(#"{"model_type": "mamba2"}"#, to: "hub/org/granite/config.json")
    try site.hub().run("base", "install", "hf:org/granite").expectStatus(
      4, saying: "hf:org/granite: not a base that can be run: config.json: ", "mamba2")
    #expect(try !site.server.requests().contains { $0.target.contains("safetensors") })
    #expect(try site.names("ingest") == [])
  }

  @Test func otherBytesTakeThePlaceOfABaseOnlyWhenAsked() throws {
    let hub = site.hub()
    try hub.run("base", "install", "hf:org/one").expectSuccess()
    _ = try Tool.run(
      "base", "quantize", site.folder.path("hub/org/one/tiny.gguf"), "-o",
      site.folder.path("hub/org/one/tiny.gguf"), "--type", "q8_0", "--force")
    let refused = try hub.run("base", "install", "hf:org/one")
    #expect(refused.status == 5 && refused.errorText.contains("--replace"), "\(refused.errorText)")
    let replaced = try hub.run("base", "install", "hf:org/one", "--replace").expectSuccess()
    #expect(replaced.errorText.contains("replaced 'tiny' (F16, "), "\(replaced.errorText)")
  }

  // MARK: - Who asks

  @Test func theTokenGoesToTheHubAloneAndIsKeptNowhere() throws {
    let storage = try FaultServer(root: site.folder.path("hub"), host: "127.0.0.2")
    let token = "hf_CanaryCanaryCanary42"
    let hub = site.hub("token=\(token);cdn=" + HubSite.escaped(storage.origin), token: token)
    let result = try hub.run("base", "install", "hf:org/one", "--json").expectSuccess()
    let asked = try site.server.requests()
    #expect(asked.allSatisfy { $0.headers["authorization"] == "Bearer \(token)" })
    let signed = try storage.requests()
    #expect(signed.count == 1 && signed[0].headers["authorization"] == nil)
    #expect(try !storage.logText().contains(token))
    #expect(!result.text.contains(token) && !result.errorText.contains(token))
    for path in try FileManager.default.subpathsOfDirectory(atPath: site.folder.path("store")) {
      let bytes = try? Data(contentsOf: URL(fileURLWithPath: site.folder.path("store/\(path)")))
      #expect(bytes?.range(of: Data(token.utf8)) == nil, "\(path)")
      #expect(bytes?.range(of: Data("s3cret".utf8)) == nil, "\(path)")
    }
  }

  @Test(
    arguments: [
      (
        "token=abc", nil, 3,
        ": the hub has no model of this name, or shows it to its owners alone; check the name; for a private one put a "
          + "token of an owner into HF_TOKEN\n"
      ),
      (
        "token=abc", "wrong", 7,
        ": the hub does not know the token; look at HF_TOKEN, and at the file that 'hf auth login' writes\n"
      ),
      ("token=abc", "abc", 0, ""),
      (
        "gated=abc", nil, 7,
        ": its owners give it to those who accepted their conditions; accept them on that page, then put a token of your "
          + "account into HF_TOKEN\n"
      ),
      (
        "gated=abc", "other", 7,
        ": its owners have not let in the account of your token; accept their conditions on that page; some of them "
          + "answer by hand, after days\n"
      ),
      ("gated=abc", "abc", 0, ""),
      ("disabled", nil, 7, ": the hub has switched it off; that page may say why\n"),
    ] as [(String, String?, Int32, String)])
  func whoMayNotIsToldWhatToDo(
    _ faults: String, _ token: String?, _ status: Int32, _ text: String
  ) throws {
    let hub = site.hub(faults, token: token)
    let result = try hub.run("base", "install", "hf:org/one").expectStatus(status)
    #expect(result.errorText.hasSuffix(text), "\(result.errorText)")
    #expect(status == 0 || result.errorText.contains("/org/one: "))
    // None of these is asked again and again.
    #expect(try site.server.requests().count <= 3)
  }

  // MARK: - What is not there

  @Test(
    arguments: [
      ("hf:org/none", Int32(3), "the hub has no model of this name"),
      ("hf:org/one@other", 3, "there is no revision 'other'; name a branch, a tag or a commit"),
      ("hf:org", 2, "hf:org: it has no OWNER/REPO; a place on the hub is written hf:OWNER/REPO"),
    ])
  func whatIsMissingIsSaid(_ text: String, _ status: Int32, _ words: String) throws {
    let result = try site.hub().run("base", "install", text)
    #expect(result.status == status && result.errorText.contains(words), "\(result.errorText)")
    #expect(try site.names("ingest") == [] && site.names("bases") == [])
  }

  @Test func aRepositoryThatMovedIsFollowed() throws {
    let hub = site.hub("moved=" + HubSite.escaped("old/name"))
    try hub.run("install", "hf:old/name").expectSuccess()
    let base = try hub.run("base", "install", "hf:old/name")
    #expect(base.status == 3 && base.errorText.contains("it has an adapter"), "\(base.errorText)")
  }

  // MARK: - What goes wrong

  @Test(
    arguments: [
      ("lie=size", Int32(5), "20,352 bytes"), ("lie=sha", 5, "says that its SHA-256 is"),
      ("lie=commit", 5, "the hub gives commit "), ("lie=linked", 5, "in X-Linked-Size"),
      ("lie=twice", 4, "the sizes of 'tiny.gguf' cannot be right"),
      ("json=%5B%5D", 4, "this is no answer of a hub: it names no commit"),
      ("objects=" + HubSite.escaped("flip=9000"), 5, "was promised by the hub"),
      ("objects=login", 7, "this looks like a web page"),
    ])
  func aLieIsFoundOut(_ faults: String, _ status: Int32, _ words: String) throws {
    let result = try site.hub(faults).run("base", "install", "hf:org/one")
    #expect(result.status == status && result.errorText.contains(words), "\(result.errorText)")
    #expect(try site.names("ingest") == [] && site.names("bases") == [])
  }

  @Test(arguments: ["retry-after=1", "ratelimit"])
  func aLimitOfRequestsIsWaitedFor(_ field: String) throws {
    let hub = site.hub("status=429;times=1;\(field)")
    try hub.run("base", "install", "hf:org/one").expectSuccess()
    #expect(try site.server.requests().map(\.status).filter { $0 == 429 }.count == 2)
  }

  @Test func aDigestOfTheUsersCountsToo() throws {
    let wrong = String(repeating: "0", count: 64)
    try site.hub().run("base", "install", "hf:org/one", "--sha256", wrong)
      .expectStatus(5, saying: "the given digest says \(wrong)")
    let parts = try site.hub().run(
      "base", "install", "hf:org/many/tiny-00001-of-00003.gguf", "--sha256", wrong)
    #expect(parts.status == 3 && parts.errorText.contains("the given SHA-256 is for one"))
    let right = SHA256.hex(site.tiny)
    try site.hub("bare").run("base", "install", "hf:org/one", "--sha256", right).expectSuccess()
  }

  @Test func aDigestOfTheUsersCountsForWhatIsInstalledToo() throws {
    let (hub, wrong) = (site.hub(), String(repeating: "0", count: 64))
    let right = SHA256.hex(site.tiny)
    try hub.run("base", "install", "hf:org/one", "--sha256", right).expectSuccess()
    try hub.run("base", "install", "hf:org/one", "--sha256", right.uppercased()).expect(
      saying: "is installed already")
    try hub.run("base", "install", "hf:org/one", "--sha256", wrong).expectStatus(
      5, saying: "base.gguf has SHA-256 \(right) where \(wrong) was promised by the given digest")
  }

  // MARK: - Packages

  @Test func aPackageIsInstalled() throws {
    let hub = site.hub()
    let adapter = try hub.run("install", "hf:org/adapters", "--json", "--require-digest")
      .expectSuccess().object()
    #expect(adapter["source"] as? String == "hf:org/adapters/tiny.fmadapter")
    #expect((adapter["commit"] as? String)?.count == 40)
    #expect(adapter["unverified"] as? [String] ?? [] == [])
    let count = try site.server.requests().count
    try hub.run("install", "hf:org/adapters/tiny.fmadapter").expect(saying: "is installed already")
    #expect(try site.server.requests().count == count + 1)
    try hub.run("verify").expectSuccess()
  }

  @Test func smallFilesAreHeldAgainstTheirNamesInGit() throws {
    try site.hub("lie=git").run("install", "hf:org/adapters").expectStatus(
      5, saying: "was promised by git on the hub")
    let bare = try site.hub("bare").run("install", "hf:org/adapters", "--require-digest")
    #expect(bare.status == 5 && bare.errorText.contains("a digest was demanded"))
    #expect(try site.names("adapters") == [] && site.names("ingest") == [])
  }

  @Test func aReferenceHasNoCatalog() throws {
    let other = try site.hub().run("install", "hf:org/adapters", "--catalog", "x")
    #expect(other.status == 2 && other.errorText.contains("--catalog is for names"))
  }

  /// What was damaged since is fetched of the same commit.
  @Test func aDamagedBaseIsRepairedFromTheHub() throws {
    let hub = site.hub()
    let base = try hub.run("base", "install", "hf:org/one", "--json").object()
    let path = try #require(base["path"] as? String)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    var bytes = site.tiny
    bytes[9000] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try hub.run("verify", "--repair").expectSuccess()
    #expect(try site.bytes(base) == site.tiny)
  }
}
