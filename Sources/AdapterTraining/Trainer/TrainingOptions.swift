public import Adapters
public import LanguageModels
import TensorFiles

/// How an adapter is trained.
public struct TrainingOptions: Sendable, Equatable {
  /// Rank of every pair, 1 to 4096.
  public var rank = 16
  /// The update is scaled by alpha / rank.
  public var alpha = 16.0
  /// Projections that are changed; all seven stand for those that the base has.
  public var targets = Set(LoRATarget.allCases)
  /// How often every example is seen.
  public var epochs = 2
  /// Steps after which to end, in as many epochs as they take; nil for as many as the epochs have.
  public var steps: Int?
  /// Highest rate of the optimizer.
  public var learningRate = 1e-3
  /// Steps in which the rate rises to its highest; nil for a twentieth of all, at most 100.
  public var warmupSteps: Int?
  /// Share of the learning rate by which weights shrink in each step.
  public var weightDecay = 0.01
  /// Gradients that are longer than this are shortened to it.
  public var maximumGradientNorm = 1.0
  /// Tokens of a step, at least.
  public var tokensPerStep = 2048
  /// Longest sequence, in tokens; nil for the base's own context.
  public var contextLength: Int?
  /// How examples become sequences.
  public var arrangement = BatchPlan.Arrangement.sorted
  /// Decides the order of the examples and the first values.
  public var seed: UInt64 = 0
  /// Worker threads, on which results do not depend; nil for one per processor.
  public var threads: Int?

  /// The defaults, which are those of Apple's toolkit where it has any, but for its rank of 32.
  public init() {}

  /// Options that suit what is to be learnt: as many tokens a step as give 200 steps over all epochs, 256 to 2048, and a
  /// learning rate in inverse proportion to the base's width, 0.005 at 256 and below.
  ///
  /// Small sets need many small steps, or they end before anything is learnt. That the best rate of Adam falls with the
  /// width is of Yang and others 2022 (arXiv 2203.03466), section 4.
  public init(for examples: [TokenizedExample], on model: LanguageModel, epochs: Int = 3) {
    self.epochs = epochs
    let tokens = examples.reduce(0) { $0 + $1.tokens.count }
    tokensPerStep = min(max(tokens * epochs / 200, 256), 2048)
    learningRate = 0.005 * 256 / Double(max(model.configuration.width, 256))
  }
}

extension TrainingOptions {
  /// - Throws: `TrainingError.invalidOption` for the first one that is out of range.
  func check() throws(TrainingError) {
    try Self.check("rank", Double(rank), 1...4096)
    try Self.check("alpha", alpha, 1e-6...1e6)
    try Self.check("number of targets", Double(targets.count), 1...7)
    try Self.check("number of epochs", Double(epochs), 1...10_000)
    try Self.check("number of steps", Double(steps ?? 1), 1...1_000_000_000)
    try Self.check("learning rate", learningRate, 1e-12...100)
    try Self.check("number of warm-up steps", Double(warmupSteps ?? 0), 0...1_000_000_000)
    try Self.check("weight decay", weightDecay, 0...1)
    try Self.check("norm of the gradients", maximumGradientNorm, 1e-9...1e9)
    try Self.check("number of tokens in a step", Double(tokensPerStep), 1...1_000_000_000)
    try Self.check("context", Double(contextLength ?? 2), 2...1_000_000_000)
  }

  /// - Throws: `TrainingError.noTarget` for targets that were chosen and that no layer of `model` has.
  func check(_ model: LanguageModel) throws(TrainingError) {
    let missing = targets.subtracting(model.weights.layers.flatMap(\.shapes.keys))
    guard !missing.isEmpty, targets.count < LoRATarget.allCases.count else { return }
    throw .noTarget(names: LoRATarget.allCases.filter(missing.contains).map(\.rawValue).choice)
  }

  static func check(
    _ name: String, _ value: Double, _ range: ClosedRange<Double>
  ) throws(TrainingError) {
    // Written so that not-a-number is refused, too.
    guard range.contains(value) else {
      throw .invalidOption(
        name: name, value: "\(value)", range: "\(range.lowerBound) to \(range.upperBound)")
    }
  }

  /// What decides the result, as a text: a training goes on only under the same.
  var fingerprint: String {
    let names = LoRATarget.allCases.filter(targets.contains).map(\.rawValue).joined(separator: " ")
    return
      "\(rank), \(alpha), \(names), \(epochs), \(steps ?? 0), \(learningRate), \(warmupSteps ?? -1), "
      + "\(weightDecay), \(maximumGradientNorm), \(tokensPerStep), \(contextLength ?? 0), "
      + "\(arrangement.rawValue), \(seed)"
  }
}
