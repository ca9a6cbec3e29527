import Adapters
import Kernels

/// The update of one projection by one adapter.
struct LowRankUpdate {
  /// `(rank, inputs)`.
  let a: WeightMatrix
  /// `(outputs, rank)`.
  let b: WeightMatrix
  /// Where A x goes, `(batch, rank)`.
  let u: Activations
  /// alpha / rank times the chosen strength.
  let scale: Float
  /// Rows of the batch that it is for; all if nil.
  let rows: Range<Int>?
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
  private let scratch: [LoRATarget: [Int: Activations]]

  init(_ part: RowAdapter, batch: Int) {
    (adapter, rows) = (part.adapter, part.rows)
    var scratch: [LoRATarget: [Int: Activations]] = [:]
    for (target, pair) in adapter.layers.joined() where scratch[target]?[pair.rank] == nil {
      scratch[target, default: [:]][pair.rank] = Activations(capacity: batch, columns: pair.rank)
    }
    self.scratch = scratch
  }

  /// Updates of layer `index` by target.
  func layer(_ index: Int) -> [LoRATarget: LowRankUpdate] {
    var updates: [LoRATarget: LowRankUpdate] = [:]
    for (target, pair) in adapter.layers[index] {
      guard let u = scratch[target]?[pair.rank] else { continue }
      updates[target] = LowRankUpdate(
        a: WeightMatrix(type: .f16, rows: pair.rank, columns: pair.shape.columns, bytes: pair.a),
        b: WeightMatrix(type: .f16, rows: pair.shape.rows, columns: pair.rank, bytes: pair.b),
        u: u, scale: adapter.scale, rows: rows)
    }
    return updates
  }
}
