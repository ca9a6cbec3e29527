package import Adapters
package import Kernels

/// Views of all weights of a base, `(rows, columns)` = (outputs, inputs); only norms and biases are
/// copied from the file.
package struct ModelWeights: Sendable {
  /// `(vocabulary, width)`.
  package let embedding: WeightMatrix
  /// One per layer.
  package let layers: [LayerWeights]
  /// `(width)`.
  package let outputNorm: FloatVector
  /// `(vocabulary, width)`, fewer rows in some drafts; the embedding itself where the file has no other.
  package let output: WeightMatrix
  /// How positions turn the heads.
  package let rotary: RotaryTables

  /// Bytes that one pass of one token reads: everything but the other rows of the embedding.
  package var bytesPerPass: Int { matrices.reduce(0) { $0 + $1.bytes.count } }

  /// Weights of all matrices.
  var parameters: Int { (matrices + [embedding]).reduce(0) { $0 + $1.rows * $1.columns } }

  /// All matrices that a pass multiplies.
  var matrices: [WeightMatrix] { layers.flatMap(\.projections.values) + [output] }
}

/// The weights of one layer.
package struct LayerWeights: Sendable {
  /// `(width)`.
  package let attentionNorm: FloatVector
  /// `(query width, width)`.
  package let query: Projection
  /// Nil in a layer that reads another layer's keys and values.
  package let keyValue: KeyValueWeights?
  /// `(head size)`.
  package let queryNorm: FloatVector?
  /// `(width, query width)`.
  package let output: Projection
  /// `(width)`: of what attention gives, before it is added.
  package let attentionResultNorm: FloatVector?
  /// `(width)`.
  package let feedForwardNorm: FloatVector
  /// `(width)`: of what the feed-forward network gives.
  package let feedForwardResultNorm: FloatVector?
  /// `(hidden width, width)`.
  package let gate: Projection
  /// `(hidden width, width)`.
  package let up: Projection
  /// `(width, hidden width)`.
  package let down: Projection
}

/// What makes the keys and values of a regular layer.
package struct KeyValueWeights: Sendable {
  /// `(key/value width, width)`.
  package let key: Projection
  /// `(key/value width, width)`.
  package let value: Projection
  /// `(head size)`.
  package let keyNorm: FloatVector?
}

/// A matrix and its bias: y = W x + b.
package struct Projection: Sendable {
  /// `(outputs, inputs)`.
  package let weights: WeightMatrix
  /// `(outputs)`.
  package let bias: FloatVector?
}

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
