import Adapters
import Kernels

/// The update of one projection by one adapter.
struct LowRankUpdate {
  /// A and B.
  let matrices: AdapterMatrices.Pair
  /// Where A x goes, `(batch, rank)`.
  let u: Activations
  /// alpha / rank times the chosen strength.
  let scale: Float
  /// Rows of the batch that it is for; all if nil.
  let rows: Range<Int>?

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
  var rows: Range<Int>?
}

/// The updates of one adapter; layers share the scratch, as they run one after the other.
struct LayerUpdates {
  private let adapter: AppliedAdapter
  private let rows: Range<Int>?
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
