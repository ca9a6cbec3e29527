import TensorFiles

/// A record of a blob storage file describes data that is where it says.
enum RecordRule {
  static func findings(
    in record: BlobScan.Record, of scan: BlobScan, file: String
  ) -> [Finding] {
    [
      sentinel(record, file), type(record, file), size(record, scan, file),
      position(record, file), padding(record, file),
    ].compactMap { $0 }
  }

  private static func sentinel(_ record: BlobScan.Record, _ file: String) -> Finding? {
    guard record.sentinel != BlobScan.sentinel else { return nil }
    return Finding(
      "container.sentinel", at: .init(file, offset: record.offset),
      "Blob \(record.index) starts with 0x\(hex(record.sentinel)), not 0xDEADBEEF.",
      remedy: "Copy or export the file again.")
  }

  private static func type(_ record: BlobScan.Record, _ file: String) -> Finding? {
    guard BlobType(rawValue: record.type) == nil else { return nil }
    return Finding(
      "container.type", at: .init(file, offset: record.offset + 4),
      "Blob \(record.index) has the unknown data type \(record.type).",
      remedy: "Export the file again.")
  }

  private static func size(
    _ record: BlobScan.Record, _ scan: BlobScan, _ file: String
  ) -> Finding? {
    let place = Finding.Place(file, offset: record.offset + 8)
    guard record.data != nil else {
      let left = scan.fileSize - record.offset - BlobScan.alignment
      return Finding(
        "container.size", at: place,
        "Blob \(record.index) has \(record.size) bytes where \(left) are left.",
        remedy: "Copy the file again: its end is missing, or the record is damaged.")
    }
    guard let type = BlobType(rawValue: record.type),
      record.paddingBits < paddingLimit(type), record.size * 8 >= record.paddingBits,
      !(record.size * 8 - record.paddingBits).isMultiple(of: UInt64(type.bits))
    else { return nil }
    return Finding(
      "container.values", at: place,
      "Blob \(record.index) has \(record.size) bytes, which is no whole number of \(type) values.",
      remedy: "Export the file again.")
  }

  private static func position(_ record: BlobScan.Record, _ file: String) -> Finding? {
    let expected = record.offset + BlobScan.alignment
    guard record.dataOffset != UInt64(expected) else { return nil }
    let aligned = record.dataOffset.isMultiple(of: UInt64(BlobScan.alignment))
    return Finding(
      "container.offset", at: .init(file, offset: record.offset + 16),
      "Blob \(record.index) states that its data starts at byte \(record.dataOffset), "
        + (aligned ? "" : "which is no multiple of 64, ") + "not at \(expected).",
      remedy: "Export the file again: data follows its record at once.")
  }

  private static func padding(_ record: BlobScan.Record, _ file: String) -> Finding? {
    guard let type = BlobType(rawValue: record.type),
      record.paddingBits >= paddingLimit(type)
    else { return nil }
    return Finding(
      "container.padding", at: .init(file, offset: record.offset + 24),
      "Blob \(record.index) of \(type) values states \(record.paddingBits) bits of padding.",
      remedy: "Export the file again: only types below 8 bits have padding, at most 7 bits.")
  }

  /// Only values that share bytes can leave bits of the last one unused.
  private static func paddingLimit(_ type: BlobType) -> UInt64 { type.bits < 8 ? 8 : 1 }

  private static func hex(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
