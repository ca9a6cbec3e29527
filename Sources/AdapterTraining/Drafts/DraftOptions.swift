public import LanguageModels

/// How a draft model is trained.
public struct DraftOptions: StepOptions, Sendable, Equatable {
  /// What it learns from the probabilities of the adapted base.
  public var loss = DistillationLoss.reverse
  /// Its sizes.
  public var shape: DraftShape
  /// Tokens that it can propose, at most: those that come most often in the answers.
  public var vocabularyLimit = 16_384
  /// How often every answer is seen.
  public var epochs = 20
  /// Steps after which to end, in as many epochs as they take; nil for as many as the epochs have.
  public var steps: Int?
  /// Highest rate of the optimizer.
  public var learningRate = 0.003
  /// Steps in which the rate rises to its highest; nil for a twentieth of all, at most 100.
  package var warmupSteps: Int?
  /// Share of the learning rate by which weights shrink in each step.
  var weightDecay = 0.01
  /// Gradients that are longer than this are shortened to it.
  var maximumGradientNorm = 1.0
  /// Tokens of a step, at least.
  public var tokensPerStep = 1024
  /// Longest sequence, in tokens; nil for the base's own context.
  package var contextLength: Int?
  /// Decides the order of the answers and the first values.
  public var seed: UInt64 = 0
  /// Worker threads, on which results do not depend; nil for one per processor.
  public var threads: Int?

  /// A draft of a shape.
  public init(shape: DraftShape) { self.shape = shape }

  /// Compares each option with its range, and the shape with `base`.
  package func check(for base: BaseModel) throws(TrainingError) {
    try check()
    let parameters = shape.parameters(tokens: base.configuration.vocabularySize, outputs: 1)
    guard parameters <= base.weights.parameters else {
      throw .draftTooLarge(shape, parameters: parameters, base: base.weights.parameters)
    }
    try checkContext(of: base)
  }

  private func check() throws(TrainingError) {
    try check("number of tokens to propose", Double(vocabularyLimit), 1...1e9)
    try checkSteps()
  }

  /// What decides the result, as a text: a training goes on only under the same.
  var fingerprint: String {
    "\(loss.rawValue), \(shape.layers), \(shape.width), \(vocabularyLimit), \(epochs), \(steps ?? 0), "
      + "\(learningRate), \(warmupSteps ?? -1), \(weightDecay), \(maximumGradientNorm), "
      + "\(tokensPerStep), \(contextLength ?? 0), \(seed)"
  }
}
