import Adapters
import Kernels

/// The products of one layer with the adapters' updates, described once per session.
struct LayerPlans {
  /// query, key, value = Wq normed, Wk normed, Wv normed; or what a convolution or a delta rule reads.
  let mixerInput: AdaptedPlan
  /// x += Wo mixed, or branch = Wo mixed where more is done to it.
  let output: AdaptedPlan
  /// x += what the feed-forward network makes of normed, or branch.
  let feedForward: FeedForwardPlan
  /// The experts beside it; nil in models without.
  let parallel: ParallelPlan?
  /// What adds the layer's own embedding of each token; nil in models without.
  let token: TokenPlan?

  init(_ index: Int, _ layer: LayerWeights, _ state: ForwardState, _ updates: [LayerUpdates]) {
    func plan(
      _ parts: [(LoRATarget, Projection, Activations)], of input: Activations, adds: Bool = false
    ) -> AdaptedPlan {
      AdaptedPlan(index, parts, of: input, adds: adds, updates)
    }
    let mixed: Activations
    switch (layer.mixer, state.convolution, state.delta) {
    case (.attention(let weights), _, _):
      let rows = state.attention[index]
      var parts = [(LoRATarget.query, weights.query, state.gatedQuery?.both ?? rows.query)]
      if let keyValue = weights.keyValue {
        parts.append((.key, keyValue.key, rows.key))
        if let value = keyValue.value { parts.append((.value, value, rows.value)) }
      }
      (mixerInput, mixed) = (plan(parts, of: state.normed), state.gatedQuery?.gate ?? rows.mixed)
    case (.convolution(let convolution), let scratch?, _):
      mixerInput = plan(
        [(.convolutionInput, convolution.input, scratch.input)], of: state.normed)
      mixed = scratch.result
    case (.delta(let delta), _, let scratch?):
      mixerInput = plan(
        [
          (.deltaInput, delta.input, scratch.input.channels),
          (.deltaGate, delta.gate, scratch.gate),
          (.deltaAlpha, delta.alpha, scratch.input.kept),
          (.deltaBeta, delta.beta, scratch.input.added),
        ], of: state.normed)
      mixed = scratch.gate
    case (.convolution, _, _), (.delta, _, _): preconditionFailure("a layer without scratch")
    }
    let (result, adds) = (state.branch ?? state.x, state.branch == nil)
    output = plan([(layer.outputTarget, layer.output, result)], of: mixed, adds: adds)
    switch (layer.feedForward, state.experts) {
    case (.dense(let gate, let up, let down), _):
      let rows = state.hidden[index]
      feedForward = .dense(
        rows, gateUp: plan([(.gate, gate, rows.gate), (.up, up, rows.up)], of: state.normed),
        down: plan([(.down, down, result)], of: rows.gate, adds: adds))
    case (.experts(let experts), let scratch?):
      feedForward = .experts(
        ExpertPlan(experts, of: state.normed, into: result, accumulates: adds, scratch: scratch))
    case (.experts, nil): preconditionFailure("experts without scratch")
    }
    parallel = layer.parallel.map { ParallelPlan($0, state) }
    token = layer.token.flatMap { weights in
      state.tokens.map { rows in
        TokenPlan(
          rows: rows, gate: plan([(.tokenGate, weights.gate, rows.gate)], of: state.x),
          projection: plan([(.tokenProjection, weights.projection, result)], of: rows.gate),
          norm: weights.norm)
      }
    }
  }
}

/// The products of experts beside a feed-forward network.
struct ParallelPlan {
  let weights: ParallelExperts
  let rows: ParallelRows
  /// result = Σ weight · expert(normed), as the router makes it of `routed`.
  let experts: ExpertPlan

  init(_ weights: ParallelExperts, _ state: ForwardState) {
    guard let rows = state.parallel, let scratch = state.experts else {
      preconditionFailure("experts without scratch")
    }
    (self.weights, self.rows) = (weights, rows)
    experts = ExpertPlan(
      weights.experts, of: state.normed, routedBy: rows.routed, into: rows.result,
      accumulates: false, scratch: scratch)
  }
}

/// The products that add a layer's own embedding of each token.
struct TokenPlan {
  let rows: TokenRows
  /// gate = Wg x.
  let gate: AdaptedPlan
  /// branch = Wp (activation(gate) · embedding).
  let projection: AdaptedPlan
  /// Of the branch.
  let norm: FloatVector
}

/// The products of a feed-forward network.
enum FeedForwardPlan {
  /// gate, up = Wg normed, Wu normed; x += Wd gate.
  case dense(HiddenRows, gateUp: AdaptedPlan, down: AdaptedPlan)
  /// The same by those experts that each row takes.
  case experts(ExpertPlan)
}
