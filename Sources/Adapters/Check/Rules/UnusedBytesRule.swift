import TensorFiles

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
          + "in \(odd.count) of \(scan.records.count) blobs.",
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
          + "in \(odd.count) of \(scan.records.count) places.",
        remedy: "Export the file again if its origin is in doubt; nothing reads them.")
    ]
  }
}
