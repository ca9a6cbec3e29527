public import Adapters

extension AppliedAdapter {
  /// Applies `adapter` with alpha / rank times `strength`; 1 is what its author trained.
  public init(_ adapter: Adapter, strength: Double = 1) {
    self.init(
      identifier: adapter.identifier.description, contentHash: adapter.contentHash,
      layers: adapter.layers, scale: Float(adapter.scale * strength))
  }
}
