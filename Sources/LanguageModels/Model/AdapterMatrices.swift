import Adapters
import Kernels

/// The matrices of an adapter as products take them, shared by all sessions that apply it.
///
/// Beside quantized weights, whose inputs are rounded to 8 bits anyway, they are rounded to 8 bits too: half the
/// memory to read, and integer arithmetic.
final class AdapterMatrices: Sendable {
  /// Both factors of one update.
  struct Pair: Sendable {
    /// `(rank, inputs)`.
    let a: WeightMatrix
    /// `(outputs, rank)`.
    let b: WeightMatrix
  }

  private let exact: [[LoRATarget: Pair]]
  private let rounded: [[LoRATarget: Pair]]

  init(_ layers: [[LoRATarget: LowRankPair]]) {
    exact = layers.map { $0.mapValues(AdapterMatrices.exact) }
    rounded = exact.map { $0.mapValues { Pair(a: $0.a.rounded, b: $0.b.rounded) } }
  }

  /// The factors for a projection of layer `layer` whose weights are of `type`; nil if the adapter leaves it alone.
  func pair(_ layer: Int, _ target: LoRATarget, beside type: TensorType) -> Pair? {
    (type.blockLength > 1 ? rounded : exact)[layer][target]
  }

  private static func exact(_ pair: LowRankPair) -> Pair {
    Pair(
      a: WeightMatrix(type: .f16, rows: pair.rank, columns: pair.shape.columns, bytes: pair.a),
      b: WeightMatrix(type: .f16, rows: pair.shape.rows, columns: pair.rank, bytes: pair.b))
  }
}
