import CKernels

/// The heads of a gated delta rule; value head h reads the queries and keys of head h % key heads.
package struct DeltaShape: Sendable, Equatable {
  package let keyHeads: Int
  /// Even, and at most ``largestHead``.
  package let keySize: Int
  package let valueHeads: Int
  /// At most ``largestHead``.
  package let valueSize: Int

  package init(keyHeads: Int, keySize: Int, valueHeads: Int, valueSize: Int) {
    (self.keyHeads, self.keySize) = (keyHeads, keySize)
    (self.valueHeads, self.valueSize) = (valueHeads, valueSize)
  }

  package static let largestHead = CK_DELTA_SIZE

  /// Width of all keys.
  package var keyWidth: Int { keyHeads * keySize }
  /// Width of all values.
  package var valueWidth: Int { valueHeads * valueSize }
  /// Queries, keys and values of a row.
  package var channels: Int { 2 * keyWidth + valueWidth }

  var code: ck_delta_shape {
    ck_delta_shape(
      key_heads: keyHeads, key_size: keySize, value_heads: valueHeads, value_size: valueSize)
  }
}

/// Rows of what a gated delta rule is made of, before or after its convolution.
package struct DeltaRows {
  /// Queries, keys and values, `(rows, channels)`.
  package let channels: Activations
  /// What decides how much of the state stays, or how much that is, `(rows, value heads)`.
  package let kept: Activations
  /// What decides how much of what the state lacks is added, or how much that is, `(rows, value heads)`.
  package let added: Activations

  package init(_ shape: DeltaShape, capacity: Int) {
    channels = Activations(capacity: capacity, columns: shape.channels)
    kept = Activations(capacity: capacity, columns: shape.valueHeads)
    added = Activations(capacity: capacity, columns: shape.valueHeads)
  }

  private init(_ channels: Activations, _ kept: Activations, _ added: Activations) {
    (self.channels, self.kept, self.added) = (channels, kept, added)
  }

  package var capacity: Int { channels.capacity }

  /// Others with the same values.
  package func copy() -> DeltaRows { DeltaRows(channels.copy(), kept.copy(), added.copy()) }
}

/// The few numbers of a gated delta layer beside its matrices.
package struct DeltaConstants: Sendable {
  /// `(taps, channels)`, the row itself last.
  package let kernel: FloatVector
  /// `(value heads)`, below 0.
  package let rate: FloatVector
  /// `(value heads)`.
  package let bias: FloatVector

  package init(kernel: FloatVector, rate: FloatVector, bias: FloatVector) {
    (self.kernel, self.rate, self.bias) = (kernel, rate, bias)
  }
}

// Gated delta rule; Yang, Kautz and Hatamizadeh 2024.
extension Operations {
  /// Copies `batch` rows of `x` from `row` on to those of `ring`, position p to row p % rows; the first is at `first`.
  package func keep(
    _ x: Activations, in ring: Activations, first: Int, from row: Int = 0, batch: Int
  ) {
    precondition(x.columns == ring.columns && batch <= ring.capacity && first >= 0)
    precondition(0 <= row && row + batch <= x.capacity)
    let job = unsafe ck_keep_job(
      columns: x.columns, x: x.floats(row: row), stride: x.columns, ring: ring.floats,
      ring_rows: ring.capacity, position: first)
    unsafe run(ck_keep_chunk, job, chunks: batch, work: batch * x.columns / 8)
  }

  /// As ``keep(_:in:first:from:batch:)`` for all parts of `rows`.
  package func keep(
    _ rows: DeltaRows, in ring: DeltaRows, first: Int, from row: Int = 0, batch: Int
  ) {
    keep(rows.channels, in: ring.channels, first: first, from: row, batch: batch)
    keep(rows.kept, in: ring.kept, first: first, from: row, batch: batch)
    keep(rows.added, in: ring.added, first: first, from: row, batch: batch)
  }

  /// What the rule reads at `batch` positions from `first` on, in the first rows of `y`: silu of a convolution of each channel,
  /// with queries and keys of length 1, queries divided by the root of the head's size, exp(rate · softplus(kept + bias)),
  /// and sigmoid(added).
  package func deltaInput(
    _ ring: DeltaRows, _ constants: DeltaConstants, _ shape: DeltaShape, into y: DeltaRows,
    first: Int, batch: Int
  ) {
    let taps = constants.kernel.count / shape.channels
    precondition(ring.channels.columns == shape.channels && y.channels.columns == shape.channels)
    precondition(constants.kernel.count == taps * shape.channels && ring.capacity >= taps)
    precondition(constants.rate.count == shape.valueHeads)
    precondition(constants.bias.count == shape.valueHeads && batch <= y.capacity && first >= 0)
    let job = unsafe ck_delta_input_job(
      cpu: variant.code, shape: shape.code, taps: taps, position: first, ring: ring.channels.floats,
      alpha: ring.kept.floats, beta: ring.added.floats, ring_rows: ring.capacity,
      weight: constants.kernel.base, rate: constants.rate.base, bias: constants.bias.base,
      y: y.channels.floats, kept: y.kept.floats, added: y.added.floats)
    let heads = 2 * shape.keyHeads + shape.valueHeads
    let parts = (heads + CK_DELTA_HEADS - 1) / CK_DELTA_HEADS
    unsafe run(
      ck_delta_input_chunk, job, chunks: batch * parts, work: batch * shape.channels * taps / 2)
  }

  /// Lets `batch` rows pass a state, `(value heads · key size, value size)`: S = kept · S, S += k (added · (v - k S)), y = q S.
  ///
  /// `target` is the state behind them, which may be `source`; `y` `(rows, value width)` gets theirs from `row` on.
  package func delta(
    _ rows: DeltaRows, _ shape: DeltaShape, from source: Activations, to target: Activations,
    into y: Activations?, from row: Int = 0, batch: Int
  ) {
    precondition(rows.channels.columns == shape.channels && batch <= rows.capacity)
    precondition(y.map { $0.columns == shape.valueWidth && row + batch <= $0.capacity } ?? true)
    precondition(source.capacity == shape.valueHeads * shape.keySize && row >= 0)
    precondition(source.columns == shape.valueSize && target.columns == shape.valueSize)
    precondition(target.capacity == source.capacity && shape.keySize.isMultiple(of: 2))
    precondition(max(shape.keySize, shape.valueSize) <= DeltaShape.largestHead)
    let job = unsafe ck_delta_job(
      cpu: variant.code, shape: shape.code, batch: batch, x: rows.channels.floats,
      kept: rows.kept.floats, added: rows.added.floats, source: source.floats,
      target: target.floats, y: y?.floats(row: row), y_stride: shape.valueWidth)
    let parts = (shape.valueSize + CK_DELTA_COLUMNS - 1) / CK_DELTA_COLUMNS
    unsafe run(
      ck_delta_chunk, job, chunks: shape.valueHeads * parts,
      work: (batch + 1) * shape.valueWidth * shape.keySize / 8)
  }

  /// Takes the parts of each head of the first `batch` rows of `x` `(rows, heads, 2, size)` apart.
  package func partHeads(
    _ x: Activations, size: Int, into first: Activations, _ second: Activations, batch: Int
  ) {
    precondition(first.columns.isMultiple(of: size) && x.columns == 2 * first.columns)
    precondition(second.columns == first.columns)
    precondition(batch <= min(x.capacity, first.capacity, second.capacity))
    let job = unsafe ck_part_heads_job(
      heads: first.columns / size, head_size: size, x: x.floats, x_stride: x.columns,
      first: first.floats, second: second.floats, y_stride: first.columns)
    unsafe run(ck_part_heads_chunk, job, chunks: batch, work: batch * x.columns / 8)
  }
}
