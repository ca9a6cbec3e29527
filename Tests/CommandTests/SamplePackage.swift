import Adapters
import Foundation
import SystemFiles
import TestSupport

/// Copies of the small package in the adapters' fixtures, to be changed by a test.
struct SamplePackage {
  static let source = Fixtures.url("AdaptersTests", "afm-tiny.fmadapter")

  let folder: TemporaryDirectory
  let path: String

  init() throws {
    folder = try TemporaryDirectory()
    path = try folder.copy(Self.source, to: "tiny.fmadapter")
    for name in ["metadata.json", "adapter_weights.bin"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o644], ofItemAtPath: path + "/" + name)
    }
  }

  /// Replaces a part of the metadata, which has to be there.
  func edit(_ old: String, _ new: String) throws {
    try folder.edit("tiny.fmadapter/metadata.json", old, new)
  }

  /// Writes a package of `layers` MB to `path` and returns the path.
  static func large(layers: Int, at path: String) throws -> String {
    let (rank, width) = (64, 4096)
    let values = TensorBytes([UInt8](repeating: 0x1C, count: 2 * rank * width))
    let pair = LowRankPair(
      a: values, b: values, rank: rank, shape: MatrixShape(rows: width, columns: width))
    let signature = String(repeating: "e", count: 40)
    var metadata = try AdapterMetadata(
      name: "large", baseModelSignature: signature, loraRank: rank, author: "a test",
      description: "many equal values")
    metadata.statedSettings = AdapterSettings(
      alpha: 4, targets: [.query], version: AdapterVersion("1.0.0"), architecture: "llama")
    return try AdapterWriter.write(
      metadata, layers: Array(repeating: [.query: pair], count: layers), to: path)
  }

  /// Cuts the weights to `count` bytes.
  func cut(to count: UInt64) throws {
    let handle = try FileHandle(
      forWritingTo: URL(fileURLWithPath: path + "/adapter_weights.bin"))
    try handle.truncate(atOffset: count)
    try handle.close()
  }
}
