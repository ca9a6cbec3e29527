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
