import CKernels

extension Operations {
  /// x wᵀ, shared out over the threads: `(n, k)` by `(m, k)` is `(n, m)`.
  package func product(_ x: FloatMatrix, _ w: FloatMatrix) -> FloatMatrix {
    var y = FloatMatrix(rows: x.rows, columns: w.rows)
    add(x, w, to: &y, accumulates: false)
    return y
  }

  /// y += x wᵀ.
  package func addProduct(_ x: FloatMatrix, _ w: FloatMatrix, to y: inout FloatMatrix) {
    add(x, w, to: &y, accumulates: true)
  }

  private func add(
    _ x: FloatMatrix, _ w: FloatMatrix, to y: inout FloatMatrix, accumulates: Bool
  ) {
    precondition(x.columns == w.columns && y.rows == x.rows && y.columns == w.rows, "shapes differ")
    precondition(x.columns > 0, "a product needs values")
    guard x.rows > 0, w.rows > 0 else { return }
    let (batch, rows, columns) = (x.rows, w.rows, x.columns)
    unsafe x.values.withUnsafeBytes { x in
      unsafe w.values.withUnsafeBytes { w in
        unsafe y.values.withUnsafeMutableBufferPointer { y in
          let product = unsafe ck_product(
            type: TensorType.f32.rawValue, rows: rows, columns: columns,
            weights: w.baseAddress?.assumingMemoryBound(to: UInt8.self), row_bytes: columns * 4,
            tiled: false, x: x.baseAddress?.assumingMemoryBound(to: UInt8.self),
            x_bytes: columns * 4, bias: nil, additions: nil, addition_count: 0, y: y.baseAddress,
            y_stride: rows, accumulate: accumulates, rounded: nil, rounded_bytes: 0, done: nil,
            first_row: 0,
            end_row: batch)
          unsafe run(product, batch: batch)
        }
      }
    }
  }

  @unsafe
  private func run(_ product: ck_product, batch: Int) {
    unsafe withUnsafePointer(to: product) { product in
      // Few rows of weights would keep one thread busy and leave the others idle.
      let rows = unsafe product.pointee.rows
      var job = unsafe ck_product_job(
        cpu: variant.code, products: product, product_count: 1, batch: batch,
        chunk_rows: rows < 64 * pool.threads ? 8 : 32)
      let chunks = unsafe ck_product_chunks(&job)
      unsafe run(ck_product_chunk, job, chunks: chunks)
    }
  }
}
