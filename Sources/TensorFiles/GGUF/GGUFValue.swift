public import Kernels

/// A metadata value, with the exact type that it has in the file.
public enum GGUFValue: Sendable {
  case uint8(UInt8)
  case int8(Int8)
  case uint16(UInt16)
  case int16(Int16)
  case uint32(UInt32)
  case int32(Int32)
  case float32(Float)
  case bool(Bool)
  /// Bytes that should be UTF-8, which nothing enforces.
  case string([UInt8])
  case array(GGUFArray)
  case uint64(UInt64)
  case int64(Int64)
  case float64(Double)

  /// The type of the value.
  public var type: GGUFValueType {
    switch self {
    case .uint8: .uint8
    case .int8: .int8
    case .uint16: .uint16
    case .int16: .int16
    case .uint32: .uint32
    case .int32: .int32
    case .float32: .float32
    case .bool: .bool
    case .string: .string
    case .array: .array
    case .uint64: .uint64
    case .int64: .int64
    case .float64: .float64
    }
  }

  /// A string value.
  public static func text(_ text: String) -> GGUFValue { .string(Array(text.utf8)) }
  /// An array of truth values.
  public static func bools(_ values: [Bool]) -> GGUFValue { .array(GGUFArray(values)) }
  /// An array of strings.
  public static func strings(_ strings: [[UInt8]]) -> GGUFValue { .array(GGUFArray(strings)) }
  /// An array of 32-bit floats.
  public static func floats(_ values: [Float]) -> GGUFValue { .array(GGUFArray(values)) }
  /// An array of signed 32-bit integers.
  public static func integers(_ values: [Int32]) -> GGUFValue { .array(GGUFArray(values)) }

  /// The value as an integer, or nil when it is not one or does not fit.
  public var integer: Int? {
    switch self {
    case .uint8(let value): Int(value)
    case .int8(let value): Int(value)
    case .uint16(let value): Int(value)
    case .int16(let value): Int(value)
    case .uint32(let value): Int(value)
    case .int32(let value): Int(value)
    case .uint64(let value): Int(exactly: value)
    case .int64(let value): Int(value)
    case .float32, .float64, .bool, .string, .array: nil
    }
  }

  /// The value as a floating-point number, or nil when it is not a number.
  public var float: Double? {
    switch self {
    case .float32(let value): Double(value)
    case .float64(let value): value
    default: integer.map(Double.init)
    }
  }
}

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

/// The kinds of metadata values, by their numbers in the file.
public enum GGUFValueType: UInt32, CaseIterable, Sendable {
  case uint8 = 0
  case int8 = 1
  case uint16 = 2
  case int16 = 3
  case uint32 = 4
  case int32 = 5
  case float32 = 6
  case bool = 7
  case string = 8
  case array = 9
  case uint64 = 10
  case int64 = 11
  case float64 = 12

  /// Bytes of one value; nil for strings and arrays, whose size varies.
  public var size: Int? {
    switch self {
    case .uint8, .int8, .bool: 1
    case .uint16, .int16: 2
    case .uint32, .int32, .float32: 4
    case .uint64, .int64, .float64: 8
    case .string, .array: nil
    }
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
