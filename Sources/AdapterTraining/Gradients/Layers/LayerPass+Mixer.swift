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
  ) throws(BaseModelError) -> (FloatMatrix, MixerTape) {
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
  ) throws(BaseModelError) -> FloatMatrix {
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
    ShortConvolution(kernel: weights.kernel.values, segments: attention.segments.map(\.rows))
  }
}

// Gated delta rules.
extension LayerPass {
  private func deltaForward(
    _ x: FloatMatrix, _ weights: DeltaWeights, _ pairs: [LoRATarget: FactorPair], _ stop: Stop
  ) throws(BaseModelError) -> (FloatMatrix, DeltaTape) {
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
  ) throws(BaseModelError) -> FloatMatrix {
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
      constants: weights.constants, shape: shape, segments: attention.segments.map(\.rows),
      operations: operations)
  }

  private func deltaNorm(_ weights: DeltaWeights) -> RootMeanSquareNorm {
    RootMeanSquareNorm(weights.norm, epsilon: configuration.epsilon)
  }

  private var deltaGate: GatedUnit { GatedUnit(activation: .silu) }
}
