import Kernels

/// Adam with weight decay apart from the gradient; Loshchilov and Hutter 2019, in PyTorch's form.
struct AdamW<Weights: LearntWeights>: Sendable, Equatable {
  /// Running means of the gradients.
  var first: Weights
  /// Running means of their squares.
  var second: Weights
  /// Steps that have been made.
  var count = 0
  let weightDecay: Double

  init(_ weights: Weights, weightDecay: Double) {
    (first, second) = (weights.zeros, weights.zeros)
    self.weightDecay = weightDecay
  }

  /// Moves `weights` against their gradients, which are multiplied by `scale` first.
  mutating func step(
    _ weights: inout Weights, _ gradients: Weights, scale: Float, rate: Double
  ) {
    count += 1
    let update = AdamUpdate(count: count, rate: rate, weightDecay: weightDecay, scale: scale)
    weights.move(update, gradients, &first, &second)
  }
}

/// What an optimizer moves.
protocol LearntWeights: Sendable, Equatable {
  /// Zeros of the same shapes.
  var zeros: Self { get }
  /// Values of every matrix, always in the same order.
  var matrices: [[Float]] { get }
  /// Adds those of `other`.
  mutating func add(_ other: Self)
  /// Applies `update` to each matrix, with its gradient and its running means.
  mutating func move(
    _ update: AdamUpdate, _ gradients: Self, _ mean: inout Self, _ square: inout Self)
}

extension LearntWeights {
  /// Root of the sum of all squares.
  var norm: Double {
    matrices.reduce(0) { sum, values in
      values.reduce(sum) { $0 + Double($1) * Double($1) }
    }.squareRoot()
  }
}

/// The numbers of one step of AdamW.
struct AdamUpdate {
  static let beta1 = 0.9
  static let beta2 = 0.99
  static let epsilon = 1e-8
  private let keep: Float
  private let rate: Float
  private let correction: Float
  private let scale: Float
  private let b1 = Float(beta1)
  private let b2 = Float(beta2)
  private let epsilon = Float(epsilon)

  init(count: Int, rate: Double, weightDecay: Double, scale: Float) {
    keep = Float(1 - rate * weightDecay)
    self.rate = Float(rate / (1 - Mathematics.power(Self.beta1, Double(count))))
    correction = Float(1 / (1 - Mathematics.power(Self.beta2, Double(count))).squareRoot())
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

extension AdapterFactors: LearntWeights {
  mutating func move(
    _ step: AdamUpdate, _ gradients: AdapterFactors, _ first: inout AdapterFactors,
    _ second: inout AdapterFactors
  ) {
    update { layer, target, pair in
      guard let gradient = gradients.layers[layer][target],
        var mean = first.layers[layer].removeValue(forKey: target),
        var square = second.layers[layer].removeValue(forKey: target)
      else { return }
      step.apply(&pair.a.values, gradient.a.values, &mean.a.values, &square.a.values)
      step.apply(&pair.b.values, gradient.b.values, &mean.b.values, &square.b.values)
      first.layers[layer][target] = mean
      second.layers[layer][target] = square
    }
  }
}

/// The optimizer's rate: a straight line up to the highest, then as the schedule says.
struct LearningRate: Sendable, Equatable {
  let highest: Double
  let schedule: TrainingOptions.Schedule
  let warmup: Int
  /// Steps before the first one that it is for.
  let begin: Int
  let steps: Int

  /// `steps` are all steps, those of the warm-up included, which are a twentieth of all, at most 100, if `warmup` is nil.
  init(
    highest: Double, schedule: TrainingOptions.Schedule = .cosine, warmup: Int?, begin: Int = 0,
    steps: Int
  ) {
    (self.highest, self.schedule, self.begin) = (highest, schedule, begin)
    self.warmup = min(warmup ?? min(steps / 20, 100), steps)
    self.steps = steps
  }

  /// The rate of a step, the first of all of which is 0.
  func at(_ step: Int) -> Double {
    let step = step - begin
    guard step >= warmup else { return highest * Double(step + 1) / Double(warmup) }
    let progress = Double(step - warmup) / Double(max(steps - warmup, 1))
    switch schedule {
    case .cosine: return highest * (1 + Mathematics.cosine(.pi * progress)) / 2
    case .linear: return highest * (1 - progress)
    case .constant: return highest
    }
  }
}
