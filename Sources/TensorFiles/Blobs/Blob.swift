public import Kernels

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
