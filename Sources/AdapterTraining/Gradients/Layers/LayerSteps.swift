import Kernels
import LanguageModels

/// y = x / rms(x) · weight for each row; Zhang and Sennrich 2019.
struct RootMeanSquareNorm {
  /// `(columns)`.
  let weight: [Float]
  /// Added to the mean square.
  let epsilon: Float

  init(_ weight: FloatVector, epsilon: Float) {
    self.weight = weight.values
    self.epsilon = epsilon
  }

  /// Each row of `x`, normalized; a row may hold several heads of as many values as there are weights.
  func forward(_ x: FloatMatrix) -> FloatMatrix { x.normalized(weight, epsilon: epsilon) }

  /// The gradient of `x` from that of y: dx = w dy / r - x (x · w dy) / (n r³), where r is the root mean square.
  func backward(_ dy: FloatMatrix, _ x: FloatMatrix) -> FloatMatrix {
    dy.normalizedGradient(x, weight, epsilon: epsilon)
  }

  /// As above; Σ dy x / r over the rows is added to `sum`, the gradient of the weight, where it is learnt.
  func backward(_ dy: FloatMatrix, _ x: FloatMatrix, weight sum: inout [Float]?) -> FloatMatrix {
    if var learnt = sum {
      sum = nil
      let (source, gradient) = (x.values.span, dy.values.span)
      var target = learnt.mutableSpan
      for start in stride(from: 0, to: source.count, by: weight.count) {
        let scale = inverse(source, start)
        for index in target.indices {
          target[index] += gradient[start + index] * source[start + index] * scale
        }
      }
      sum = learnt
    }
    return backward(dy, x)
  }

  /// 1 / r of the values from `start` on.
  private func inverse(_ values: Span<Float>, _ start: Int) -> Float {
    var sum: Float = 0
    for index in start..<start + weight.count { sum += values[index] * values[index] }
    return 1 / (sum / Float(weight.count) + epsilon).squareRoot()
  }
}

/// Rotation of the leading values of each head by the position of its row; Su and others 2021.
struct Rotation {
  /// Values per head.
  let headSize: Int
  /// Whether pairs are neighbours `(2i, 2i + 1)` instead of halves.
  let isAdjacent: Bool
  /// `(rows, rotated values / 2)`.
  private let cosine: FloatMatrix
  private let sine: FloatMatrix

  /// Angles of `table` for the positions of the rows of `segments`.
  init(_ table: RotaryTable, segments: [RowSegment], headSize: Int, isAdjacent: Bool) {
    let frequencies = table.frequencies.values
    let rows = segments.last?.rows.upperBound ?? 0
    var (cosine, sine) = (
      FloatMatrix(rows: rows, columns: frequencies.count),
      FloatMatrix(rows: rows, columns: frequencies.count)
    )
    for row in segments.flatMap({ segment in
      segment.rows.map { ($0, $0 - segment.rows.lowerBound + segment.start) }
    }) {
      for (index, frequency) in frequencies.enumerated() {
        let angle = Float(row.1) * frequency
        cosine.values[row.0 * frequencies.count + index] =
          table.magnitude * Mathematics.cosine(angle)
        sine.values[row.0 * frequencies.count + index] =
          table.magnitude * Mathematics.sine(angle)
      }
    }
    (self.cosine, self.sine) = (cosine, sine)
    (self.headSize, self.isAdjacent) = (headSize, isAdjacent)
  }

  /// Each head of each row of `x`, turned.
  func forward(_ x: FloatMatrix) -> FloatMatrix { turned(x, direction: 1) }

  /// The gradient of x from that of the result: that of a rotation is turning back.
  func backward(_ dy: FloatMatrix) -> FloatMatrix { turned(dy, direction: -1) }

  private func turned(_ x: FloatMatrix, direction: Float) -> FloatMatrix {
    var y = x
    let half = cosine.columns
    let (step, apart) = isAdjacent ? (2, 1) : (1, half)
    let cosine = cosine.values.span
    let sine = sine.values.span
    var values = y.values.mutableSpan
    for row in 0..<x.rows {
      for head in stride(from: row * x.columns, to: (row + 1) * x.columns, by: headSize) {
        for index in 0..<half {
          let (first, second) = (head + index * step, head + index * step + apart)
          let (a, b) = (values[first], values[second])
          let (c, s) = (cosine[row * half + index], direction * sine[row * half + index])
          values[first] = a * c - b * s
          values[second] = b * c + a * s
        }
      }
    }
    return y
  }
}

/// y = activation(gate) · up; Shazeer 2020.
struct GatedUnit {
  let activation: GateActivation

  func forward(gate: FloatMatrix, up: FloatMatrix) -> FloatMatrix { gate.gated(up, activation) }

  /// The gradients of gate and up: (g s)' = s + g s (1 - s) a', where s is the sigmoid of a(g), and a is g itself, or
  /// 2 √(2/π) (g + 0.044715 g³) for a GELU.
  func backward(
    _ dy: FloatMatrix, gate: FloatMatrix, up: FloatMatrix
  ) -> (gate: FloatMatrix, up: FloatMatrix) {
    dy.gatedGradient(gate, up, activation)
  }
}
