import Adapters
import Kernels

extension AdapterFactors {
  /// The factors that a package holds.
  init(_ pairs: [[LoRATarget: LowRankPair]]) {
    layers = pairs.map { $0.mapValues(FactorPair.init) }
  }

  /// The factors in half precision, as a package holds them; values beyond its range become infinite.
  var pairs: [[LoRATarget: LowRankPair]] {
    layers.map { layer in
      layer.mapValues { pair in
        LowRankPair(
          a: pair.a.halves, b: pair.b.halves, rank: pair.a.rows,
          shape: MatrixShape(rows: pair.b.rows, columns: pair.a.columns))
      }
    }
  }
}

extension FactorPair {
  init(_ pair: LowRankPair) {
    a = FloatMatrix(
      WeightMatrix(type: .f16, rows: pair.rank, columns: pair.shape.columns, bytes: pair.a))
    b = FloatMatrix(
      WeightMatrix(type: .f16, rows: pair.shape.rows, columns: pair.rank, bytes: pair.b))
  }
}

extension FloatMatrix {
  fileprivate var halves: TensorBytes {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(2 * values.count)
    for value in values {
      let bits = halfFromFloat(value)
      bytes.append(UInt8(truncatingIfNeeded: bits))
      bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
    }
    return TensorBytes(bytes)
  }
}
