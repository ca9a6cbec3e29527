import SystemFiles
import TensorFiles

/// A blob storage file as its raw fields say, read as far as each record leads to the next.
///
/// `BlobFile` stops at the first defect; a check has to name all of them.
struct BlobScan: Sendable {
  /// The fields of one record, unchecked, and its data where that lies inside the file.
  struct Record: Sendable {
    let index: Int
    /// First byte of the record.
    let offset: Int
    let sentinel: UInt32
    let type: UInt32
    let size: UInt64
    let dataOffset: UInt64
    let paddingBits: UInt64
    let reservedIsZero: Bool
    /// The data; nil when `size` leads past the end of the file.
    let data: TensorBytes?
    /// Whether the bytes between the end of the data and the next record are zero.
    let gapIsZero: Bool

    /// First byte after the data.
    var end: Int { offset + BlobScan.alignment + (data?.count ?? 0) }
  }

  /// Why the walk ended before all of the file was explained.
  enum End: Sendable, Equatable {
    /// At the end of the file, or in zeros of less than a record's alignment.
    case file
    /// A record's own fields do not lead to the next one.
    case brokenRecord
    /// Bytes that are no record follow the last one.
    case unexplained(offset: Int, count: Int)
  }

  static let alignment = 64
  static let sentinel: UInt32 = 0xDEAD_BEEF

  let fileSize: Int
  /// Number of blobs that the header states; nil when the file ends inside the header.
  let statedCount: UInt32?
  let version: UInt32?
  let reservedIsZero: Bool
  let records: [Record]
  let end: End

  init(_ bytes: TensorBytes) {
    fileSize = bytes.count
    guard bytes.count >= Self.alignment else {
      (statedCount, version, reservedIsZero, records, end) = (nil, nil, true, [], .file)
      return
    }
    let version = loadInteger(bytes, at: 4, as: UInt32.self)
    self.version = version
    statedCount = loadInteger(bytes, at: 0, as: UInt32.self)
    reservedIsZero = Self.isZero(bytes, 8..<Self.alignment)
    (records, end) = version == 2 ? Self.walk(bytes) : ([], .brokenRecord)
  }

  private static func walk(_ bytes: TensorBytes) -> ([Record], End) {
    var records: [Record] = []
    var position = alignment
    while bytes.count - position >= alignment {
      let record = record(records.count, at: position, in: bytes)
      if record.sentinel != sentinel, record.dataOffset != UInt64(position + alignment) {
        // Nothing here says "record". The header's count decides whether one should be here.
        let stated = Int(loadInteger(bytes, at: 0, as: UInt32.self))
        guard records.count < stated else {
          return (records, .unexplained(offset: position, count: bytes.count - position))
        }
        return (records + [record], .brokenRecord)
      }
      records.append(record)
      // The system maps pages on both sides of each record with it; nothing looks at them for a while.
      bytes.slice(max(0, record.offset - (128 << 10))..<min(record.end, bytes.count))
        .giveBackPages()
      guard record.data != nil, let next = roundUp(record.end, to: alignment) else {
        return (records, .brokenRecord)
      }
      position = next
    }
    let last = records.last?.end ?? alignment
    let rest = min(position, bytes.count)..<bytes.count
    let padding = bytes.count - last
    guard rest.isEmpty, padding == 0 || padding < alignment, records.last?.gapIsZero ?? true else {
      return (records, .unexplained(offset: last, count: padding))
    }
    return (records, .file)
  }

  private static func record(_ index: Int, at offset: Int, in bytes: TensorBytes) -> Record {
    let size = loadInteger(bytes, at: offset + 8, as: UInt64.self)
    let start = offset + alignment
    let fits = size <= UInt64(bytes.count - start)
    let end = fits ? start + Int(size) : bytes.count
    let gapEnd = min(roundUp(end, to: alignment) ?? bytes.count, bytes.count)
    return Record(
      index: index, offset: offset,
      sentinel: loadInteger(bytes, at: offset, as: UInt32.self),
      type: loadInteger(bytes, at: offset + 4, as: UInt32.self),
      size: size,
      dataOffset: loadInteger(bytes, at: offset + 16, as: UInt64.self),
      paddingBits: loadInteger(bytes, at: offset + 24, as: UInt64.self),
      reservedIsZero: isZero(bytes, offset + 32..<offset + alignment),
      data: fits ? bytes.slice(start..<end) : nil,
      gapIsZero: isZero(bytes, end..<gapEnd))
  }

  private static func isZero(_ bytes: TensorBytes, _ range: Range<Int>) -> Bool {
    range.allSatisfy { loadInteger(bytes, at: $0, as: UInt8.self) == 0 }
  }
}
