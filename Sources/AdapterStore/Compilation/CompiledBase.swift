package import FoundationEssentials
import Kernels
import SystemFiles

/// What `base.json` in a directory of `compiled/` says: which file of a base, and which kernels, the tiles beside it are of.
package struct CompiledBase: CompiledRecord, Equatable {
  /// Version of this file's meaning, and of the order of tiles: 1.
  package var formatVersion = Self.version
  /// SHA-256 of the base's file, as in its receipt.
  package var modelSHA256: String
  /// Signature of the base.
  package var baseSignature: String
  /// Name of the processor's instructions that the kernels use.
  package var processor: String
  /// Bytes of the tiles.
  package var size: Int
  /// SHA-256 of the tiles.
  package var tilesSHA256: String
  /// When it was made.
  package var created: Date
  /// SHA-256 of all the rest.
  package private(set) var sha256 = ""

  package static let version = WeightMatrix.tilesVersion
  package static let fileName = "base.json"
  package static let tilesName = "tiles.bin"

  package init(
    modelSHA256: String, baseSignature: String, processor: String, size: Int, tilesSHA256: String,
    created: Date
  ) {
    (self.modelSHA256, self.baseSignature) = (modelSHA256, baseSignature)
    (self.processor, self.size, self.tilesSHA256) = (processor, size, tilesSHA256)
    self.created = Date(timeIntervalSince1970: created.timeIntervalSince1970.rounded(.down))
    sha256 = digest
  }

  /// Whether tiles of the right size stand in `folder`: what can be told without reading them.
  package func hasTiles(in folder: String) -> Bool {
    let info = (try? FileSystem.info(FilePath.join(folder, Self.tilesName))) ?? nil
    return info?.kind == .file && info?.size == size
  }

  /// Whether the tiles in `folder` are what was written.
  package func hasWholeTiles(in folder: String) -> Bool {
    guard hasTiles(in: folder) else { return false }
    let path = FilePath.join(folder, Self.tilesName)
    // Where they cannot be mapped for want of room, they are read by pieces.
    let found = (try? Self.digest(ofTiles: path)) ?? (try? SHA256.hex(ofFile: path))
    return found == tilesSHA256
  }

  /// The digest of the tiles at `path`; those that are not in memory come in huge pages, for whoever maps them next.
  static func digest(ofTiles path: String) throws(FileError) -> String {
    let file = try MappedFile(path: path, isLong: true)
    let digest = SHA256.hex(file.bytes)
    try file.checkUnchanged()
    return digest
  }

  package var isSound: Bool { formatVersion == Self.version && size > 0 && sha256 == digest }

  private var digest: String {
    let parts = [
      "\(formatVersion)", modelSHA256, baseSignature, processor, "\(size)", tilesSHA256,
      "\(Int(created.timeIntervalSince1970))",
    ]
    return SHA256.hex(Array(parts.joined(separator: "\n").utf8))
  }

  /// Name of the directory for a base's file and a processor: 40 hexadecimal digits.
  package static func key(modelSHA256: String, processor: String) -> String {
    let parts = ["base", modelSHA256, processor, "\(version)"]
    return String(SHA256.hex(Array(parts.joined(separator: "\n").utf8)).prefix(40))
  }

  package var key: String { Self.key(modelSHA256: modelSHA256, processor: processor) }
}
