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
  /// An array of unsigned 32-bit integers.
  public static func unsignedIntegers(_ values: [UInt32]) -> GGUFValue { .array(GGUFArray(values)) }

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
