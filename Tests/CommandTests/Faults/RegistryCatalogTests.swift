import Foundation
import SystemFiles
import TestSupport
import Testing

/// Catalogs in a registry, and signatures that are kept there beside their packages.
@Suite(.waits) struct RegistryCatalogTests {
  private let catalog: CatalogSample
  private var folder: TemporaryDirectory { catalog.store }

  init() throws { catalog = try CatalogSample() }

  private static func key(_ name: String) -> String {
    Fixtures.path("AdaptersTests", "signatures/\(name)")
  }

  private func place(_ server: FaultServer, _ repository: String = "team/adapters") -> String {
    "oci://127.0.0.1:\(server.port)/\(repository)"
  }

  private func run(_ words: String...) throws -> ProcessResult {
    try catalog.run(
      words,
      environment: [
        "FMADAPTER_WAIT_SCALE": "0.01", "DOCKER_CONFIG": folder.path("docker"),
        "XDG_RUNTIME_DIR": nil, "REGISTRY_AUTH_FILE": nil,
      ])
  }

  private func publish(_ version: String, signed: Bool = false) throws {
    let signing = signed ? ["--sign", Self.key("p256.pem")] : []
    try catalog.run(["publish", catalog.site, catalog.package(version)] + signing).expectSuccess()
  }

  @Test func aCatalogIsPushedReadInstalledFromAndLocked() throws {
    let server = try FaultServer(registry: "plain")
    try publish("1.0.0")
    let first = try run("catalog", "push", catalog.site, place(server))
    let frozen = first.text.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(frozen.hasPrefix(place(server) + "@sha256:"))
    try run("catalog", "add", place(server)).expectSuccess(saying: "found 1 version in ")
    try run("install", "echo").expectSuccess()
    let lock = folder.path("fmadapter.lock")
    try run("lock", "-o", lock).expectSuccess()
    try publish("1.1.0")
    let second = try run("catalog", "push", catalog.site, place(server), "--json").object()
    let (size, sent) = (second["size"] as? Int ?? 0, second["sent"] as? Int ?? 0)
    #expect(second["versions"] as? Int == 2 && sent > 0 && sent < size)
    #expect(
      try run("update", "--check").text == "fmadapter-echo-ccccccc 1.0.0 -> 1.1.0\n")
    try run("update").expectSuccess()
    #expect(try catalog.installedVersion() == "1.1.0")
    try run("verify").expectSuccess()
    try run("install", "--locked", lock).expectSuccess()
    #expect(try catalog.installedVersion() == "1.0.0")
    // By its digest it is what it was.
    try run("catalog", "remove", place(server)).expectSuccess()
    try run("catalog", "add", frozen).expectSuccess(saying: "found 1 version in ")
  }

  @Test func aSignedCatalogIsHeldToItsKey() throws {
    let server = try FaultServer(registry: "plain")
    try publish("1.0.0", signed: true)
    try run("catalog", "push", catalog.site, place(server)).expectSuccess()
    try run("catalog", "add", place(server), "--key", Self.key("p384.pub")).expectStatus(
      5, saying: "not believed: it is signed by the key ")
    try run("catalog", "add", place(server), "--key", Self.key("p256.pub")).expectSuccess()
    try run("install", "echo").expectSuccess()
    let old = folder.path("old")
    try FileManager.default.copyItem(atPath: catalog.site, toPath: old)
    try publish("1.1.0", signed: true)
    try run("catalog", "push", catalog.site, place(server)).expectSuccess()
    try run("update").expectSuccess()
    try run("catalog", "push", old, place(server)).expectSuccess()
    try run("update").expectStatus(5, saying: "it is number 1, and number 2 was seen before")
    try FileManager.default.removeItem(atPath: "\(old)/index.signed.json")
    try run("catalog", "push", old, place(server)).expectSuccess()
    try run("update").expectStatus(5, saying: "there is no signed index at \(place(server))")
  }

  /// What is locked from anywhere may come from a registry that a catalog was pushed to.
  @Test func aRegistryIsAMirrorForLockFiles() throws {
    let server = try FaultServer(registry: "plain")
    try publish("1.0.0")
    try run("catalog", "push", catalog.site, place(server)).expectSuccess()
    try run("catalog", "add", catalog.site).expectSuccess()
    try run("install", "echo").expectSuccess()
    let lock = folder.path("fmadapter.lock")
    try run("lock", "-o", lock).expectSuccess()
    try run("remove", "echo").expectSuccess()
    try FileManager.default.removeItem(atPath: catalog.site)
    try run("install", "--locked", lock).expectStatus(3)
    let mirror = ["FMADAPTER_MIRROR": place(server), "FMADAPTER_WAIT_SCALE": "0.01"]
    try catalog.run(["install", "--locked", lock], environment: mirror).expectSuccess()
    #expect(try catalog.installedVersion() == "1.0.0")
    try run("remove", "echo").expectSuccess()
    let other = ["FMADAPTER_MIRROR": place(server, "team/nothing"), "FMADAPTER_WAIT_SCALE": "0.01"]
    try catalog.run(["install", "--locked", lock], environment: other).expectStatus(3)
    #expect(try catalog.installedVersion() == nil)
  }

  @Test func packagesAndCatalogsAreToldApart() throws {
    let server = try FaultServer(registry: "plain")
    try publish("1.0.0")
    try run("catalog", "push", catalog.site, place(server)).expectSuccess()
    try run("install", place(server)).expectStatus(
      3, saying: "it is a catalog; add it as one, and install from it by name")
    try run("publish", place(server, "team/echo"), catalog.sample.package).expectSuccess()
    try run("catalog", "add", place(server, "team/echo")).expectStatus(
      3, saying: "it has no catalog; check the address")
    try run("catalog", "add", place(server, "team/nothing")).expectStatus(
      3, saying: "the registry has no such repository")
    try run("catalog", "push", folder.path("nowhere"), place(server)).expectStatus(3)
    try FileManager.default.removeItem(atPath: try catalog.firstFolder() + "metadata.json")
    try run("catalog", "push", catalog.site, place(server)).expectStatus(
      3, saying: "this file is listed, and it is not there")
    let digest = String(repeating: "a", count: 64)
    try run("catalog", "push", catalog.site, "\(place(server))@sha256:\(digest)").expectStatus(2)
  }

  @Test func whatCameFromATagIsUpdatedFromThere() throws {
    let server = try FaultServer(registry: "plain")
    let first = try catalog.package("1.0.0")
    try run("publish", place(server), first).expectSuccess()
    try run("install", place(server)).expectSuccess()
    #expect(try run("update").errorText == "fmadapter-echo-ccccccc 1.0.0 is up to date\n")
    try run("publish", place(server), try catalog.package("1.1.0")).expectSuccess()
    #expect(try run("update", "--check").text == "fmadapter-echo-ccccccc 1.0.0 -> 1.1.0\n")
    try run("update").expectSuccess()
    #expect(try catalog.installedVersion() == "1.1.0")
    // A tag that goes back, and one that gets other bytes of the same version.
    try run("publish", place(server) + ":latest", first).expectSuccess()
    try run("update").expectStatus(5, saying: "1.1.0 is installed and the catalog's 1.0.0 is older")
    let other = try catalog.package("1.1.0", note: "!")
    try run("publish", place(server) + ":latest", other).expectSuccess()
    try run("update").expectStatus(5, saying: "the same version exists with other bytes")
    try run("update", "--force").expectSuccess()
    // By its digest it is meant as it is.
    let digest = try run("publish", place(server), first, "--replace").text
    try run("remove", "echo").expectSuccess()
    try run("install", digest.trimmingCharacters(in: .whitespacesAndNewlines)).expectSuccess()
    #expect(try run("update", "echo").errorText.contains("is in no catalog"))
  }

  @Test func aRegistryThatIsGoneIsTold() throws {
    var server: FaultServer? = try FaultServer(registry: "plain")
    let there = place(try #require(server))
    try run("publish", there, try catalog.package("1.0.0")).expectSuccess()
    try run("install", there).expectSuccess()
    server = nil
    try run("update").expectStatus(7, saying: "nothing listens at 127.0.0.1:")
  }

  /// Whether the registry has lists of what is about a manifest, or a tag stands for one.
  @Test(arguments: ["referrers", "plain"])
  func aSignatureIsFoundBesideItsPackage(_ kind: String) throws {
    let server = try FaultServer(registry: kind)
    let package = try catalog.package("1.0.0")
    try run("sign", package, "--key", Self.key("p256.pem")).expectSuccess()
    try run("publish", place(server), package).expectSuccess()
    let bundle = try String(contentsOfFile: "\(package)/model.sig", encoding: .utf8)
    // The same files without it, as another program may have pushed them.
    try FileManager.default.removeItem(atPath: "\(package)/model.sig")
    let plain = place(server, "team/plain")
    let bare = try run("publish", plain, package).expectSuccess().text
      .trimmingCharacters(in: .whitespacesAndNewlines)
    try run("install", plain, "--require-signed", Self.key("p256.pub")).expectStatus(
      5, saying: "signature.missing")
    let digest = try #require(bare.split(separator: "@").last)
    try attach(bundle, to: String(digest), in: "team/plain", server)
    try run("install", plain, "--require-signed", Self.key("p384.pub")).expectStatus(
      5, saying: "signature.key")
    let installed = try run(
      "install", plain, "--require-signed", Self.key("p256.pub"), "--json")
    #expect(try installed.expectSuccess().object()["signed"] as? Bool == true)
    // What is newer under the tag is taken once that key has signed it.
    let next = try catalog.package("1.1.0")
    try run("sign", next, "--key", Self.key("p256.pem")).expectSuccess()
    let nextBundle = try String(contentsOfFile: "\(next)/model.sig", encoding: .utf8)
    try FileManager.default.removeItem(atPath: "\(next)/model.sig")
    let newer = try run("publish", plain, next).expectSuccess().text
      .trimmingCharacters(in: .whitespacesAndNewlines)
    try run("update").expectStatus(5, saying: ", and 1.1.0 is not signed; ")
    #expect(try catalog.installedVersion() == "1.0.0")
    let newDigest = try #require(newer.split(separator: "@").last)
    try attach(nextBundle, to: String(newDigest), in: "team/plain", server)
    try run("update").expectSuccess()
    #expect(try catalog.installedVersion() == "1.1.0")
  }

  /// Pushes a signature as a program that keeps them beside packages does, by curl.
  private func attach(
    _ bundle: String, to subject: String, in repository: String, _ server: FaultServer
  ) throws {
    let origin = "http://127.0.0.1:\(server.port)/v2/\(repository)"
    let type = "application/vnd.dev.sigstore.bundle.v0.3+json"
    let file = try folder.write(bundle, to: "bundle")
    let empty = try folder.write("{}", to: "empty")
    func put(_ path: String, _ file: String, _ type: String) throws {
      let result = try Subprocess.run(
        "/usr/bin/curl",
        [
          "-sfS", "-X", "PUT", "-H", "Content-Type: \(type)", "--data-binary", "@\(file)",
          origin + path,
        ])
      #expect(result.status == 0, "\(result.errorText)")
    }
    func digest(_ path: String) throws -> String {
      "sha256:" + SHA256.hex(try FileSystem.read(path, limit: 1 << 20))
    }
    for path in [file, empty] {
      let session = try Subprocess.run(
        "/usr/bin/curl",
        [
          "-sfS", "-X", "POST", "-o", "/dev/null", "-w", "%header{location}",
          origin + "/blobs/uploads/",
        ])
      let location = session.text.replacing("/v2/\(repository)", with: "")
      try put("\(location)&digest=\(try digest(path))", path, "application/octet-stream")
    }
    let manifest = try folder.write(
      """
      {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "artifactType": "\(type)",
       "config": {"mediaType": "application/vnd.oci.empty.v1+json", "digest": "\(try digest(empty))", "size": 2},
       "layers": [{"mediaType": "\(type)", "digest": "\(try digest(file))", "size": \(bundle.utf8.count)}],
       "subject": {"mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": "\(subject)", "size": 9}}
      """, to: "manifest")
    let own = try digest(manifest)
    try put("/manifests/\(own)", manifest, "application/vnd.oci.image.manifest.v1+json")
    let size = try FileSystem.read(manifest, limit: 1 << 20).count
    let list = try folder.write(
      """
      {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests":
       [{"mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": "\(own)", "size": \(size), "artifactType": "\(type)"}]}
      """, to: "list")
    let tag = "sha256-" + subject.dropFirst(7)
    try put("/manifests/\(tag)", list, "application/vnd.oci.image.index.v1+json")
  }
}
