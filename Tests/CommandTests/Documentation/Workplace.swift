import Foundation
import TestSupport
import Testing

/// A folder as somebody has it who has just cloned the repository, with the program in the path.
///
/// The data to train on is cut to two examples, but for the program that is built for release: without the optimizer all of
/// it takes a quarter of an hour.
struct Workplace {
  /// What is there before the first command of a page.
  enum Kind: String {
    /// The embedded base and its adapters are installed.
    case filled = "run"
    case empty = "run in an empty store"
    /// The published base is in the cache.
    case published = "run in an empty store with the published base in the cache"

    /// What the first block of `page` that is run asks for; nil where none is.
    init?(of page: Documentation.Page) {
      guard let kind = page.blocks.lazy.compactMap(Kind.init(of:)).first else { return nil }
      self = kind
    }

    init?(of block: Documentation.Block) { self.init(rawValue: block.note ?? "") }
  }

  private let folder: TemporaryDirectory
  private let cache: String

  init(_ kind: Kind) throws {
    folder = try TemporaryDirectory()
    cache = kind == .published ? try PublishedBase.cache(in: folder) : folder.path("no-cache")
    try folder.copy(Fixtures.repository.appendingPathComponent("adapters"), to: "adapters")
    if !Tool.isOptimized { try cut("adapters/examples/triage.jsonl", to: 2) }
    let programs = folder.path("bin")
    try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: programs + "/fmadapter", withDestinationPath: Tool.path)
    guard kind == .filled else { return }
    try run("fmadapter base install afm-9m && fmadapter install adapters/afm-9m/*.fmadapter")
      .expectSuccess()
  }

  /// Runs every block of `page` that is to be run.
  func runAll(of page: Documentation.Page) throws {
    for block in page.blocks where Kind(of: block) != nil {
      let result = try run(block.text)
      #expect(result.status == 0, "\(block.place)\n\(result.text)\(result.errorText)")
    }
  }

  private func cut(_ file: String, to count: Int) throws {
    let lines = try String(contentsOfFile: folder.path(file), encoding: .utf8)
      .split(separator: "\n")
    #expect(lines.count == 440, "the README says how many there are")
    try folder.write(lines.prefix(count).joined(separator: "\n") + "\n", to: file)
  }

  func run(_ script: String) throws -> ProcessResult {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let process = try Subprocess(
      "/bin/bash", ["-eo", "pipefail", "-c", script],
      environment: [
        "PATH": folder.path("bin") + ":" + path, "COLUMNS": "80",
        "FMADAPTER_HOME": folder.path("store"), "XDG_CACHE_HOME": cache,
      ], directory: folder.path)
    return try process.finish()
  }
}
