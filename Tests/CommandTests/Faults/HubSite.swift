import Foundation
import SystemFiles
import TestSupport
import Testing

/// Repositories on a hub, and a store.
struct HubSite {
  let folder: TemporaryDirectory
  let server: FaultServer
  /// The bytes of the base of `org/one`.
  let tiny: [UInt8]

  init() throws {
    let folder = try TemporaryDirectory()
    self.folder = folder
    func fixture(_ name: String) -> String { Fixtures.path("TensorFilesTests", "split/\(name)") }
    func put(_ path: String, _ place: String) throws {
      _ = try folder.copy(URL(fileURLWithPath: path), to: "hub/org/\(place)")
    }
    let package = try SamplePackage()
    try put(package.path, "adapters/tiny.fmadapter")
    try put(fixture("tiny.gguf"), "one/tiny.gguf")
    try put(fixture("tiny.gguf"), "many/other.gguf")
    for number in 1...3 {
      let name = "tiny-0000\(number)-of-00003.gguf"
      try put(fixture(name), "many/\(name)")
    }
    try put(Fixtures.path("LanguageModelsTests", "hugging-face/granite"), "granite")
    try folder.write("{}", to: "hub/org/peft/adapter_config.json")
    try folder.write("words", to: "hub/org/one/README.md")
    tiny = try FileSystem.read(fixture("tiny.gguf"), limit: 1 << 20)
    server = try FaultServer(root: folder.path("hub"))
  }

  /// As a value of a fault.
  static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  /// A hub with these faults, asked with a token.
  func hub(_ faults: String = "plain", token: String? = nil) -> Endpoint {
    Endpoint(url: server.url("hub;" + faults, file: ""), token: token, folder: folder)
  }

  struct Endpoint {
    let url: String
    let token: String?
    let folder: TemporaryDirectory

    func run(_ words: String...) throws -> ProcessResult {
      try Tool.run(
        words, store: folder,
        environment: [
          "HF_ENDPOINT": url, "HF_TOKEN": token, "HUGGING_FACE_HUB_TOKEN": nil,
          "HF_TOKEN_PATH": folder.path("none"), "FMADAPTER_WAIT_SCALE": "0.01",
        ])
    }
  }

  func bytes(_ base: [String: Any]) throws -> [UInt8] {
    try FileSystem.read(try #require(base["path"] as? String), limit: 1 << 20)
  }

  func receipt(of base: [String: Any]) throws -> [String: Any] {
    let path = FilePath.parent(of: try #require(base["path"] as? String))
    let bytes = try FileSystem.read(path + "/receipt.json", limit: 1 << 20)
    return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  func names(_ path: String) throws -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path("store/\(path)"))) ?? []
  }
}
