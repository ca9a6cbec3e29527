import Kernels

/// y = silu(gate) · up; Shazeer 2020.
enum GatedUnit {
  static func forward(gate: FloatMatrix, up: FloatMatrix) -> FloatMatrix {
    var y = gate
    let up = up.values.span
    var values = y.values.mutableSpan
    for index in values.indices {
      values[index] = values[index] * sigmoid(values[index]) * up[index]
    }
    return y
  }

  /// The gradients of gate and up: silu'(g) = s + g s (1 - s), where s is the sigmoid of g.
  static func backward(
    _ dy: FloatMatrix, gate: FloatMatrix, up: FloatMatrix
  ) -> (gate: FloatMatrix, up: FloatMatrix) {
    var (first, second) = (dy, dy)
    let gate = gate.values.span
    let up = up.values.span
    var dGate = first.values.mutableSpan
    var dUp = second.values.mutableSpan
    for index in dGate.indices {
      let (g, s, d) = (gate[index], sigmoid(gate[index]), dGate[index])
      dGate[index] = d * up[index] * (s + g * s * (1 - s))
      dUp[index] = d * g * s
    }
    return (first, second)
  }

  private static func sigmoid(_ x: Float) -> Float { 1 / (1 + Mathematics.exponential(-x)) }
}
