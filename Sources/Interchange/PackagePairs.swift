import Adapters
import Kernels
import SystemFiles

/// Pairs of any ranks and scales on their way into a package, which has one rank and one scale.
struct PackagePairs {
  let pairs: [PairUpdate]
  /// Named in errors.
  let path: String
  /// The highest of all.
  let rank: Int
  /// The factor of all updates.
  let scale: Double
  private(set) var remarks: [String] = []
  /// What was done for values that are too small; nil before the layers are made.
  private(set) var balance: HalfBalance?

  var alpha: Double { scale * Double(rank) }

  /// Ranks that a package may have.
  static let rankLimit = 4096

  /// Without `scale` the one is taken that fits the pairs best.
  init(_ pairs: [PairUpdate], path: String, scale: Double? = nil) {
    (self.pairs, self.path) = (pairs, path)
    rank = max(1, pairs.map(\.rank).max() ?? 1)
    self.scale = scale ?? Self.scale(of: pairs)
  }

  /// The scale with which the most pairs keep their halves to the bit; among equals the most frequent one.
  private static func scale(of pairs: [PairUpdate]) -> Double {
    var counts: [(scale: Double, count: Int)] = []
    for pair in pairs where pair.rank > 0 {
      let size = abs(pair.scale)
      if let index = counts.firstIndex(where: { isSame($0.scale, size) }) {
        counts[index].count += 1
      } else {
        counts.append((size, 1))
      }
    }
    guard counts.count > 1 else { return counts.first?.scale ?? 1 }
    // There are no more in adapters that people make, and each is tried on all values.
    let candidates = counts.sorted { $0.count > $1.count }.prefix(8)
    let exact = candidates.map { candidate in
      pairs.count { pair in
        let factor = pair.scale / candidate.scale
        return pair.b.values.allSatisfy { value in
          let folded = Self.folded(value, by: factor)
          return floatFromHalf(halfFromFloat(folded)) == folded
        }
      }
    }
    let best = candidates.indices.max { exact[$0] < exact[$1] } ?? 0
    return candidates[exact.firstIndex(of: exact[best]) ?? best].scale
  }

  /// Scales that were computed as alpha / rank in two ways differ in their last bits.
  private static func isSame(_ first: Double, _ second: Double) -> Bool {
    abs(first - second) <= 1e-12 * max(first, second)
  }

  private static func folded(_ value: Float, by factor: Double) -> Float {
    Float(Double(value) * factor)
  }

  /// The pairs in half precision, padded with zeros to one rank, and zeros where only some layers have a projection.
  mutating func layers(
    for base: BaseContract
  ) throws(InterchangeError) -> [[LoRATarget: LowRankPair]] {
    guard rank <= Self.rankLimit else { throw .rankTooLarge(rank, limit: Self.rankLimit) }
    var layers = base.layers.map { _ in [LoRATarget: LowRankPair]() }
    var foldedCount = 0
    var pairs = try pairs.map { pair throws(InterchangeError) in
      let folded = folded(pair, &foldedCount)
      try checkRange(folded.a, folded.names.a)
      try checkRange(folded.b, folded.names.b)
      return folded
    }
    balance = HalfBalance(&pairs)
    for pair in pairs {
      guard let shape = base.layers[pair.layer][pair.target] else { continue }
      layers[pair.layer][pair.target] = LowRankPair(
        a: pair.a.padded(rows: rank).halves, b: pair.b.padded(columns: rank).halves, rank: rank,
        shape: shape)
    }
    let shorter = pairs.count { $0.rank < rank }
    remark(foldedCount, shorter)
    fill(&layers, base)
    remarks += balance?.remarks ?? []
    return layers
  }

  private mutating func remark(_ folded: Int, _ shorter: Int) {
    if folded > 0 {
      remarks.append(
        "\(Figures.count(folded, "projection")) had another scale, which is now a part of B")
    }
    if shorter > 0 {
      remarks.append(
        "\(Figures.count(shorter, "projection")) had a lower rank than \(rank), and zeros were added"
      )
    }
  }

  /// The pair with what its scale is beside the package's as a part of B.
  private func folded(_ pair: PairUpdate, _ count: inout Int) -> PairUpdate {
    let factor = pair.scale / scale
    guard pair.rank > 0, !Self.isSame(factor, 1) else { return pair }
    count += 1
    var pair = pair
    pair.b = FloatMatrix(
      rows: pair.b.rows, columns: pair.b.columns,
      values: pair.b.values.map { Self.folded($0, by: factor) })
    return pair
  }

  /// Every layer of a package has all its projections.
  private mutating func fill(_ layers: inout [[LoRATarget: LowRankPair]], _ base: BaseContract) {
    let targets = Set(layers.flatMap(\.keys))
    var count = 0
    for index in layers.indices {
      for (target, shape) in base.layers[index]
      where targets.contains(target) && layers[index][target] == nil {
        count += 1
        layers[index][target] = LowRankPair(
          a: TensorBytes([UInt8](repeating: 0, count: 2 * rank * shape.columns)),
          b: TensorBytes([UInt8](repeating: 0, count: 2 * rank * shape.rows)), rank: rank,
          shape: shape)
      }
    }
    if count > 0 {
      remarks.append(
        "\(Figures.count(count, "projection")) of other layers had no change, and zeros were added")
    }
  }

  private func checkRange(_ matrix: FloatMatrix, _ name: String) throws(InterchangeError) {
    if let index = matrix.values.firstIndex(where: { !($0.magnitude < 65_520) }) {
      throw .notFinite(path: path, tensor: name, index: index)
    }
  }
}
