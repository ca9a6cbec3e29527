import CKernels
import SystemFiles

/// What a product of floats can be made of.
package protocol MatrixOperand {
  /// The values, and where they are.
  var view: FloatView { get }
}

/// A matrix in the values of another: all of it or a part, as it is or transposed; nothing is copied.
package struct FloatView: MatrixOperand {
  fileprivate let values: [Float]
  fileprivate let first: Int
  /// Number of rows.
  package let rows: Int
  /// Values per row.
  package let columns: Int
  // From a value to the one below it, and to the one beside it.
  fileprivate let rowStride: Int
  fileprivate let columnStride: Int

  package var view: FloatView { self }

  /// Columns as rows, `(columns, rows)`, in the same place.
  package var turned: FloatView {
    FloatView(
      values: values, first: first, rows: columns, columns: rows, rowStride: columnStride,
      columnStride: rowStride)
  }
}

extension FloatMatrix: MatrixOperand {
  package var view: FloatView { view(rows: 0..<rows, columns: 0..<columns) }

  /// Columns as rows, `(columns, rows)`, in the same place.
  package var turned: FloatView { view.turned }

  /// A part of the columns of some rows, `(rows.count, columns.count)`.
  package func view(rows: Range<Int>, columns: Range<Int>) -> FloatView {
    precondition(
      (0...self.rows).contains(rows.upperBound) && (0...self.columns).contains(columns.upperBound)
        && rows.lowerBound >= 0 && columns.lowerBound >= 0, "no such part")
    return FloatView(
      values: values, first: rows.lowerBound * self.columns + columns.lowerBound, rows: rows.count,
      columns: columns.count, rowStride: self.columns, columnStride: 1)
  }
}

extension Operations {
  /// factor · a b, shared out over the threads: `(n, k)` by `(k, m)` is `(n, m)`.
  package func product(
    _ a: some MatrixOperand, _ b: some MatrixOperand, times factor: Float = 1
  ) -> FloatMatrix {
    product(a.view, b.view, factor, rounded: nil)
  }

  /// a b, of values that are rounded to BF16 if ``rounds``; sums are floats.
  package func roundedProduct(_ a: FloatMatrix, _ b: some MatrixOperand) -> FloatMatrix {
    product(a.view, b.view, 1, rounded: rounded(a))
  }

  /// a W, or a Wᵀ with `turned`, of values that are rounded to BF16 if ``rounds``; the same as of all values of W.
  package func roundedProduct(
    _ a: FloatMatrix, _ weights: WeightMatrix, turned: Bool = false
  ) -> FloatMatrix {
    product(a.view, weights, turned: turned, rounded: rounded(a))
  }

  /// factor · a W, or a Wᵀ with `turned`; the same as of all values of W.
  package func product(
    _ a: some MatrixOperand, _ weights: WeightMatrix, turned: Bool = false, times factor: Float = 1
  ) -> FloatMatrix {
    product(a.view, weights, turned: turned, factor, rounded: nil)
  }

  private func product(
    _ a: FloatView, _ weights: WeightMatrix, turned: Bool, _ factor: Float = 1, rounded: [UInt16]?
  ) -> FloatMatrix {
    let columns = turned ? weights.rows : weights.columns
    let count = a.rows * columns
    let values = unsafe [Float](unsafeUninitializedCapacity: count) { values, filled in
      if let base = values.baseAddress {
        unsafe multiply(
          a, weights, turned: turned, factor, rounded: rounded, base, stride: columns, adds: false)
      }
      filled = count
    }
    return FloatMatrix(rows: a.rows, columns: columns, values: values)
  }

  /// Adds factor · a W to the rows of `c` from `row` on.
  package func addProduct(
    _ a: some MatrixOperand, _ weights: WeightMatrix, times factor: Float = 1,
    to c: inout FloatMatrix, atRow row: Int = 0
  ) {
    let a = a.view
    precondition(
      row >= 0 && row + a.rows <= c.rows && weights.columns == c.columns, "no such part")
    let stride = c.columns
    unsafe c.values.withUnsafeMutableBufferPointer { values in
      guard let base = values.baseAddress else { return }
      unsafe multiply(
        a, weights, turned: false, factor, rounded: nil, base + row * stride, stride: stride,
        adds: true)
    }
  }

  // The weights become floats a slice at a time, which stays in the cache between where it is made and where it is multiplied.
  @unsafe
  private func multiply(
    _ a: FloatView, _ weights: WeightMatrix, turned: Bool, _ factor: Float, rounded: [UInt16]?,
    _ c: UnsafeMutablePointer<Float>, stride: Int, adds: Bool
  ) {
    let depth = turned ? weights.columns : weights.rows
    let columns = turned ? weights.rows : weights.columns
    precondition(a.columns == depth && depth > 0, "shapes differ")
    let step = max(32, weights.type.blockLength)
    let width = min(max(Self.sliceValues / depth / step, 1) * step, columns)
    // Rows that are whole pages apart would share their places in the cache.
    let apart = turned ? depth + 16 : width
    let slice = UnsafeMutablePointer<Float>.allocate(capacity: (turned ? width : depth) * apart)
    defer { unsafe slice.deallocate() }
    for first in Swift.stride(from: 0, to: a.rows > 0 ? columns : 0, by: width) {
      let part = first..<min(first + width, columns)
      unsafe weights.floats(
        rows: turned ? part : 0..<depth, columns: turned ? 0..<depth : part, to: slice, apart)
      let b = unsafe ck_matrix(at: slice, row: turned ? 1 : apart, column: turned ? apart : 1)
      unsafe multiply(
        a, b, columns: part.count, factor, rounded: rounded, c + first, stride: stride, adds: adds)
    }
  }

  /// Values of a slice, which fill a good part of a core's own cache.
  private static let sliceValues = 3 << 16

  /// The rows of `a` in BF16, of even length; nil where floats are multiplied.
  private func rounded(_ a: FloatMatrix) -> [UInt16]? {
    guard rounds, a.rows > 0 else { return nil }
    // Pairs are multiplied, of which the last one may lack a value.
    let width = a.columns + a.columns % 2
    return unsafe [UInt16](unsafeUninitializedCapacity: a.rows * width) { rounded, count in
      unsafe a.values.withUnsafeBufferPointer { values in
        unsafe ck_round_rows(
          variant.code, a.rows, a.columns, values.baseAddress, a.columns, rounded.baseAddress, width
        )
      }
      count = a.rows * width
    }
  }

  /// Adds factor · a b to the values of `c` whose first row and column are given.
  package func addProduct(
    _ a: some MatrixOperand, _ b: some MatrixOperand, times factor: Float = 1,
    to c: inout FloatMatrix, atRow row: Int = 0, column: Int = 0
  ) {
    let (a, b) = (a.view, b.view)
    precondition(
      row >= 0 && column >= 0 && row + a.rows <= c.rows && column + b.columns <= c.columns,
      "no such part")
    let stride = c.columns
    unsafe c.values.withUnsafeMutableBufferPointer { values in
      guard let base = values.baseAddress else { return }
      let place = unsafe base + row * stride + column
      unsafe multiply(a, b, factor, rounded: nil, place, stride: stride, adds: true)
    }
  }

  private func product(
    _ a: FloatView, _ b: FloatView, _ factor: Float, rounded: [UInt16]?
  ) -> FloatMatrix {
    let count = a.rows * b.columns
    let values = unsafe [Float](unsafeUninitializedCapacity: count) { values, filled in
      if let base = values.baseAddress {
        unsafe multiply(a, b, factor, rounded: rounded, base, stride: b.columns, adds: false)
      }
      filled = count
    }
    return FloatMatrix(rows: a.rows, columns: b.columns, values: values)
  }

  // `c` has room for the rows of `a` and the columns of `b`, `stride` apart; `rounded` has the rows of `a`, in pairs.
  @unsafe
  private func multiply(
    _ a: FloatView, _ b: FloatView, _ factor: Float, rounded: [UInt16]?,
    _ c: UnsafeMutablePointer<Float>, stride: Int, adds: Bool
  ) {
    precondition(a.columns == b.rows, "shapes differ")
    unsafe b.matrix { second in
      unsafe multiply(
        a, second, columns: b.columns, factor, rounded: rounded, c, stride: stride, adds: adds)
    }
  }

  // The same where `b` has as many rows as `a` has columns.
  @unsafe
  private func multiply(
    _ a: FloatView, _ b: ck_matrix, columns: Int, _ factor: Float, rounded: [UInt16]?,
    _ c: UnsafeMutablePointer<Float>, stride: Int, adds: Bool
  ) {
    precondition(a.columns > 0, "a product needs values")
    guard a.rows > 0, columns > 0 else { return }
    unsafe a.matrix { first in
      unsafe (rounded ?? []).withUnsafeBufferPointer { pairs in
        var job = unsafe ck_matmul_job(
          cpu: variant.code, rows: a.rows, depth: a.columns, columns: columns, a: first, b: b,
          c: c, c_stride: stride, factor: factor, accumulate: adds,
          rounded: rounded == nil ? nil : pairs.baseAddress, rounded_row: pairs.count / a.rows)
        let chunks = unsafe ck_matmul_chunks(&job)
        let work = a.rows * a.columns * columns / 40
        unsafe run(ck_matmul_chunk, job, chunks: chunks, work: work)
      }
    }
  }
}

extension FloatView {
  @unsafe
  fileprivate func matrix(_ body: (ck_matrix) -> Void) {
    unsafe values.withUnsafeBufferPointer { values in
      guard let base = values.baseAddress else { return }
      unsafe body(ck_matrix(at: base + first, row: rowStride, column: columnStride))
    }
  }
}

extension WeightMatrix {
  // Writes a part of the values to `target`, rows `stride` apart; its columns fill whole blocks.
  @unsafe
  fileprivate func floats(
    rows: Range<Int>, columns: Range<Int>, to target: UnsafeMutablePointer<Float>, _ stride: Int
  ) {
    unsafe bytes.withUnsafeBytes { bytes in
      let blocks = columns.lowerBound / type.blockLength * type.blockBytes
      guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      unsafe ck_dequantize_part(
        type.rawValue, base + rows.lowerBound * rowBytes + blocks, rowBytes, rows.count,
        columns.count, target, stride)
    }
  }
}
