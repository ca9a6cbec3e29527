import Adapters
import Kernels
import SystemFiles

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

  init(_ pair: LowRankPair) {
    a = FloatMatrix(
      WeightMatrix(type: .f16, rows: pair.rank, columns: pair.shape.columns, bytes: pair.a))
    b = FloatMatrix(
      WeightMatrix(type: .f16, rows: pair.shape.rows, columns: pair.rank, bytes: pair.b))
  }

  var rank: Int { a.rows }
  /// Of the projection.
  var shape: MatrixShape { MatrixShape(rows: b.rows, columns: a.columns) }

  /// The factors in half precision; values beyond its range become infinite.
  var halves: LowRankPair {
    LowRankPair(
      a: TensorBytes(quantize(.f16, values: a.values)),
      b: TensorBytes(quantize(.f16, values: b.values)), rank: rank, shape: shape)
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

  /// Factors by layer.
  init(_ layers: [[LoRATarget: FactorPair]]) { self.layers = layers }

  /// The factors that a package holds.
  init(_ pairs: [[LoRATarget: LowRankPair]]) {
    layers = pairs.map { $0.mapValues(FactorPair.init) }
  }

  /// The factors as a package holds them.
  var pairs: [[LoRATarget: LowRankPair]] { layers.map { $0.mapValues(\.halves) } }

  /// Zeros of the same shapes.
  var zeros: AdapterFactors {
    var zeros = self
    zeros.layers = layers.map { $0.mapValues { FactorPair($0.shape, rank: $0.rank) } }
    return zeros
  }

  /// Layers and targets in native order.
  var places: [(layer: Int, target: LoRATarget)] {
    layers.indices.flatMap { layer in
      LoRATarget.allCases.filter { layers[layer][$0] != nil }.map { (layer, $0) }
    }
  }

  /// Calls `body` with every pair, in native order.
  mutating func update<E: Error>(
    _ body: (_ layer: Int, _ target: LoRATarget, _ pair: inout FactorPair) throws(E) -> Void
  ) throws(E) {
    for (layer, target) in places {
      // Taken out, so that its values are changed where they are.
      guard var pair = layers[layer].removeValue(forKey: target) else { continue }
      defer { layers[layer][target] = pair }
      try body(layer, target, &pair)
    }
  }

  /// Adds `other`, of the same shapes.
  mutating func add(_ other: AdapterFactors) {
    update { layer, target, pair in
      guard let added = other.layers[layer][target] else { return }
      pair.a.add(added.a)
      pair.b.add(added.b)
    }
  }

  /// Root of the mean square of all values.
  var meanSize: Double {
    let count = matrices.reduce(0) { $0 + $1.count }
    return norm / Double(max(count, 1)).squareRoot()
  }

  /// Values of every matrix, in native order.
  var matrices: [[Float]] {
    places.flatMap { layer, target -> [[Float]] in
      layers[layer][target].map { [$0.a.values, $0.b.values] } ?? []
    }
  }
}
