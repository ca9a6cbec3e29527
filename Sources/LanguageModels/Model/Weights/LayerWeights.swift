package import Kernels

/// The weights of one layer.
package struct LayerWeights: Sendable {
  /// `(width)`.
  package let attentionNorm: FloatVector
  /// What lets a token see those before it.
  package let mixer: MixerWeights
  /// `(width, query width)`, or `(width, width)` behind a convolution, or `(width, value width)` behind a delta rule.
  package let output: Projection
  /// `(width)`: of what attention gives, before it is added.
  package let attentionResultNorm: FloatVector?
  /// `(width)`.
  package let feedForwardNorm: FloatVector
  /// `(width)`: of what the feed-forward network gives.
  package let feedForwardResultNorm: FloatVector?
  /// One network, or several of which each row takes a few.
  package let feedForward: FeedForwardWeights
  /// Experts beside that one network; nil in models without.
  package var parallel: ParallelExperts?
  /// What adds the layer's own embedding of a token; nil in models without.
  package var token: TokenWeights?
  /// Factor of all that the layer gives.
  package var scale: Float = 1
}

/// How a layer adds its embedding of a token: x += norm(Wp (activation(Wg x) · embedding)).
package struct TokenWeights: Sendable {
  /// `(width of the embedding, width)`.
  package let gate: Projection
  /// `(width, width of the embedding)`.
  package let projection: Projection
  /// `(width)`.
  package let norm: FloatVector
}

/// What lets a token see those before it.
package enum MixerWeights: Sendable {
  case attention(AttentionWeights)
  case convolution(ConvolutionWeights)
  case delta(DeltaWeights)

  /// Whether it leaves something of a row for those behind it, and does not only read what another layer has left.
  var keepsRows: Bool {
    if case .attention(let weights) = self { weights.keyValue != nil } else { true }
  }
}

/// What attention reads.
package struct AttentionWeights: Sendable {
  /// `(query width, width)`; twice as many rows where each head's query is followed by its gate.
  package let query: Projection
  /// `(head size)`.
  package let queryNorm: FloatVector?
  /// Nil in a layer that reads another layer's keys and values.
  package let keyValue: KeyValueWeights?
}

/// A gated convolution over the last tokens of each column.
package struct ConvolutionWeights: Sendable {
  /// Both gates and what is summed, `(3 width, width)`.
  package let input: Projection
  /// `(taps, width)`, the token itself last.
  package let kernel: FloatVector

  /// Tokens that a sum goes over.
  package var taps: Int { kernel.count * 3 / input.weights.rows }
}

/// A gated delta rule, before which queries, keys and values pass a convolution.
package struct DeltaWeights: Sendable {
  /// Queries, keys and values, `(channels, width)`.
  package let input: Projection
  /// What the result is multiplied by, `(value width, width)`.
  package let gate: Projection
  /// What decides how much of the state stays, `(value heads, width)`.
  package let alpha: Projection
  /// What decides how much of what the state lacks is added, `(value heads, width)`.
  package let beta: Projection
  /// What belongs to both, and the convolution.
  package let constants: DeltaConstants
  /// `(value size)`, of what each head gives.
  package let norm: FloatVector
}

/// What comes after attention.
package enum FeedForwardWeights: Sendable {
  /// Gate and up `(hidden width, width)`, down `(width, hidden width)`.
  case dense(gate: Projection, up: Projection, down: Projection)
  /// Of which each row takes a few.
  case experts(ExpertMatrices)
}

/// Experts beside a layer's feed-forward network: norm(network(x)) + norm(experts(norm(x))).
package struct ParallelExperts: Sendable {
  /// Of which each row takes a few.
  package let experts: ExpertMatrices
  /// Of what the router reads, its scale and 1 / √width in it, `(width)`.
  package let routerNorm: FloatVector
  /// Of what experts read, `(width)`.
  package let inputNorm: FloatVector
  /// Of what they give, `(width)`.
  package let resultNorm: FloatVector
  /// Of what the network gives, `(width)`.
  package let networkNorm: FloatVector
}

/// What makes the keys and values of a regular layer.
package struct KeyValueWeights: Sendable {
  /// `(key/value width, width)`.
  package let key: Projection
  /// `(key/value width, width)`; nil where values are made of what keys are.
  package let value: Projection?
  /// `(head size)`.
  package let keyNorm: FloatVector?
  /// Ones, `(head size)`, where values are normalized.
  package var valueNorm: FloatVector?
}

/// A matrix and its bias: y = W x + b.
package struct Projection: Sendable {
  /// `(outputs, inputs)`.
  package let weights: WeightMatrix
  /// `(outputs)`.
  package let bias: FloatVector?
}
