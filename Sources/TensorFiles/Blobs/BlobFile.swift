public import SystemFiles

/// A MIL blob storage file of version 2, mapped into memory and fully checked.
///
/// Layout: `mlmodel/src/MILBlob/Blob/StorageFormat.hpp` in <https://github.com/apple/coremltools>: a 64-byte header
/// with the number of blobs and the version, then per blob a 64-byte record at a multiple of 64 and its data.
public struct BlobFile: Sendable {
  /// The path that the file was opened with.
  public let path: String
  /// All blobs, in the order of the file.
  public let blobs: [Blob]
  /// Bytes of the whole file.
  public let size: Int
  private let file: MappedFile?

  /// Maps and checks the file at `path`.
  ///
  /// - Throws: `FileError` naming the first defect and its byte.
  public init(path: String) throws(FileError) {
    let file = try MappedFile(path: path)
    self = try file.reading { bytes throws(FileError) in
      try BlobFile(bytes: bytes, path: path, file: file)
    }
  }

  /// Checks `bytes` as a whole file; `path` is its name in errors.
  package init(
    bytes: TensorBytes, path: String, file: MappedFile? = nil
  ) throws(FileError) {
    blobs = try BlobParser(bytes: bytes, path: path).blobs()
    size = bytes.count
    self.path = path
    self.file = file
  }

  /// Asks the system whether the file is still the one that was opened.
  ///
  /// - Throws: `FileError.changed` when it is not.
  public func checkUnchanged() throws(FileError) {
    try file?.checkUnchanged()
  }
}

/// Every header, record and run of data starts at a multiple of this many bytes.
let blobAlignment = 64

/// Walks over the records of a blob file.
private struct BlobParser {
  let bytes: TensorBytes
  let path: String

  func blobs() throws(FileError) -> [Blob] {
    let count = try header()
    var blobs: [Blob] = []
    blobs.reserveCapacity(count)
    var end = blobAlignment
    for index in 0..<count {
      let start = (end + blobAlignment - 1) / blobAlignment * blobAlignment
      let blob = try blob(index, at: start)
      end = blob.dataOffset + blob.size
      blobs.append(blob)
    }
    try checkTail(from: end, blobs: count)
    return blobs
  }

  private func header() throws(FileError) -> Int {
    var cursor = ByteCursor(bytes, path: path)
    try cursor.require(UInt64(blobAlignment), "the header")
    let count = try cursor.read(UInt32.self, "the blob count")
    let version = try cursor.read(UInt32.self, "the version")
    guard version != 1 else { throw defect(.versionOne, at: 4) }
    guard version == 2 else { throw defect(.unknownVersion(version), at: 4) }
    _ = try cursor.take(56, "the header")
    try cursor.require(
      UInt64(count), of: UInt64(blobAlignment), "the records of \(Figures.grouped(count)) blobs")
    return Int(count)
  }

  private func blob(_ index: Int, at start: Int) throws(FileError) -> Blob {
    guard start <= bytes.count - blobAlignment else {
      throw .truncated(
        path: path, offset: min(start, bytes.count), field: "the record of blob \(index)",
        needed: UInt64(blobAlignment), left: max(0, bytes.count - start))
    }
    var cursor = ByteCursor(bytes, path: path, offset: start)
    let sentinel = try cursor.read(UInt32.self, "the sentinel")
    guard sentinel == 0xDEAD_BEEF else {
      throw defect(.wrongSentinel(index: index, value: sentinel), at: start)
    }
    let number = try cursor.read(UInt32.self, "the data type")
    guard let type = BlobType(rawValue: number) else {
      throw defect(.unknownType(index: index, number: number), at: start + 4)
    }
    let size = try cursor.read(UInt64.self, "the size")
    let offset = try cursor.read(UInt64.self, "the data offset")
    let padding = try cursor.read(UInt64.self, "the padding")
    guard offset == UInt64(start + blobAlignment) else {
      throw defect(
        .displacedData(index: index, offset: offset, expected: start + blobAlignment),
        at: start + 16)
    }
    let left = bytes.count - start - blobAlignment
    guard size <= UInt64(left) else {
      throw defect(.outsideFile(index: index, size: size, left: left), at: start + 8)
    }
    try checkValues(index, type, size: size, padding: padding, at: start)
    return Blob(
      index: index, type: type, metadataOffset: start, dataOffset: Int(offset),
      paddingBits: Int(padding), bytes: bytes.slice(Int(offset)..<Int(offset + size)))
  }

  /// Whole values only; `size` is known to lie inside the file.
  private func checkValues(
    _ index: Int, _ type: BlobType, size: UInt64, padding: UInt64, at start: Int
  ) throws(FileError) {
    guard padding < (type.bits < 8 ? 8 : 1), size > 0 || padding == 0 else {
      throw defect(.wrongPadding(index: index, type: type, bits: padding), at: start + 24)
    }
    guard (size * 8 - padding).isMultiple(of: UInt64(type.bits)) else {
      throw defect(.partialValue(index: index, type: type, size: size), at: start + 8)
    }
  }

  /// Zeros up to the next multiple of 64 may follow the last blob, nothing else.
  private func checkTail(from end: Int, blobs: Int) throws(FileError) {
    let tail = bytes.slice(min(end, bytes.count)..<bytes.count)
    let isPadding =
      tail.count < blobAlignment && !end.isMultiple(of: blobAlignment)
      && bytes.count <= (end + blobAlignment - 1) / blobAlignment * blobAlignment
      && tail.array.allSatisfy { $0 == 0 }
    guard tail.count == 0 || isPadding else {
      throw defect(.trailingBytes(count: tail.count, blobs: blobs), at: end)
    }
  }

  private func defect(_ defect: BlobDefect, at offset: Int) -> FileError {
    .blob(defect, path: path, offset: offset)
  }
}
