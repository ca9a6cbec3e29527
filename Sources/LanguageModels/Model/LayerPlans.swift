import Adapters
import Kernels

/// The products of one layer with the adapters' updates, described once per session.
struct LayerPlans {
  /// query, key, value = Wq normed, Wk normed, Wv normed.
  let queryKeyValue: AdaptedPlan
  /// x += Wo mixed.
  let output: AdaptedPlan
  /// gate, up = Wg normed, Wu normed.
  let gateUp: AdaptedPlan
  /// x += Wd gate.
  let down: AdaptedPlan

  init(_ index: Int, _ layer: LayerWeights, _ state: ForwardState, _ updates: [LayerUpdates]) {
    func plan(
      _ parts: [(LoRATarget, Projection, Activations)], of input: Activations, adds: Bool = false
    ) -> AdaptedPlan {
      AdaptedPlan(index, parts, of: input, adds: adds, updates)
    }
    var parts = [(LoRATarget.query, layer.query, state.query)]
    if let keyValue = layer.keyValue {
      parts.append((.key, keyValue.key, state.key))
      parts.append((.value, keyValue.value, state.value))
    }
    queryKeyValue = plan(parts, of: state.normed)
    output = plan([(.output, layer.output, state.x)], of: state.mixed, adds: true)
    gateUp = plan([(.gate, layer.gate, state.gate), (.up, layer.up, state.up)], of: state.normed)
    down = plan([(.down, layer.down, state.x)], of: state.gate, adds: true)
  }
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
