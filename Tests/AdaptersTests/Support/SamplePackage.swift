import Foundation
import SystemFiles
import TestSupport

@testable import Adapters

/// A small valid package in memory, to be bent and written.
///
/// Its base has 2 layers with keys of their own and 1 that reuses them, width 8, key width 4, hidden width 12.
struct SamplePackage {
  static let signature = "0123456789abcdef0123456789abcdef01234567"
  static let rank = 2
  static let contract = BaseContract(
    signature: signature, architecture: "afm", layers: [layer(true), layer(true), layer(false)])

  var name = "sample.fmadapter"
  /// Files by name; nil content stands for a folder.
  var files: [String: [UInt8]?]
  /// Symbolic links by name.
  var links: [String: String] = [:]

  init(seed: UInt64 = 1) {
    var random = SeededGenerator(seed: seed)
    let blobs = Self.contract.tensors(targets: Set(LoRATarget.allCases), rank: Self.rank).map {
      BlobBytes(halves: random.halves($0.shape.rows * $0.shape.columns))
    }
    let weights = BlobBytes.file(blobs)
    files = [
      "adapter_weights.bin": weights,
      "metadata.json": Array(Self.metadata(digest: SHA256.hex(weights)).utf8),
    ]
  }

  var weights: [UInt8] {
    get { files["adapter_weights.bin"].flatMap { $0 } ?? [] }
    set { files["adapter_weights.bin"] = newValue }
  }

  var metadata: String {
    get { String(decoding: files["metadata.json"].flatMap { $0 } ?? [], as: UTF8.self) }
    set { files["metadata.json"] = Array(newValue.utf8) }
  }

  /// Replaces the first `old` of the metadata, which has to be there.
  mutating func replace(_ old: String, _ new: String) {
    guard let range = metadata.range(of: old) else { preconditionFailure("no \(old)") }
    metadata.replaceSubrange(range, with: new)
  }

  /// Replaces the weights by those of `blobs`, and takes the recorded digest out of the metadata.
  mutating func replaceWeights(_ blobs: [BlobBytes]) {
    weights = BlobBytes.file(blobs)
    dropDigest()
  }

  /// Takes the recorded digest out of the metadata, so that a change of the weights is no finding by itself.
  mutating func dropDigest() {
    let lines = metadata.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.contains("weightsSHA256") }
    metadata = lines.joined(separator: "\n").replacingOccurrences(
      of: "],\n        }", with: "]\n        }")
  }

  /// Changes the weights and drops the digest.
  mutating func patch(_ change: (inout [UInt8]) -> Void) {
    change(&weights)
    dropDigest()
  }

  /// Writes the package into `directory` and returns its path.
  func write(to directory: String) throws -> String {
    let path = "\(directory)/\(name)"
    let manager = FileManager.default
    try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (file, content) in files {
      if let content {
        try Data(content).write(to: URL(fileURLWithPath: "\(path)/\(file)"))
      } else {
        try manager.createDirectory(atPath: "\(path)/\(file)", withIntermediateDirectories: true)
      }
    }
    for (link, target) in links {
      try manager.createSymbolicLink(atPath: "\(path)/\(link)", withDestinationPath: target)
    }
    return path
  }

  /// Shapes of the projections of a layer.
  private static func layer(_ hasKeys: Bool) -> [LoRATarget: MatrixShape] {
    var layer: [LoRATarget: MatrixShape] = [
      .query: MatrixShape(rows: 8, columns: 8), .output: MatrixShape(rows: 8, columns: 8),
      .gate: MatrixShape(rows: 12, columns: 8), .up: MatrixShape(rows: 12, columns: 8),
      .down: MatrixShape(rows: 8, columns: 12),
    ]
    if hasKeys {
      layer[.key] = MatrixShape(rows: 4, columns: 8)
      layer[.value] = MatrixShape(rows: 4, columns: 8)
    }
    return layer
  }

  private static func metadata(digest: String) -> String {
    """
    {
        "adapterIdentifier": "fmadapter-sample-0123456",
        "author": "tests",
        "baseModelSignature": "\(signature)",
        "creatorDefined": {
            "fmadapter": {
                "alpha": 4.0,
                "architecture": "afm",
                "formatVersion": 1,
                "targets": ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"],
                "weightsSHA256": "\(digest)"
            },
            "version": "1.0"
        },
        "description": "a sample",
        "license": "CC0-1.0",
        "loraRank": \(rank)
    }
    """
  }
}

/// A blob as the format lays it out, written independently of the writer under test.
struct BlobBytes {
  var type: UInt32 = 1
  var data: [UInt8]

  init(type: UInt32 = 1, data: [UInt8]) {
    self.type = type
    self.data = data
  }

  init(halves: [UInt16]) {
    data = halves.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
  }

  /// A whole file: header, then each record at a multiple of 64 with its data.
  static func file(_ blobs: [BlobBytes]) -> [UInt8] {
    var file = little(UInt32(blobs.count)) + little(UInt32(2)) + zeros(56)
    for blob in blobs {
      file += zeros((64 - file.count % 64) % 64)
      file += little(UInt32(0xDEAD_BEEF)) + little(blob.type) + little(UInt64(blob.data.count))
      file += little(UInt64(file.count + 48)) + zeros(40) + blob.data
    }
    return file
  }

  static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  static func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    (0..<T.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> T($0 * 8)) }
  }
}

extension SeededGenerator {
  /// `count` finite halves of magnitude below 2.
  mutating func halves(_ count: Int) -> [UInt16] {
    (0..<count).map { _ in UInt16.random(in: 0...UInt16.max, using: &self) & 0xBFFF }
  }
}

extension [UInt8] {
  /// Overwrites the bytes from `offset` on with `value` in little-endian order.
  mutating func put<T: FixedWidthInteger>(_ value: T, at offset: Int) {
    replaceSubrange(offset..<offset + T.bitWidth / 8, with: BlobBytes.little(value))
  }
}
