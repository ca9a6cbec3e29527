import SystemFiles

@testable import Interchange

/// A zip archive of entries that are stored as they are given.
struct Archive {
  var entries: [(name: String, content: [UInt8])]
  var method: UInt16 = 0
  /// What the entries stand for, where they are compressed.
  var content: [UInt8]?
  var flags: UInt16 = 0
  /// Added to what the directory says of the last entry.
  var checksumError: UInt32 = 0
  var placeError: UInt32 = 0
  var sizeError: UInt32 = 0
  var bothSizesError: UInt32 = 0

  var bytes: [UInt8] {
    var (body, directory): ([UInt8], [UInt8]) = ([], [])
    for (index, (name, content)) in entries.enumerated() {
      let isLast = index == entries.count - 1
      let start = UInt32(body.count)
      let size = UInt32(content.count) &+ (isLast ? bothSizesError : 0)
      let fields =
        little(method) + little(UInt32(0))
        + little(Checksum.of(TensorBytes(self.content ?? content)) &+ (isLast ? checksumError : 0))
        + little(size)
        + little((self.content.map { UInt32($0.count) } ?? size) &+ (isLast ? sizeError : 0))
        + little(UInt16(name.utf8.count)) + little(UInt16(0))
      body += little(UInt32(0x0403_4B50)) + little(UInt16(20)) + little(flags) + fields
      body += Array(name.utf8) + content
      directory += little(UInt32(0x0201_4B50)) + little(UInt16(20)) + little(UInt16(20))
      directory += little(flags) + fields + little(UInt16(0)) + little(UInt16(0))
      directory += little(UInt16(0)) + little(UInt32(0))
      directory += little(start &+ (isLast ? placeError : 0)) + Array(name.utf8)
    }
    let end =
      little(UInt32(0x0605_4B50)) + little(UInt32(0)) + little(UInt16(entries.count))
      + little(UInt16(entries.count)) + little(UInt32(directory.count))
      + little(UInt32(body.count)) + little(UInt16(0))
    return body + directory + end
  }

  private func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    stride(from: 0, to: T.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: value >> T($0)) }
  }
}
