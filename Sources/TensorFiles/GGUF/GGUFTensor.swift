public import Kernels

/// A tensor of a GGUF file, in place.
public struct GGUFTensor: Sendable {
  /// Name, unique in its file.
  public let name: String
  /// How the values are stored.
  public let type: TensorType
  /// One to four sizes, the fastest-running first: `[columns, rows]` for a matrix.
  public let dimensions: [Int]
  /// First byte of the values in the file.
  public let fileOffset: Int
  /// The values, row after row.
  public let bytes: TensorBytes

  /// Values per row.
  public var columns: Int { dimensions[0] }
  /// Number of rows: the product of all dimensions but the first.
  public var rows: Int { dimensions.dropFirst().reduce(1, *) }
  /// Number of values.
  public var count: Int { rows * columns }
}
