import Adapters
import Kernels
import LanguageModels

extension LayerPass {
  func attentionForward(
    _ normed: FloatMatrix, _ weights: AttentionWeights, _ shared: KeyValueRows?,
    _ pairs: [LoRATarget: FactorPair], _ stop: Stop
  ) throws(BaseModelError) -> (FloatMatrix, AttentionTape) {
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
  func attentionBackward(
    _ dy: FloatMatrix, _ weights: AttentionWeights, _ tape: AttentionTape,
    shared: inout KeyValueRows?, _ pairs: [LoRATarget: FactorPair],
    _ gradients: inout LayerGradients, _ stop: Stop
  ) throws(BaseModelError) -> FloatMatrix {
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
