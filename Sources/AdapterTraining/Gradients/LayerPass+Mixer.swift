import Adapters
import Kernels
import LanguageModels

// What lets a row see those before it: attention, or what is in the place of it.
extension LayerPass {
  /// Of the mixer of a layer.
  enum MixerTape {
    case attention(AttentionTape)
    /// The input's, and what it gave.
    case convolution(AdaptedLinear.Tape, FloatMatrix)
    case delta(DeltaTape)

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
    let value: ValueTape?
    /// What attention read.
    let read: KeyValueRows
    /// What it gave, where that has a gate.
    let mixed: FloatMatrix?
  }

  /// Of a product whose result is normalized by head and rotated.
  struct HeadTape {
    let linear: AdaptedLinear.Tape
    /// The gate behind each head.
    let gate: FloatMatrix?
    /// What the norm was given.
    let normInput: FloatMatrix?
    /// What attention reads.
    let result: FloatMatrix
  }

  /// Of values.
  struct ValueTape {
    /// Nil where they are made of what keys are.
    let linear: AdaptedLinear.Tape?
    /// What the norm was given, where there is one.
    let normInput: FloatMatrix?
  }

  /// Of a gated delta rule.
  struct DeltaTape {
    let input: AdaptedLinear.Tape
    let gate: AdaptedLinear.Tape
    let alpha: AdaptedLinear.Tape
    let beta: AdaptedLinear.Tape
    let rule: GatedDeltaRule.Tape
    /// What the rule gave, and that normalized.
    let result: FloatMatrix
    let normed: FloatMatrix
    let gateValues: FloatMatrix
  }

  /// What rows get of those before them.
  func mixerForward(
    _ normed: FloatMatrix, _ shared: KeyValueRows?, _ pairs: [LoRATarget: FactorPair],
    _ stop: Stop
  ) throws(LanguageModelError) -> (FloatMatrix, MixerTape) {
    switch layer.mixer {
    case .convolution(let weights):
      let (input, tape) = linear(weights.input).forward(normed, pairs[.convolutionInput])
      return (convolution(weights).forward(input), .convolution(tape, input))
    case .delta(let weights):
      let (y, tape) = try deltaForward(normed, weights, pairs, stop)
      return (y, .delta(tape))
    case .attention(let weights):
      let (y, tape) = try attentionForward(normed, weights, shared, pairs, stop)
      return (y, .attention(tape))
    }
  }

  /// The gradient of what the mixer was given.
  func mixerBackward(
    _ mixed: FloatMatrix, _ tape: MixerTape, shared: inout KeyValueRows?,
    _ pairs: [LoRATarget: FactorPair], _ gradients: inout LayerGradients,
    _ stop: Stop
  ) throws(LanguageModelError) -> FloatMatrix {
    switch (layer.mixer, tape) {
    case (.convolution(let weights), .convolution(let tape, let input)):
      return linear(weights.input).backward(
        convolution(weights).backward(mixed, input), tape, pairs[.convolutionInput],
        gradient: &gradients[.convolutionInput])
    case (.delta(let weights), .delta(let tape)):
      return try deltaBackward(mixed, weights, tape, pairs, &gradients, stop)
    case (.attention(let weights), .attention(let tape)):
      return try attentionBackward(
        mixed, weights, tape, shared: &shared, pairs, &gradients, stop)
    default: preconditionFailure("the tape of another layer")
    }
  }

  private func convolution(_ weights: ConvolutionWeights) -> ShortConvolution {
    ShortConvolution(kernel: weights.kernel.values, segments: attention.segments)
  }
}

// Gated delta rules.
extension LayerPass {
  private func deltaForward(
    _ x: FloatMatrix, _ weights: DeltaWeights, _ pairs: [LoRATarget: FactorPair], _ stop: Stop
  ) throws(LanguageModelError) -> (FloatMatrix, DeltaTape) {
    let (channels, input) = linear(weights.input).forward(x, pairs[.deltaInput])
    let (gateValues, gate) = linear(weights.gate).forward(x, pairs[.deltaGate])
    let (kept, alpha) = linear(weights.alpha).forward(x, pairs[.deltaAlpha])
    let (added, beta) = linear(weights.beta).forward(x, pairs[.deltaBeta])
    let (result, tape) = try rule(weights).forward(
      DeltaValues(channels: channels, kept: kept, added: added), stop)
    let normed = deltaNorm(weights).forward(result)
    return (
      deltaGate.forward(gate: gateValues, up: normed),
      DeltaTape(
        input: input, gate: gate, alpha: alpha, beta: beta, rule: tape, result: result,
        normed: normed, gateValues: gateValues)
    )
  }

  private func deltaBackward(
    _ dy: FloatMatrix, _ weights: DeltaWeights, _ tape: DeltaTape,
    _ pairs: [LoRATarget: FactorPair], _ gradients: inout LayerGradients, _ stop: Stop
  ) throws(LanguageModelError) -> FloatMatrix {
    let parts = deltaGate.backward(dy, gate: tape.gateValues, up: tape.normed)
    let read = try rule(weights).backward(
      deltaNorm(weights).backward(parts.up, tape.result), tape.rule, stop)
    var dx = linear(weights.input).backward(
      read.channels, tape.input, pairs[.deltaInput], gradient: &gradients[.deltaInput])
    dx.add(
      linear(weights.gate).backward(
        parts.gate, tape.gate, pairs[.deltaGate], gradient: &gradients[.deltaGate]))
    dx.add(
      linear(weights.alpha).backward(
        read.kept, tape.alpha, pairs[.deltaAlpha], gradient: &gradients[.deltaAlpha]))
    dx.add(
      linear(weights.beta).backward(
        read.added, tape.beta, pairs[.deltaBeta], gradient: &gradients[.deltaBeta]))
    return dx
  }

  private func rule(_ weights: DeltaWeights) -> GatedDeltaRule {
    guard let shape = configuration.deltaRule?.shape else { preconditionFailure("no delta rule") }
    return GatedDeltaRule(
      constants: weights.constants, shape: shape, segments: attention.segments,
      operations: operations)
  }

  private func deltaNorm(_ weights: DeltaWeights) -> RootMeanSquareNorm {
    RootMeanSquareNorm(weights.norm, epsilon: configuration.epsilon)
  }

  private var deltaGate: GatedUnit { GatedUnit(activation: .silu) }
}

extension LayerPass {
  private func attentionForward(
    _ normed: FloatMatrix, _ weights: AttentionWeights, _ shared: KeyValueRows?,
    _ pairs: [LoRATarget: FactorPair], _ stop: Stop
  ) throws(LanguageModelError) -> (FloatMatrix, AttentionTape) {
    let query = headForward(
      normed, weights.query, weights.queryNorm, pairs[.query],
      isGated: configuration.architecture.gatesHeads)
    var key: HeadTape?
    var value: ValueTape?
    var read = shared ?? KeyValueRows(key: query.result, value: query.result)
    if let own = weights.keyValue {
      let head = headForward(normed, own.key, own.keyNorm, pairs[.key])
      let (v, tape) = valueForward(normed, own, head, pairs[.value])
      (key, value, read) = (head, tape, KeyValueRows(key: head.result, value: v))
    }
    let mixed = try attention.forward(query: query.result, key: read.key, value: read.value, stop)
    let gated = query.gate.map { headGate.forward(gate: $0, up: mixed) }
    return (
      gated ?? mixed,
      AttentionTape(
        query: query, key: key, value: value, read: read, mixed: gated == nil ? nil : mixed)
    )
  }

  /// The gradient of what queries, keys and values are made of.
  private func attentionBackward(
    _ dy: FloatMatrix, _ weights: AttentionWeights, _ tape: AttentionTape,
    shared: inout KeyValueRows?, _ pairs: [LoRATarget: FactorPair],
    _ gradients: inout LayerGradients, _ stop: Stop
  ) throws(LanguageModelError) -> FloatMatrix {
    var (mixed, gate) = (dy, nil as FloatMatrix?)
    if let values = tape.query.gate, let up = tape.mixed {
      let parts = headGate.backward(dy, gate: values, up: up)
      (mixed, gate) = (parts.up, parts.gate)
    }
    let zeros = FloatMatrix(rows: tape.read.key.rows, columns: tape.read.key.columns)
    var read = shared ?? KeyValueRows(key: zeros, value: zeros)
    shared = nil
    var query = FloatMatrix(rows: mixed.rows, columns: mixed.columns)
    try attention.backward(
      mixed, query: tape.query.result, key: tape.read.key, value: tape.read.value, dQuery: &query,
      dKey: &read.key, dValue: &read.value, stop)
    try stop()
    var normed = headBackward(
      query, gate, tape.query, weights.query, weights.queryNorm, pairs[.query], &gradients, .query,
      .query)
    guard let own = weights.keyValue, let key = tape.key, let value = tape.value else {
      shared = read
      return normed
    }
    let raw = valueBackward(read.value, own, value)
    normed.add(
      headBackward(
        read.key, nil, key, own.key, own.keyNorm, pairs[.key], &gradients, .key, .key,
        more: own.value == nil ? raw : nil))
    if let projection = own.value, let tape = value.linear {
      normed.add(
        linear(projection).backward(raw, tape, pairs[.value], gradient: &gradients[.value]))
    }
    return normed
  }

  /// From their own product, or that of the keys.
  private func valueForward(
    _ x: FloatMatrix, _ weights: KeyValueWeights, _ key: HeadTape, _ pair: FactorPair?
  ) -> (FloatMatrix, ValueTape) {
    let made = weights.value.map { linear($0).forward(x, pair) }
    guard let raw = made?.y ?? key.normInput else {
      preconditionFailure("values of keys without a norm")
    }
    guard let weight = weights.valueNorm else {
      return (raw, ValueTape(linear: made?.tape, normInput: nil))
    }
    return (
      RootMeanSquareNorm(weight, epsilon: configuration.epsilon).forward(raw),
      ValueTape(linear: made?.tape, normInput: raw)
    )
  }

  /// The gradient of what the norm of values was given.
  private func valueBackward(
    _ dy: FloatMatrix, _ weights: KeyValueWeights, _ tape: ValueTape
  ) -> FloatMatrix {
    guard let weight = weights.valueNorm, let input = tape.normInput else { return dy }
    return RootMeanSquareNorm(weight, epsilon: configuration.epsilon).backward(dy, input)
  }

  private var headGate: GatedUnit { GatedUnit(activation: .sigmoid) }

  private var normsFirst: Bool { configuration.architecture.normalizesBeforeRotation }

  private func turned(_ x: FloatMatrix) -> FloatMatrix { rotation?.forward(x) ?? x }

  private func turnedBack(_ dy: FloatMatrix) -> FloatMatrix { rotation?.backward(dy) ?? dy }

  private func headForward(
    _ x: FloatMatrix, _ projection: Projection, _ weight: FloatVector?, _ pair: FactorPair?,
    isGated: Bool = false
  ) -> HeadTape {
    let (given, tape) = linear(projection).forward(x, pair)
    let (raw, gate) = isGated ? given.headParts(configuration.headSize) : (given, nil)
    guard let weight else {
      return HeadTape(linear: tape, gate: gate, normInput: nil, result: turned(raw))
    }
    let norm = RootMeanSquareNorm(weight, epsilon: configuration.epsilon)
    if normsFirst {
      return HeadTape(
        linear: tape, gate: gate, normInput: raw, result: turned(norm.forward(raw)))
    }
    let input = turned(raw)
    return HeadTape(linear: tape, gate: gate, normInput: input, result: norm.forward(input))
  }

  /// `gate` is the gradient of the gate behind each head, `more` that of the product from elsewhere.
  private func headBackward(
    _ dy: FloatMatrix, _ gate: FloatMatrix?, _ tape: HeadTape, _ projection: Projection,
    _ weight: FloatVector?, _ pair: FactorPair?, _ gradients: inout LayerGradients,
    _ target: LoRATarget, _ place: LayerNorm, more: FloatMatrix? = nil
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
    if let gate { raw = FloatMatrix(headParts: raw, gate, configuration.headSize) }
    if let more { raw.add(more) }
    return linear(projection).backward(raw, tape.linear, pair, gradient: &gradients[target])
  }
}

extension FloatMatrix {
  /// The halves of heads of twice `size` values.
  fileprivate func headParts(_ size: Int) -> (FloatMatrix, FloatMatrix?) {
    let heads = reshaped(columns: 2 * size)
    func half(_ first: Int) -> FloatMatrix {
      heads.part(rows: 0..<heads.rows, columns: first..<first + size).reshaped(columns: columns / 2)
    }
    return (half(0), half(size))
  }

  /// The inverse.
  fileprivate init(headParts first: FloatMatrix, _ second: FloatMatrix, _ size: Int) {
    var heads = FloatMatrix(rows: first.values.count / size, columns: 2 * size)
    heads.add(first.reshaped(columns: size), atRow: 0, column: 0)
    heads.add(second.reshaped(columns: size), atRow: 0, column: size)
    self = heads.reshaped(columns: 2 * first.columns)
  }
}
