package import SystemFiles

/// Floats in rows, `(rows, columns)`, as training computes with them.
package struct FloatMatrix: Sendable, Equatable {
  /// Number of rows.
  package private(set) var rows: Int
  /// Values per row.
  package private(set) var columns: Int
  /// The rows, one after the other.
  package var values: [Float]

  /// Zeros.
  package init(rows: Int, columns: Int) {
    (self.rows, self.columns) = (rows, columns)
    values = [Float](repeating: 0, count: rows * columns)
  }

  /// Rows of `values`; traps when these are more or fewer.
  package init(rows: Int, columns: Int, values: [Float]) {
    precondition(values.count == rows * columns, "values of another shape")
    (self.rows, self.columns, self.values) = (rows, columns, values)
  }

  /// The values of stored weights.
  package init(_ weights: WeightMatrix) {
    self.init(
      rows: weights.rows, columns: weights.columns,
      values: dequantize(weights.type, bytes: weights.bytes))
  }

  /// The values as files store them, low bytes first.
  package var bytes: TensorBytes {
    unsafe values.withUnsafeBytes { unsafe TensorBytes(Array($0)) }
  }

  /// The same values in rows of another length.
  package func reshaped(columns: Int) -> FloatMatrix {
    FloatMatrix(rows: values.count / columns, columns: columns, values: values)
  }

  /// The indices of a row in `values`.
  package func range(_ row: Int) -> Range<Int> { row * columns..<(row + 1) * columns }
}

extension WeightMatrix {
  /// A copy of `values`, in full precision.
  package init(_ values: FloatMatrix) {
    self.init(type: .f32, rows: values.rows, columns: values.columns, bytes: values.bytes)
  }
}

extension FloatMatrix {
  /// Columns as rows, `(columns, rows)`.
  package func transposed() -> FloatMatrix {
    // Square pieces, so that what is read and what is written stay in the cache.
    let piece = 16
    let result = unsafe [Float](unsafeUninitializedCapacity: values.count) { target, count in
      unsafe values.withUnsafeBufferPointer { source in
        for row in stride(from: 0, to: rows, by: piece) {
          for column in stride(from: 0, to: columns, by: piece) {
            for r in row..<min(row + piece, rows) {
              for c in column..<min(column + piece, columns) {
                unsafe target.initializeElement(at: c * rows + r, to: source[r * columns + c])
              }
            }
          }
        }
      }
      count = values.count
    }
    return FloatMatrix(rows: columns, columns: rows, values: result)
  }

  /// A part of the columns of some rows, `(rows.count, columns.count)`.
  package func part(rows: Range<Int>, columns: Range<Int>) -> FloatMatrix {
    precondition(rows.upperBound <= self.rows && columns.upperBound <= self.columns, "no such part")
    var part: [Float] = []
    part.reserveCapacity(rows.count * columns.count)
    for row in rows {
      part +=
        values[row * self.columns + columns.lowerBound..<row * self.columns + columns.upperBound]
    }
    return FloatMatrix(rows: rows.count, columns: columns.count, values: part)
  }

  /// The rows at `places`, in that order.
  package func rows(_ places: [Int]) -> FloatMatrix {
    var values: [Float] = []
    values.reserveCapacity(places.count * columns)
    for place in places { values += self.values[range(place)] }
    return FloatMatrix(rows: places.count, columns: columns, values: values)
  }

  /// Adds `other` to the values whose first row and column are given.
  package mutating func add(_ other: FloatMatrix, atRow row: Int, column: Int) {
    precondition(row + other.rows <= rows && column + other.columns <= columns, "no such part")
    let width = columns
    var target = values.mutableSpan
    let source = other.values.span
    for r in 0..<other.rows {
      let (to, from) = ((row + r) * width + column, r * other.columns)
      for c in 0..<other.columns { target[to + c] += source[from + c] }
    }
  }

  /// Adds `other`, of the same shape, times `factor`.
  package mutating func add(_ other: FloatMatrix, times factor: Float = 1) {
    precondition(other.values.count == values.count, "another shape")
    var target = values.mutableSpan
    let source = other.values.span
    for index in target.indices { target[index] += factor * source[index] }
  }

  /// Multiplies all values.
  package mutating func multiply(by factor: Float) {
    guard factor != 1 else { return }
    var target = values.mutableSpan
    for index in target.indices { target[index] *= factor }
  }
}
