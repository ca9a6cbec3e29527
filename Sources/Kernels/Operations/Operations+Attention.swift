import CKernels

/// What a row of queries sees of those before it, and how much.
package struct AttentionRule: Sendable, Equatable {
  /// Factor of the products of queries and keys.
  package let scale: Float
  /// Rows that a row sees, itself among them; nil for all.
  package let window: Int?
  /// Scores become cap · tanh(score / cap).
  package let cap: Float?

  package init(scale: Float, window: Int? = nil, cap: Float? = nil) {
    precondition((window ?? 1) > 0 && (cap ?? 1) > 0)
    (self.scale, self.window, self.cap) = (scale, window, cap)
  }
}

/// Rows of a batch that belong to one sequence, and where its keys and values are.
package struct AttentionSpan {
  /// Of all positions that the rows may see.
  package let keys: CacheRows
  /// As `keys`.
  package let values: CacheRows
  /// The position of the first row.
  package let first: Int
  /// Where the rows begin in the batch.
  package let row: Int
  /// How many there are.
  package let count: Int

  package init(keys: CacheRows, values: CacheRows, first: Int, row: Int = 0, count: Int) {
    (self.keys, self.values, self.first) = (keys, values, first)
    (self.row, self.count) = (row, count)
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

/// Rows of heads of one size that are turned, and stored in a cache.
package struct HeadRows {
  let x: Activations
  let size: Int
  let norm: HeadNorm?
  let rotation: HeadRotation?
  let cache: CacheRows?
  let first: Int
  let row: Int
  let count: Int

  /// `count` rows of `x` from `row` on; the first is at position `first`.
  package init(
    _ x: Activations, size: Int, norm: HeadNorm? = nil, rotation: HeadRotation? = nil,
    cache: CacheRows? = nil, first: Int, row: Int = 0, count: Int
  ) {
    (self.x, self.size, self.norm, self.rotation) = (x, size, norm, rotation)
    (self.cache, self.first, self.row, self.count) = (cache, first, row, count)
  }
}

extension Operations {
  /// y = c · Σ kernel[k] · (b · x)[row + 1 - taps + k] in each column, for `batch` rows from `row` on of `input`, in which b, c
  /// and x lie behind each other: `(batch, 3 columns)`.
  ///
  /// `ring` `(rows, columns)` has b · x of earlier positions, p in row p % rows, and gets that of these, the first of which
  /// is at position `first`.
  package func convolution(
    _ input: Activations, kernel: FloatVector, taps: Int, ring: Activations, into y: Activations,
    first: Int, from row: Int = 0, batch: Int
  ) {
    let columns = y.columns
    precondition(input.columns == 3 * columns && ring.columns == columns)
    precondition(kernel.count == taps * columns && ring.capacity >= taps)
    precondition(0 <= row && row + batch <= min(input.capacity, y.capacity) && first >= 0)
    let job = unsafe ck_convolution_job(
      columns: columns, taps: taps, batch: batch, bcx: input.floats(row: row),
      stride: input.columns, weight: kernel.base, ring: ring.floats, ring_rows: ring.capacity,
      position: first, y: y.floats(row: row), y_stride: columns)
    let chunks = (columns + CK_CONVOLUTION_COLUMNS - 1) / CK_CONVOLUTION_COLUMNS
    unsafe run(
      ck_convolution_chunk, job, chunks: chunks, work: batch * columns * (taps + 3) / 4)
  }

  /// `magnitude` times cosines and sines of (first + row) · frequency, `(batch, frequencies)`, in the rows from `row` on;
  /// see Su and others, 2021.
  package func rotation(
    _ frequencies: FloatVector, magnitude: Float = 1, first: Int, cosine: Activations,
    sine: Activations, from row: Int = 0, batch: Int
  ) {
    precondition(cosine.columns == frequencies.count && sine.columns == frequencies.count)
    precondition(0 <= row && row + batch <= min(cosine.capacity, sine.capacity))
    let job = unsafe ck_rotation_job(
      count: frequencies.count, frequency: frequencies.base, position: first,
      cosine: cosine.floats(row: row), sine: sine.floats(row: row), magnitude: magnitude)
    unsafe run(ck_rotation_chunk, job, chunks: batch, work: batch * frequencies.count * 20)
  }

  /// Normalizes and rotates the heads of `batch` rows of `x` from `row` on in place, and stores them in `cache` from
  /// position `first`.
  package func heads(
    _ x: Activations, size: Int, norm: HeadNorm? = nil, rotation: HeadRotation? = nil,
    cache: CacheRows? = nil, first: Int, from row: Int = 0, batch: Int
  ) {
    heads([
      HeadRows(
        x, size: size, norm: norm, rotation: rotation, cache: cache, first: first, row: row,
        count: batch)
    ])
  }

  /// The same of several rows of heads, in any order.
  package func heads(_ rows: [HeadRows]) {
    unsafe run(ck_head_chunk, rows.map(headJob))
  }

  private func headJob(_ rows: HeadRows) -> (job: ck_head_job, chunks: Int, work: Int) {
    let (x, size, row, batch) = (rows.x, rows.size, rows.row, rows.count)
    let (norm, rotation, cache, first) = (rows.norm, rows.rotation, rows.cache, rows.first)
    precondition(x.columns.isMultiple(of: size) && 0 <= row && row + batch <= x.capacity)
    precondition(norm.map { $0.weight.count == size } ?? true)
    precondition(rotation.map { $0.covers(headSize: size, rows: row + batch) } ?? true)
    precondition(cache.map { $0.holds(x.columns / size, size, upTo: first + batch) } ?? true)
    precondition(cache == nil || size <= CK_ATTENTION_SIZE)
    var job = unsafe ck_head_job(
      cpu: variant.code, batch: batch, heads: x.columns / size, head_size: size,
      x: x.floats(row: row), x_stride: x.columns, norm: norm?.weight.base,
      epsilon: norm?.epsilon ?? 0,
      norm_first: norm?.isFirst ?? false, rotated: (rotation?.cosine.columns ?? 0) * 2,
      adjacent: rotation?.isAdjacent ?? false, cosine: rotation?.cosine.floats(row: row),
      sine: rotation?.sine.floats(row: row), pages: UnsafePointer(cache?.pages.table),
      offset: cache?.offset ?? 0, columns: cache?.order == .columns,
      cache_format: (cache?.part.format ?? .f32).code, position: first)
    let chunks = unsafe ck_head_chunks(&job)
    return unsafe (job, chunks, batch * x.columns)
  }

  /// Causal attention of the query heads of the rows of `q` that `spans` name, each over the cached rows of its own sequence;
  /// `rounds` leaves what comes of it rounded to 8 bits, too, where the heads that share keys fill whole blocks.
  package func attention(
    _ q: Activations, _ rule: AttentionRule, into y: Activations, of spans: [AttentionSpan],
    rounds: Bool = false
  ) {
    precondition(!rounds || spans.allSatisfy { Self.canRound(q, $0.keys.part.heads) })
    let jobs = unsafe spans.map { span in
      let seen = min(span.first + span.count, rule.window ?? .max)
      let (heads, count) = (span.keys.part.heads, span.count)
      let rows = attentionRows(
        group: q.columns / span.keys.part.headSize / heads, heads: heads, count: count)
      return unsafe (
        job: attentionJob(q, rule, into: y, span, rows: rows, rounds: rounds),
        chunks: (count + rows - 1) / rows * heads, work: count * q.columns * seen / 16
      )
    }
    unsafe run(ck_attention_chunk, jobs)
  }

  /// Whether attention of the rows of `q` over so many key/value heads can leave them rounded.
  package static func canRound(_ q: Activations, _ heads: Int) -> Bool {
    (q.columns / heads).isMultiple(of: TensorType.q8_0.blockLength)
  }

  /// What one sequence has to do, `rows` of its rows in a chunk.
  private func attentionJob(
    _ q: Activations, _ rule: AttentionRule, into y: Activations, _ span: AttentionSpan, rows: Int,
    rounds: Bool
  ) -> ck_attention_job {
    let (keys, values, first, row, batch) = (
      span.keys, span.values, span.first, span.row, span.count
    )
    let (part, size) = (keys.part, keys.part.headSize)
    let heads = q.columns / size
    precondition(q.columns.isMultiple(of: size) && heads.isMultiple(of: part.heads))
    precondition(size <= CK_ATTENTION_SIZE && keys.order == .columns && values.order == .rows)
    precondition(y.columns == q.columns && 0 <= row)
    precondition(row + batch <= min(q.capacity, y.capacity))
    precondition(keys.holds(part.heads, size, upTo: first + batch))
    precondition(values.holds(part.heads, size, upTo: first + batch))
    precondition(keys.pages === values.pages && part.offset == values.part.offset)
    let rounded = unsafe rounds ? y.rows(CK_BLOCKS) : nil
    return unsafe ck_attention_job(
      cpu: variant.code, heads: heads, kv_heads: part.heads, head_size: size,
      q: q.floats(row: row), q_stride: q.columns, pages: UnsafePointer(keys.pages.table),
      keys: keys.offset, values: values.offset,
      cache_format: part.format.code, position: first,
      scale: rule.scale, y: y.floats(row: row), y_stride: y.columns, window: rule.window ?? 0,
      cap: rule.cap ?? 0, batch: batch, rows: rows,
      rounded: rounded.map { unsafe $0.base + row * $0.bytes })
  }

  // Rows that share what is read of the cache: as many as a chunk takes, or so few less that all threads have as much to do.
  private func attentionRows(group: Int, heads: Int, count: Int) -> Int {
    let most = Int(CK_ATTENTION_QUERIES) / min(group, Int(CK_ATTENTION_HEADS))
    let parts = ((count + most - 1) / most...count).first { parts in
      let chunks = parts * heads
      return chunks.isMultiple(of: pool.threads) || chunks >= 8 * pool.threads
    }
    return (count + (parts ?? count) - 1) / (parts ?? count)
  }
}
