package import Adapters
package import Kernels

extension LayerWeights {
  /// The matrix of `target`; nil where the layer has none.
  func matrix(_ target: LoRATarget) -> WeightMatrix? {
    switch target {
    case .query: query.weights
    case .key: keyValue?.key.weights
    case .value: keyValue?.value.weights
    case .output: output.weights
    case .gate: gate.weights
    case .up: up.weights
    case .down: down.weights
    }
  }

  /// The matrices that an adapter may change.
  package var projections: [LoRATarget: WeightMatrix] {
    LoRATarget.allCases.reduce(into: [:]) { $0[$1] = matrix($1) }
  }

  /// Their shapes.
  package var shapes: [LoRATarget: MatrixShape] {
    projections.mapValues { MatrixShape(rows: $0.rows, columns: $0.columns) }
  }
}
