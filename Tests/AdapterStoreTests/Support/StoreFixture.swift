import Adapters
import Foundation
import Kernels
import TensorFiles
import TestSupport

@testable import AdapterStore

/// A store in a temporary directory, with packages and bases to put into it.
struct StoreFixture {
  let directory: TemporaryDirectory
  let root: String
  let sources: String

  static let first = "0123456789abcdef0123456789abcdef01234567"
  static let second = "fedcba9876543210fedcba9876543210fedcba98"

  init() throws {
    directory = try TemporaryDirectory()
    root = directory.path("store")
    sources = directory.path("sources")
    try FileManager.default.createDirectory(atPath: sources, withIntermediateDirectories: true)
  }

  /// A store as this process sees it.
  func store(_ change: (inout ProcessFacts) -> Void = { _ in }) -> AdapterStore {
    var process = ProcessFacts()
    process.now = { Date(timeIntervalSince1970: 1_800_000_000.75) }
    change(&process)
    return AdapterStore(
      root: root, tool: "tests 1", process: process,
      identifyBase: { _ in BaseIdentity(contentSignature: nil, type: "text") },
      readBase: Self.readBase)
  }

  /// A base in these tests is a text file with its signature.
  static let readBase: AdapterStore.BaseReader = { path in
    let text = String(decoding: try FileSystem.read(path, limit: 1000), as: UTF8.self)
    let signature = text.split(separator: "\n").first.map(String.init) ?? ""
    guard isSignature(signature) else { throw BadBase() }
    return contract(signature)
  }

  struct BadBase: Error, CustomStringConvertible {
    var description: String { "no signature in the first line" }
  }

  static func contract(_ signature: String) -> BaseContract {
    let shape = MatrixShape(rows: 8, columns: 8)
    return BaseContract(
      signature: signature, architecture: "llama",
      layers: Array(repeating: [.query: shape, .value: shape], count: 2))
  }

  /// Writes a package and returns its path.
  func package(
    _ name: String = "demo", signature: String = first, version: Int = 1,
    stating stated: String? = nil
  ) throws -> String {
    var random = SeededGenerator(seed: UInt64(version))
    let layers = Self.contract(signature).layers.map { layer in
      // In order: that of a dictionary is not the same twice.
      LoRATarget.allCases.reduce(into: [LoRATarget: LowRankPair]()) { pairs, target in
        guard let shape = layer[target] else { return }
        pairs[target] = LowRankPair(
          a: Self.halves(2 * shape.columns, &random), b: Self.halves(2 * shape.rows, &random),
          rank: 2, shape: shape)
      }
    }
    var metadata = try AdapterMetadata(
      name: name, baseModelSignature: signature, loraRank: 2, author: "version \(version)")
    metadata.statedSettings = AdapterSettings(
      alpha: 4, version: stated.flatMap { AdapterVersion($0) }, architecture: "llama")
    return try AdapterWriter.write(
      metadata, layers: layers, to: "\(sources)/\(name)-\(signature.prefix(3))-\(version)",
      replacing: true)
  }

  /// Writes a base and returns its path.
  func base(_ name: String, signature: String = first, weights: String = "") throws -> String {
    try directory.write("\(signature)\n\(weights)", to: "sources/\(name)")
  }

  /// Names of what is under `path` of the store, hidden ones included.
  func names(_ path: String) throws -> [String] {
    let full = "\(root)/\(path)"
    return try FileSystem.info(full) == nil ? [] : FileSystem.list(full).map(\.name)
  }

  private static func halves(_ count: Int, _ random: inout SeededGenerator) -> TensorBytes {
    TensorBytes(
      (0..<count).flatMap { _ in
        [UInt8.random(in: 0...255, using: &random), 0x30 | UInt8.random(in: 0...7, using: &random)]
      })
  }
}
