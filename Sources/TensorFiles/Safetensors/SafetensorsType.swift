public import Kernels

/// The kinds of data that a safetensors file can hold, by their names in its header.
public enum SafetensorsType: String, CaseIterable, Sendable {
  case bool = "BOOL"
  case uint8 = "U8"
  case int8 = "I8"
  case float8E5M2 = "F8_E5M2"
  case float8E4M3 = "F8_E4M3"
  case int16 = "I16"
  case uint16 = "U16"
  case float16 = "F16"
  case bfloat16 = "BF16"
  case int32 = "I32"
  case uint32 = "U32"
  case float32 = "F32"
  case float64 = "F64"
  case int64 = "I64"
  case uint64 = "U64"

  /// Bytes per value.
  public var size: Int {
    switch self {
    case .bool, .uint8, .int8, .float8E5M2, .float8E4M3: 1
    case .int16, .uint16, .float16, .bfloat16: 2
    case .int32, .uint32, .float32: 4
    case .float64, .int64, .uint64: 8
    }
  }

  /// The same layout as a tensor type that can be computed with, or nil.
  public var tensorType: TensorType? {
    switch self {
    case .float32: .f32
    case .float16: .f16
    case .bfloat16: .bf16
    default: nil
    }
  }
}
