import AdapterStore
import Foundation
import SystemFiles
import TestSupport
import Testing

/// A store that the program works on while something goes wrong, and versions of one adapter to put into it.
struct FaultStore {
  static let identifier = "fmadapter-tiny_1-808de18"
  let folder: TemporaryDirectory
  /// Two that state no version.
  let versions: [SamplePackage]

  init() throws {
    folder = try TemporaryDirectory()
    versions = try [SamplePackage(), SamplePackage()]
    try versions[1].edit("random LoRA", "second version")
  }

  /// Publishes a third version, newer than both, and adds its catalog on a server.
  func addCatalog() throws -> FaultServer {
    let newest = try SamplePackage()
    try newest.edit("random LoRA", "newest version")
    let site = folder.path("site")
    try run("publish", site, newest.path, "--package-version", "9.0.0").expectSuccess()
    let server = try FaultServer(root: site)
    try run("catalog", "add", server.url("rate=400000", file: "index.json")).expectSuccess()
    return server
  }

  /// Puts both versions on a server; its addresses of them.
  func serve() throws -> (server: FaultServer, addresses: [String]) {
    let site = folder.path("served")
    for (index, version) in versions.enumerated() {
      _ = try folder.copy(URL(fileURLWithPath: version.path), to: "served/\(index).fmadapter")
    }
    let server = try FaultServer(root: site)
    return (server, versions.indices.map { server.url("plain", file: "\($0).fmadapter/") })
  }

  var root: String { folder.path("store") }
  var environment: [String: String?] { ["FMADAPTER_HOME": root] }

  /// Names under `path` of the store; none when it is not there.
  func names(_ path: String) throws -> [String] {
    let full = "\(root)/\(path)"
    return try FileSystem.info(full) == nil ? [] : FileSystem.list(full).map(\.name.description)
  }

  /// What nobody will finish, and downloads that the next attempt goes on from.
  func leftovers() throws -> (orphans: [String], partials: [String]) {
    let names = try names("ingest")
    let partials = try names.filter { try !self.names("ingest/\($0)/part").isEmpty }
    return (names.filter { !partials.contains($0) }, partials)
  }

  /// The version that `list --json` shows of the adapter; nil when it is not installed.
  func installedVersion() throws -> String? {
    try run("list", "--json").objects().first?["version"] as? String
  }

  /// Runs the program on the store to its end.
  func run(_ arguments: String...) throws -> ProcessResult {
    try Tool.run(arguments, store: folder)
  }

  /// Starts the program on the store.
  func start(_ arguments: [String]) throws -> Subprocess {
    try Subprocess(Tool.path, arguments, environment: environment)
  }

  /// An entry of `count` bytes, which takes the program some time to read.
  func plant(_ count: Int) throws {
    let package = "store/adapters/fmadapter-large-0123456/package.fmadapter"
    let file = try folder.write([], to: "\(package)/adapter_weights.bin")
    // One hole, which takes no time to write.
    try FileHandle(forUpdating: URL(fileURLWithPath: file)).truncate(atOffset: UInt64(count))
    let record = try FileRecord(path: Self.weights, file: file)
    let encoder = JSONEncoder()
    try writeReceipt(String(decoding: try encoder.encode(record), as: UTF8.self))
  }

  /// An entry of 128 GB, which no program has read before somebody interrupts it, however little the machine has left for
  /// either.
  func plantEndless() throws {
    try plant(0)
    let (size, chunk) = (1 << 37, FileRecord.chunkSize)
    let file = "\(root)/adapters/fmadapter-large-0123456/\(Self.weights)"
    try FileHandle(forUpdating: URL(fileURLWithPath: file)).truncate(atOffset: UInt64(size))
    let digest = SHA256.hex([UInt8](repeating: 0, count: chunk))
    let chunks = Array(repeating: "\"\(digest)\"", count: size / chunk)
    try writeReceipt(
      "{\"path\": \"\(Self.weights)\", \"size\": \(size), \"sha256\": \"\(digest)\", "
        + "\"chunks\": [\(chunks.joined(separator: ", "))]}")
  }

  private static let weights = "package.fmadapter/adapter_weights.bin"

  private func writeReceipt(_ record: String) throws {
    try folder.write(
      "{\"formatVersion\": 1, \"source\": \"/gone\", \"installed\": \"2026-01-01T00:00:00Z\", "
        + "\"tool\": \"tests\", \"files\": [\(record)]}",
      to: "store/adapters/fmadapter-large-0123456/receipt.json")
  }
}

/// A mount namespace of its own, where a test may mount what it likes.
enum Namespace {
  /// The words that lead into one, or nil where the system allows none.
  static let entrance: [String]? = [["-rm"], ["-m"]].first { words in
    let probe = try? Subprocess.run(
      "/usr/bin/unshare", words + ["mount", "-t", "tmpfs", "x", "/mnt"])
    return probe?.status == 0
  }

  /// Whether there is none; says so.
  static var isMissing: Bool {
    if entrance == nil { print("skipped: neither user namespaces nor mounts are allowed here") }
    return entrance == nil
  }

  /// Runs a shell script with `words` inside, with the program's path as `$TOOL`.
  static func run(
    _ script: String, _ words: [String] = [], environment: [String: String?]
  ) throws -> ProcessResult {
    var variables = environment
    variables["TOOL"] = Tool.path
    return try Subprocess.run(
      "/usr/bin/unshare", (entrance ?? []) + ["sh", "-c", script, "sh"] + words,
      environment: variables)
  }
}
