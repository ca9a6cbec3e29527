package import Adapters
package import Kernels

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
