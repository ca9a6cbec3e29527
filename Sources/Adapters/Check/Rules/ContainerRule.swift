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
          "The file has \(scan.fileSize) bytes; its header alone has 64.",
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
        "The header states \(stated) blobs, the file holds \(scan.records.count).",
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
        "\(count) bytes after the last blob belong to nothing.",
        remedy: "Copy or export the file again.")
    ]
  }
}
