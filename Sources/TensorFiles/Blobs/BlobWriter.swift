public import SystemFiles

/// Writes MIL blob storage of version 2, byte for byte as coremltools does.
public struct BlobWriter: Sendable {
  private struct Item: Sendable {
    let type: BlobType
    let bytes: TensorBytes
    let paddingBits: Int
  }

  private var items: [Item] = []
  /// Where the record of the next blob will stand.
  private var nextOffset = blobAlignment

  /// Starts a file without blobs.
  public init() {}

  /// Adds a blob; `paddingBits` unused high bits end its last byte, which only types below 8 bits may have.
  ///
  /// - Returns: the byte at which its record will stand, as MIL programs name it.
  @discardableResult
  public mutating func append(
    _ type: BlobType, _ bytes: TensorBytes, paddingBits: Int = 0
  ) -> Int {
    precondition(0..<(type.bits < 8 ? 8 : 1) ~= paddingBits, "padding outside the last byte")
    precondition(
      (bytes.count * 8 - paddingBits).isMultiple(of: type.bits), "not a whole number of values")
    let offset = nextOffset
    items.append(Item(type: type, bytes: bytes, paddingBits: paddingBits))
    nextOffset =
      (offset + blobAlignment + bytes.count + blobAlignment - 1) / blobAlignment * blobAlignment
    return offset
  }

  /// Writes the file at once.
  ///
  /// - Throws: `FileError.system`.
  public func write(to path: String) throws(FileError) {
    var file = try AtomicFile(path: path)
    try file.write(header)
    for item in items {
      try file.pad(to: blobAlignment)
      try file.write(record(item, at: file.count))
      try file.write(item.bytes)
    }
    try file.commit()
  }

  /// The whole file in memory.
  public func encoded() -> [UInt8] {
    var encoder = ByteEncoder()
    encoder.append(raw: header)
    for item in items {
      encoder.pad(to: blobAlignment)
      encoder.append(raw: record(item, at: encoder.bytes.count))
      encoder.append(raw: item.bytes.array)
    }
    return encoder.bytes
  }

  private var header: [UInt8] {
    var encoder = ByteEncoder()
    encoder.append(UInt32(items.count))
    encoder.append(UInt32(2))
    encoder.pad(to: blobAlignment)
    return encoder.bytes
  }

  private func record(_ item: Item, at offset: Int) -> [UInt8] {
    var encoder = ByteEncoder()
    encoder.append(UInt32(0xDEAD_BEEF))
    encoder.append(item.type.rawValue)
    encoder.append(UInt64(item.bytes.count))
    encoder.append(UInt64(offset + blobAlignment))
    encoder.append(UInt64(item.paddingBits))
    encoder.pad(to: blobAlignment)
    return encoder.bytes
  }
}
