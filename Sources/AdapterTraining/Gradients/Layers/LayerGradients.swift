import Adapters
import Kernels
import LanguageModels

/// The gradients of a layer, as far as they are learnt.
struct LayerGradients {
  private var linears: [LoRATarget: LinearGradient] = [:]
  private var norms: [LayerNorm: [Float]] = [:]

  /// Zeros for the factors of an adapter.
  init(_ pairs: [LoRATarget: FactorPair]) {
    linears = pairs.mapValues {
      LinearGradient(pair: FactorPair($0.shape, rank: $0.rank))
    }
  }

  /// Zeros for all weights of `layer`.
  init(_ layer: LayerWeights) {
    for (target, projection) in layer.targets {
      linears[target] = LinearGradient(
        weights: FloatMatrix(rows: projection.weights.rows, columns: projection.weights.columns),
        bias: projection.bias.map { Array(repeating: 0, count: $0.count) })
    }
    norms = layer.norms.mapValues { Array(repeating: 0, count: $0.count) }
  }

  subscript(_ target: LoRATarget) -> LinearGradient {
    get { linears[target] ?? LinearGradient() }
    _modify { yield &linears[target, default: LinearGradient()] }
  }

  /// Nil where the norm is frozen.
  subscript(norm norm: LayerNorm) -> [Float]? {
    get { norms[norm] }
    _modify { yield &norms[norm] }
  }

  /// Those of the adapter's factors.
  var pairs: [LoRATarget: FactorPair] { linears.compactMapValues(\.pair) }
}
