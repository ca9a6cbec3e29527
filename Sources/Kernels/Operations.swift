import CKernels

/// The steps of a forward pass, shared out over a worker pool.
///
/// Rows of the batch come first in every shape. All steps give the same bits for any number of threads and
/// for any grouping of rows into batches.
package struct Operations: Sendable {
  /// The threads that work.
  package let pool: WorkerPool
  /// The instruction set that the kernels use.
  package let variant: CPUVariant

  // Rows of weights per chunk: small enough that a slow core holds nobody up for long, large enough that
  // taking a chunk costs nothing beside it; few rows, as those of an adapter's A, are shared out in smaller chunks.
  // Kernels allow multiples of 16 up to 64.
  private func chunkRows(_ plan: ProductPlan) -> Int {
    plan.rows <= 128 * pool.threads ? 16 : 32
  }

  package init(pool: WorkerPool, variant: CPUVariant = .current) {
    self.pool = pool
    self.variant = variant
  }

  func run<Job>(_ body: WorkerPool.Chunk, _ job: Job, chunks: Int) {
    unsafe withUnsafePointer(to: job) { unsafe pool.run(body, $0, chunks: chunks) }
  }

  /// Rows `tokens` of `weights` as the rows of `x` from `row` on.
  package func gather(
    _ weights: WeightMatrix, _ tokens: ArraySlice<Int32>, into x: Activations, from row: Int = 0
  ) {
    precondition(x.columns == weights.columns && 0 <= row && row + tokens.count <= x.capacity)
    precondition(tokens.allSatisfy { (0..<Int32(clamping: weights.rows)).contains($0) })
    unsafe tokens.withUnsafeBufferPointer { tokens in
      // Where a matrix is in tiles, reading its rows would bring their pages back.
      let tileRows = variant.tileRows(weights.type)
      let tiles = weights.tiles?.bytes(tileRows: tileRows)
      let base = unsafe tiles?.base.assumingMemoryBound(to: UInt8.self) ?? weights.base
      let job = unsafe ck_gather_job(
        type: weights.type.rawValue, columns: weights.columns, weights: base,
        row_bytes: weights.rowBytes, tile_rows: tiles == nil ? 0 : tileRows,
        rows: tokens.baseAddress,
        y: x.floats(row: row), y_stride: x.columns)
      unsafe run(ck_gather_chunk, job, chunks: tokens.count)
    }
  }

  /// Runs the products of `plan` for the first `batch` rows, which are those of `previous` if that ran just before.
  package func run(_ plan: ProductPlan, batch: Int, after previous: ProductPlan? = nil) {
    let x = plan.input
    precondition((1...x.capacity).contains(batch))
    plan.prepare(self)
    plan.updateRows()
    precondition(previous.map { $0.input === x } ?? true, "another input")
    if plan.roundsInput && previous?.roundsInput != true {
      let job = unsafe ck_quantize_job(
        cpu: variant.code, columns: x.columns, x: x.floats, x_stride: x.columns,
        q: x.rows(CK_BLOCKS).base)
      unsafe run(ck_quantize_chunk, job, chunks: batch)
    }
    var job = unsafe ck_product_job(
      cpu: variant.code, products: plan.products.baseAddress, product_count: plan.products.count,
      batch: batch, chunk_rows: chunkRows(plan))
    let chunks = unsafe ck_product_chunks(&job)
    unsafe run(ck_product_chunk, job, chunks: chunks)
  }

  /// y = x / rms(x) · weight for each of the first `batch` rows; Zhang and Sennrich 2019.
  package func norm(
    _ x: Activations, _ weight: FloatVector, epsilon: Float, into y: Activations, batch: Int
  ) {
    precondition(x.columns == weight.count && y.columns == x.columns)
    precondition(batch <= min(x.capacity, y.capacity))
    let job = unsafe ck_norm_job(
      cpu: variant.code, columns: x.columns, x: x.floats, x_stride: x.columns, weight: weight.base,
      epsilon: epsilon, y: y.floats, y_stride: y.columns)
    unsafe run(ck_norm_chunk, job, chunks: batch)
  }

  /// gate = silu(gate) · up for each value of the first `batch` rows; Shazeer 2020.
  package func gate(_ gate: Activations, _ up: Activations, batch: Int) {
    precondition(gate.columns == up.columns && batch <= min(gate.capacity, up.capacity))
    let job = unsafe ck_gate_job(
      cpu: variant.code, columns: gate.columns, gate: gate.floats, up: up.floats,
      stride: gate.columns)
    let parts = (gate.columns + CK_GATE_COLUMNS - 1) / CK_GATE_COLUMNS
    unsafe run(ck_gate_chunk, job, chunks: batch * parts)
  }
}

/// RMS norm of each head, before or after the rotation.
package struct HeadNorm {
  /// `(head size)`.
  package let weight: FloatVector
  /// Added to the mean square.
  package let epsilon: Float
  /// Whether the norm comes before the rotation.
  package let isFirst: Bool

  package init(weight: FloatVector, epsilon: Float, isFirst: Bool) {
    (self.weight, self.epsilon, self.isFirst) = (weight, epsilon, isFirst)
  }
}

/// Rotation of the leading values of each head by its position.
package struct HeadRotation {
  /// `(batch, rotated values / 2)`.
  package let cosine: Activations
  /// `(batch, rotated values / 2)`.
  package let sine: Activations
  /// Whether pairs are neighbours `(2i, 2i + 1)` instead of halves `(i, i + rotated / 2)`.
  package let isAdjacent: Bool

  package init(cosine: Activations, sine: Activations, isAdjacent: Bool) {
    precondition(cosine.columns == sine.columns)
    (self.cosine, self.sine, self.isAdjacent) = (cosine, sine, isAdjacent)
  }

  func covers(headSize: Int, rows: Int) -> Bool {
    cosine.columns * 2 <= headSize && rows <= min(cosine.capacity, sine.capacity)
  }
}

extension Operations {
  /// Cosines and sines of (first + row) · frequency, `(batch, frequencies)`, in the rows from `row` on; see Su and
  /// others, 2021.
  package func rotation(
    _ frequencies: FloatVector, first: Int, cosine: Activations, sine: Activations,
    from row: Int = 0, batch: Int
  ) {
    precondition(cosine.columns == frequencies.count && sine.columns == frequencies.count)
    precondition(0 <= row && row + batch <= min(cosine.capacity, sine.capacity))
    let job = unsafe ck_rotation_job(
      count: frequencies.count, frequency: frequencies.base, position: first,
      cosine: cosine.floats(row: row), sine: sine.floats(row: row))
    unsafe run(ck_rotation_chunk, job, chunks: batch)
  }

  /// Normalizes and rotates the heads of `batch` rows of `x` from `row` on in place, and stores them in `cache` from
  /// position `first`.
  package func heads(
    _ x: Activations, size: Int, norm: HeadNorm? = nil, rotation: HeadRotation? = nil,
    cache: CacheRows? = nil, first: Int, from row: Int = 0, batch: Int
  ) {
    precondition(x.columns.isMultiple(of: size) && 0 <= row && row + batch <= x.capacity)
    precondition(norm.map { $0.weight.count == size } ?? true)
    precondition(rotation.map { $0.covers(headSize: size, rows: row + batch) } ?? true)
    precondition(cache.map { $0.holds(x.columns / size, size, upTo: first + batch) } ?? true)
    let job = unsafe ck_head_job(
      cpu: variant.code, heads: x.columns / size, head_size: size,
      x: x.floats(row: row), x_stride: x.columns, norm: norm?.weight.base,
      epsilon: norm?.epsilon ?? 0,
      norm_first: norm?.isFirst ?? false, rotated: (rotation?.cosine.columns ?? 0) * 2,
      adjacent: rotation?.isAdjacent ?? false, cosine: rotation?.cosine.floats(row: row),
      sine: rotation?.sine.floats(row: row), cache: cache?.memory.base,
      cache_format: (cache?.format ?? .f32).code, cache_capacity: cache?.capacity ?? 0,
      position: first)
    unsafe run(ck_head_chunk, job, chunks: batch)
  }

  /// Causal attention of the query heads of `batch` rows of `q` from `row` on over the cached rows, the first of them
  /// being at position `first`.
  package func attention(
    _ q: Activations, keys: CacheRows, values: CacheRows, scale: Float, into y: Activations,
    first: Int, from row: Int = 0, batch: Int
  ) {
    let size = keys.headSize
    let heads = q.columns / size
    precondition(q.columns.isMultiple(of: size) && heads.isMultiple(of: keys.heads) && size <= 512)
    precondition(y.columns == q.columns && 0 <= row)
    precondition(row + batch <= min(q.capacity, y.capacity))
    precondition(keys.holds(keys.heads, size, upTo: first + batch))
    precondition(values.holds(keys.heads, size, upTo: first + batch))
    precondition(keys.capacity == values.capacity && keys.format == values.format)
    let job = unsafe ck_attention_job(
      cpu: variant.code, heads: heads, kv_heads: keys.heads, head_size: size,
      q: q.floats(row: row), q_stride: q.columns, keys: keys.memory.base,
      values: values.memory.base,
      cache_format: keys.format.code, cache_capacity: keys.capacity, position: first, scale: scale,
      y: y.floats(row: row), y_stride: y.columns)
    unsafe run(ck_attention_chunk, job, chunks: batch * keys.heads)
  }

  /// Reads `weights` once with all threads, where products read them, as fast as memory gives them.
  package func read(_ weights: WeightMatrix) {
    read(weights.tiles?.bytes(tileRows: variant.tileRows(weights.type)) ?? weights.bytes)
  }

  private func read(_ bytes: TensorBytes) {
    let chunkBytes = 1 << 16
    let chunks = (bytes.count + chunkBytes - 1) / chunkBytes
    var sums = [UInt64](repeating: 0, count: chunks)
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe sums.withUnsafeMutableBufferPointer { sums in
        let job = unsafe ck_read_job(
          bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count,
          chunk_bytes: chunkBytes, sums: sums.baseAddress)
        unsafe run(ck_read_chunk, job, chunks: chunks)
      }
    }
  }
}
