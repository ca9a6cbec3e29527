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

/// Products of one input and the low-rank updates of their outputs.
struct AdaptedPlan {
  /// u = A x for every adapter and target; nil without adapters.
  private let inner: ProductPlan?
  /// y = W x + Σ scale · B u.
  private let outer: ProductPlan

  init(
    _ index: Int, _ parts: [(target: LoRATarget, projection: Projection, output: Activations)],
    of input: Activations, adds: Bool, _ updates: [LayerUpdates]
  ) {
    var inner: [Product] = []
    var outer: [Product] = []
    for part in parts {
      let weights = part.projection.weights
      var additions: [LowRankAddition] = []
      for adapter in updates {
        guard let update = adapter.update(index, part.target, beside: weights.type) else {
          continue
        }
        inner.append(update.innerProduct)
        additions.append(update.addition)
      }
      outer.append(
        Product(
          weights, bias: part.projection.bias, additions: additions, into: part.output,
          accumulates: adds))
    }
    self.inner = inner.isEmpty ? nil : ProductPlan(inner, of: input)
    self.outer = ProductPlan(outer, of: input)
  }

  func run(_ operations: Operations, batch: Int) {
    if let inner { operations.run(inner, batch: batch) }
    operations.run(outer, batch: batch, after: inner)
  }
}

/// The update of one projection by one adapter.
struct LowRankUpdate {
  /// A and B.
  let matrices: AdapterMatrices.Pair
  /// Where A x goes, `(batch, rank)`.
  let u: Activations
  /// alpha / rank times the chosen strength.
  let scale: Float
  /// Rows of the batch that it is for; all if nil.
  let rows: RowRange?

  /// u = A x, times the factor of A.
  var innerProduct: Product {
    Product(matrices.a, into: u, rows: rows, roundsOutput: matrices.b.isRounded)
  }

  /// scale · B u.
  var addition: LowRankAddition {
    LowRankAddition(
      b: matrices.b, u: u, scale: scale / (matrices.a.factor * matrices.b.factor), rows: rows)
  }
}

/// An adapter, and the rows of a pass that it is for; all if nil.
struct RowAdapter {
  let adapter: AppliedAdapter
  var rows: RowRange?
}

/// The updates of one adapter; layers share the scratch, as they run one after the other.
struct LayerUpdates {
  private let adapter: AppliedAdapter
  private let rows: RowRange?
  // By the targets' indices, then by rank.
  private let scratch: [[Int: Activations]]

  init(_ part: RowAdapter, batch: Int) {
    (adapter, rows) = (part.adapter, part.rows)
    scratch = adapter.matrices.ranks.map { ranks in
      ranks.reduce(into: [:]) { scratch, rank in
        let types: Set<TensorType> = WeightMatrix.canRound(columns: rank) ? [.q8_0] : []
        scratch[rank] = Activations(capacity: batch, columns: rank, types: types)
      }
    }
  }

  /// The update of a projection of layer `index` with weights of `type`; nil if the adapter leaves it alone.
  func update(_ index: Int, _ target: LoRATarget, beside type: TensorType) -> LowRankUpdate? {
    guard let matrices = adapter.matrices.pair(index, target, beside: type),
      let u = scratch[target.index][matrices.rank]
    else { return nil }
    return LowRankUpdate(matrices: matrices, u: u, scale: adapter.scale, rows: rows)
  }
}
