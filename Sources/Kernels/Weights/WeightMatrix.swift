import CKernels
public import SystemFiles

/// A view of stored weights, `(rows, columns)`: `rows` outputs of `columns` inputs each.
public struct WeightMatrix: Sendable {
  /// How the weights are stored.
  public let type: TensorType
  /// Number of outputs.
  public let rows: Int
  /// Number of inputs.
  public let columns: Int
  /// The rows, one after the other.
  public let bytes: TensorBytes
  /// The same weights as kernels prefer them; nil for types that have no such form.
  let tiles: WeightTiles?
  /// Whether `bytes` are halves, to be rounded to `type` when tiles are made.
  package let isRounded: Bool

  /// Wraps `bytes`; traps unless they are exactly `rows` rows of `columns` values of `type`.
  public init(type: TensorType, rows: Int, columns: Int, bytes: TensorBytes) {
    let rowBytes = type.rowBytes(columns: columns)
    precondition(rowBytes.map { bytes.count == $0 * rows } ?? false, "bytes of another shape")
    (self.type, self.rows, self.columns, self.bytes) = (type, rows, columns, bytes)
    tiles = WeightMatrix.hasTiles(type) ? WeightTiles() : nil
    isRounded = false
  }

  private init(rounding halves: WeightMatrix) {
    (rows, columns, bytes) = (halves.rows, halves.columns, halves.bytes)
    type = .q8_0
    tiles = WeightTiles()
    isRounded = true
  }

  private init(tiling halves: WeightMatrix) {
    (type, rows, columns) = (halves.type, halves.rows, halves.columns)
    bytes = halves.bytes
    tiles = WeightTiles()
    isRounded = false
  }

  /// Halves in tiles where their rows are short, which are quicker to multiply so; else as they are.
  package var tiledIfShort: WeightMatrix {
    precondition(type == .f16, "only halves of short rows have tiles")
    return columns <= Int(CK_FEW_COLUMNS) ? WeightMatrix(tiling: self) : self
  }

  /// Halves as products multiply them in 8 bits, ``factor`` times their values; as they are where their columns fill no
  /// blocks.
  ///
  /// Rounded when they are first multiplied, once for this value and its copies.
  package var rounded: WeightMatrix {
    precondition(type == .f16, "only halves are rounded")
    return WeightMatrix.canRound(columns: columns) ? WeightMatrix(rounding: self) : self
  }

  /// Whether rows of `columns` halves have a rounded form.
  package static func canRound(columns: Int) -> Bool {
    columns.isMultiple(of: TensorType.q8_0.blockLength)
  }

  /// How many times its value a weight counts in products; a power of two.
  package var factor: Float { isRounded ? Float(CK_ROUNDING_FACTOR) : 1 }

  /// The rows `range` alone.
  public func slice(rows range: Range<Int>) -> WeightMatrix {
    precondition(!isRounded, "rounded weights have no rows")
    return WeightMatrix(
      type: type, rows: range.count, columns: columns,
      bytes: bytes.slice(range.lowerBound * rowBytes..<range.upperBound * rowBytes))
  }

  /// Whether there are kernels for tiles of `type`.
  static func hasTiles(_ type: TensorType) -> Bool { ck_has_tiles(type.rawValue) }

  var rowBytes: Int { columns / type.blockLength * type.blockBytes }

  /// Where the rows begin; valid while these weights are kept.
  var base: UnsafePointer<UInt8>? {
    unsafe bytes.withUnsafeBytes { unsafe $0.baseAddress?.assumingMemoryBound(to: UInt8.self) }
  }

  /// The values of row `row` as floats.
  package func floats(row: Int) -> [Float] {
    precondition((0..<rows).contains(row) && !isRounded)
    let which = [Int32(row)]
    return unsafe [Float](unsafeUninitializedCapacity: columns) { values, count in
      unsafe which.withUnsafeBufferPointer { which in
        var job = unsafe ck_gather_job(
          type: type.rawValue, columns: columns, weights: base, row_bytes: rowBytes,
          tile_rows: 0, rows: which.baseAddress, y: values.baseAddress, y_stride: columns)
        unsafe ck_gather_chunk(&job, 0)
      }
      count = columns
    }
  }
}

/// A vector of floats that kernels read, such as the weight of a norm.
///
/// A copy: some systems map two megabytes of a file to read four kilobytes of it.
public struct FloatVector: Sendable {
  /// Number of values.
  public let count: Int
  private let bytes: TensorBytes

  /// Wraps a matrix of one row.
  public init(_ weights: WeightMatrix) {
    precondition(weights.rows == 1, "a vector has one row")
    count = weights.columns
    bytes = FloatVector.copy(weights.floats(row: 0))
  }

  /// Copies `values`.
  public init(_ values: [Float]) {
    count = values.count
    bytes = FloatVector.copy(values)
  }

  /// The values.
  package var values: [Float] {
    bytes.withSpan { span in
      (0..<count).map { unsafe span.unsafeLoadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
    }
  }

  private static func copy(_ values: [Float]) -> TensorBytes {
    unsafe values.withUnsafeBytes { unsafe TensorBytes(Array($0)) }
  }

  /// Where the values begin; valid while this vector is kept.
  var base: UnsafePointer<Float>? {
    unsafe bytes.withUnsafeBytes { unsafe $0.baseAddress?.assumingMemoryBound(to: Float.self) }
  }
}
