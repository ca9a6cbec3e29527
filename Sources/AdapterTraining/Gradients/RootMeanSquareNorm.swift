import Kernels

/// y = x / rms(x) · weight for each row, with a frozen weight; Zhang and Sennrich 2019.
struct RootMeanSquareNorm {
  /// `(columns)`.
  let weight: [Float]
  /// Added to the mean square.
  let epsilon: Float

  init(_ weight: FloatVector, epsilon: Float) {
    self.weight = weight.values
    self.epsilon = epsilon
  }

  init(weight: [Float], epsilon: Float) {
    (self.weight, self.epsilon) = (weight, epsilon)
  }

  /// Each row of `x`, normalized; a row may hold several heads of as many values as there are weights.
  func forward(_ x: FloatMatrix) -> FloatMatrix {
    var y = x
    let count = weight.count
    let source = x.values.span
    let factors = weight.span
    var target = y.values.mutableSpan
    for start in stride(from: 0, to: source.count, by: count) {
      let scale = inverse(source, start)
      for index in 0..<count {
        target[start + index] = source[start + index] * scale * factors[index]
      }
    }
    return y
  }

  /// The gradient of `x` from that of y: dx = w dy / r - x (x · w dy) / (n r³), where r is the root mean square.
  func backward(_ dy: FloatMatrix, _ x: FloatMatrix) -> FloatMatrix {
    var dx = dy
    let count = weight.count
    let source = x.values.span
    let gradient = dy.values.span
    let factors = weight.span
    var target = dx.values.mutableSpan
    for start in stride(from: 0, to: source.count, by: count) {
      let scale = inverse(source, start)
      var sum: Float = 0
      for index in 0..<count {
        sum += source[start + index] * factors[index] * gradient[start + index]
      }
      let pull = sum * scale * scale * scale / Float(count)
      for index in 0..<count {
        target[start + index] =
          factors[index] * gradient[start + index] * scale - source[start + index] * pull
      }
    }
    return dx
  }

  /// 1 / r of the values from `start` on.
  private func inverse(_ values: Span<Float>, _ start: Int) -> Float {
    var sum: Float = 0
    for index in start..<start + weight.count { sum += values[index] * values[index] }
    return 1 / (sum / Float(weight.count) + epsilon).squareRoot()
  }
}
