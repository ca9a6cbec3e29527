import Adapters
import Kernels
import LanguageModels
import Tokenization

/// What a layer does at its end in models whose layers have embeddings of their own.
extension LayerPass {
  /// Of y = x + norm(Wp (activation(Wg x) · e)).
  struct TokenTape {
    let gate: AdaptedLinear.Tape
    let gateValues: FloatMatrix
    let projection: AdaptedLinear.Tape
    /// What the norm was given.
    let result: FloatMatrix
  }

  /// Adds the layer's own embedding of each row's token, and scales all.
  func tokenForward(
    _ x: FloatMatrix, _ pairs: [LoRATarget: FactorPair], _ stop: Stop
  ) throws(BaseModelError) -> (y: FloatMatrix, tape: TokenTape?) {
    var (y, tape) = (x, nil as TokenTape?)
    if let weights = layer.token, let embeddings = tokens {
      try stop()
      let (gateValues, gate) = linear(weights.gate).forward(x, pairs[.tokenGate])
      let (result, projection) = linear(weights.projection).forward(
        gatedUnit.forward(gate: gateValues, up: embeddings), pairs[.tokenProjection])
      y.add(branchForward(result, weights.norm))
      tape = TokenTape(
        gate: gate, gateValues: gateValues, projection: projection, result: result)
    }
    if layer.scale != 1 { y.multiply(by: layer.scale) }
    return (y, tape)
  }

  /// The gradient of x; the embeddings are not learnt.
  func tokenBackward(
    _ dy: FloatMatrix, _ tape: TokenTape?, _ pairs: [LoRATarget: FactorPair],
    _ gradients: inout LayerGradients, _ stop: Stop
  ) throws(BaseModelError) -> FloatMatrix {
    var dx = dy
    if layer.scale != 1 { dx.multiply(by: layer.scale) }
    guard let weights = layer.token, let embeddings = tokens, let tape else { return dx }
    try stop()
    let bent = linear(weights.projection).backward(
      branchBackward(dx, weights.norm, tape.result, &gradients[norm: .tokenResult]),
      tape.projection, pairs[.tokenProjection], gradient: &gradients[.tokenProjection])
    let parts = gatedUnit.backward(bent, gate: tape.gateValues, up: embeddings)
    dx.add(
      linear(weights.gate).backward(
        parts.gate, tape.gate, pairs[.tokenGate], gradient: &gradients[.tokenGate]))
    return dx
  }
}

extension GradientPass {
  /// What layers add of each row's token, `(rows, layers · width)`, from the embeddings `x` for all layers: as the forward
  /// pass makes it.
  static func tokenEmbeddings(
    _ tokens: [Token], _ x: FloatMatrix, _ weights: TokenEmbedding, epsilon: Float,
    operations: Operations
  ) -> FloatMatrix {
    let linear = AdaptedLinear(
      weights: weights.projection, bias: nil, scale: 1, operations: operations)
    var projected = linear.forward(x, nil).y
    projected.multiply(by: 1 / Float(x.columns).squareRoot())
    var sum = RootMeanSquareNorm(weights.norm, epsilon: epsilon).forward(projected)
    let rows = FloatMatrix(
      rows: tokens.count, columns: weights.table.columns,
      values: tokens.flatMap { weights.table.floats(row: Int($0)) })
    sum.add(rows, times: Float(weights.norm.count).squareRoot())
    sum.multiply(by: Float(0.5).squareRoot())
    return sum
  }
}
