package import Kernels

/// The sizes of a layer, in models where they are not alike.
public struct LayerSizes: Sendable, Equatable {
  /// The heads of attention.
  public let shape: HeadShape
  /// Width inside the feed-forward network.
  public let hiddenWidth: Int
  /// The layer whose keys and values attention reads: itself, or one before it.
  public let source: Int
}

/// The heads of a layer's attention.
public struct HeadShape: Sendable, Hashable {
  /// Query heads.
  public let heads: Int
  /// Key/value heads; a divisor of `heads`.
  public let keyValueHeads: Int
  /// Values per head.
  public let size: Int

  /// Width of all query heads together.
  public var queryWidth: Int { heads * size }
  /// Width of all key heads together, and of all value heads.
  public var keyValueWidth: Int { keyValueHeads * size }
}

/// Short convolutions over the tokens of each column, in the place of attention.
public struct ConvolutionSettings: Sendable, Equatable {
  /// Tokens that a sum goes over, the last being the token itself.
  public let taps: Int
  /// Which layers have one.
  public let layers: Set<Int>
}

/// Gated delta rules in the place of attention: a state per head that each token changes a little.
public struct DeltaRuleSettings: Sendable, Equatable {
  /// Heads of queries and of keys; value head h reads those of head h % keyHeads.
  public let keyHeads: Int
  /// Values per head of queries and of keys.
  public let keySize: Int
  /// Heads of values; a multiple of `keyHeads`.
  public let valueHeads: Int
  /// Values per head of values.
  public let valueSize: Int
  /// Tokens that the convolution before the rule goes over, the last being the token itself.
  public let taps: Int
  /// Which layers have one.
  public let layers: Set<Int>

  /// As kernels want it.
  package var shape: DeltaShape {
    DeltaShape(
      keyHeads: keyHeads, keySize: keySize, valueHeads: valueHeads, valueSize: valueSize)
  }
}

/// The experts of a layer: feed-forward networks of which each token takes a few.
public struct ExpertSettings: Sendable, Equatable {
  /// Experts of a layer.
  public let count: Int
  /// Those that a token takes.
  public let used: Int
  /// Width inside each.
  public let hiddenWidth: Int
  /// Whether the weights of those that a token takes add up to 1; else they are their shares among all.
  public let normalizes: Bool
}

/// What the attention of a layer sees, and how its heads are turned.
public struct LayerAttention: Sendable, Equatable {
  /// Tokens that a token sees, itself among them; nil for all before it.
  public let window: Int?
  /// The angles of queries and keys; nil where positions do not turn them.
  public let rotation: LayerRotation?
}

/// Constant factors and limits of a model: what is 1 or nil changes nothing.
public struct ModelScales: Sendable, Equatable {
  /// Factor of the embeddings.
  public var embedding: Float = 1
  /// Factor of what each block adds to the residual stream.
  public var residual: Float = 1
  /// Factor of the products of queries and keys.
  public var attention: Float
  /// Factor of the logits.
  public var logits: Float = 1
  /// Scores of attention stay within it: cap · tanh(score / cap).
  public var attentionCap: Float?
  /// Logits stay within it.
  public var logitCap: Float?
}
