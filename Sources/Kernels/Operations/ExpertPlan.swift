import CKernels
import SystemFiles

/// Scratch of a step over experts: rows are sorted by expert, so that each expert's weights are read once for all of its
/// rows.
///
/// Layers share it, as they run one after the other.
@safe
package final class ExpertRows {
  /// `(batch, experts)`.
  let logits: Activations
  /// What experts are given, then what they give, `(batch * used, width)`.
  let rows: Activations
  /// `(batch * used, hidden width)`.
  let gate: Activations
  /// `(batch * used, hidden width)`.
  let up: Activations
  let used: Int
  /// The experts of each row, `(batch, used)`.
  let chosen: UnsafeMutableBufferPointer<Int32>
  /// Their weights.
  let weights: UnsafeMutableBufferPointer<Float>
  /// Their places among the sorted rows.
  let places: UnsafeMutableBufferPointer<Int32>
  let products: UnsafeMutableBufferPointer<ck_product>
  /// Experts that have rows, and these.
  private(set) var groups: [(expert: Int, rows: Range<Int>)] = []
  // Of each expert: how many rows it has, then the next place among them.
  private var next: [Int]

  /// Scratch for `batch` rows of the experts of all layers, which are alike but for the types of their weights; nil where
  /// there are none.
  package init?(batch: Int, for layers: [ExpertMatrices]) {
    guard let experts = layers.first else { return nil }
    func types(_ kinds: KeyPath<ExpertMatrices, [WeightMatrix]>...) -> Set<TensorType> {
      Set(layers.flatMap { layer in kinds.map { layer[keyPath: $0][0].type } })
    }
    let (count, hidden) = (batch * experts.used, experts.hiddenWidth)
    logits = Activations(capacity: batch, columns: experts.count)
    rows = Activations(
      capacity: count, columns: experts.router.columns, types: types(\.gate, \.up))
    gate = Activations(capacity: count, columns: hidden, types: types(\.down))
    up = Activations(capacity: count, columns: hidden)
    used = experts.used
    unsafe chosen = .allocate(capacity: count)
    unsafe weights = .allocate(capacity: count)
    unsafe places = .allocate(capacity: count)
    unsafe products = .allocate(capacity: 2 * experts.count)
    next = Array(repeating: 0, count: experts.count)
  }

  deinit {
    unsafe chosen.deallocate()
    unsafe weights.deallocate()
    unsafe places.deallocate()
    unsafe products.deallocate()
  }

  /// Multiplies the weight of each row's experts by that of `scales`.
  func multiplyWeights(by scales: [Float], batch: Int) {
    for slot in 0..<batch * used { unsafe weights[slot] *= scales[Int(chosen[slot])] }
  }

  /// Gives the rows of each expert places behind each other, in the order of the experts and of the rows.
  func sort(batch: Int) {
    for expert in next.indices { next[expert] = 0 }
    for slot in 0..<batch * used { next[Int(unsafe chosen[slot])] += 1 }
    groups.removeAll(keepingCapacity: true)
    var place = 0
    for expert in next.indices where next[expert] > 0 {
      groups.append((expert, place..<place + next[expert]))
      (next[expert], place) = (place, place + next[expert])
    }
    for slot in 0..<batch * used {
      let expert = Int(unsafe chosen[slot])
      unsafe places[slot] = Int32(next[expert])
      next[expert] += 1
    }
  }
}

/// A step over experts, described once: y = Σ weight · expert(x), or y += that.
///
/// The sum goes over a row's experts as the router orders them, so that no row depends on others.
package final class ExpertPlan {
  package let experts: ExpertMatrices
  /// What the router reads.
  package let routed: Activations
  let input: Activations
  let output: Activations
  let accumulates: Bool
  let scratch: ExpertRows
  let router: ProductPlan

  /// Describes what `experts` make of `input`; the router may read something else.
  package init(
    _ experts: ExpertMatrices, of input: Activations, routedBy routed: Activations? = nil,
    into output: Activations, accumulates: Bool, scratch: ExpertRows
  ) {
    precondition(input.columns == scratch.rows.columns && output.columns == input.columns)
    precondition(experts.used == scratch.used && experts.hiddenWidth == scratch.gate.columns)
    (self.experts, self.scratch) = (experts, scratch)
    (self.input, self.output, self.accumulates) = (input, output, accumulates)
    self.routed = routed ?? input
    router = ProductPlan([Product(experts.router, into: scratch.logits)], of: self.routed)
  }

  /// After a run of `batch` rows, calls `body` for every expert of every row, with what the expert was given and what its
  /// last matrix multiplied.
  package func forEachTaken(
    batch: Int, _ body: (_ expert: Int, _ given: Span<Float>, _ hidden: Span<Float>) -> Void
  ) {
    for slot in 0..<batch * scratch.used {
      let (expert, place) = unsafe (Int(scratch.chosen[slot]), Int(scratch.places[slot]))
      input.withRow(slot / scratch.used) { given in
        scratch.gate.withRow(place) { hidden in body(expert, given, hidden) }
      }
    }
  }
}

extension Operations {
  /// Runs `plan` for the first `batch` rows.
  package func run(_ plan: ExpertPlan, _ activation: GateActivation = .silu, batch: Int) {
    let (scratch, experts) = (plan.scratch, plan.experts)
    run(plan.router, batch: batch)
    route(plan, batch: batch)
    scratch.sort(batch: batch)
    spread(plan, batch: batch)
    let count = batch * experts.used
    product([(experts.gate, scratch.gate), (experts.up, scratch.up)], of: scratch.rows, scratch)
    gate(scratch.gate, scratch.up, activation, batch: count)
    if experts.down[0].multipliesBlocks { round(scratch.gate, batch: count) }
    product([(experts.down, scratch.rows)], of: scratch.gate, scratch)
    mix(plan, batch: batch)
  }

  private func route(_ plan: ExpertPlan, batch: Int) {
    let (logits, used) = (plan.scratch.logits, plan.experts.used)
    let job = unsafe ck_route_job(
      experts: logits.columns, used: used, logits: logits.floats, stride: logits.columns,
      normalize: plan.experts.normalizes, chosen: plan.scratch.chosen.baseAddress,
      weights: plan.scratch.weights.baseAddress)
    unsafe run(ck_route_chunk, job, chunks: batch, work: batch * logits.columns * 8)
    if let scales = plan.experts.scales { plan.scratch.multiplyWeights(by: scales, batch: batch) }
  }

  private func spread(_ plan: ExpertPlan, batch: Int) {
    let (x, rows) = (plan.input, plan.scratch.rows)
    let types = [plan.experts.gate[0], plan.experts.up[0]]
    let rounds = types.contains { $0.multipliesBlocks }
    let copies = types.contains { !$0.multipliesBlocks }
    let job = unsafe ck_spread_job(
      cpu: variant.code, columns: x.columns, used: plan.experts.used, x: x.floats,
      x_stride: x.columns, places: plan.scratch.places.baseAddress,
      y: copies ? rows.floats : nil, y_stride: rows.columns,
      q: rounds ? rows.rows(CK_BLOCKS).base : nil)
    unsafe run(
      ck_spread_chunk, job, chunks: batch, work: batch * x.columns * (plan.experts.used + 4) / 16)
  }

  /// The products of each expert of `kinds` with the rows of `x` that are its own.
  private func product(
    _ kinds: [(weights: [WeightMatrix], output: Activations)], of x: Activations,
    _ scratch: ExpertRows
  ) {
    var (count, weights, bytes) = (0, 0, 0)
    for (expert, rows) in scratch.groups {
      for (matrices, output) in kinds {
        let matrix = matrices[expert]
        let product = unsafe ck_product(
          matrix, layout(of: matrix), rows, of: x, into: output)
        unsafe scratch.products.initializeElement(at: count, to: product)
        let values = matrix.rows * matrix.columns * (matrix.multipliesBlocks ? 1 : 8)
        (count, weights) = (count + 1, weights + values * (rows.count + 1))
        bytes += matrix.bytes.count
      }
    }
    let isSmall = kinds[0].output.columns * count <= 128 * pool.threads
    var job = unsafe ck_product_job(
      cpu: variant.code, products: scratch.products.baseAddress, product_count: count,
      batch: x.capacity, chunk_rows: isSmall ? 16 : 32, alike: true, listed: nil, gating: nil)
    let chunks = unsafe ck_product_chunks(&job)
    unsafe run(ck_product_chunk, job, chunks: chunks, work: max(weights / 200, bytes / 32))
  }

  private func mix(_ plan: ExpertPlan, batch: Int) {
    let (rows, y) = (plan.scratch.rows, plan.output)
    let job = unsafe ck_mix_job(
      columns: y.columns, used: plan.experts.used, x: rows.floats, x_stride: rows.columns,
      places: plan.scratch.places.baseAddress, weights: plan.scratch.weights.baseAddress,
      y: y.floats, stride: y.columns, accumulate: plan.accumulates)
    unsafe run(
      ck_mix_chunk, job, chunks: batch * columnChunks(y),
      work: batch * plan.experts.used * y.columns / 4)
  }
}

extension WeightMatrix {
  /// Whether products take their input rounded.
  fileprivate var multipliesBlocks: Bool { ck_form_of(type.rawValue) == CK_BLOCKS }
}

extension ck_product {
  /// y = W x for some rows.
  fileprivate init(
    _ weights: WeightMatrix, _ layout: WeightLayout, _ rows: Range<Int>,
    of x: Activations, into y: Activations
  ) {
    let input = unsafe x.rows(ck_form_of(weights.type.rawValue))
    unsafe self.init(
      type: weights.type.rawValue, rows: weights.rows, columns: weights.columns,
      weights: layout.base ?? weights.base, row_bytes: weights.rowBytes, layout: layout.code,
      x: input.base, x_bytes: input.bytes, bias: nil, additions: nil, addition_count: 0,
      y: y.floats, y_stride: y.columns, accumulate: false, rounded: nil, rounded_bytes: 0,
      done: nil, first_row: rows.lowerBound, end_row: rows.upperBound)
  }
}
