public import Kernels

/// A tensor of a safetensors file, in place.
public struct SafetensorsTensor: Sendable {
  /// Name, unique in its file.
  public let name: String
  /// How the values are stored.
  public let type: SafetensorsType
  /// Sizes, the slowest-running first: `[rows, columns]` for a matrix; empty for a single value.
  public let shape: [Int]
  /// First byte of the values in the file.
  public let fileOffset: Int
  /// The values, row after row.
  public let bytes: TensorBytes

  /// Number of values.
  public var count: Int { shape.reduce(1, *) }
}
