import Adapters
import Kernels
import TensorFiles

/// The forward pass of a decoder with pre-norms, rotary positions, grouped query heads and a gated feed-forward network.
///
/// All architectures go through the same steps; where they differ, the weights or the configuration say so.
struct ForwardPass {
  private let model: LanguageModel
  private let adapters: [RowAdapter]
  private let configuration: ModelConfiguration
  private let weights: ModelWeights
  private let operations: Operations
  private let plans: [LayerPlans]
  private let outputPlan: ProductPlan
  let state: ForwardState
  private let collector: ImportanceCollector?

  /// A pass of at most `batch` rows, with adapters that are for all of them or for some; `collector` sees what matrices multiply.
  init(
    _ model: LanguageModel, adapters: [RowAdapter], operations: Operations, batch: Int,
    collector: ImportanceCollector? = nil
  ) {
    (self.model, self.adapters, self.collector) = (model, adapters, collector)
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

  /// Tokens of one session, in the rows of a pass from `row` on.
  struct Turn {
    let tokens: ArraySlice<Int32>
    let cache: KeyValueCache
    /// Of so many of its last tokens logits are computed.
    let logits: Int
    var row = 0

    var end: Int { row + tokens.count }
  }

  /// Evaluates the tokens of `turns`, at most `state.batch` in all, each turn's after those in its cache, and adds them
  /// to it.
  ///
  /// The turns lie one behind the other, from row 0 on. The logits that they ask for are the first rows of `state.logits`,
  /// in their order.
  ///
  /// - Throws: `.cancelled` when `isCancelled` says so between two layers, or `.tensorFile(.changed)` when the file of
  ///   the base or of an adapter is no longer the one that was opened; the caches are as before.
  func run(
    _ turns: [Turn], isCancelled: () -> Bool
  ) throws(LanguageModelError) {
    let batch = turns.reduce(0) { $0 + $1.tokens.count }
    for turn in turns {
      turn.cache.convolutions?.willWrite(turn.tokens.count)
      embed(turn)
    }
    for index in weights.layers.indices {
      if isCancelled() { throw .cancelled }
      mix(index, turns, batch: batch)
      feedForward(index, batch: batch)
    }
    computeLogits(turns)
    try checkFiles()
    for turn in turns { turn.cache.append(turn.tokens) }
  }

  /// x = the embeddings of a turn's tokens; the angles of their positions.
  private func embed(_ turn: Turn) {
    operations.gather(weights.embedding, turn.tokens, into: state.x, from: turn.row)
    let factor = configuration.scales.embedding
    if factor != 1 {
      operations.scale(state.x, by: factor, from: turn.row, batch: turn.tokens.count)
    }
    for (rotation, angles) in state.angles {
      let table = weights.rotary.table(rotation, contextLength: turn.cache.capacity)
      operations.rotation(
        table.frequencies, magnitude: table.magnitude, first: turn.cache.position,
        cosine: angles.cosine, sine: angles.sine, from: turn.row, batch: turn.tokens.count)
    }
  }

  /// Weights are read where they are mapped, so only now is it known whether they were there.
  private func checkFiles() throws(LanguageModelError) {
    try model.checkUnchanged()
    do throws(TensorFileError) {
      for adapter in adapters { try adapter.adapter.source?.checkUnchanged() }
    } catch {
      throw .tensorFile(error)
    }
  }

  /// x += Wo attention(Wq norm(x), Wk norm(x), Wv norm(x)), or Wo convolution(Wi norm(x)).
  private func mix(_ index: Int, _ turns: [Turn], batch: Int) {
    norm(weights.layers[index].attentionNorm, batch)
    plans[index].mixerInput.run(operations, batch: batch)
    collector?.note(index, .mixer, state.normed, batch: batch)
    var mixed = state.mixed
    switch (weights.layers[index].mixer, state.convolution) {
    case (.attention(let attention), _):
      for turn in turns { attend(index, attention, turn) }
    case (.convolution(let convolution), let scratch?):
      for turn in turns { convolve(index, convolution, scratch, turn) }
      mixed = scratch.result
    case (.convolution, nil): break
    }
    plans[index].output.run(operations, batch: batch)
    collector?.note(index, .mixerOutput, mixed, batch: batch)
    addBranch(weights.layers[index].attentionResultNorm, batch)
  }

  /// The part of a convolution that belongs to one session.
  private func convolve(
    _ index: Int, _ weights: ConvolutionWeights, _ scratch: ConvolutionRows, _ turn: Turn
  ) {
    guard let ring = turn.cache.convolutions?.rings[index] else {
      preconditionFailure("a cache of another model")
    }
    operations.convolution(
      scratch.input, kernel: weights.kernel, taps: weights.taps, ring: ring, into: scratch.result,
      first: turn.cache.position, from: turn.row, batch: turn.tokens.count)
  }

  /// The part of attention that belongs to one session's cache.
  private func attend(_ index: Int, _ layer: AttentionWeights, _ turn: Turn) {
    let size = configuration.headSize
    let source = min(index, configuration.regularLayers - 1)
    let (cache, first) = (turn.cache, turn.cache.position)
    guard let keys = cache.keys[source], let values = cache.values[source] else {
      preconditionFailure("a cache of another model")
    }
    let (row, batch) = (turn.row, turn.tokens.count)
    let rotation = configuration.attention[index].rotation.flatMap { state.angles[$0] }
    operations.heads(
      state.query, size: size, norm: headNorm(layer.queryNorm), rotation: rotation, first: first,
      from: row, batch: batch)
    if let keyValue = layer.keyValue {
      operations.heads(
        state.key, size: size, norm: headNorm(keyValue.keyNorm), rotation: rotation,
        cache: keys, first: first, from: row, batch: batch)
      operations.heads(
        state.value, size: size, cache: values, first: first, from: row, batch: batch)
    }
    operations.attention(
      state.query, keys: keys, values: values, configuration.attentionRule(layer: index),
      into: state.mixed, first: first, from: row, batch: batch)
  }

  /// x += Wd (activation(Wg norm(x)) · Wu norm(x)), or the sum of that over the experts of a row.
  private func feedForward(_ index: Int, batch: Int) {
    norm(weights.layers[index].feedForwardNorm, batch)
    let activation = configuration.architecture.activation
    collector?.note(index, .feedForward, state.normed, batch: batch)
    switch plans[index].feedForward {
    case .dense(let gateUp, let down):
      gateUp.run(operations, batch: batch)
      operations.gate(state.gate, state.up, activation, batch: batch)
      down.run(operations, batch: batch)
      collector?.note(index, .down, state.gate, batch: batch)
    case .experts(let plan):
      operations.run(plan, activation, batch: batch)
      collector?.note(index, plan, batch: batch)
    }
    addBranch(weights.layers[index].feedForwardResultNorm, batch)
  }

  /// x += factor · norm(branch), where products have not added to x themselves.
  private func addBranch(_ weight: FloatVector?, _ batch: Int) {
    guard let branch = state.branch else { return }
    if let weight {
      operations.norm(
        branch, weight, epsilon: configuration.epsilon, into: branch, batch: batch)
    }
    operations.add(branch, times: configuration.scales.residual, to: state.x, batch: batch)
  }

  /// logits = W norm(x), for the rows that ask for them.
  private func computeLogits(_ turns: [Turn]) {
    var rows = 0
    for turn in turns {
      for row in turn.end - turn.logits..<turn.end {
        state.x.copyRow(row, to: rows)
        rows += 1
      }
    }
    guard rows > 0 else { return }
    norm(weights.outputNorm, rows)
    operations.run(outputPlan, batch: rows)
    let scales = configuration.scales
    if scales.logits != 1 || scales.logitCap != nil {
      operations.scale(state.logits, by: scales.logits, cap: scales.logitCap, batch: rows)
    }
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

/// Scratch of the layers that have a convolution.
struct ConvolutionRows {
  /// Both gates and what is summed, `(batch, 3 width)`.
  let input: Activations
  /// `(batch, width)`.
  let result: Activations
}

/// All scratch of one session, allocated once; a pass uses the first rows of each.
struct ForwardState {
  /// Rows that one pass takes at most.
  let batch: Int
  /// The residual stream, `(batch, width)`.
  let x: Activations
  /// Its norm, what attention and feed-forward read, `(batch, width)`.
  let normed: Activations
  /// `(batch, query width)`.
  let query: Activations
  /// `(batch, key/value width)`.
  let key: Activations
  /// `(batch, key/value width)`.
  let value: Activations
  /// What the heads gather from the values, `(batch, query width)`.
  let mixed: Activations
  /// `(batch, hidden width)`.
  let gate: Activations
  /// `(batch, hidden width)`.
  let up: Activations
  /// What convolutions work in; nil in models without.
  let convolution: ConvolutionRows?
  /// What experts work in; nil in models without.
  let experts: ExpertRows?
  /// What a block gives, where it is not added to `x` as it is, `(batch, width)`.
  let branch: Activations?
  /// Cosines and sines of the rows' positions, `(batch, turned values / 2)` each, for the rotations that layers have.
  let angles: [LayerRotation: HeadRotation]
  /// `(batch, vocabulary)`; only the rows that are asked for are computed.
  let logits: Activations

  init(_ weights: ModelWeights, _ c: ModelConfiguration, batch: Int) {
    self.batch = batch
    let layers = weights.layers.map(\.projections)
    func types(_ targets: LoRATarget...) -> Set<TensorType> {
      Set(layers.flatMap { layer in targets.compactMap { layer[$0]?.type } })
    }
    func rows(_ columns: Int, _ types: Set<TensorType> = []) -> Activations {
      Activations(capacity: batch, columns: columns, types: types)
    }
    x = rows(c.width)
    let stacks = weights.layers.compactMap { layer in
      if case .experts(let experts) = layer.feedForward { experts } else { nil }
    }
    let routers = stacks.map(\.router.type) + [weights.output.type]
    normed = rows(
      c.width, types(.query, .key, .value, .gate, .up, .convolutionInput).union(routers))
    convolution = c.convolution.map { _ in
      ConvolutionRows(input: rows(3 * c.width), result: rows(c.width, types(.convolutionOutput)))
    }
    experts = ExpertRows(batch: batch, for: stacks)
    query = rows(c.queryWidth)
    key = rows(c.keyValueWidth)
    value = rows(c.keyValueWidth)
    mixed = rows(c.queryWidth, types(.output))
    gate = rows(c.hiddenWidth, types(.down))
    up = rows(c.hiddenWidth)
    let addsAsIs = !c.architecture.normalizesResults && c.scales.residual == 1
    branch = addsAsIs ? nil : rows(c.width)
    let rotations = Set(c.attention.compactMap(\.rotation))
    angles = rotations.reduce(into: [:]) {
      $0[$1] = HeadRotation(
        cosine: rows(c.rotary.size / 2), sine: rows(c.rotary.size / 2),
        isAdjacent: c.architecture.rotatesAdjacentPairs)
    }
    logits = rows(weights.output.rows)
  }
}
