import Kernels
public import TensorFiles

/// What a receipt says about a file: enough to name the damaged part of a damaged one.
public struct FileRecord: Sendable, Equatable, Codable {
  /// Path within the entry, such as `package.fmadapter/metadata.json`.
  public let path: String
  /// Bytes.
  public let size: Int
  /// Digest of the whole file, 64 lowercase hexadecimal digits.
  public let sha256: String
  /// Digests of its parts of 8 MiB, the last one shorter; empty for an empty file.
  public let chunks: [String]

  /// Bytes of a part that has a digest of its own.
  public static let chunkSize = 8 << 20

  /// Reads and digests the file at `file`.
  ///
  /// - Throws: `TensorFileError` when it cannot be read or changes meanwhile.
  public init(path: String, file: String) throws(TensorFileError) {
    let mapped = try MappedFile(path: file)
    var whole = SHA256()
    var chunks: [String] = []
    for start in stride(from: 0, to: mapped.bytes.count, by: Self.chunkSize) {
      let end = min(start + Self.chunkSize, mapped.bytes.count)
      let chunk = mapped.bytes.slice(start..<end)
      whole.update(chunk)
      chunks.append(SHA256.hex(chunk))
    }
    try mapped.checkUnchanged()
    self.path = path
    size = mapped.bytes.count
    sha256 = whole.finishHex()
    self.chunks = chunks
  }
}
