/// A field of a protocol buffer message.
struct ProtobufField {
  enum Value: Equatable {
    case integer(UInt64)
    case fixed32(UInt32)
    case fixed64(UInt64)
    case bytes(Range<Int>)
  }

  let number: Int
  let value: Value
}

/// Reads the fields of one message in untrusted bytes, front to back, without copying.
///
/// Format: <https://protobuf.dev/programming-guides/encoding/>.
struct ProtobufReader {
  /// Where the bytes stop making sense.
  struct Defect: Error {
    let offset: Int
  }

  private let bytes: [UInt8]
  private var position: Int
  private let end: Int

  /// `range` is the message within `bytes`.
  init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  /// The next field, or nil at the end of the message.
  mutating func next() throws(Defect) -> ProtobufField? {
    guard position < end else { return nil }
    let start = position
    let tag = try varint()
    guard tag >> 3 > 0, let number = Int(exactly: tag >> 3) else { throw Defect(offset: start) }
    switch tag & 7 {
    case 0: return ProtobufField(number: number, value: .integer(try varint()))
    case 1: return ProtobufField(number: number, value: .fixed64(try fixed(8)))
    case 2:
      let count = try varint()
      guard count <= UInt64(end - position) else { throw Defect(offset: start) }
      defer { position += Int(count) }
      return ProtobufField(number: number, value: .bytes(position..<position + Int(count)))
    case 5:
      return ProtobufField(
        number: number, value: .fixed32(UInt32(truncatingIfNeeded: try fixed(4))))
    default: throw Defect(offset: start)
    }
  }

  private mutating func varint() throws(Defect) -> UInt64 {
    let start = position
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard position < end else { throw Defect(offset: start) }
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 127) << UInt64(shift)
      if byte < 128 { return value }
    }
    throw Defect(offset: start)
  }

  private mutating func fixed(_ count: Int) throws(Defect) -> UInt64 {
    guard end - position >= count else { throw Defect(offset: position) }
    var value: UInt64 = 0
    for index in 0..<count { value |= UInt64(bytes[position + index]) << UInt64(8 * index) }
    position += count
    return value
  }
}
