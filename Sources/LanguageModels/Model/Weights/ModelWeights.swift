package import Adapters
package import Kernels

/// Views of all weights of a base, `(rows, columns)` = (outputs, inputs); only norms and biases are
/// copied from the file.
package struct ModelWeights: Sendable {
  /// `(vocabulary, width)`.
  package let embedding: WeightMatrix
  /// One per layer.
  package let layers: [LayerWeights]
  /// `(width)`.
  package let outputNorm: FloatVector
  /// `(vocabulary, width)`, fewer rows in some drafts; the embedding itself where the file has no other.
  package let output: WeightMatrix
  /// How positions turn the heads.
  package let rotary: RotaryTables
  /// What layers get of a token besides; nil in models without.
  package let tokens: TokenEmbedding?

  /// Bytes that one pass of one token reads: everything but the other rows of the embedding, and the other experts.
  package var bytesPerPass: Int { matricesPerPass.reduce(0) { $0 + $1.bytes.count } }

  /// Those of them that are the experts'.
  var expertBytesPerPass: Int {
    layers.flatMap { $0.expertMatrices(nil) }.reduce(0) { $0 + $1.bytes.count }
  }

  /// Those in no layer.
  private var ends: [WeightMatrix] { [output] + (tokens.map { [$0.projection] } ?? []) }

  /// Matrices that a pass of one token multiplies; of experts, the first ones.
  var matricesPerPass: [WeightMatrix] {
    layers.flatMap { $0.matrices(experts: nil) } + ends
  }

  /// Every matrix that any pass multiplies, always in this order.
  package var multipliedMatrices: [WeightMatrix] {
    layers.flatMap { $0.matrices(experts: .max) } + ends
  }

  /// Weights of all matrices.
  package var parameters: Int {
    let tables = tokens.map { [$0.table] } ?? []
    return (multipliedMatrices + [embedding] + tables).reduce(0) { $0 + $1.rows * $1.columns }
  }
}

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

/// An embedding of each token for each layer: norm(Wp e) + the token's row of the table, where e is its embedding for all.
package struct TokenEmbedding: Sendable {
  /// `(vocabulary, layers · width)`.
  package let table: WeightMatrix
  /// `(layers · width, width of the model)`.
  package let projection: WeightMatrix
  /// `(width)`.
  package let norm: FloatVector
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

/// The norms of a layer, by the stems of their tensors.
package enum LayerNorm: String, CaseIterable, Sendable {
  case attention = "attn_norm"
  case query = "attn_q_norm"
  case key = "attn_k_norm"
  case attentionResult = "post_attention_norm"
  case feedForward = "ffn_norm"
  case feedForwardResult = "post_ffw_norm"
  case tokenResult = "post_norm"
}

extension LayerWeights {
  /// The projection of `target`; nil where the layer has none.
  private func projection(_ target: LoRATarget) -> Projection? {
    switch (target, mixer) {
    case (.query, .attention(let attention)): attention.query
    case (.key, .attention(let attention)): attention.keyValue?.key
    case (.value, .attention(let attention)): attention.keyValue?.value
    case (.output, .attention), (.convolutionOutput, .convolution), (.deltaOutput, .delta): output
    case (.convolutionInput, .convolution(let convolution)): convolution.input
    case (.deltaInput, .delta(let delta)): delta.input
    case (.deltaGate, .delta(let delta)): delta.gate
    case (.deltaAlpha, .delta(let delta)): delta.alpha
    case (.deltaBeta, .delta(let delta)): delta.beta
    case (.tokenGate, _): token?.gate
    case (.tokenProjection, _): token?.projection
    case (.gate, _), (.up, _), (.down, _): feedForwardProjection(target)
    default: nil
    }
  }

  /// What an adapter calls the matrix behind attention or what is in the place of it.
  package var outputTarget: LoRATarget {
    switch mixer {
    case .attention: .output
    case .convolution: .convolutionOutput
    case .delta: .deltaOutput
    }
  }

  /// Nil in a layer without attention.
  package var attention: AttentionWeights? {
    if case .attention(let attention) = mixer { attention } else { nil }
  }

  /// The matrix of `target`; nil where the layer has none.
  func matrix(_ target: LoRATarget) -> WeightMatrix? { projection(target)?.weights }

  /// All projections that an adapter may change, with their biases.
  package var targets: [LoRATarget: Projection] {
    LoRATarget.allCases.reduce(into: [:]) { $0[$1] = projection($1) }
  }

  /// All norms that the layer has, but those around experts, which are not learnt.
  package var norms: [LayerNorm: FloatVector] {
    LayerNorm.allCases.reduce(into: [:]) { norms, norm in
      norms[norm] =
        switch norm {
        case .attention: attentionNorm
        case .query: attention?.queryNorm
        case .key: attention?.keyValue?.keyNorm
        case .attentionResult: attentionResultNorm
        case .feedForward: feedForwardNorm
        case .feedForwardResult: feedForwardResultNorm
        case .tokenResult: token?.norm
        }
    }
  }

  /// Experts are no targets of an adapter: a package has no names for their factors.
  private func feedForwardProjection(_ target: LoRATarget) -> Projection? {
    guard case .dense(let gate, let up, let down) = feedForward else { return nil }
    return target == .gate ? gate : target == .up ? up : down
  }

  /// All matrices, with so many experts; nil for as many as a row takes.
  func matrices(experts count: Int?) -> [WeightMatrix] {
    let dense = LoRATarget.allCases.compactMap(matrix)
    guard let experts else { return dense }
    return dense + [experts.router] + expertMatrices(count)
  }

  /// In the place of the feed-forward network, or beside it.
  var experts: ExpertMatrices? {
    if case .experts(let experts) = feedForward { experts } else { parallel?.experts }
  }

  /// Those of `count` experts; nil for as many as a row takes.
  func expertMatrices(_ count: Int?) -> [WeightMatrix] {
    guard let experts else { return [] }
    let taken = count ?? experts.used
    return [experts.gate, experts.up, experts.down].flatMap { $0.prefix(taken) }
  }

  /// The matrices that an adapter may change.
  package var projections: [LoRATarget: WeightMatrix] { targets.mapValues(\.weights) }

  /// Their shapes.
  package var shapes: [LoRATarget: MatrixShape] {
    projections.mapValues { MatrixShape(rows: $0.rows, columns: $0.columns) }
  }
}

extension ModelWeights {
  /// Weights in full precision, which are in no file: of a model that is being trained.
  ///
  /// `tensor` gives what a file would hold under a name, vectors as a matrix of one row, and nil for what the model lacks; it
  /// traps when a layer is not whole.
  package init(
    layers: Int, rotary: RotaryTables, _ tensor: (_ name: String) -> FloatMatrix?
  ) {
    func matrix(_ name: String) -> WeightMatrix {
      guard let values = tensor(name + ".weight") else { preconditionFailure("no \(name)") }
      return WeightMatrix(values)
    }
    func vector(_ name: String) -> FloatVector? { tensor(name).map { FloatVector($0.values) } }
    func norm(_ name: String) -> FloatVector {
      guard let norm = vector(name + ".weight") else { preconditionFailure("no \(name)") }
      return norm
    }
    self.layers = (0..<layers).map { index in
      func projection(_ target: LoRATarget) -> Projection {
        let stem = "blk.\(index).\(target.rawValue)"
        return Projection(weights: matrix(stem), bias: vector(stem + ".bias"))
      }
      func other(_ norm: LayerNorm) -> FloatVector? {
        vector("blk.\(index).\(norm.rawValue).weight")
      }
      let isRegular = tensor("blk.\(index).\(LoRATarget.key.rawValue).weight") != nil
      return LayerWeights(
        attentionNorm: norm("blk.\(index).\(LayerNorm.attention.rawValue)"),
        mixer: .attention(
          AttentionWeights(
            query: projection(.query), queryNorm: other(.query),
            keyValue: isRegular
              ? KeyValueWeights(
                key: projection(.key), value: projection(.value), keyNorm: other(.key)) : nil)),
        output: projection(.output),
        attentionResultNorm: other(.attentionResult),
        feedForwardNorm: norm("blk.\(index).\(LayerNorm.feedForward.rawValue)"),
        feedForwardResultNorm: other(.feedForwardResult),
        feedForward: .dense(
          gate: projection(.gate), up: projection(.up), down: projection(.down)))
    }
    embedding = matrix("token_embd")
    outputNorm = norm("output_norm")
    output = tensor("output.weight").map { WeightMatrix($0) } ?? embedding
    self.rotary = rotary
    tokens = nil
  }
}
