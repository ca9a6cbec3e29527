import Kernels

/// The forward pass of a decoder with pre-norms, rotary positions, grouped query heads and a SiLU gate.
///
/// All architectures go through the same steps; where they differ, the weights or the configuration say so.
struct ForwardPass {
  private let configuration: ModelConfiguration
  private let weights: ModelWeights
  private let operations: Operations
  private let plans: [LayerPlans]
  private let outputPlan: ProductPlan
  let state: ForwardState

  init(_ model: LanguageModel, adapters: [AppliedAdapter], operations: Operations, batch: Int) {
    configuration = model.configuration
    weights = model.weights
    self.operations = operations
    let state = ForwardState(model.weights, model.configuration, batch: batch)
    let updates = adapters.map { LayerUpdates($0, batch: batch) }
    plans = model.weights.layers.enumerated().map { index, layer in
      LayerPlans(index, layer, state, updates)
    }
    outputPlan = ProductPlan([Product(model.weights.output, into: state.logits)], of: state.normed)
    self.state = state
  }

  /// Which rows of logits a pass computes: the first rows of `state.logits`.
  enum Logits {
    case none, last, all
  }

  /// Evaluates `tokens`, at most `state.batch`, after those in `cache`, and adds them to it.
  ///
  /// - Throws: `.cancelled` when `isCancelled` says so between two layers; the cache is as before.
  func run(
    _ tokens: ArraySlice<Int32>, _ cache: KeyValueCache, logits: Logits, isCancelled: () -> Bool
  ) throws(LanguageModelError) {
    let (batch, first) = (tokens.count, cache.tokens.count)
    operations.gather(weights.embedding, tokens, into: state.x)
    operations.rotation(
      weights.frequencies, first: first, cosine: state.cosine, sine: state.sine, batch: batch)
    for index in weights.layers.indices {
      if isCancelled() { throw .cancelled }
      attention(index, cache, first: first, batch: batch)
      feedForward(index, batch: batch)
    }
    cache.append(tokens)
    computeLogits(logits, batch: batch)
  }

  /// x += Wo attention(Wq norm(x), Wk norm(x), Wv norm(x)).
  private func attention(_ index: Int, _ cache: KeyValueCache, first: Int, batch: Int) {
    let layer = weights.layers[index]
    let size = configuration.headSize
    let source = min(index, configuration.regularLayers - 1)
    let rotation = HeadRotation(
      cosine: state.cosine, sine: state.sine,
      isAdjacent: configuration.architecture.rotatesAdjacentPairs)
    norm(layer.attentionNorm, batch)
    plans[index].queryKeyValue.run(operations, batch: batch)
    operations.heads(
      state.query, size: size, norm: headNorm(layer.queryNorm), rotation: rotation, first: first,
      batch: batch)
    if let keyValue = layer.keyValue {
      operations.heads(
        state.key, size: size, norm: headNorm(keyValue.keyNorm), rotation: rotation,
        cache: cache.keys[index], first: first, batch: batch)
      operations.heads(
        state.value, size: size, cache: cache.values[index], first: first, batch: batch)
    }
    operations.attention(
      state.query, keys: cache.keys[source], values: cache.values[source],
      scale: 1 / Float(size).squareRoot(), into: state.mixed, first: first, batch: batch)
    plans[index].output.run(operations, batch: batch)
  }

  /// x += Wd (silu(Wg norm(x)) · Wu norm(x)).
  private func feedForward(_ index: Int, batch: Int) {
    norm(weights.layers[index].feedForwardNorm, batch)
    plans[index].gateUp.run(operations, batch: batch)
    operations.gate(state.gate, state.up, batch: batch)
    plans[index].down.run(operations, batch: batch)
  }

  /// logits = W norm(x), for the last row or all.
  private func computeLogits(_ logits: Logits, batch: Int) {
    switch logits {
    case .none: return
    case .last: state.x.copyRow(batch - 1, to: 0)
    case .all: break
    }
    let rows = logits == .all ? batch : 1
    norm(weights.outputNorm, rows)
    operations.run(outputPlan, batch: rows)
  }

  private func norm(_ weight: FloatVector, _ batch: Int) {
    operations.norm(
      state.x, weight, epsilon: configuration.epsilon, into: state.normed, batch: batch)
  }

  private func headNorm(_ weight: FloatVector?) -> HeadNorm? {
    weight.map {
      HeadNorm(
        weight: $0, epsilon: configuration.epsilon,
        isFirst: configuration.architecture.normalizesBeforeRotation)
    }
  }
}
