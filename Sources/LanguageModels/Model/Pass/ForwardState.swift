import Adapters
import Kernels

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

/// Scratch of attention with heads of one shape.
struct AttentionRows {
  /// Values per head.
  let size: Int
  /// `(batch, query width)`.
  let query: Activations
  /// `(batch, key/value width)`.
  let key: Activations
  /// `(batch, key/value width)`.
  let value: Activations
  /// What the heads gather from the values, `(batch, query width)`.
  let mixed: Activations
}

/// Scratch of feed-forward networks of one width, `(batch, hidden width)` each.
struct HiddenRows {
  let gate: Activations
  let up: Activations
}

/// Scratch of experts beside a feed-forward network, `(batch, width)` each.
struct ParallelRows {
  /// What the router reads.
  let routed: Activations
  /// What the experts give.
  let result: Activations
}

/// Scratch of models whose layers have embeddings of their own.
struct TokenRows {
  /// What layers add of each token, one behind the other, `(batch, layers · width)`.
  let embeddings: Activations
  /// The part of it that is made of the embedding for all layers.
  let projected: Activations
  /// `(batch, width)`.
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
  /// What attention of each layer works in; layers with heads alike share it.
  let attention: [AttentionRows]
  /// What the feed-forward network of each layer works in; layers of one width share it.
  let hidden: [HiddenRows]
  /// Nil in models whose layers have no embeddings of their own.
  let tokens: TokenRows?
  /// What convolutions work in; nil in models without.
  let convolution: ConvolutionRows?
  /// What delta rules work in; nil in models without.
  let delta: DeltaScratch?
  /// Nil in models whose queries have no gates.
  let gatedQuery: GatedQuery?
  /// What experts work in; nil in models without.
  let experts: ExpertRows?
  /// Nil in models without experts beside a network.
  let parallel: ParallelRows?
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
    x = rows(c.width, types(.tokenGate).union(weights.tokens.map { [$0.projection.type] } ?? []))
    let stacks = weights.layers.compactMap(\.experts)
    let routers = Set(stacks.map(\.router.type))
    let readers = types(
      .query, .key, .value, .gate, .up, .convolutionInput, .deltaInput, .deltaGate, .deltaAlpha,
      .deltaBeta)
    normed = rows(c.width, readers.union(routers).union([weights.output.type]))
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
    parallel =
      weights.layers.contains { $0.parallel != nil }
      ? ParallelRows(routed: rows(c.width, routers), result: rows(c.width)) : nil
    let indices = weights.layers.indices
    attention = shared(indices.map(c.headShape(layer:))) { shape in
      AttentionRows(
        size: shape.size, query: rows(shape.queryWidth), key: rows(shape.keyValueWidth),
        value: rows(shape.keyValueWidth), mixed: rows(shape.queryWidth, types(.output)))
    }
    hidden = shared(indices.map(c.hiddenWidth(layer:))) { width in
      HiddenRows(gate: rows(width, types(.down)), up: rows(width))
    }
    tokens = weights.tokens.map { tokens in
      TokenRows(
        embeddings: rows(tokens.table.columns), projected: rows(tokens.table.columns),
        gate: rows(tokens.norm.count, types(.tokenProjection)))
    }
    let addsAsIs = !c.architecture.normalizesResults && c.scales.residual == 1
    branch = addsAsIs ? nil : rows(c.width)
    let rotations = Set(c.attention.compactMap(\.rotation))
    angles = rotations.reduce(into: [:]) {
      let pairs = weights.rotary.table($1, contextLength: 0).frequencies.count
      $0[$1] = HeadRotation(
        cosine: rows(pairs), sine: rows(pairs), isAdjacent: c.architecture.rotatesAdjacentPairs)
    }
    logits = rows(weights.output.rows)
  }
}

/// What `make` makes of each key, once of those that are equal.
private func shared<Key: Hashable, Value>(_ keys: [Key], _ make: (Key) -> Value) -> [Value] {
  var made: [Key: Value] = [:]
  return keys.map { key in
    let value = made[key] ?? make(key)
    made[key] = value
    return value
  }
}
