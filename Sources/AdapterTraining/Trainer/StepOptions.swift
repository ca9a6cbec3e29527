import LanguageModels

/// What two trainings have in common: steps of an optimizer over batches.
protocol StepOptions {
  var epochs: Int { get }
  var steps: Int? { get }
  var learningRate: Double { get }
  var warmupSteps: Int? { get }
  var weightDecay: Double { get }
  var maximumGradientNorm: Double { get }
  var tokensPerStep: Int { get }
  var contextLength: Int? { get }
}

extension StepOptions {
  /// - Throws: `TrainingError.invalidOption` for a base that sees a single token, `.base` for a context that it does not have.
  func checkContext(of base: BaseModel) throws(TrainingError) {
    let limit = base.configuration.contextLength
    guard limit > 1 else {
      throw .invalidOption(
        name: "context of the base", value: "\(limit)", range: "2 to 1,000,000,000")
    }
    if let length = contextLength, length > limit {
      throw .base(.contextTooLong(requested: length, limit: limit))
    }
  }

  /// - Throws: `TrainingError.invalidOption` for the first one that is out of range.
  func checkSteps() throws(TrainingError) {
    try check("number of epochs", Double(epochs), 1...10_000)
    try check("number of steps", Double(steps ?? 1), 1...1_000_000_000)
    try check("learning rate", learningRate, 1e-12...100)
    try check("number of warm-up steps", Double(warmupSteps ?? 0), 0...1_000_000_000)
    try check("weight decay", weightDecay, 0...1)
    try check("norm of the gradients", maximumGradientNorm, 1e-9...1e9)
    try check("number of tokens in a step", Double(tokensPerStep), 1...1_000_000_000)
    try check("context", Double(contextLength ?? 2), 2...1_000_000_000)
  }

  func check(
    _ name: String, _ value: Double, _ range: ClosedRange<Double>
  ) throws(TrainingError) {
    // Written so that not-a-number is refused, too.
    guard range.contains(value) else {
      throw .invalidOption(
        name: name, value: "\(value)", range: "\(range.lowerBound) to \(range.upperBound)")
    }
  }
}
