import CKernels
import SystemFiles

/// The steps of a forward pass, shared out over a worker pool.
///
/// Rows of the batch come first in every shape. All steps give the same bits for any number of threads and
/// for any grouping of rows into batches.
package struct Operations: Sendable {
  /// The threads that work.
  package let pool: WorkerPool
  /// The instruction set that the kernels use.
  package let variant: CPUVariant
  /// Whether ``roundedProduct(_:_:)`` rounds.
  package let rounds: Bool

  // Rows of weights per chunk: small enough that a slow core holds nobody up for long, large enough that
  // taking a chunk costs nothing beside it; few rows, as those of an adapter's A, are shared out in smaller chunks.
  // Kernels allow multiples of 16 up to 64, and round whole blocks of 32.
  private func chunkRows(_ plan: ProductPlan, rounds: Bool) -> Int {
    plan.rows <= 128 * pool.threads && !rounds ? 16 : 32
  }

  /// Steps on the threads of `pool`; `rounds` allows products of BF16 where the processor does them faster than those of
  /// floats.
  package init(pool: WorkerPool, variant: CPUVariant = .current, rounds: Bool = false) {
    self.pool = pool
    self.variant = variant
    self.rounds = rounds && ck_multiplies_rounded(variant.code)
  }

  func run<Job>(_ body: WorkerPool.Chunk, _ job: Job, chunks: Int, work: Int = .max) {
    unsafe withUnsafePointer(to: job) { unsafe pool.run(body, $0, chunks: chunks, work: work) }
  }

  /// Runs `jobs` of one kind as one: what none of them is worth alone, all may be, to be shared out.
  func run<Job>(_ body: WorkerPool.Chunk, _ jobs: [(job: Job, chunks: Int, work: Int)]) {
    guard jobs.count > 1 else {
      for job in jobs { unsafe run(body, job.job, chunks: job.chunks, work: job.work) }
      return
    }
    var end = 0
    let ends = jobs.map { job in
      end += job.chunks
      return end
    }
    unsafe jobs.map(\.job).withUnsafeBufferPointer { list in
      unsafe ends.withUnsafeBufferPointer { ends in
        let joined = unsafe ck_joined_job(
          body: body, jobs: UnsafeRawPointer(list.baseAddress), job_bytes: MemoryLayout<Job>.stride,
          ends: ends.baseAddress)
        let work = jobs.reduce(0) { $0 + $1.work }
        unsafe run(ck_joined_chunk, joined, chunks: end, work: work)
      }
    }
  }

  // Nanoseconds of one thread, about: they only decide whether a step is shared out, and are those of a fast processor
  // that has all of it in its caches.
  private static func productWork(_ plan: ProductPlan, batch: Int) -> Int {
    max(plan.weights * (batch + 1) / 200, plan.bytes / 32)
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
      unsafe run(
        ck_gather_chunk, job, chunks: tokens.count, work: tokens.count * weights.columns / 2)
    }
  }

  /// Runs the products of `plan` for the first `batch` rows, which `isRounded` says are rounded to 8 bits already.
  ///
  /// With a `gate` the first of two outputs becomes what that lets through of the second.
  package func run(
    _ plan: ProductPlan, batch: Int, isRounded: Bool = false, gate: ProductGate? = nil
  ) {
    precondition((1...plan.input.capacity).contains(batch))
    plan.prepare(self)
    plan.updateRows()
    if plan.roundsInput && !isRounded { round(plan.input, batch: batch) }
    let rounds = gate?.rounds == true
    var job = unsafe job(of: plan, batch: batch, chunkRows: chunkRows(plan, rounds: rounds))
    let work = Self.productWork(plan, batch: batch)
    guard let gate else {
      let chunks = unsafe ck_product_chunks(&job)
      return unsafe run(ck_product_chunk, job, chunks: chunks, work: work)
    }
    let gating = unsafe ck_gating(
      activation: gate.activation.code, rounded: rounds ? plan.gated.rows(CK_BLOCKS).base : nil)
    unsafe withUnsafePointer(to: gating) { gating in
      unsafe job.gating = gating
      let chunks = unsafe ck_product_chunks(&job)
      unsafe run(ck_product_chunk, job, chunks: chunks, work: work + batch * plan.rows)
    }
  }

  /// Rows of weights that are computed together where only some are.
  package static let groupRows = Int(CK_WIDE_TILE_ROWS)

  /// The same for some of the rows of weights of a plan's only product, in groups of ``groupRows``, by their numbers; the other columns
  /// of its output stay what they are.
  package func run(
    _ plan: ProductPlan, batch: Int, isRounded: Bool = false, groups: [UInt32]
  ) {
    precondition((1...plan.input.capacity).contains(batch))
    unsafe precondition(plan.products.count == 1, "groups of which product")
    let all = (plan.rows + Self.groupRows - 1) / Self.groupRows
    precondition(groups.allSatisfy { $0 < all }, "a group of other weights")
    plan.prepare(self)
    if plan.roundsInput && !isRounded { round(plan.input, batch: batch) }
    unsafe groups.withUnsafeBufferPointer { groups in
      var job = unsafe job(of: plan, batch: batch, chunkRows: Self.groupRows)
      unsafe job.listed = groups.baseAddress
      let work = Self.productWork(plan, batch: batch) / all * groups.count
      unsafe run(ck_product_chunk, job, chunks: groups.count, work: work)
    }
  }

  private func job(of plan: ProductPlan, batch: Int, chunkRows: Int) -> ck_product_job {
    unsafe ck_product_job(
      cpu: variant.code, products: plan.products.baseAddress, product_count: plan.products.count,
      batch: batch, chunk_rows: chunkRows, alike: false, listed: nil, gating: nil)
  }

  /// Rounds the first `batch` rows to 8 bits, as quantized weights multiply them.
  func round(_ x: Activations, batch: Int) {
    let job = unsafe ck_quantize_job(
      cpu: variant.code, columns: x.columns, x: x.floats, x_stride: x.columns,
      q: x.rows(CK_BLOCKS).base)
    unsafe run(ck_quantize_chunk, job, chunks: batch, work: batch * x.columns / 2)
  }

  /// y = x / rms(x) · weight for each of the first `batch` rows, also rounded to 8 bits if `rounds`; Zhang and Sennrich 2019.
  package func norm(
    _ x: Activations, _ weight: FloatVector, epsilon: Float, into y: Activations,
    rounds: Bool = false, batch: Int
  ) {
    precondition(x.columns == weight.count && y.columns == x.columns)
    precondition(batch <= min(x.capacity, y.capacity))
    let job = unsafe ck_norm_job(
      cpu: variant.code, columns: x.columns, x: x.floats, x_stride: x.columns, weight: weight.base,
      epsilon: epsilon, y: y.floats, y_stride: y.columns,
      q: rounds ? y.rows(CK_BLOCKS).base : nil)
    unsafe run(ck_norm_chunk, job, chunks: batch, work: batch * x.columns / (rounds ? 1 : 2))
  }

  /// gate = activation(gate) · up for each value of the first `batch` rows, where `up` is read from `column` on; Shazeer 2020.
  package func gate(
    _ gate: Activations, _ up: Activations, from column: Int = 0,
    _ activation: GateActivation = .silu, batch: Int
  ) {
    precondition(0 <= column && column + gate.columns <= up.columns)
    precondition(batch <= min(gate.capacity, up.capacity))
    let job = unsafe ck_gate_job(
      cpu: variant.code, columns: gate.columns, gate: gate.floats, up: up.floats + column,
      stride: gate.columns, up_stride: up.columns, activation: activation.code)
    unsafe run(
      ck_gate_chunk, job, chunks: batch * columnChunks(gate), work: batch * gate.columns)
  }

  /// x = factor · x, then cap · tanh(x / cap) where there is a cap, for `batch` rows from `row` on.
  package func scale(
    _ x: Activations, by factor: Float, cap: Float? = nil, from row: Int = 0, batch: Int
  ) {
    precondition(0 <= row && row + batch <= x.capacity && (cap ?? 1) > 0)
    let job = unsafe ck_scale_job(
      cpu: variant.code, columns: x.columns, x: x.floats(row: row), stride: x.columns,
      scale: factor, cap: cap ?? 0)
    let cost = cap == nil ? 4 : 1
    unsafe run(
      ck_scale_chunk, job, chunks: batch * columnChunks(x), work: batch * x.columns / cost)
  }

  /// x += factor · y for the first `batch` rows.
  package func add(_ y: Activations, times factor: Float, to x: Activations, batch: Int) {
    precondition(x.columns == y.columns && batch <= min(x.capacity, y.capacity))
    let job = unsafe ck_add_job(
      columns: x.columns, x: x.floats, y: y.floats, stride: x.columns, scale: factor)
    unsafe run(ck_add_chunk, job, chunks: batch * columnChunks(x), work: batch * x.columns / 4)
  }

  /// Chunks of a row in a step that goes value by value.
  func columnChunks(_ x: Activations) -> Int {
    (x.columns + CK_CHUNK_COLUMNS - 1) / CK_CHUNK_COLUMNS
  }
}

/// What two products of one plan become: activation(first) · second, in the place of the first.
package struct ProductGate {
  let activation: GateActivation
  /// Whether that is left rounded to 8 bits, too.
  let rounds: Bool

  package init(_ activation: GateActivation, rounds: Bool) {
    (self.activation, self.rounds) = (activation, rounds)
  }
}

/// What bends a gate: that of a feed-forward network, or of what attention gives.
package enum GateActivation: Sendable {
  /// x · sigmoid(x).
  case silu
  /// x · Φ(x), with the hyperbolic tangent in the place of the error function; Hendrycks and Gimpel 2016.
  case gelu
  /// sigmoid(x).
  case sigmoid
}

extension Operations {
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
