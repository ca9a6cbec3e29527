import Adapters
import Kernels
import LanguageModels

/// The factors of one update in full precision, or their gradients.
struct FactorPair: Sendable, Equatable {
  /// `(rank, inputs)`.
  var a: FloatMatrix
  /// `(outputs, rank)`.
  var b: FloatMatrix

  /// Zeros for a projection of `shape`.
  init(_ shape: MatrixShape, rank: Int) {
    a = FloatMatrix(rows: rank, columns: shape.columns)
    b = FloatMatrix(rows: shape.rows, columns: rank)
  }
}

/// All factors of an adapter, layer by layer.
struct AdapterFactors: Sendable, Equatable {
  var layers: [[LoRATarget: FactorPair]]

  /// Zeros for the projections in `shapes` that are among `targets`.
  init(_ shapes: [[LoRATarget: MatrixShape]], rank: Int, targets: Set<LoRATarget>) {
    layers = shapes.map { layer in
      layer.filter { targets.contains($0.key) }.mapValues { FactorPair($0, rank: rank) }
    }
  }

  /// Layers and targets in native order.
  var places: [(layer: Int, target: LoRATarget)] {
    layers.indices.flatMap { layer in
      LoRATarget.allCases.filter { layers[layer][$0] != nil }.map { (layer, $0) }
    }
  }

  /// Zeros of the same shapes.
  var zeros: AdapterFactors {
    var copy = self
    copy.forEach { values in
      for index in values.indices { values[index] = 0 }
    }
    return copy
  }

  /// Calls `body` with the values of every matrix, in native order.
  mutating func forEach(_ body: (inout [Float]) -> Void) {
    for (layer, target) in places {
      guard var pair = layers[layer][target] else { continue }
      layers[layer][target] = nil
      body(&pair.a.values)
      body(&pair.b.values)
      layers[layer][target] = pair
    }
  }

  /// Values of every matrix, in native order.
  var matrices: [[Float]] {
    places.flatMap { layer, target -> [[Float]] in
      layers[layer][target].map { [$0.a.values, $0.b.values] } ?? []
    }
  }
}
