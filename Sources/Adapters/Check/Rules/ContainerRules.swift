import SystemFiles
import TensorFiles

/// A blob storage file has a sound header, and its records account for every byte.
enum ContainerRule {
  static func findings(in scan: BlobScan, file: String) -> [Finding] {
    guard scan.fileSize > 0 else {
      return [
        Finding(
          "container.empty", at: .init(file, offset: 0), "The file is empty.",
          remedy: "Copy or export the file again.")
      ]
    }
    guard let version = scan.version else {
      return [
        Finding(
          "container.header", at: .init(file, offset: 0),
          "The file has \(Figures.bytes(scan.fileSize)); its header alone has 64.",
          remedy: "Copy or export the file again.")
      ]
    }
    guard version == 2 else { return [self.version(version, file)] }
    return UnusedBytesRule.findings(in: scan, file: file)
      + scan.records.flatMap { RecordRule.findings(in: $0, of: scan, file: file) }
      + count(scan, file) + tail(scan, file)
  }

  private static func version(_ version: UInt32, _ file: String) -> Finding {
    Finding(
      "container.version", at: .init(file, offset: 4),
      version == 1
        ? "The file is blob storage version 1, of which the records are different."
        : "The version is \(version), not 2: this is no MIL blob storage.",
      remedy: "Export the adapter again; raw arrays and other formats are not read.")
  }

  private static func count(_ scan: BlobScan, _ file: String) -> [Finding] {
    guard scan.end != .brokenRecord, let stated = scan.statedCount,
      Int(stated) != scan.records.count
    else { return [] }
    return [
      Finding(
        "container.count", at: .init(file, offset: 0),
        "The header states \(Figures.grouped(stated)) blobs, the file holds \(Figures.grouped(scan.records.count)).",
        remedy: stated > UInt32(clamping: scan.records.count)
          ? "Copy the file again: its end is missing, or its header is damaged."
          : "Export the file again: it was extended without its header.")
    ]
  }

  private static func tail(_ scan: BlobScan, _ file: String) -> [Finding] {
    guard case .unexplained(let offset, let count) = scan.end else { return [] }
    return [
      Finding(
        "container.tail", at: .init(file, offset: offset),
        "The file goes on for \(Figures.bytes(count)) after the last blob.",
        remedy: "Copy or export the file again.")
    ]
  }
}

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
      "Blob \(record.index) starts with 0x\(Figures.hex(record.sentinel, 8, uppercase: true)), not 0xDEADBEEF.",
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
        "Blob \(record.index) has \(Figures.bytes(record.size)) where \(Figures.grouped(left)) are left.",
        remedy: "Copy the file again: its end is missing, or the record is damaged.")
    }
    guard let type = BlobType(rawValue: record.type),
      record.paddingBits < paddingLimit(type), record.size * 8 >= record.paddingBits,
      !(record.size * 8 - record.paddingBits).isMultiple(of: UInt64(type.bits))
    else { return nil }
    return Finding(
      "container.values", at: place,
      "Blob \(record.index) has \(Figures.bytes(record.size)), which is no whole number of \(type) values.",
      remedy: "Export the file again.")
  }

  private static func position(_ record: BlobScan.Record, _ file: String) -> Finding? {
    let expected = record.offset + BlobScan.alignment
    guard record.dataOffset != UInt64(expected) else { return nil }
    let aligned = record.dataOffset.isMultiple(of: UInt64(BlobScan.alignment))
    return Finding(
      "container.offset", at: .init(file, offset: record.offset + 16),
      "Blob \(record.index) states that its data starts at byte \(Figures.grouped(record.dataOffset)), "
        + (aligned ? "" : "which is no multiple of 64, ") + "not at \(Figures.grouped(expected)).",
      remedy: "Export the file again: data follows its record at once.")
  }

  private static func padding(_ record: BlobScan.Record, _ file: String) -> Finding? {
    guard let type = BlobType(rawValue: record.type),
      record.paddingBits >= paddingLimit(type)
    else { return nil }
    return Finding(
      "container.padding", at: .init(file, offset: record.offset + 24),
      "Blob \(record.index) of \(type) values states \(Figures.grouped(record.paddingBits)) bits of padding.",
      remedy: "Export the file again: only types below 8 bits have padding, at most 7 bits.")
  }

  /// Only values that share bytes can leave bits of the last one unused.
  private static func paddingLimit(_ type: BlobType) -> UInt64 { type.bits < 8 ? 8 : 1 }
}

/// Bytes that nothing reads are zero, in the header, in the records, and between data and the next record.
enum UnusedBytesRule {
  static func findings(in scan: BlobScan, file: String) -> [Finding] {
    header(scan, file) + records(scan, file) + gaps(scan, file)
  }

  private static func header(_ scan: BlobScan, _ file: String) -> [Finding] {
    guard !scan.reservedIsZero else { return [] }
    return [
      Finding(
        "container.reserved", .warning, at: .init(file, offset: 8),
        "The reserved bytes of the header are not zero.",
        remedy: "Export the file again if anything else is odd; nothing reads them.")
    ]
  }

  // Old writers leave chance values in every record, so one finding speaks for all of them.
  private static func records(_ scan: BlobScan, _ file: String) -> [Finding] {
    let odd = scan.records.filter { !$0.reservedIsZero }
    guard let first = odd.first else { return [] }
    return [
      Finding(
        "container.reserved", .warning, at: .init(file, offset: first.offset + 32),
        "The reserved bytes of blob \(first.index) are not zero, "
          + "in \(Figures.grouped(odd.count)) of \(Figures.grouped(scan.records.count)) blobs.",
        remedy: "Nothing reads them; files of old writers hold chance values there.")
    ]
  }

  private static func gaps(_ scan: BlobScan, _ file: String) -> [Finding] {
    // After the last blob the same bytes are a tail, which is an error of its own.
    let odd = scan.records.dropLast().filter { $0.data != nil && !$0.gapIsZero }
    guard let first = odd.first else { return [] }
    return [
      Finding(
        "container.gap", .warning, at: .init(file, offset: first.end),
        "The bytes between blob \(first.index) and the next record are not zero, "
          + "in \(Figures.grouped(odd.count)) of \(Figures.grouped(scan.records.count)) places.",
        remedy: "Export the file again if its origin is in doubt; nothing reads them.")
    ]
  }
}
