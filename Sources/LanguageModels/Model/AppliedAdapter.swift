public import Adapters

/// An adapter as a session applies it: y = W x + scale · B (A x) for each projection that it changes.
public struct AppliedAdapter: Sendable {
  /// For messages.
  public let identifier: String
  /// 64 hexadecimal digits that pin the weights: cached keys and values belong to them.
  public let contentHash: String
  /// One entry per layer of the base.
  public let layers: [[LoRATarget: LowRankPair]]
  /// Factor of every update: alpha / rank times the strength that the user chose.
  public let scale: Float
  /// What products multiply.
  let matrices: AdapterMatrices

  /// Applies `layers` with `scale`.
  public init(
    identifier: String, contentHash: String, layers: [[LoRATarget: LowRankPair]], scale: Float
  ) {
    (self.identifier, self.contentHash) = (identifier, contentHash)
    (self.layers, self.scale) = (layers, scale)
    matrices = AdapterMatrices(layers)
  }

  /// Compares every pair with the base that it is to change.
  func checkFits(_ weights: ModelWeights) throws(LanguageModelError) {
    guard layers.count == weights.layers.count else {
      throw .adapterLayers(
        identifier: identifier, expected: weights.layers.count, actual: layers.count)
    }
    for (index, layer) in weights.layers.enumerated() {
      for target in LoRATarget.allCases {
        guard let pair = matrices.exact(index, target) else { continue }
        guard let matrix = layer.matrix(target), pair.rank > 0, pair.fits(matrix) else {
          throw .adapterMismatch(identifier: identifier, layer: index, target: target.rawValue)
        }
      }
    }
  }
}
