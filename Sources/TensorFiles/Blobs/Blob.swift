public import SystemFiles

/// One run of values in a MIL blob storage file, in place.
public struct Blob: Sendable {
  /// Position among the blobs of the file, from 0.
  public let index: Int
  /// What the values are.
  public let type: BlobType
  /// First byte of the 64-byte record that describes the blob: what a MIL program refers to.
  public let metadataOffset: Int
  /// First byte of the values.
  public let dataOffset: Int
  /// Unused high bits of the last byte, 0 to 7; always 0 for types of whole bytes.
  public let paddingBits: Int
  /// The values.
  public let bytes: TensorBytes

  /// Bytes of the values.
  public var size: Int { bytes.count }
  /// Number of values.
  public var count: Int { (bytes.count * 8 - paddingBits) / type.bits }
}

/// The kinds of data that a MIL blob can hold, by their numbers in the file.
public enum BlobType: UInt32, CaseIterable, Sendable {
  case float16 = 1
  case float32 = 2
  case uint8 = 3
  case int8 = 4
  case bfloat16 = 5
  case int16 = 6
  case uint16 = 7
  case int4 = 8
  case uint1 = 9
  case uint2 = 10
  case uint4 = 11
  case uint3 = 12
  case uint6 = 13
  case int32 = 14
  case uint32 = 15
  case float8E4M3FN = 16
  case float8E5M2 = 17

  /// Bits per value; below 8, values are packed from the lowest bit of each byte upwards.
  public var bits: Int {
    switch self {
    case .uint1: 1
    case .uint2: 2
    case .uint3: 3
    case .int4, .uint4: 4
    case .uint6: 6
    case .uint8, .int8, .float8E4M3FN, .float8E5M2: 8
    case .float16, .bfloat16, .int16, .uint16: 16
    case .float32, .int32, .uint32: 32
    }
  }
}
