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
typealias Stop = () throws(BaseModelError) -> Void

/// One layer of a decoder, forward and backward; the base is frozen, the adapter's factors are not, or all is learnt.
struct LayerPass {
  let layer: LayerWeights
  let configuration: ModelConfiguration
  /// Nil in a layer that knows no positions.
  let rotation: Rotation?
  /// Of a layer that has it; a convolution has the same segments.
  let attention: CausalAttention
  /// What the layer adds of each row's token, `(rows, width)`; nil in models without.
  let tokens: FloatMatrix?
  let scale: Float
  var dropout: Dropout?
  /// 1 for rows that the adapter acts on, 0 for others; nil where it acts on all.
  let active: [Float]?
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
    let parallel: ParallelTape?
    let feedForwardResult: FloatMatrix?
    let token: TokenTape?
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

  /// `shared` are the keys and values of the layer that this one reads, if it has none of its own.
  func forward(
    _ x: FloatMatrix, shared: KeyValueRows?, _ pairs: [LoRATarget: FactorPair], _ stop: Stop
  ) throws(BaseModelError) -> (y: FloatMatrix, tape: Tape) {
    try stop()
    let (mixed, mixer) = try mixerForward(attentionNorm.forward(x), shared, pairs, stop)
    try stop()
    let (added, output) = linear(layer.output).forward(mixed, pairs[layer.outputTarget])
    var middle = x
    middle.add(branchForward(added, layer.attentionResultNorm))
    let (network, feedForward) = try feedForwardForward(
      feedForwardNorm.forward(middle), pairs, stop)
    let (result, parallel) = try parallelForward(network, middle, stop)
    var sum = branchForward(result, layer.feedForwardResultNorm)
    sum.add(middle)
    let (y, token) = try tokenForward(sum, pairs, stop)
    return (
      y,
      Tape(
        x: x, mixer: mixer, output: output,
        attentionResult: layer.attentionResultNorm == nil ? nil : added, middle: middle,
        feedForward: feedForward, parallel: parallel,
        feedForwardResult: layer.feedForwardResultNorm == nil ? nil : result, token: token)
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
  ) throws(BaseModelError) -> FloatMatrix {
    let dy = try tokenBackward(dy, tape.token, pairs, &gradients, stop)
    let result = branchBackward(
      dy, layer.feedForwardResultNorm, tape.feedForwardResult,
      &gradients[norm: .feedForwardResult])
    let (network, beside) = try parallelBackward(result, tape, stop)
    let second = try feedForwardBackward(network, tape.feedForward, pairs, &gradients, stop)
    var middle = feedForwardNorm.backward(
      second, tape.middle, weight: &gradients[norm: .feedForward])
    if let beside { middle.add(beside) }
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
}

extension LayerPass {
  private func feedForwardForward(
    _ x: FloatMatrix, _ pairs: [LoRATarget: FactorPair], _ stop: Stop
  ) throws(BaseModelError) -> (y: FloatMatrix, tape: FeedForwardTape) {
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
      let (result, tape) = try mixture(experts).forward(x, routedBy: x, stop)
      return (result, .experts(tape))
    }
  }

  private func feedForwardBackward(
    _ dy: FloatMatrix, _ tape: FeedForwardTape, _ pairs: [LoRATarget: FactorPair],
    _ gradients: inout LayerGradients, _ stop: Stop
  ) throws(BaseModelError) -> FloatMatrix {
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
      let gradients = try mixture(experts).backward(dy, tape, stop)
      var dx = gradients.x
      dx.add(gradients.routed)
      return dx
    default: preconditionFailure("the tape of another layer")
    }
  }

  func mixture(_ experts: ExpertMatrices) -> ExpertMixture {
    ExpertMixture(experts: experts, unit: gatedUnit, operations: operations)
  }

  private var attentionNorm: RootMeanSquareNorm {
    RootMeanSquareNorm(layer.attentionNorm, epsilon: configuration.epsilon)
  }

  private var feedForwardNorm: RootMeanSquareNorm {
    RootMeanSquareNorm(layer.feedForwardNorm, epsilon: configuration.epsilon)
  }

  var gatedUnit: GatedUnit { GatedUnit(activation: configuration.architecture.activation) }

  /// What a block adds to the residual stream: factor · norm(result).
  func branchForward(_ result: FloatMatrix, _ weight: FloatVector?) -> FloatMatrix {
    var added = result
    if let weight {
      added = RootMeanSquareNorm(weight, epsilon: configuration.epsilon).forward(result)
    }
    added.multiply(by: configuration.scales.residual)
    return added
  }

  /// The gradient of a block's result from that of the residual stream.
  func branchBackward(
    _ dy: FloatMatrix, _ weight: FloatVector?, _ result: FloatMatrix?,
    _ sum: inout [Float]?
  ) -> FloatMatrix {
    var dy = dy
    dy.multiply(by: configuration.scales.residual)
    guard let weight, let result else { return dy }
    return RootMeanSquareNorm(weight, epsilon: configuration.epsilon)
      .backward(dy, result, weight: &sum)
  }

  func linear(_ projection: Projection) -> AdaptedLinear {
    AdaptedLinear(
      weights: projection.weights, bias: projection.bias, scale: scale, dropout: dropout,
      active: active, operations: operations)
  }
}
