package import Kernels

/// The sizes of a layer, in models where they are not alike.
struct LayerSizes: Sendable, Equatable {
  /// The heads of attention.
  let shape: HeadShape
  /// Width inside the feed-forward network.
  let hiddenWidth: Int
  /// The layer whose keys and values attention reads: itself, or one before it.
  let source: Int
}

/// The heads of a layer's attention.
package struct HeadShape: Sendable, Hashable {
  /// Query heads.
  package let heads: Int
  /// Key/value heads; a divisor of `heads`.
  package let keyValueHeads: Int
  /// Values per head.
  package let size: Int

  /// Width of all query heads together.
  var queryWidth: Int { heads * size }
  /// Width of all key heads together, and of all value heads.
  var keyValueWidth: Int { keyValueHeads * size }
}

/// Short convolutions over the tokens of each column, in the place of attention.
struct ConvolutionSettings: Sendable, Equatable {
  /// Tokens that a sum goes over, the last being the token itself.
  let taps: Int
  /// Which layers have one.
  let layers: Set<Int>
}

/// Gated delta rules in the place of attention: a state per head that each token changes a little.
package struct DeltaRuleSettings: Sendable, Equatable {
  /// Heads of queries and of keys; value head h reads those of head h % keyHeads.
  package let keyHeads: Int
  /// Values per head of queries and of keys.
  let keySize: Int
  /// Heads of values; a multiple of `keyHeads`.
  package let valueHeads: Int
  /// Values per head of values.
  package let valueSize: Int
  /// Tokens that the convolution before the rule goes over, the last being the token itself.
  let taps: Int
  /// Which layers have one.
  let layers: Set<Int>

  /// As kernels want it.
  package var shape: DeltaShape {
    DeltaShape(
      keyHeads: keyHeads, keySize: keySize, valueHeads: valueHeads, valueSize: valueSize)
  }
}

/// The experts of a layer: feed-forward networks of which each token takes a few.
package struct ExpertSettings: Sendable, Equatable {
  /// Experts of a layer.
  package let count: Int
  /// Those that a token takes.
  package let used: Int
  /// Width inside each.
  package let hiddenWidth: Int
  /// Whether the weights of those that a token takes add up to 1; else they are their shares among all.
  package let normalizes: Bool
}

/// What the attention of a layer sees, and how its heads are turned.
package struct LayerAttention: Sendable, Equatable {
  /// Tokens that a token sees, itself among them; nil for all before it.
  let window: Int?
  /// The angles of queries and keys; nil where positions do not turn them.
  package let rotation: LayerRotation?
}

/// Constant factors and limits of a model: what is 1 or nil changes nothing.
package struct ModelScales: Sendable, Equatable {
  /// Factor of the embeddings.
  package var embedding: Float = 1
  /// Factor of what each block adds to the residual stream.
  package var residual: Float = 1
  /// Factor of the products of queries and keys.
  var attention: Float
  /// Factor of the logits.
  package var logits: Float = 1
  /// Scores of attention stay within it: cap · tanh(score / cap).
  var attentionCap: Float?
  /// Logits stay within it.
  package var logitCap: Float?
}
