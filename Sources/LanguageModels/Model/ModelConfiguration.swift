/// The hyperparameters of a base model; sizes are in values, lengths in tokens.
public struct ModelConfiguration: Sendable, Equatable {
  /// The model family.
  public let architecture: Architecture
  /// Number of layers.
  public let layers: Int
  /// Last layers that have no keys and values and read those of the last regular layer.
  public let sharedKeyValueLayers: Int
  /// Width of the residual stream.
  public let width: Int
  /// Width inside the feed-forward network.
  public let hiddenWidth: Int
  /// Query heads.
  public let heads: Int
  /// Key/value heads; a divisor of `heads`.
  public let keyValueHeads: Int
  /// Values per head.
  public let headSize: Int
  /// Leading values of each head that the rotation turns; even.
  public let rotatedSize: Int
  /// Base of the rotation's frequencies.
  public let rotationBase: Float
  /// Positions are divided by this before the rotation.
  public let rotationScale: Float
  /// Added to the mean square by the norms.
  public let epsilon: Float
  /// Tokens that the model was trained to see at once.
  public let contextLength: Int
  /// Pieces in the vocabulary.
  public let vocabularySize: Int

  /// Width of all query heads together.
  public var queryWidth: Int { heads * headSize }
  /// Width of all key heads together, and of all value heads.
  public var keyValueWidth: Int { keyValueHeads * headSize }
  /// Layers that have keys and values of their own.
  public var regularLayers: Int { layers - sharedKeyValueLayers }
}
