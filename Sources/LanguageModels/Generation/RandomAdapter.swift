import Adapters
import Kernels

/// An adapter with random weights for all seven projections of a base: as fast as a trained one of its rank.
public struct RandomAdapter: Sendable {
  /// Rank of every pair.
  public var rank = 32
  /// Adapters with other seeds have other weights.
  public var seed: UInt64 = 1

  /// Rank 32.
  public init() {}

  /// The adapter as sessions over `model` apply it.
  public func applied(to model: LanguageModel) -> AppliedAdapter {
    var random = SplitMix64(seed: seed)
    let layers = model.weights.layers.map { layer in
      LoRATarget.allCases.reduce(into: [LoRATarget: LowRankPair]()) { pairs, target in
        guard let shape = layer.shapes[target] else { return }
        pairs[target] = LowRankPair(
          a: Self.halves(rank * shape.columns, &random),
          b: Self.halves(rank * shape.rows, &random), rank: rank, shape: shape)
      }
    }
    return AppliedAdapter(
      identifier: "random-\(rank)-\(seed)", contentHash: "random-\(rank)-\(seed)", layers: layers,
      scale: 0.5)
  }

  /// Halves between -1/64 and 1/64.
  private static func halves(_ count: Int, _ random: inout SplitMix64) -> TensorBytes {
    TensorBytes(
      (0..<count).flatMap { _ in
        let bits = random.next()
        let half = UInt16(truncatingIfNeeded: bits) & 0x83FF | UInt16(bits >> 32 & 7 + 1) << 10
        return [UInt8(truncatingIfNeeded: half), UInt8(half >> 8)]
      })
  }
}
