import Adapters
import Foundation
import TensorFiles
import TestSupport

@testable import AdapterStore

extension StoreFixture {
  /// Puts an adapter into the store whose weights are `weights`, whatever they mean, and returns its entry.
  @discardableResult
  func plant(
    _ name: String = "large", signature: String = first, weights: [UInt8], source: String = "/gone"
  ) throws -> StoreEntry {
    let metadata = try AdapterMetadata(name: name, baseModelSignature: signature, loraRank: 2)
    let identifier = metadata.adapterIdentifier.description
    let entry = "store/adapters/\(identifier)"
    let package = "\(entry)/\(StoreLayout.package)"
    try directory.write(weights, to: "\(package)/adapter_weights.bin")
    try directory.write(metadata.text, to: "\(package)/metadata.json")
    let path = directory.path(entry)
    let records = try ["metadata.json", "adapter_weights.bin"].map { file in
      let inner = "\(StoreLayout.package)/\(file)"
      return try FileRecord(path: inner, file: "\(path)/\(inner)")
    }
    let receipt = Receipt(
      source: source, installed: Date(timeIntervalSince1970: 1_800_000_000), tool: "tests 1",
      files: records, base: nil)
    try receipt.write(to: "\(path)/\(StoreLayout.receipt)")
    return StoreEntry(kind: .adapter, name: identifier, path: path)
  }

  /// Random bytes, the same for the same seed.
  static func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    // Of a length that fits into no power of two, so that no part of 8 MiB is like another.
    let block = random.bytes(min(count, 65_537))
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + block.count)
    while bytes.count < count { bytes += block }
    return Array(bytes.prefix(count))
  }

  /// Changes the file at `path` of the store in place, as a bad disk does.
  func damage(_ path: String, _ change: (FileHandle) throws -> Void) throws {
    let file = URL(fileURLWithPath: "\(root)/\(path)")
    try FileSystem.makeWritable(file.path)
    let handle = try FileHandle(forUpdating: file)
    try change(handle)
    try handle.close()
  }

  /// Flips one bit of the file at `path` of the store.
  func flipBit(_ path: String, at offset: Int) throws {
    try damage(path) { handle in
      try handle.seek(toOffset: UInt64(offset))
      let byte = try handle.read(upToCount: 1)?.first ?? 0
      try handle.seek(toOffset: UInt64(offset))
      try handle.write(contentsOf: Data([byte ^ 0x10]))
    }
  }
}
