import Kernels

/// Adam with weight decay apart from the gradient; Loshchilov and Hutter 2019, in PyTorch's form.
struct AdamW: Sendable, Equatable {
  static let beta1 = 0.9
  static let beta2 = 0.99
  static let epsilon = 1e-8

  /// Running means of the gradients.
  var first: AdapterFactors
  /// Running means of their squares.
  var second: AdapterFactors
  /// Steps that have been made.
  var count = 0
  let weightDecay: Double

  init(_ factors: AdapterFactors, weightDecay: Double) {
    (first, second) = (factors.zeros, factors.zeros)
    self.weightDecay = weightDecay
  }

  /// Moves `factors` against their gradients, which are multiplied by `scale` first.
  mutating func step(
    _ factors: inout AdapterFactors, _ gradients: AdapterFactors, scale: Float, rate: Double
  ) {
    count += 1
    let update = Update(count: count, rate: rate, weightDecay: weightDecay, scale: scale)
    factors.update { layer, target, pair in
      guard let gradient = gradients.layers[layer][target],
        var mean = first.layers[layer].removeValue(forKey: target),
        var square = second.layers[layer].removeValue(forKey: target)
      else { return }
      update.apply(&pair.a.values, gradient.a.values, &mean.a.values, &square.a.values)
      update.apply(&pair.b.values, gradient.b.values, &mean.b.values, &square.b.values)
      first.layers[layer][target] = mean
      second.layers[layer][target] = square
    }
  }

  /// The numbers of one step.
  private struct Update {
    let keep: Float
    let rate: Float
    let correction: Float
    let scale: Float
    let b1 = Float(AdamW.beta1)
    let b2 = Float(AdamW.beta2)
    let epsilon = Float(AdamW.epsilon)

    init(count: Int, rate: Double, weightDecay: Double, scale: Float) {
      keep = Float(1 - rate * weightDecay)
      self.rate = Float(rate / (1 - Mathematics.power(AdamW.beta1, Double(count))))
      correction = Float(1 / (1 - Mathematics.power(AdamW.beta2, Double(count))).squareRoot())
      self.scale = scale
    }

    func apply(
      _ values: inout [Float], _ gradient: [Float], _ mean: inout [Float], _ square: inout [Float]
    ) {
      let gradient = gradient.span
      var values = values.mutableSpan
      var mean = mean.mutableSpan
      var square = square.mutableSpan
      for index in values.indices {
        let g = gradient[index] * scale
        mean[index] = b1 * mean[index] + (1 - b1) * g
        square[index] = b2 * square[index] + (1 - b2) * g * g
        values[index] =
          values[index] * keep - rate * mean[index]
          / (square[index].squareRoot() * correction + epsilon)
      }
    }
  }
}

/// The optimizer's rate: a straight line up, then half a cosine down to zero, as in Apple's toolkit.
struct LearningRate: Sendable, Equatable {
  let highest: Double
  let warmup: Int
  let steps: Int

  /// `steps` are all steps, those of the warm-up included.
  init(_ options: TrainingOptions, steps: Int) {
    highest = options.learningRate
    warmup = min(options.warmupSteps ?? min(steps / 20, 100), steps)
    self.steps = steps
  }

  /// The rate of a step, the first of which is 0.
  func at(_ step: Int) -> Double {
    guard step >= warmup else { return highest * Double(step + 1) / Double(warmup) }
    let progress = Double(step - warmup) / Double(max(steps - warmup, 1))
    return highest * (1 + Mathematics.cosine(.pi * progress)) / 2
  }
}
