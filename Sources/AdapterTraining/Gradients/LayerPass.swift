import Adapters
import Kernels
import LanguageModels

/// Keys and values that attention reads, `(rows, key/value width)`, or their gradients.
///
/// Keys are normalized and rotated.
struct KeyValueRows {
  var key: FloatMatrix
  var value: FloatMatrix
}

/// Called between steps that take long: it throws where the caller has asked to stop.
typealias Stop = () throws(LanguageModelError) -> Void

/// The gradients of a layer, as far as they are learnt.
struct LayerGradients {
  private var linears: [LoRATarget: LinearGradient] = [:]
  private var norms: [LayerNorm: [Float]] = [:]

  /// Zeros for the factors of an adapter.
  init(_ pairs: [LoRATarget: FactorPair]) {
    linears = pairs.mapValues {
      LinearGradient(pair: FactorPair($0.shape, rank: $0.rank))
    }
  }

  /// Zeros for all weights of `layer`.
  init(_ layer: LayerWeights) {
    for (target, projection) in layer.targets {
      linears[target] = LinearGradient(
        weights: FloatMatrix(rows: projection.weights.rows, columns: projection.weights.columns),
        bias: projection.bias.map { Array(repeating: 0, count: $0.count) })
    }
    norms = layer.norms.mapValues { Array(repeating: 0, count: $0.count) }
  }

  subscript(_ target: LoRATarget) -> LinearGradient {
    get { linears[target] ?? LinearGradient() }
    _modify { yield &linears[target, default: LinearGradient()] }
  }

  /// Nil where the norm is frozen.
  subscript(norm norm: LayerNorm) -> [Float]? {
    get { norms[norm] }
    _modify { yield &norms[norm] }
  }

  /// Those of the adapter's factors.
  var pairs: [LoRATarget: FactorPair] { linears.compactMapValues(\.pair) }
}

/// One layer of a decoder, forward and backward; the base is frozen, the adapter's factors are not, or all is learnt.
struct LayerPass {
  let layer: LayerWeights
  let configuration: ModelConfiguration
  /// Nil in a layer that knows no positions.
  let rotation: Rotation?
  /// Of a layer that has it; a convolution has the same segments.
  let attention: CausalAttention
  let scale: Float
  var dropout: Dropout?
  let operations: Operations

  /// What the gradient needs of a forward step.
  struct Tape {
    let x: FloatMatrix
    let mixer: MixerTape
    let output: AdaptedLinear.Tape
    /// What attention gives, where a norm follows.
    let attentionResult: FloatMatrix?
    let middle: FloatMatrix
    let feedForward: FeedForwardTape
    let feedForwardResult: FloatMatrix?
  }

  /// Of what lets a row see those before it.
  enum MixerTape {
    case attention(AttentionTape)
    /// The input's, and what it gave.
    case convolution(AdaptedLinear.Tape, FloatMatrix)

    /// What attention read; nil where there is none.
    var read: KeyValueRows? {
      if case .attention(let tape) = self { tape.read } else { nil }
    }
  }

  /// Of attention.
  struct AttentionTape {
    let query: HeadTape
    /// Of the keys, and the values; nil in a layer that reads another's.
    let key: HeadTape?
    let value: AdaptedLinear.Tape?
    /// What attention read.
    let read: KeyValueRows
  }

  /// Of the feed-forward network.
  enum FeedForwardTape {
    case dense(DenseTape)
    case experts(ExpertMixture.Tape)
  }

  /// Of one network for all rows.
  struct DenseTape {
    let gate: AdaptedLinear.Tape
    let up: AdaptedLinear.Tape
    let gateValues: FloatMatrix
    let upValues: FloatMatrix
    let down: AdaptedLinear.Tape
  }

  /// Of a product whose result is normalized by head and rotated.
  struct HeadTape {
    let linear: AdaptedLinear.Tape
    /// What the norm was given.
    let normInput: FloatMatrix?
    /// What attention reads.
    let result: FloatMatrix
  }

  /// `shared` are the keys and values of the layer that this one reads, if it has none of its own.
  func forward(
    _ x: FloatMatrix, shared: KeyValueRows?, _ pairs: [LoRATarget: FactorPair], _ stop: Stop
  ) throws(LanguageModelError) -> (y: FloatMatrix, tape: Tape) {
    try stop()
    let (mixed, mixer) = try mixerForward(attentionNorm.forward(x), shared, pairs, stop)
    try stop()
    let (added, output) = linear(layer.output).forward(mixed, pairs[layer.outputTarget])
    var middle = x
    middle.add(branchForward(added, layer.attentionResultNorm))
    let (result, feedForward) = try feedForwardForward(
      feedForwardNorm.forward(middle), pairs, stop)
    var y = branchForward(result, layer.feedForwardResultNorm)
    y.add(middle)
    return (
      y,
      Tape(
        x: x, mixer: mixer, output: output,
        attentionResult: layer.attentionResultNorm == nil ? nil : added, middle: middle,
        feedForward: feedForward,
        feedForwardResult: layer.feedForwardResultNorm == nil ? nil : result)
    )
  }

  /// The gradient of x; those of what is learnt are added to `gradients`.
  ///
  /// `shared` are the gradients of the keys and values that this layer reads, from the layers after it: this one adds its
  /// own, and takes them over where the keys and values are its own.
  func backward(
    _ dy: FloatMatrix, _ tape: Tape, shared: inout KeyValueRows?,
    _ pairs: [LoRATarget: FactorPair], _ gradients: inout LayerGradients,
    _ stop: Stop
  ) throws(LanguageModelError) -> FloatMatrix {
    let second = try feedForwardBackward(
      branchBackward(
        dy, layer.feedForwardResultNorm, tape.feedForwardResult,
        &gradients[norm: .feedForwardResult]), tape.feedForward, pairs, &gradients, stop)
    var middle = feedForwardNorm.backward(
      second, tape.middle, weight: &gradients[norm: .feedForward])
    middle.add(dy)
    try stop()
    let mixed = linear(layer.output).backward(
      branchBackward(
        middle, layer.attentionResultNorm, tape.attentionResult, &gradients[norm: .attentionResult]),
      tape.output, pairs[layer.outputTarget], gradient: &gradients[layer.outputTarget])
    let normed = try mixerBackward(mixed, tape.mixer, shared: &shared, pairs, &gradients, stop)
    var dx = attentionNorm.backward(normed, tape.x, weight: &gradients[norm: .attention])
    dx.add(middle)
    return dx
  }

  /// What rows get of those before them.
  private func mixerForward(
    _ normed: FloatMatrix, _ shared: KeyValueRows?, _ pairs: [LoRATarget: FactorPair],
    _ stop: Stop
  ) throws(LanguageModelError) -> (FloatMatrix, MixerTape) {
    switch layer.mixer {
    case .convolution(let weights):
      let (input, tape) = linear(weights.input).forward(normed, pairs[.convolutionInput])
      return (convolution(weights).forward(input), .convolution(tape, input))
    case .attention(let weights):
      let query = headForward(normed, weights.query, weights.queryNorm, pairs[.query])
      var key: HeadTape?
      var value: AdaptedLinear.Tape?
      var read = shared ?? KeyValueRows(key: query.result, value: query.result)
      if let own = weights.keyValue {
        let head = headForward(normed, own.key, own.keyNorm, pairs[.key])
        let (v, tape) = linear(own.value).forward(normed, pairs[.value])
        (key, value, read) = (head, tape, KeyValueRows(key: head.result, value: v))
      }
      let mixed = try attention.forward(
        query: query.result, key: read.key, value: read.value, stop)
      return (
        mixed, .attention(AttentionTape(query: query, key: key, value: value, read: read))
      )
    }
  }

  private func convolution(_ weights: ConvolutionWeights) -> ShortConvolution {
    ShortConvolution(kernel: weights.kernel.values, segments: attention.segments)
  }

  /// The gradient of what the mixer was given.
  private func mixerBackward(
    _ mixed: FloatMatrix, _ tape: MixerTape, shared: inout KeyValueRows?,
    _ pairs: [LoRATarget: FactorPair], _ gradients: inout LayerGradients,
    _ stop: Stop
  ) throws(LanguageModelError) -> FloatMatrix {
    switch (layer.mixer, tape) {
    case (.convolution(let weights), .convolution(let tape, let input)):
      return linear(weights.input).backward(
        convolution(weights).backward(mixed, input), tape, pairs[.convolutionInput],
        gradient: &gradients[.convolutionInput])
    case (.attention(let weights), .attention(let tape)):
      return try attentionBackward(
        mixed, weights, tape, shared: &shared, pairs, &gradients, stop)
    default: preconditionFailure("the tape of another layer")
    }
  }

  /// The gradient of what queries, keys and values are made of.
  private func attentionBackward(
    _ mixed: FloatMatrix, _ weights: AttentionWeights, _ tape: AttentionTape,
    shared: inout KeyValueRows?, _ pairs: [LoRATarget: FactorPair],
    _ gradients: inout LayerGradients, _ stop: Stop
  ) throws(LanguageModelError) -> FloatMatrix {
    let zeros = FloatMatrix(rows: tape.read.key.rows, columns: tape.read.key.columns)
    var read = shared ?? KeyValueRows(key: zeros, value: zeros)
    shared = nil
    var query = FloatMatrix(rows: mixed.rows, columns: mixed.columns)
    try attention.backward(
      mixed, query: tape.query.result, key: tape.read.key, value: tape.read.value, dQuery: &query,
      dKey: &read.key, dValue: &read.value, stop)
    try stop()
    var normed = headBackward(
      query, tape.query, weights.query, weights.queryNorm, pairs[.query], &gradients, .query,
      .query)
    guard let own = weights.keyValue, let key = tape.key, let value = tape.value else {
      shared = read
      return normed
    }
    normed.add(
      headBackward(
        read.key, key, own.key, own.keyNorm, pairs[.key], &gradients, .key, .key))
    normed.add(
      linear(own.value).backward(
        read.value, value, pairs[.value], gradient: &gradients[.value]))
    return normed
  }
}

extension LayerPass {
  private func feedForwardForward(
    _ x: FloatMatrix, _ pairs: [LoRATarget: FactorPair], _ stop: Stop
  ) throws(LanguageModelError) -> (y: FloatMatrix, tape: FeedForwardTape) {
    switch layer.feedForward {
    case .dense(let gate, let up, let down):
      try stop()
      let (gateValues, gateTape) = linear(gate).forward(x, pairs[.gate])
      try stop()
      let (upValues, upTape) = linear(up).forward(x, pairs[.up])
      try stop()
      let hidden = gatedUnit.forward(gate: gateValues, up: upValues)
      let (result, downTape) = linear(down).forward(hidden, pairs[.down])
      return (
        result,
        .dense(
          DenseTape(
            gate: gateTape, up: upTape, gateValues: gateValues, upValues: upValues, down: downTape))
      )
    case .experts(let experts):
      let (result, tape) = try mixture(experts).forward(x, stop)
      return (result, .experts(tape))
    }
  }

  private func feedForwardBackward(
    _ dy: FloatMatrix, _ tape: FeedForwardTape, _ pairs: [LoRATarget: FactorPair],
    _ gradients: inout LayerGradients, _ stop: Stop
  ) throws(LanguageModelError) -> FloatMatrix {
    switch (layer.feedForward, tape) {
    case (.dense(let gate, let up, let down), .dense(let tape)):
      try stop()
      let hidden = linear(down).backward(
        dy, tape.down, pairs[.down], gradient: &gradients[.down])
      try stop()
      let parts = gatedUnit.backward(hidden, gate: tape.gateValues, up: tape.upValues)
      var dx = linear(gate).backward(
        parts.gate, tape.gate, pairs[.gate], gradient: &gradients[.gate])
      try stop()
      dx.add(linear(up).backward(parts.up, tape.up, pairs[.up], gradient: &gradients[.up]))
      return dx
    case (.experts(let experts), .experts(let tape)):
      return try mixture(experts).backward(dy, tape, stop)
    default: preconditionFailure("the tape of another layer")
    }
  }

  private func mixture(_ experts: ExpertMatrices) -> ExpertMixture {
    ExpertMixture(experts: experts, unit: gatedUnit, operations: operations)
  }

  private var attentionNorm: RootMeanSquareNorm {
    RootMeanSquareNorm(layer.attentionNorm, epsilon: configuration.epsilon)
  }

  private var feedForwardNorm: RootMeanSquareNorm {
    RootMeanSquareNorm(layer.feedForwardNorm, epsilon: configuration.epsilon)
  }

  private var gatedUnit: GatedUnit { GatedUnit(activation: configuration.architecture.activation) }

  /// What a block adds to the residual stream: factor · norm(result).
  private func branchForward(_ result: FloatMatrix, _ weight: FloatVector?) -> FloatMatrix {
    var added = result
    if let weight {
      added = RootMeanSquareNorm(weight, epsilon: configuration.epsilon).forward(result)
    }
    added.multiply(by: configuration.scales.residual)
    return added
  }

  /// The gradient of a block's result from that of the residual stream.
  private func branchBackward(
    _ dy: FloatMatrix, _ weight: FloatVector?, _ result: FloatMatrix?,
    _ sum: inout [Float]?
  ) -> FloatMatrix {
    var dy = dy
    dy.multiply(by: configuration.scales.residual)
    guard let weight, let result else { return dy }
    return RootMeanSquareNorm(weight, epsilon: configuration.epsilon)
      .backward(dy, result, weight: &sum)
  }

  private var normsFirst: Bool { configuration.architecture.normalizesBeforeRotation }

  private func linear(_ projection: Projection) -> AdaptedLinear {
    AdaptedLinear(
      weights: projection.weights, bias: projection.bias, scale: scale, dropout: dropout,
      operations: operations)
  }

  private func turned(_ x: FloatMatrix) -> FloatMatrix { rotation?.forward(x) ?? x }

  private func turnedBack(_ dy: FloatMatrix) -> FloatMatrix { rotation?.backward(dy) ?? dy }

  private func headForward(
    _ x: FloatMatrix, _ projection: Projection, _ weight: FloatVector?, _ pair: FactorPair?
  ) -> HeadTape {
    let (raw, tape) = linear(projection).forward(x, pair)
    guard let weight else {
      return HeadTape(linear: tape, normInput: nil, result: turned(raw))
    }
    let norm = RootMeanSquareNorm(weight, epsilon: configuration.epsilon)
    if normsFirst {
      return HeadTape(
        linear: tape, normInput: raw, result: turned(norm.forward(raw)))
    }
    let input = turned(raw)
    return HeadTape(linear: tape, normInput: input, result: norm.forward(input))
  }

  private func headBackward(
    _ dy: FloatMatrix, _ tape: HeadTape, _ projection: Projection, _ weight: FloatVector?,
    _ pair: FactorPair?, _ gradients: inout LayerGradients, _ target: LoRATarget,
    _ place: LayerNorm
  ) -> FloatMatrix {
    var raw = dy
    if let weight, let input = tape.normInput {
      let norm = RootMeanSquareNorm(weight, epsilon: configuration.epsilon)
      raw =
        normsFirst
        ? norm.backward(turnedBack(dy), input, weight: &gradients[norm: place])
        : turnedBack(norm.backward(dy, input, weight: &gradients[norm: place]))
    } else {
      raw = turnedBack(dy)
    }
    return linear(projection).backward(raw, tape.linear, pair, gradient: &gradients[target])
  }
}
