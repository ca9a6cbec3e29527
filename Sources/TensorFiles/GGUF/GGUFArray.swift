public import SystemFiles

/// An array of metadata values, kept in the encoding of the file so that nothing is converted before it is asked for.
public struct GGUFArray: Sendable {
  /// Type of each element: never `array`, because arrays do not nest.
  public let elementType: GGUFValueType
  /// Number of elements.
  public let count: Int
  /// The elements back to back, little-endian; a string is its length (8 bytes) and its bytes.
  public let bytes: TensorBytes

  init(elementType: GGUFValueType, count: Int, bytes: TensorBytes) {
    self.elementType = elementType
    self.count = count
    self.bytes = bytes
  }

  private init<Element>(
    _ type: GGUFValueType, _ elements: [Element], append: (inout ByteEncoder, Element) -> Void
  ) {
    var encoder = ByteEncoder()
    for element in elements { append(&encoder, element) }
    self.init(elementType: type, count: elements.count, bytes: TensorBytes(encoder.bytes))
  }

  /// An array of strings.
  public init(_ strings: [[UInt8]]) { self.init(.string, strings) { $0.appendString($1) } }

  /// An array of truth values.
  public init(_ values: [Bool]) { self.init(.bool, values) { $0.append($1 ? 1 : 0 as UInt8) } }

  /// An array of 32-bit floats.
  public init(_ values: [Float]) { self.init(.float32, values) { $0.append($1.bitPattern) } }

  /// An array of signed 32-bit integers.
  public init(_ values: [Int32]) { self.init(.int32, values) { $0.append($1) } }

  /// An array of unsigned 32-bit integers.
  public init(_ values: [UInt32]) { self.init(.uint32, values) { $0.append($1) } }

  /// The elements as strings, or nil when they are of another type.
  public var strings: GGUFStrings? {
    elementType == .string ? GGUFStrings(bytes: bytes, count: count) : nil
  }

  /// The element at `index`, or nil when the elements are strings.
  public func scalar(at index: Int) -> GGUFValue? {
    precondition(index >= 0 && index < count, "index outside the array")
    guard let size = elementType.size else { return nil }
    return decodeScalar(elementType, in: bytes, at: index * size)
  }
}

/// Decodes the fixed-size value of `type` at byte `offset`; nil for strings and arrays.
func decodeScalar(_ type: GGUFValueType, in bytes: TensorBytes, at offset: Int) -> GGUFValue? {
  switch type {
  case .uint8: .uint8(loadInteger(bytes, at: offset, as: UInt8.self))
  case .int8: .int8(loadInteger(bytes, at: offset, as: Int8.self))
  case .uint16: .uint16(loadInteger(bytes, at: offset, as: UInt16.self))
  case .int16: .int16(loadInteger(bytes, at: offset, as: Int16.self))
  case .uint32: .uint32(loadInteger(bytes, at: offset, as: UInt32.self))
  case .int32: .int32(loadInteger(bytes, at: offset, as: Int32.self))
  case .float32:
    .float32(Float(bitPattern: loadInteger(bytes, at: offset, as: UInt32.self)))
  case .bool: .bool(loadInteger(bytes, at: offset, as: UInt8.self) != 0)
  case .uint64: .uint64(loadInteger(bytes, at: offset, as: UInt64.self))
  case .int64: .int64(loadInteger(bytes, at: offset, as: Int64.self))
  case .float64:
    .float64(Double(bitPattern: loadInteger(bytes, at: offset, as: UInt64.self)))
  case .string, .array: nil
  }
}

/// An array of strings that stay in the file until they are asked for.
///
/// Making one walks over all lengths once and allocates a single table, however many strings there are.
public struct GGUFStrings: Sendable, RandomAccessCollection {
  private let bytes: TensorBytes
  /// Where each string's bytes start, and at last where the next string's would.
  private let starts: [Int]

  /// Expects `count` checked strings back to back.
  init(bytes: TensorBytes, count: Int) {
    self.bytes = bytes
    starts = bytes.withSpan { span in
      unsafe [Int](unsafeUninitializedCapacity: count + 1) { table, written in
        var offset = 0
        for index in 0..<count {
          // Checked again, as whoever writes to the file may have changed it since.
          precondition(offset >= 0 && offset <= span.byteCount - 8, "the file changed")
          unsafe table[index] = offset + 8
          let length = unsafe span.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
          offset =
            (offset + 8).addingReportingOverflow(
              Int(truncatingIfNeeded: UInt64(littleEndian: length))
            ).partialValue
        }
        unsafe table[count] = offset + 8
        written = count + 1
      }
    }
  }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of strings.
  public var endIndex: Int { starts.count - 1 }

  /// A copy of the bytes of string `index`, which need not be UTF-8.
  public subscript(index: Int) -> [UInt8] {
    view(index).array
  }

  /// The bytes of string `index` in place.
  public func view(_ index: Int) -> TensorBytes {
    precondition(index >= 0 && index < count, "index outside the strings")
    return bytes.slice(starts[index]..<starts[index + 1] - 8)
  }
}
