import AdapterStore
import Foundation
import TensorFiles
import TestSupport

/// A store that the program works on while something goes wrong, and two versions of one adapter to put into it.
struct FaultStore {
  static let identifier = "fmadapter-tiny_1-808de18"
  let folder: TemporaryDirectory
  let versions: [SamplePackage]

  init() throws {
    folder = try TemporaryDirectory()
    versions = try [SamplePackage(), SamplePackage()]
    try versions[1].edit("random LoRA", "second version")
  }

  /// Whether long matrices are wanted: `tools/test --all`.
  static var runsAll: Bool { ProcessInfo.processInfo.environment["FMADAPTER_ALL_TESTS"] == "1" }

  var root: String { folder.path("store") }
  var environment: [String: String?] { ["FMADAPTER_HOME": root] }

  /// Names under `path` of the store; none when it is not there.
  func names(_ path: String) throws -> [String] {
    let full = "\(root)/\(path)"
    return try FileSystem.info(full) == nil ? [] : FileSystem.list(full).map(\.name)
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
    let block = [UInt8](repeating: 7, count: count)
    let file = try folder.write(block, to: "\(package)/adapter_weights.bin")
    let record = try FileRecord(path: "package.fmadapter/adapter_weights.bin", file: file)
    let encoder = JSONEncoder()
    let files = String(decoding: try encoder.encode([record]), as: UTF8.self)
    try folder.write(
      "{\"formatVersion\": 1, \"source\": \"/gone\", \"installed\": \"2026-01-01T00:00:00Z\", "
        + "\"tool\": \"tests\", \"files\": \(files)}",
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

  /// Runs a shell script inside, with the program's path as `$TOOL`.
  static func run(_ script: String, environment: [String: String?]) throws -> ProcessResult {
    var variables = environment
    variables["TOOL"] = Tool.path
    return try Subprocess.run(
      "/usr/bin/unshare", (entrance ?? []) + ["sh", "-c", script], environment: variables)
  }
}
