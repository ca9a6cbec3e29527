import Foundation
import SystemFiles
import TestSupport
import Testing

/// A bit flips on the way: it is seen wherever a digest can be had, and said to be unseen where none can.
@Suite(.waits) struct DigestFaultTests {
  private let site: DigestSite

  init() throws { site = try DigestSite() }

  /// A field with the right digest of the file, whose bytes have a flipped bit.
  @Test(arguments: ["repr-digest", "sha512"])
  func aFieldOfTheServerTellsAFlippedBit(_ field: String) throws {
    try site.run("base", "install", site.base("flip=\(site.flip);digest=\(field)"))
      .expectStatus(5, saying: " was promised by ")
    #expect(try site.names("bases") == [] && site.names("ingest") == [])
    // Once may be an accident on the way, which is mended.
    let right = try site.run(
      "base", "install", site.base("flip=\(site.flip);times=1;digest=\(field)"))
    #expect(right.status == 0 && !right.errorText.contains("unverified"), "\(right.errorText)")
    #expect(try site.installedBase() == site.right)
    #expect(try !site.run("base", "list").text.contains("unverified"))
  }

  @Test func theHubSaysItInItsRedirect() throws {
    let target = site.base("flip=\(site.flip)")
    let escaped = try #require(target.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    try site.run("base", "install", site.base("digest=x-linked-etag;to=\(escaped)"))
      .expectStatus(5, saying: "was promised by X-Linked-Etag")
  }

  @Test(arguments: ["SHA256SUMS", "model.gguf.sha256"])
  func aFileBesideItTellsAFlippedBit(_ name: String) throws {
    try site.folder.write("\(site.digest)  model.gguf\n", to: "site/\(name)")
    let wrong = try site.run("base", "install", site.base("flip=\(site.flip)")).expectStatus(5)
    let voucher = name == "SHA256SUMS" ? name : "the .sha256 file"
    #expect(wrong.errorText.contains("where \(site.digest) was promised by \(voucher)"))
    let address = site.base("plain")
    try site.run("base", "install", address).expectSuccess()
    let entry = try #require(try site.run("base", "list", "--json").objects().first)
    let files = try #require(entry["files"] as? [[String: Any]])
    #expect(files.first?["vouchers"] as? [String] == [voucher])
    #expect(entry["unverified"] as? [String] == [])
    // What was vouched for, and is still the server's, is not fetched again.
    try site.run("base", "install", address).expect(saying: "is installed already")
    let whole = try site.server.requests(of: address).filter { $0.headers["range"] == nil }
    #expect(whole.count == 1)
  }

  @Test func twoThatDisagreeAreBothNamed() throws {
    try site.folder.write("\(site.digest)  model.gguf\n", to: "site/SHA256SUMS")
    let result = try site.run("base", "install", site.base("digest=repr-digest;lie")).expectStatus(
      5)
    #expect(
      result.errorText.contains(
        "SHA256SUMS says that its SHA-256 is \(site.digest), and Repr-Digest says"),
      "\(result.errorText)")
    try site.run(
      "base", "install", site.base("digest=digest;lie"), "--sha256", site.digest
    ).expectStatus(5, saying: "the given digest says")
    #expect(try site.names("bases") == [])
  }

  @Test func aDigestOfTheUsersMakesOthersUnnecessary() throws {
    let address = site.base("plain")
    let result = try site.run("base", "install", address, "--sha256", site.digest)
    #expect(result.status == 0 && !result.errorText.contains("unverified"), "\(result.errorText)")
    #expect(
      try site.server.requests().filter {
        $0.target.contains("sha256") || $0.target.contains("SHA256")
      }.isEmpty)
  }

  @Test func whatNothingVouchesForIsSaidMarkedAndComparedAgain() throws {
    let address = site.base("flip=\(site.flip);times=1")
    let first = try site.run("base", "install", address, "--json").expectSuccess()
    let wrong = SHA256.hex(try site.installedBase())
    #expect(wrong != site.digest)
    #expect(
      first.errorText.contains(
        "{\"warning\": {\"message\": \"unverified: nothing vouches for model; its SHA-256 is \(wrong)\"}}\n"
      ))
    #expect(
      first.text.contains("\"sha256\" : \"\(wrong)\"") && first.text.contains("\"vouchers\" : ["))
    #expect(try site.run("base", "list").text.contains("in use, signature claimed, unverified"))
    #expect(try site.run("verify").text.contains("  unverified: nothing vouched for base.gguf"))
    #expect(try site.run("base", "info").text.contains("no: nothing vouched for it"))

    let healed = try site.run("base", "install", address).expectStatus(5)
    for text in [wrong, site.digest, "--replace"] { #expect(healed.errorText.contains(text)) }
    #expect(try SHA256.hex(site.installedBase()) == wrong && site.names("ingest") == [])

    let replaced = try site.run("base", "install", address, "--replace").expectSuccess()
    #expect(replaced.errorText.contains("replaced 'model' (F32, "))
    #expect(try site.installedBase() == site.right)
    // Fetched and compared once more, and the same.
    let same = try site.run("base", "install", address)
    #expect(same.status == 0 && same.errorText.contains("is installed already"))
    #expect(same.errorText.contains("unverified"))
    // A digest that turns up later vouches for what is there.
    try site.folder.write("\(site.digest) *model.gguf\n", to: "site/SHA256SUMS")
    try site.run("base", "install", address).expectSuccess()
    #expect(try !site.run("base", "list").text.contains("unverified"))
  }

  @Test func aServersTagIsNoWordAboutTheBytes() throws {
    let file = site.folder.path("site/model.gguf")
    let time = Date(timeIntervalSince1970: 1_700_000_000)
    func serve(_ bytes: [UInt8]) throws {
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: file)
    }
    let server = try StaticServer(root: site.folder.path("site"))
    var wrong = site.right
    wrong[site.flip] ^= 1
    try serve(wrong)
    try site.run("base", "install", server.url("model.gguf")).expectSuccess()
    // The same size and time, so that nginx gives it the same entity tag.
    try serve(site.right)
    let result = try site.run("base", "install", server.url("model.gguf"))
    #expect(result.status == 5 && result.errorText.contains(site.digest), "\(result.errorText)")
  }

  @Test func aDemandedDigestIsDemanded() throws {
    let address = site.base("plain")
    let refused = try site.run("base", "install", address, "--require-digest").expectStatus(
      5, saying: "nothing vouches for these bytes, and a digest was demanded")
    let package = site.server.url("plain", file: "tiny.fmadapter/")
    #expect(refused.errorText.contains("give its digest with --sha256"), "\(refused.errorText)")
    let files = try site.run("install", package, "--require-digest").expectStatus(5)
    // Nothing that 'install' has is for the digest of one file of several.
    #expect(!files.errorText.contains("--sha256"), "\(files.errorText)")
    #expect(files.errorText.contains("SHA256SUMS"), "\(files.errorText)")
    #expect(try site.names("bases") == [] && site.names("adapters") == [])
    #expect(try site.names("ingest") == [])
    let fields = site.base("digest=digest")
    try site.run("base", "install", fields, "--require-digest").expectSuccess()
  }

  @Test func pagesAndFloodsInPlaceOfListsSayNothing() throws {
    try site.folder.write("<!DOCTYPE html>\(site.digest)  model.gguf", to: "site/login.html")
    let server = try StaticServer(
      root: site.folder.path("site"), directives: "error_page 404 =200 /login.html;")
    let page = try site.run("base", "install", server.url("model.gguf"))
    #expect(page.status == 0 && page.errorText.contains("unverified"), "\(page.errorText)")
    #expect(try server.logLines().count { $0.contains("/login.html") } == 2)
    let line = "\(site.digest)  model.gguf\n"
    try site.folder.write(String(repeating: line, count: 40_000), to: "site/SHA256SUMS")
    let flood = try site.run("base", "install", site.base("plain"))
    #expect(flood.status == 0 && flood.errorText.contains("unverified"), "\(flood.errorText)")
    let lists = try site.server.requests().filter { $0.target.hasSuffix("SHA256SUMS") }
    #expect(lists.count == 1)
  }

  @Test func anApplePackageIsTakenMarkedAndComparedAgain() throws {
    let address = site.server.url("flip=5100;times=1", file: "tiny.fmadapter/")
    let first = try site.run("install", address, "--json").expectSuccess()
    for name in ["metadata.json", "adapter_weights.bin"] {
      #expect(first.errorText.contains("unverified: nothing vouches for \(name) of "))
    }
    #expect(first.text.contains("\"unverified\" : ["))
    #expect(try site.run("list").text.contains("base not installed, unverified"))
    #expect(
      try site.run("verify").text.contains("unverified: nothing vouched for package.fmadapter/"))
    #expect(try site.run("info", "tiny_1").text.contains("\nUnverified\n"))
    let healed = try site.run("install", address).expectStatus(
      5, saying: "adapter_weights.bin is not what was installed from there")
    #expect(
      healed.errorText.contains(SHA256.hex(site.weights)) && healed.errorText.contains("--force"))
    let forced = try site.run("install", address, "--force")
    #expect(forced.status == 0 && forced.errorText.contains("replaced "), "\(forced.errorText)")
    #expect(try site.installedWeights() == site.weights)
    let same = try site.run("install", address)
    #expect(same.status == 0 && same.errorText.contains("is installed already"))
  }

  @Test(arguments: ["SHA256SUMS", "adapter_weights.bin.sha256", "digest"])
  func aFlippedBitInAnApplePackageIsSeen(_ voucher: String) throws {
    if voucher != "digest" {
      try site.folder.write(
        "\(SHA256.hex(site.weights))  adapter_weights.bin\n", to: "site/tiny.fmadapter/\(voucher)")
    }
    let faults = voucher == "digest" ? "flip=5100;digest=digest" : "flip=5100"
    try site.run("install", site.server.url(faults, file: "tiny.fmadapter/"))
      .expectStatus(5, saying: "was promised by")
    #expect(try site.names("adapters") == [])
  }

  @Test func thePackagesOwnMetadataVouchesForItsWeights() throws {
    try site.run(
      "install", site.server.url("flip=300;only=adapter_weights.bin", file: "echo.fmadapter/")
    ).expectStatus(5, saying: "was promised by metadata.json")
    let once = try site.run(
      "install",
      site.server.url("flip=300;only=adapter_weights.bin;times=1", file: "echo.fmadapter/")
    ).expectSuccess(saying: "unverified: nothing vouches for metadata.json of ")
    #expect(!once.errorText.contains("nothing vouches for adapter_weights.bin"))
  }

  @Test func aCatalogIsHeldAgainstItsOwnDigest() throws {
    try site.run("publish", site.folder.path("site"), site.sample.package).expectSuccess()
    let wrong = site.server.url("flip=3;digest=repr-digest", file: "index.json")
    let result = try site.run("catalog", "add", wrong)
    #expect(
      result.status == 5 && result.errorText.contains("was promised by Repr-Digest"),
      "\(result.errorText)")
  }
}

/// A base and packages behind a server that goes wrong, and a store to install them into.
private struct DigestSite {
  let sample: SampleBase
  let server: FaultServer
  /// The base's bytes, and their SHA-256.
  let right: [UInt8]
  let digest: String
  /// Weights of the package that states no digest.
  let weights: [UInt8]
  var folder: TemporaryDirectory { sample.folder }
  /// A byte of the base's weights.
  var flip: Int { right.count - 7 }

  init() throws {
    sample = try SampleBase()
    let tiny = try SamplePackage()
    for (path, name) in [
      (sample.base, "model.gguf"), (sample.package, "echo.fmadapter"),
      (tiny.path, "tiny.fmadapter"),
    ] { _ = try sample.folder.copy(URL(fileURLWithPath: path), to: "site/\(name)") }
    right = try Self.bytes(sample.base)
    digest = SHA256.hex(right)
    weights = try Self.bytes(tiny.path + "/adapter_weights.bin")
    server = try FaultServer(root: sample.folder.path("site"))
  }

  func run(_ words: String...) throws -> ProcessResult { try Tool.run(words, store: folder) }

  func base(_ faults: String) -> String { server.url(faults, file: "model.gguf") }

  func names(_ path: String) throws -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path("store/\(path)"))) ?? []
  }

  func installedBase() throws -> [UInt8] {
    try Self.bytes(folder.path("store/bases/\(SampleBase.signature)/base.gguf"))
  }

  func installedWeights() throws -> [UInt8] {
    try Self.bytes(
      folder.path("store/adapters/\(FaultStore.identifier)/package.fmadapter/adapter_weights.bin"))
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
