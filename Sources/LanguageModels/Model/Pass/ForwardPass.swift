import Adapters
import Grammars
import Kernels
import SystemFiles

/// The forward pass of a decoder with pre-norms, rotary positions, grouped query heads and a gated feed-forward network.
///
/// All architectures go through the same steps; where they differ, the weights or the configuration say so.
struct ForwardPass {
  private let model: BaseModel
  private let configuration: ModelConfiguration
  private let weights: ModelWeights
  private let operations: Operations
  private let plans: [LayerPlans]
  private let outputPlan: ProductPlan
  // Wp x, of embeddings that layers have of their own.
  private let tokenPlan: ProductPlan?
  let state: ForwardState
  private let collector: ImportanceCollector?
  /// Of the adapters; several may have the same one.
  let ranges: [RowRange]
  // Behind it no layer keeps anything of a row for later ones, so rows without logits end there.
  private let lastKeeping: Int?

  /// A pass of at most as many rows as `state` has, with adapters for some of them; `collector` sees what matrices multiply.
  init(
    _ model: BaseModel, adapters: [RowAdapter], operations: Operations, state: ForwardState,
    collector: ImportanceCollector? = nil
  ) {
    (self.model, self.collector) = (model, collector)
    configuration = model.configuration
    weights = model.weights
    self.operations = operations
    let updates = adapters.map { LayerUpdates($0, batch: state.batch) }
    plans = model.weights.layers.enumerated().map { index, layer in
      LayerPlans(index, layer, state, updates)
    }
    outputPlan = ProductPlan([Product(model.weights.output, into: state.logits)], of: state.normed)
    tokenPlan = state.tokens.flatMap { rows in
      model.weights.tokens.map { tokens in
        ProductPlan([Product(tokens.projection, into: rows.projected)], of: state.x)
      }
    }
    self.state = state
    ranges = adapters.compactMap(\.rows)
    // What a collector sees are all rows.
    lastKeeping =
      collector == nil ? model.weights.layers.lastIndex { $0.mixer.keepsRows } : nil
  }

  /// Evaluates the tokens of `slices`, at most `state.batch` in all, each one's after those in its cache, which has
  /// reserved their rows and is to append them then.
  ///
  /// The slices lie one behind the other, from row 0 on. The logits that they ask for are the first rows of `state.logits`,
  /// in their order; those of other tokens than `wanted` may be anything, unless that is nil.
  ///
  /// - Throws: `.cancelled` when `isCancelled` says so between two layers, or `.file(.changed)` when the file of
  ///   the base is no longer the one that was opened.
  func run(
    _ slices: [Slice], wanted: TokenMask? = nil, isCancelled: () -> Bool
  ) throws(BaseModelError) {
    var slices = slices
    let whole = ranges.map(\.rows)
    defer { for (range, rows) in zip(ranges, whole) { range.rows = rows } }
    for slice in slices { embed(slice) }
    finishTokens(batch: slices.rows)
    for index in weights.layers.indices {
      if isCancelled() { throw .cancelled }
      mix(index, &slices)
      guard slices.rows > 0 else { break }
      feedForward(index, batch: slices.rows)
      addToken(index, batch: slices.rows)
    }
    narrow(&slices)
    computeLogits(slices.rows, wanted)
    // Weights are read where they are mapped, so only now is it known whether they were there.
    try model.checkUnchanged()
  }

  /// x = the embeddings of a slice's tokens; the angles of their positions.
  private func embed(_ slice: Slice) {
    operations.gather(weights.embedding, slice.tokens, into: state.x, from: slice.row)
    let factor = configuration.scales.embedding
    if factor != 1 {
      operations.scale(state.x, by: factor, from: slice.row, batch: slice.tokens.count)
    }
    if let table = weights.tokens?.table, let rows = state.tokens {
      operations.gather(table, slice.tokens, into: rows.embeddings, from: slice.row)
    }
    for (rotation, angles) in state.angles {
      let table = weights.rotary.table(rotation, contextLength: slice.cache.capacity)
      operations.rotation(
        table.frequencies, magnitude: table.magnitude, first: slice.first,
        cosine: angles.cosine, sine: angles.sine, from: slice.row, batch: slice.tokens.count)
    }
  }

  /// What layers add of each token: (norm(Wp x / √width) + √size · its row of the table) / √2, where x is its embedding.
  private func finishTokens(batch: Int) {
    guard let tokens = weights.tokens, let plan = tokenPlan, let rows = state.tokens else { return }
    let size = tokens.norm.count
    operations.run(plan, batch: batch)
    operations.scale(
      rows.projected, by: 1 / Float(configuration.width).squareRoot(), batch: batch)
    operations.heads(
      rows.projected, size: size,
      norm: HeadNorm(weight: tokens.norm, epsilon: configuration.epsilon, isFirst: true), first: 0,
      batch: batch)
    operations.scale(rows.embeddings, by: Float(size).squareRoot(), batch: batch)
    operations.add(rows.projected, times: 1, to: rows.embeddings, batch: batch)
    operations.scale(rows.embeddings, by: Float(0.5).squareRoot(), batch: batch)
  }

  /// x += norm(Wp (activation(Wg x) · what the layer adds of the token)), then x = factor · x.
  private func addToken(_ index: Int, batch: Int) {
    if let plan = plans[index].token {
      let gate = plan.rows.gate
      collector?.note(index, .tokenGate, state.x, batch: batch)
      plan.gate.run(operations, batch: batch)
      operations.gate(
        gate, plan.rows.embeddings, from: index * gate.columns,
        configuration.architecture.activation, batch: batch)
      plan.projection.run(operations, batch: batch)
      collector?.note(index, .tokenProjection, gate, batch: batch)
      addBranch(plan.norm, batch)
    }
    let factor = weights.layers[index].scale
    if factor != 1 { operations.scale(state.x, by: factor, batch: batch) }
  }

  /// x += Wo attention(Wq norm(x), Wk norm(x), Wv norm(x)), or Wo of what a convolution or a delta rule makes of Wi norm(x).
  ///
  /// Where no later layer reads what this one keeps, `slices` become the rows whose logits are asked for.
  private func mix(_ index: Int, _ slices: inout [Slice]) {
    let batch = slices.rows
    norm(weights.layers[index].attentionNorm, batch, for: plans[index].mixerInput)
    collector?.note(index, .mixer, state.normed, batch: batch)
    let mixed: Activations
    var isRounded = false
    switch weights.layers[index].mixer {
    case .attention(let attention):
      (mixed, isRounded) = attend(index, attention, &slices)
    case .convolution(let convolution):
      mixed = convolve(index, convolution, slices)
      if index == lastKeeping { narrow(&slices, [mixed]) }
    case .delta(let delta):
      mixed = recur(index, delta, slices, batch: batch)
      if index == lastKeeping { narrow(&slices, [mixed]) }
    }
    guard slices.rows > 0 else { return }
    plans[index].output.run(operations, batch: slices.rows, isRounded: isRounded)
    collector?.note(index, .mixerOutput, mixed, batch: slices.rows)
    addBranch(weights.layers[index].attentionResultNorm, slices.rows)
  }

  private func convolve(
    _ index: Int, _ weights: ConvolutionWeights, _ slices: [Slice]
  ) -> Activations {
    guard let scratch = state.convolution else { preconditionFailure("no scratch") }
    for slice in slices {
      guard let ring = slice.cache.convolutions?.rings[index] else {
        preconditionFailure("a cache of another model")
      }
      operations.convolution(
        scratch.input, kernel: weights.kernel, taps: weights.taps, ring: ring,
        into: scratch.result, first: slice.cache.position, from: slice.row,
        batch: slice.tokens.count)
    }
    return scratch.result
  }

  /// silu(gate) · norm(what the delta rule gives).
  private func recur(
    _ index: Int, _ weights: DeltaWeights, _ slices: [Slice], batch: Int
  ) -> Activations {
    guard let scratch = state.delta, let shape = configuration.deltaRule?.shape else {
      preconditionFailure("no scratch")
    }
    for slice in slices {
      guard let cache = slice.cache.deltaRules else {
        preconditionFailure("a cache of another model")
      }
      cache.pass(index, slice.tokens.count) { layer, positions, source, target in
        let (first, count) = (positions.lowerBound, positions.count)
        let row = slice.row + first - cache.end
        let isNew = first >= cache.end
        if isNew {
          operations.keep(scratch.input, in: layer.rows, first: first, from: row, batch: count)
        }
        operations.deltaInput(
          layer.rows, weights.constants, shape, into: scratch.read, first: first, batch: count)
        operations.delta(
          scratch.read, shape, from: source, to: target, into: isNew ? scratch.result : nil,
          from: isNew ? row : 0, batch: count)
      }
    }
    let norm = HeadNorm(weight: weights.norm, epsilon: configuration.epsilon, isFirst: true)
    operations.heads(scratch.result, size: shape.valueSize, norm: norm, first: 0, batch: batch)
    operations.gate(scratch.gate, scratch.result, .silu, batch: batch)
    return scratch.gate
  }

  /// What attention gives, times the sigmoid of its gate where it has one, and whether that is rounded already.
  private func attend(
    _ index: Int, _ layer: AttentionWeights, _ slices: inout [Slice]
  ) -> (mixed: Activations, isRounded: Bool) {
    let rows = state.attention[index]
    if let gated = state.gatedQuery {
      operations.partHeads(
        gated.both, size: rows.size, into: rows.query, gated.gate, batch: slices.rows)
    }
    let rotation = configuration.attention[index].rotation.flatMap { state.angles[$0] }
    let query = HeadRows(
      rows.query, size: rows.size, norm: headNorm(layer.queryNorm), rotation: rotation, first: 0,
      count: slices.rows)
    let kept = layer.keyValue.map { keyValue in
      spans(index, slices).flatMap { keep(keyValue, rows, rotation, $0) }
    }
    operations.heads([query] + (kept ?? []))
    let gate = state.gatedQuery?.gate
    if index == lastKeeping { narrow(&slices, [rows.query] + (gate.map { [$0] } ?? [])) }
    return attend(index, spans(index, slices), gate, batch: slices.rows)
  }

  /// The same behind the rotation of the queries.
  private func attend(
    _ index: Int, _ spans: [AttentionSpan], _ gate: Activations?, batch: Int
  ) -> (mixed: Activations, isRounded: Bool) {
    let (rows, rule) = (state.attention[index], configuration.attentionRule(layer: index))
    guard let gate else {
      let rounds =
        plans[index].output.roundsInput
        && spans.allSatisfy { Operations.canRound(rows.query, $0.keys.part.heads) }
      operations.attention(rows.query, rule, into: rows.mixed, of: spans, rounds: rounds)
      return (rows.mixed, rounds)
    }
    operations.attention(rows.query, rule, into: rows.mixed, of: spans)
    operations.gate(gate, rows.mixed, .sigmoid, batch: batch)
    return (gate, false)
  }

  private func spans(_ index: Int, _ slices: [Slice]) -> [AttentionSpan] {
    let source = configuration.keyValueSource(layer: index)
    return slices.map { slice in
      guard let keys = slice.cache.keys[source], let values = slice.cache.values[source] else {
        preconditionFailure("a cache of another model")
      }
      return AttentionSpan(
        keys: keys, values: values, first: slice.first, row: slice.row, count: slice.tokens.count)
    }
  }

  /// The keys and values of one session's rows, as they are put into its cache.
  private func keep(
    _ weights: KeyValueWeights, _ rows: AttentionRows, _ rotation: HeadRotation?,
    _ span: AttentionSpan
  ) -> [HeadRows] {
    if weights.value == nil {
      for row in span.row..<span.row + span.count { rows.key.copyRow(row, to: rows.value, at: row) }
    }
    return [
      HeadRows(
        rows.key, size: rows.size, norm: headNorm(weights.keyNorm), rotation: rotation,
        cache: span.keys, first: span.first, row: span.row, count: span.count),
      HeadRows(
        rows.value, size: rows.size, norm: headNorm(weights.valueNorm), cache: span.values,
        first: span.first, row: span.row, count: span.count),
    ]
  }

  /// x += Wd (activation(Wg norm(x)) · Wu norm(x)), or the sum of that over the experts of a row, or both.
  private func feedForward(_ index: Int, batch: Int) {
    let (weight, activation) = (
      weights.layers[index].feedForwardNorm, configuration.architecture.activation
    )
    switch plans[index].feedForward {
    case .dense(let rows, let gateUp, let down):
      let gate = ProductGate(activation, rounds: down.roundsInput)
      norm(weight, batch, for: gateUp, gate: gate)
      collector?.note(index, .feedForward, state.normed, batch: batch)
      down.run(operations, batch: batch, isRounded: down.roundsInput)
      collector?.note(index, .down, rows.gate, batch: batch)
    case .experts(let plan):
      norm(weight, batch)
      collector?.note(index, .feedForward, state.normed, batch: batch)
      operations.run(plan, activation, batch: batch)
      collector?.note(index, plan, batch: batch)
    }
    if let parallel = plans[index].parallel { addExperts(index, parallel, batch: batch) }
    addBranch(weights.layers[index].feedForwardResultNorm, batch)
  }

  /// branch = norm(branch) + norm(what experts make of norm(x)).
  private func addExperts(_ index: Int, _ plan: ParallelPlan, batch: Int) {
    guard let branch = state.branch else { preconditionFailure("experts without a branch") }
    func norm(_ x: Activations, _ weight: FloatVector, into y: Activations) {
      operations.norm(x, weight, epsilon: configuration.epsilon, into: y, batch: batch)
    }
    let (weights, result) = (plan.weights, plan.rows.result)
    norm(branch, weights.networkNorm, into: branch)
    norm(state.x, weights.routerNorm, into: plan.rows.routed)
    norm(state.x, weights.inputNorm, into: state.normed)
    operations.run(plan.experts, configuration.architecture.activation, batch: batch)
    collector?.note(index, plan.experts, batch: batch)
    norm(result, weights.resultNorm, into: result)
    operations.add(result, times: 1, to: branch, batch: batch)
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

  /// logits = W norm(x) of the first `rows`, for `wanted` tokens at least.
  private func computeLogits(_ rows: Int, _ wanted: TokenMask?) {
    guard rows > 0 else { return }
    let isRounded = outputPlan.roundsInput
    norm(weights.outputNorm, rows, rounds: isRounded)
    if let groups = wanted?.groups {
      operations.run(outputPlan, batch: rows, isRounded: isRounded, groups: groups)
    } else {
      operations.run(outputPlan, batch: rows, isRounded: isRounded)
    }
    let scales = configuration.scales
    if scales.logits != 1 || scales.logitCap != nil {
      operations.scale(state.logits, by: scales.logits, cap: scales.logitCap, batch: rows)
    }
  }

  private func norm(_ weight: FloatVector, _ batch: Int, rounds: Bool = false) {
    operations.norm(
      state.x, weight, epsilon: configuration.epsilon, into: state.normed, rounds: rounds,
      batch: batch)
  }

  /// Norms, and runs `plan`, whose input that is.
  private func norm(
    _ weight: FloatVector, _ batch: Int, for plan: AdaptedPlan, gate: ProductGate? = nil
  ) {
    norm(weight, batch, rounds: plan.roundsInput)
    plan.run(operations, batch: batch, isRounded: plan.roundsInput, gate: gate)
  }

  private func headNorm(_ weight: FloatVector?) -> HeadNorm? {
    weight.map {
      HeadNorm(
        weight: $0, epsilon: configuration.epsilon,
        isFirst: configuration.architecture.normalizesBeforeRotation)
    }
  }
}

extension TokenMask {
  /// The groups of rows of a head that hold its tokens; nil where they are so many that all rows are as well computed.
  var groups: [UInt32]? {
    let size = Operations.groupRows
    let limit = count / size / 2
    var groups: [UInt32] = []
    for (index, word) in words.enumerated() where word != 0 {
      for group in 0..<64 / size where word >> UInt64(group * size) & (1 << UInt64(size) - 1) != 0 {
        groups.append(UInt32(index * 64 / size + group))
      }
      if groups.count > limit { return nil }
    }
    return groups
  }
}
