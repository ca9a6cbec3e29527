import Kernels

/// The mean of an adapter's factors over its last steps, in which older ones count for less and less.
///
/// Steps at a high rate go back and forth around what they approach; their mean is nearer to it than any of them. An exponential
/// moving average, as in Polyak and Juditsky 1992 and in the training of image models since.
struct FactorAverage: Sendable, Equatable {
  /// The mean.
  var factors: AdapterFactors
  /// Steps that count for most of it, at least one.
  private var span: Double

  /// The mean before the first step, which is `start`; it will be over `share` of `steps`.
  init(_ start: AdapterFactors, share: Double, of steps: Int) {
    factors = start
    span = max(share * Double(steps), 1)
  }

  /// Begins anew, over `share` of `steps`; what it is stays until the next step.
  mutating func begin(share: Double, of steps: Int) {
    self = Self(factors, share: share, of: steps)
  }

  /// Takes what step `number`, from 1, has made; the first steps count alike, and the start not at all.
  mutating func add(_ next: AdapterFactors, after number: Int) {
    let share = Float(max(1 / span, 1 / Double(number)))
    factors.update { layer, target, pair in
      guard let other = next.layers[layer][target] else { return }
      pair.a.approach(other.a, by: share)
      pair.b.approach(other.b, by: share)
    }
  }
}

extension FloatMatrix {
  /// Moves each value by `share`, 0 to 1, of its way to that of `other`, which has the same shape.
  fileprivate mutating func approach(_ other: FloatMatrix, by share: Float) {
    let target = other.values.span
    var values = values.mutableSpan
    for index in values.indices { values[index] += (target[index] - values[index]) * share }
  }
}
