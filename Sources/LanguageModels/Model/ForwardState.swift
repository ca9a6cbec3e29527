import Adapters
import Kernels
import TensorFiles

/// Scratch of the layers that have a convolution.
struct ConvolutionRows {
  /// Both gates and what is summed, `(batch, 3 width)`.
  let input: Activations
  /// `(batch, width)`.
  let result: Activations
}

/// Scratch of the layers that have a gated delta rule.
struct DeltaScratch {
  /// What the matrices give, `(batch, …)`.
  let input: DeltaRows
  /// What the rule reads of a few rows.
  let read: DeltaRows
  /// `(batch, value width)`.
  let gate: Activations
  /// `(batch, value width)`.
  let result: Activations
}

/// Scratch of queries with a gate behind each.
struct GatedQuery {
  /// `(batch, heads, 2, head size)`.
  let both: Activations
  /// The gates, and what comes of them, `(batch, query width)`.
  let gate: Activations
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
  /// What delta rules work in; nil in models without.
  let delta: DeltaScratch?
  /// Nil in models whose queries have no gates.
  let gatedQuery: GatedQuery?
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
    let readers = types(
      .query, .key, .value, .gate, .up, .convolutionInput, .deltaInput, .deltaGate, .deltaAlpha,
      .deltaBeta)
    normed = rows(c.width, readers.union(routers))
    convolution = c.convolution.map { _ in
      ConvolutionRows(input: rows(3 * c.width), result: rows(c.width, types(.convolutionOutput)))
    }
    delta = c.deltaRule.map(\.shape).map { shape in
      DeltaScratch(
        input: DeltaRows(shape, capacity: batch),
        read: DeltaRows(shape, capacity: DeltaCache.interval),
        gate: rows(shape.valueWidth, types(.deltaOutput)), result: rows(shape.valueWidth))
    }
    gatedQuery =
      c.architecture.gatesHeads
      ? GatedQuery(both: rows(2 * c.queryWidth), gate: rows(c.queryWidth, types(.output))) : nil
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
