package import Adapters
package import Kernels

extension LayerWeights {
  /// The matrices that an adapter may change.
  package var projections: [LoRATarget: WeightMatrix] {
    var result: [LoRATarget: WeightMatrix] = [
      .query: query.weights, .output: output.weights, .gate: gate.weights, .up: up.weights,
      .down: down.weights,
    ]
    result[.key] = keyValue?.key.weights
    result[.value] = keyValue?.value.weights
    return result
  }

  /// Their shapes.
  package var shapes: [LoRATarget: MatrixShape] {
    projections.mapValues { MatrixShape(rows: $0.rows, columns: $0.columns) }
  }
}
