import Foundation
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct HubReferenceTests {
  @Test(
    arguments: [
      ("hf:Qwen/Qwen3-0.6B-GGUF", "Qwen/Qwen3-0.6B-GGUF", nil, nil),
      ("hf:o/r@v1.0", "o/r", "v1.0", nil),
      ("hf:o/r/", "o/r", nil, nil),
      ("hf:o/r@abc/sub/m.gguf", "o/r", "abc", "sub/m.gguf"),
      ("hf:o/r/m@2.gguf", "o/r", nil, "m@2.gguf"),
      ("hf:o/r@refs/pr/1/m.gguf", "o/r", "refs/pr/1", "m.gguf"),
      ("hf:o/r@a%2Fb/m.gguf", "o/r", "a/b", "m.gguf"),
      ("hf:o_1/r.2", "o_1/r.2", nil, nil),
    ] as [(String, String, String?, String?)])
  func isTakenApart(_ text: String, _ repository: String, _ revision: String?, _ path: String?)
    throws
  {
    let reference = try HubReference(text)
    #expect(reference.repository == repository && reference.path == path)
    #expect(reference.revision == revision)
    let shown = text.hasSuffix("/") ? String(text.dropLast()) : text
    #expect(reference.description == shown)
    #expect(try HubReference(reference.description) == reference)
    #expect(try HubReference(text.replacing("hf:", with: "hf://")) == reference)
  }

  @Test(arguments: [
    "hf:", "hf:o", "hf:/r", "hf:o/", "hf:o//m", "hf:../r", "hf:o/..", "hf:o/r--s", "hf:-o/r",
    "hf:o/r.", "hf:o/r@", "hf:o/r@a..b", "hf:o/r@a b", "hf:o/r@a%zz", "hf:o/r/../x",
    "hf:o/r/a//b", "hf:o/r/./b", "hf:o/r/a\\b", "hf:o/r/\u{1B}[2J", "hf:o/r@\u{202E}",
    "hf:\u{1B}/r", "hf:o/é", "hf:" + String(repeating: "o", count: 97) + "/r", "https://host/o/r",
  ])
  func otherTextsAreNoPlaces(_ text: String) throws {
    let error = #expect(throws: StoreError.self) { try HubReference(text) }
    guard case .badReference? = error?.hubFault, error?.subject == text else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(
      error?.description.hasSuffix(
        "; a place on the hub is written hf:OWNER/REPO, with @REVISION and /FILE behind it where they are needed"
      ) == true)
  }

  @Test func addressesAreEscaped() throws {
    let hub = ModelHub(environment: [:])
    let reference = try HubReference("hf:o/r@a%2Fb")
    #expect(
      hub.listing(reference)
        == "https://huggingface.co/api/models/o/r/revision/a%2Fb?blobs=true")
    #expect(
      hub.file("a b/é#?%.gguf", of: "o/r", at: "0123")
        == "https://huggingface.co/o/r/resolve/0123/a%20b/%C3%A9%23%3F%25.gguf")
    for (text, endpoint) in [
      ("https://mirror.example/hf/", "https://mirror.example/hf"), ("", "https://huggingface.co"),
      (" http://127.0.0.1:80 \n", "http://127.0.0.1:80"),
    ] { #expect(ModelHub(environment: ["HF_ENDPOINT": text]).endpoint == endpoint) }
  }
}

@Suite struct HubTokenTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func token(_ environment: [String: String], for origin: String = "https://huggingface.co")
    throws -> String?
  {
    var credentials = Credentials()
    try credentials.addHubToken(environment: environment)
    return credentials.token(for: origin)
  }

  /// Each place, in the order in which they count.
  @Test func comesFromTheUsualPlaces() throws {
    let home = folder.path("home")
    try folder.write("hf_home\n", to: "home/.cache/huggingface/token")
    try folder.write("hf_cache", to: "cache/huggingface/token")
    try folder.write(" hf_own \n", to: "own/token")
    try folder.write("hf_path\r\n", to: "elsewhere")
    var environment = ["HOME": home]
    #expect(try token(environment) == "hf_home")
    environment["XDG_CACHE_HOME"] = folder.path("cache")
    #expect(try token(environment) == "hf_cache")
    environment["HF_HOME"] = folder.path("own")
    #expect(try token(environment) == "hf_own")
    environment["HF_TOKEN_PATH"] = folder.path("elsewhere")
    #expect(try token(environment) == "hf_path")
    environment["HUGGING_FACE_HUB_TOKEN"] = "hf_old"
    #expect(try token(environment) == "hf_old")
    environment["HF_TOKEN"] = "hf_new"
    #expect(try token(environment) == "hf_new")
    #expect(try token(environment, for: "https://host") == nil)
    environment["HF_HUB_DISABLE_IMPLICIT_TOKEN"] = "1"
    #expect(try token(environment) == nil)
    #expect(try token([:]) == nil)
    #expect(try token(["HF_HOME": "~/none", "HOME": home]) == nil)
  }

  @Test func goesToTheHubAloneAndNotOverTheWire() throws {
    let there = ["HF_TOKEN": "hf_x", "HF_ENDPOINT": "https://mirror.example:8443/hf"]
    #expect(try token(there, for: "https://mirror.example:8443") == "hf_x")
    #expect(try token(there) == nil)
    let plain = ["HF_TOKEN": "hf_x", "HF_ENDPOINT": "http://mirror.example"]
    #expect(try token(plain, for: "http://mirror.example") == nil)
    let here = ["HF_TOKEN": "hf_x", "HF_ENDPOINT": "http://127.0.0.1:80"]
    #expect(try token(here, for: "http://127.0.0.1") == "hf_x")
  }

  @Test func theUsersOwnGoesFirst() throws {
    var credentials = Credentials()
    try credentials.add("mine", for: "https://huggingface.co", place: "here")
    let environment = ["HF_TOKEN": "hf_x"]
    try credentials.addHubToken(environment: environment)
    #expect(credentials.token(for: "https://huggingface.co") == "mine")
  }

  @Test func aBrokenOneIsNamedAndNotShown() throws {
    let error = #expect(throws: StoreError.self) { try token(["HF_TOKEN": "hf_a\u{1B}b"]) }
    #expect(
      error?.description
        == "HF_TOKEN: the token for https://huggingface.co has characters that no token has; "
        + "copy it once more")
    try FileManager.default.createDirectory(
      atPath: folder.path("token"), withIntermediateDirectories: true)
    let unreadable = #expect(throws: StoreError.self) {
      try token(["HF_TOKEN_PATH": folder.path("token")])
    }
    #expect(
      unreadable?.description == folder.path("token") + ": it cannot be read; check its permissions"
    )
  }
}
