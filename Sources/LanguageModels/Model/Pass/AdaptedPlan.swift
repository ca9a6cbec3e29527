import Adapters
import Kernels

/// Products of one input and the low-rank updates of their outputs.
struct AdaptedPlan {
  /// u = A x for every adapter and target; nil without adapters.
  private let inner: ProductPlan?
  /// y = W x + Σ scale · B u.
  private let outer: ProductPlan

  init(
    _ index: Int, _ parts: [(target: LoRATarget, projection: Projection, output: Activations)],
    of input: Activations, adds: Bool, _ updates: [LayerUpdates]
  ) {
    var inner: [Product] = []
    var outer: [Product] = []
    for part in parts {
      let weights = part.projection.weights
      var additions: [LowRankAddition] = []
      for adapter in updates {
        guard let update = adapter.update(index, part.target, beside: weights.type) else {
          continue
        }
        inner.append(update.innerProduct)
        additions.append(update.addition)
      }
      outer.append(
        Product(
          weights, bias: part.projection.bias, additions: additions, into: part.output,
          accumulates: adds))
    }
    self.inner = inner.isEmpty ? nil : ProductPlan(inner, of: input)
    self.outer = ProductPlan(outer, of: input)
  }

  /// Whether some of it multiplies its input rounded to 8 bits.
  var roundsInput: Bool { outer.roundsInput || inner?.roundsInput == true }

  /// As ``Operations/run(_:batch:isRounded:gate:)`` of all of it.
  func run(
    _ operations: Operations, batch: Int, isRounded: Bool = false, gate: ProductGate? = nil
  ) {
    if let inner { operations.run(inner, batch: batch, isRounded: isRounded) }
    operations.run(
      outer, batch: batch, isRounded: isRounded || inner?.roundsInput == true, gate: gate)
  }
}

/// The update of one projection by one adapter.
struct LowRankUpdate {
  /// A and B.
  let matrices: AdapterMatrices.Pair
  /// Where A x goes, `(batch, rank)`.
  let u: Activations
  /// alpha / rank times the chosen strength.
  let scale: Float
  /// Rows of the batch that it is for; all if nil.
  let rows: RowRange?

  /// u = A x, times the factor of A.
  var innerProduct: Product {
    Product(matrices.a, into: u, rows: rows, roundsOutput: matrices.b.isRounded)
  }

  /// scale · B u.
  var addition: LowRankAddition {
    LowRankAddition(
      b: matrices.b, u: u, scale: scale / (matrices.a.factor * matrices.b.factor), rows: rows)
  }
}

/// An adapter, and the rows of a pass that it is for; all if nil.
struct RowAdapter {
  let adapter: AppliedAdapter
  var rows: RowRange?
}

/// The updates of one adapter; layers share the scratch, as they run one after the other.
struct LayerUpdates {
  private let adapter: AppliedAdapter
  private let rows: RowRange?
  // By the targets' indices, then by rank.
  private let scratch: [[Int: Activations]]

  init(_ part: RowAdapter, batch: Int) {
    (adapter, rows) = (part.adapter, part.rows)
    scratch = adapter.matrices.ranks.map { ranks in
      ranks.reduce(into: [:]) { scratch, rank in
        let types: Set<TensorType> = WeightMatrix.canRound(columns: rank) ? [.q8_0] : []
        scratch[rank] = Activations(capacity: batch, columns: rank, types: types)
      }
    }
  }

  /// The update of a projection of layer `index` with weights of `type`; nil if the adapter leaves it alone.
  func update(_ index: Int, _ target: LoRATarget, beside type: TensorType) -> LowRankUpdate? {
    guard let matrices = adapter.matrices.pair(index, target, beside: type),
      let u = scratch[target.index][matrices.rank]
    else { return nil }
    return LowRankUpdate(matrices: matrices, u: u, scale: adapter.scale, rows: rows)
  }
}
