import Foundation
import SystemFiles
import TestSupport
import Testing

/// Packages to and from a registry that behaves like an OCI registry, and goes wrong like one.
@Suite(.waits) struct RegistryTests {
  private let package: SamplePackage

  init() throws {
    package = try SamplePackage()
    let targets =
      #"["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]"#
    let settings =
      #"{"formatVersion": 1, "alpha": 16.0, "targets": \#(targets), "version": "1.2.0"}"#
    try package.edit(#""seed": 1"#, #""seed": 1, "fmadapter": "# + settings)
  }

  /// A registry, and a store beside it.
  private struct Site {
    let server: FaultServer
    let folder: TemporaryDirectory
    var place: String { "oci://127.0.0.1:\(server.port)/team/tiny" }
    var environment: [String: String?] = [
      "FMADAPTER_WAIT_SCALE": "0.01", "XDG_RUNTIME_DIR": nil, "REGISTRY_AUTH_FILE": nil,
    ]

    init(_ faults: String = "plain") throws {
      server = try FaultServer(registry: faults)
      folder = try TemporaryDirectory()
      environment["HOME"] = folder.path
      environment["XDG_CONFIG_HOME"] = nil
      environment["DOCKER_CONFIG"] = folder.path("docker")
    }

    func run(_ words: String...) throws -> ProcessResult {
      try Tool.run(words, store: folder, environment: environment)
    }

    /// Logs in as Docker does.
    func logIn(_ entry: [String: String]) throws {
      let config = ["auths": ["127.0.0.1:\(server.port)": entry]]
      try folder.write(
        String(decoding: JSONSerialization.data(withJSONObject: config), as: UTF8.self),
        to: "docker/config.json")
    }

    static let login = ["auth": Data("me:hunter2".utf8).base64EncodedString()]

    func methods(_ path: String) throws -> [String] {
      try server.requests().filter { $0.target.contains(path) }.map(\.method)
    }

    /// That nothing shows the password, or a token made of it.
    func expectNoSecret(_ results: ProcessResult...) throws {
      for result in results {
        #expect(!(result.text + result.errorText).contains("hunter2"), "\(result.errorText)")
      }
      for path in FileManager.default.enumerator(atPath: folder.path("store")) ?? .init() {
        let file = folder.path("store/\(path)")
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { continue }
        #expect(!text.contains("hunter2"), "\(path)")
      }
    }
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    try FileSystem.read(path, limit: 1 << 20)
  }

  /// That what is installed has the bytes of the package.
  private func expectInstalled(_ result: ProcessResult) throws {
    let path = try #require(try result.expectSuccess().object()["path"] as? String)
    for name in ["metadata.json", "adapter_weights.bin"] {
      #expect(try bytes("\(path)/\(name)") == bytes("\(package.path)/\(name)"))
    }
  }

  // MARK: - Both ways

  @Test func aPackageGoesToARegistryAndComesBack() throws {
    let site = try Site()
    let sent = try site.run(
      "publish", site.place, package.path, "--source", "https://example.org/tiny"
    ).expectSuccess(saying: "added fmadapter-tiny_1-808de18 1.2.0 (")
    let reference = sent.text.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(reference.hasPrefix("\(site.place)@sha256:"))
    let result = try site.run("install", "\(site.place):1.2.0", "--json")
    try expectInstalled(result)
    let entry = try result.object()
    #expect(entry["source"] as? String == "\(site.place):1.2.0")
    #expect(entry["unverified"] as? [String] == [])
    try site.run("install", reference).expectSuccess(saying: "is installed already")
    try site.run("install", site.place).expectSuccess(saying: "is installed already")
    // The same again sends nothing but questions.
    let before = try site.server.requests().count
    let again = try site.run(
      "publish", site.place, package.path, "--source", "https://example.org/tiny", "--json")
    #expect(try again.objects().first?["sent"] as? Int == 0)
    let after = try site.server.requests().dropFirst(before)
    #expect(!after.contains { $0.target.contains("uploads") })
    try site.run("verify").expectSuccess()
  }

  @Test func theManifestFollowsFromThePackage() throws {
    let (one, other) = (try Site(), try Site())
    let places = try [one, other].map { site in
      try site.run("publish", site.place, package.path).expectSuccess().text
        .split(separator: "@").last
    }
    #expect(places[0] == places[1])
  }

  @Test func aVersionKeepsItsBytesAndOtherTagsMove() throws {
    let site = try Site()
    try site.run("publish", site.place, package.path).expectSuccess()
    try site.run("publish", site.place + ":prod", package.path).expectSuccess()
    try package.edit("\"description\": \"", "\"description\": \"More. ")
    try site.run("publish", site.place, package.path).expectStatus(
      5,
      error: "fmadapter-tiny_1-808de18 1.2.0: the same version exists with other bytes: in "
        + "\(site.place); publish it as a new version, or replace the old one with --replace")
    try site.run("publish", site.place + ":prod", package.path).expectSuccess(saying: "replaced ")
    try site.run("publish", site.place, package.path, "--replace").expectSuccess(
      saying: "replaced ")
  }

  @Test func aFileIsTakenOverFromAnotherRepository() throws {
    let site = try Site()
    try site.run("publish", site.place, package.path).expectSuccess()
    try site.run("install", site.place).expectSuccess()
    let copy = try site.run("publish", site.place + "/copy", "tiny_1", "--json").expectSuccess()
    #expect(try copy.objects().first?["sent"] as? Int == 0)
    #expect(try site.methods("from=team%2Ftiny") == ["POST", "POST"])
    let there = site.place + "/copy"
    let folder = try TemporaryDirectory()
    try expectInstalled(
      try Tool.run(
        "install", there, "--json", store: folder, environment: site.environment))
  }

  @Test func sessionsMayBeToldOfWithTheirHost() throws {
    let site = try Site("absolute")
    try site.run("publish", site.place, package.path).expectSuccess()
  }

  // MARK: - Who asks

  @Test(arguments: ["auth=basic", "auth=bearer", "auth=bearer;uses=1"])
  func loginsAreFound(_ faults: String) throws {
    let site = try Site(faults)
    try site.logIn(Site.login)
    let sent = try site.run("publish", site.place, package.path).expectSuccess()
    let result = try site.run("install", site.place, "--json")
    try expectInstalled(result)
    try site.expectNoSecret(sent, result)
  }

  @Test func whoMayNotIsToldWhatToDo() throws {
    let site = try Site("auth=bearer")
    let host = "127.0.0.1:\(site.server.port)"
    let advice = "log in with 'docker login \(host)' or 'podman login \(host)'"
    try site.run("install", site.place).expectStatus(
      7,
      error: "\(site.place): the registry wants to know who asks (401); \(advice)")
    try site.run("publish", site.place, package.path).expectStatus(
      7,
      error: "\(site.place): the registry wants to know who asks (401); \(advice), as somebody who "
        + "may write there")
    try site.logIn(["auth": Data("me:other-hunter2".utf8).base64EncodedString()])
    let refused = try site.run("install", site.place).expectStatus(7)
    #expect(
      refused.errorText.contains(
        "does not take the login of \(site.folder.path("docker/config.json")) (401)"))
    try site.expectNoSecret(refused)
  }

  @Test func whatEverybodyMayReadNeedsNoLogin() throws {
    let site = try Site("auth=bearer;public")
    try site.logIn(Site.login)
    try site.run("publish", site.place, package.path).expectSuccess()
    try FileManager.default.removeItem(atPath: site.folder.path("docker/config.json"))
    try expectInstalled(try site.run("install", site.place, "--json"))
  }

  @Test func aHelperIsAsked() throws {
    var site = try Site("auth=bearer;identity")
    let helper = try site.folder.write(
      """
      #!/bin/sh
      read server
      [ "$1 $server" = "get 127.0.0.1:\(site.server.port)" ] || exit 1
      echo '{"ServerURL": "", "Username": "<token>", "Secret": "refresh-hunter2"}'
      """, to: "bin/docker-credential-tests")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: helper)
    try site.folder.write(#"{"credsStore": "tests"}"#, to: "docker/config.json")
    site.environment["PATH"] = site.folder.path("bin") + ":/usr/bin:/bin"
    let sent = try site.run("publish", site.place, package.path).expectSuccess()
    try site.expectNoSecret(sent)
  }

  @Test func aLoginGoesNoFurtherThanItsRegistry() throws {
    let folder = try TemporaryDirectory()
    let store = try FaultServer(root: folder.path, host: "127.0.0.2")
    for name in ["metadata.json", "adapter_weights.bin"] {
      let data = try Data(contentsOf: URL(fileURLWithPath: "\(package.path)/\(name)"))
      try data.write(to: URL(fileURLWithPath: folder.path(SHA256.hex([UInt8](data)))))
    }
    let site = try Site("auth=bearer;store=" + HubSite.escaped(store.origin + "/plain"))
    try site.logIn(Site.login)
    try site.run("publish", site.place, package.path).expectSuccess()
    try expectInstalled(try site.run("install", site.place, "--json"))
    #expect(try store.requests().count == 2)
    #expect(try store.requests().allSatisfy { $0.headers["authorization"] == nil })
  }

  @Test func aTokenIsNotAskedForInTheOpen() throws {
    let site = try Site("auth=bearer;realm=" + HubSite.escaped("http://tokens.example/t"))
    try site.logIn(Site.login)
    try site.run("install", site.place).expectStatus(
      7, saying: "the registry sends there for a token, which is not safe")
  }

  // MARK: - What goes wrong

  @Test func halfALayerIsGoneOnWith() throws {
    let site = try Site("cut=GET;times=1")
    try site.run("publish", site.place, package.path).expectSuccess()
    try expectInstalled(try site.run("install", site.place, "--json"))
    let ranges = try site.server.requests().compactMap { $0.headers["range"] }
    #expect(ranges.count == 1, "\(ranges)")
  }

  @Test func anUploadThatIsCutIsSentAgain() throws {
    let site = try Site("cut=PUT;times=2")
    try site.run("publish", site.place, package.path).expectSuccess()
    try expectInstalled(try site.run("install", site.place, "--json"))
  }

  @Test func anUploadThatIsCutForEverIsGivenUp() throws {
    let site = try Site("cut=PUT")
    try site.run("publish", site.place, package.path).expectStatus(7)
    // Nothing stands under the tag.
    try site.run("install", site.place).expectStatus(3)
  }

  @Test(arguments: [
    ("lie=blob", "has SHA-256"), ("lie=manifest", "was promised by Docker-Content-Digest"),
  ])
  func aRegistryThatLiesIsNotBelieved(_ faults: String, _ words: String) throws {
    let site = try Site(faults)
    try site.run("publish", site.place + ":new", package.path).expectSuccess()
    let result = try site.run("install", site.place + ":new").expectStatus(5, saying: words)
    #expect(result.errorText.contains("nothing was installed"))
  }

  @Test func aRegistryThatKeptOtherBytesIsNotBelieved() throws {
    let site = try Site("lie=put")
    try site.run("publish", site.place, package.path).expectStatus(
      7,
      saying:
        "the registry answers what makes no sense: it says that the configuration has the digest")
  }

  @Test(arguments: [
    ("status=429;times=1", 0, ""), ("status=503;times=2", 0, ""),
    ("status=500;on=GET", 7, "the server fails (500); gave up after 6 attempts"),
    ("status=403;on=blobs", 7, "the registry does not allow it (403)"),
    ("status=413;on=manifests", 7, "the registry does not take the question"),
  ])
  func refusalsAreWaitedForOrTold(_ faults: String, _ status: Int32, _ words: String) throws {
    let site = try Site(faults)
    let result = try site.run("publish", site.place, package.path)
    #expect(result.status == status, "\(result.errorText)")
    #expect(words.isEmpty || result.errorText.contains(words), "\(result.errorText)")
  }

  @Test func whatIsNotThereIsNamed() throws {
    let site = try Site()
    try site.run("install", site.place).expectStatus(
      3, saying: "the registry has no such repository, or shows it to those alone")
    try site.run("publish", site.place, package.path).expectSuccess()
    try site.run("install", site.place + ":1.2.1").expectStatus(
      3,
      error: "\(site.place):1.2.1: there is nothing under '1.2.1'; did you mean '1.2.0'?")
    let digest = String(repeating: "a", count: 64)
    try site.run("install", "\(site.place)@sha256:\(digest)").expectStatus(
      3, saying: "there is nothing under 'sha256:\(digest)'; check the tag")
  }

  @Test func wordsThatMakeNoSenseAreRefused() throws {
    let site = try Site()
    try site.run("install", "oci://host").expectStatus(2, saying: "it has no HOST/REPOSITORY")
    try site.run("publish", site.place, package.path, package.path).expectStatus(
      2, saying: "a repository has one package under a tag")
    let digest = String(repeating: "a", count: 64)
    try site.run("publish", "\(site.place)@sha256:\(digest)", package.path).expectStatus(
      2, saying: "the digest follows from the package")
    try site.run("publish", site.folder.path("site"), package.path, "--source", "x").expectStatus(
      2, saying: "--source is for registries")
  }

  @Test func plainHTTPIsForThisMachine() throws {
    try Site().run("install", "oci://registry.invalid/team/tiny").expectStatus(
      7, saying: "https://registry.invalid/v2/team/tiny/manifests/latest: cannot reach")
  }
}
