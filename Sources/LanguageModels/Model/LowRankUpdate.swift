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
}

/// The updates of one adapter; layers share the scratch, as they run one after the other.
struct LayerUpdates {
  private let adapter: AppliedAdapter
  private let scratch: [LoRATarget: [Int: Activations]]

  init(_ adapter: AppliedAdapter, batch: Int) {
    self.adapter = adapter
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
        u: u, scale: adapter.scale)
    }
    return updates
  }
}
