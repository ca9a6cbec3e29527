public import SystemFiles

/// The ways in which a MIL blob storage file can be wrong.
public enum BlobDefect: Error, Equatable, Sendable {
  case versionOne
  case unknownVersion(UInt32)
  case wrongSentinel(index: Int, value: UInt32)
  case unknownType(index: Int, number: UInt32)
  case displacedData(index: Int, offset: UInt64, expected: Int)
  case outsideFile(index: Int, size: UInt64, left: Int)
  case partialValue(index: Int, type: BlobType, size: UInt64)
  case wrongPadding(index: Int, type: BlobType, bits: UInt64)
  case trailingBytes(count: Int, blobs: Int)
}

extension BlobDefect: FormatDefect {
  /// What is wrong, without the file and the place, and what to do about it.
  public var text: ErrorText {
    switch self {
    case .versionOne:
      "blob storage version 1 is no longer read, only version 2"
        + "\(remedy: "export the file again with coremltools 5 or later")"
    case .unknownVersion(let version):
      "this is not a blob storage file of version 2: its version field is \(version)"
        + "\(remedy: "export the file again")"
    case .wrongSentinel(let index, let value):
      "blob \(index) starts with \(Figures.hex(value, 8)) instead of deadbeef"
        + "\(remedy: "export the file again")"
    case .unknownType(let index, let number):
      "blob \(index) has the unknown data type \(number)\(remedy: "update this program")"
    case .displacedData(let index, let offset, let expected):
      "blob \(index) says that its data starts at byte \(Figures.grouped(offset)) instead of "
        + "\(Figures.grouped(expected))\(remedy: "export the file again")"
    case .outsideFile(let index, let size, let left):
      "blob \(index) has \(Figures.bytes(size)) where \(Figures.grouped(left)) are left"
        + "\(remedy: "copy or download the file again")"
    case .partialValue(let index, let type, let size):
      "blob \(index) has \(Figures.bytes(size)), which is not a whole number of \(type) values"
        + "\(remedy: "export the file again")"
    case .wrongPadding(let index, let type, let bits):
      "blob \(index) of \(type) values claims \(Figures.grouped(bits)) unused bits"
        + "\(remedy: "export the file again")"
    case .trailingBytes(let count, let blobs):
      "the file goes on for \(Figures.bytes(count)) after the last of "
        + "\(Figures.count(blobs, "blob"))\(remedy: "export the file again")"
    }
  }
}

extension FileError {
  /// A MIL blob storage file breaks a rule of its format at byte `offset`.
  package static func blob(_ defect: BlobDefect, path: String, offset: Int) -> FileError {
    .malformed(Malformation(defect), path: path, offset: offset)
  }
}
