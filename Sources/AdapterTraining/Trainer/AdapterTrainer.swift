import Adapters
import Kernels
public import LanguageModels
import TensorFiles

/// Trains a LoRA adapter on a frozen base, quantized or not, on the CPU.
///
/// Every step follows from base, examples and options alone, so that a training can stop at a checkpoint and go on as if
/// it had not. Owned by one task.
public final class AdapterTrainer {
  /// The frozen base.
  public let model: LanguageModel
  /// How it is trained.
  public let options: TrainingOptions
  /// The order of the examples.
  public let plan: BatchPlan
  /// Steps of the whole training.
  public let stepCount: Int
  /// Steps that have been made.
  public var stepsDone: Int { optimizer.count }

  var factors: AdapterFactors
  var optimizer: AdamW<AdapterFactors>
  let fingerprint: String
  private let pass: GradientPass
  private let rate: LearningRate
  private var schedule: BatchSchedule
  private let passTokens: Int

  /// Prepares a training; the adapter starts as one that changes nothing.
  ///
  /// - Throws: `TrainingError.invalidOption`, `.noTarget`, `.tokenOutside`, `.nothingToLearn`, or `.base` when the context that was
  ///   asked for is longer than the base's.
  public init(
    _ model: LanguageModel, examples: [TokenizedExample], options: TrainingOptions = .init()
  ) throws(TrainingError) {
    try options.check()
    try options.check(model)
    try Self.check(examples, model, options)
    (self.model, self.options) = (model, options)
    let plan = BatchPlan(
      examples, contextLength: options.contextLength ?? model.configuration.contextLength,
      tokensPerBatch: options.tokensPerStep, arrangement: options.arrangement, seed: options.seed)
    guard plan.exampleCount > 0 else { throw .nothingToLearn }
    self.plan = plan
    schedule = BatchSchedule(plan, epochs: options.epochs, steps: options.steps)
    stepCount = schedule.stepCount
    rate = LearningRate(
      highest: options.learningRate, warmup: options.warmupSteps, steps: stepCount)
    factors = Self.start(model, options)
    optimizer = AdamW(factors, weightDecay: options.weightDecay)
    fingerprint = Self.fingerprint(model, examples, options)
    pass = GradientPass(
      model, scale: Float(options.alpha / Double(options.rank)),
      operations: Operations(pool: WorkerPool.shared(threads: options.threads)))
    passTokens = Self.passTokens(model.configuration)
  }

  /// Makes the next step; nil when all have been made.
  ///
  /// - Throws: `TrainingError.diverged`, `.base` when its file changed, or `.cancelled` within a product of `isCancelled` becoming true; then everything is
  ///   as before the step.
  public func step(isCancelled: () -> Bool = { false }) throws(TrainingError) -> TrainingStep? {
    guard stepsDone < stepCount else { return nil }
    let (number, batch) = schedule.batch(stepsDone)
    let found = try BatchGradients(batch, partTokens: passTokens) {
      part, total throws(TrainingError) in
      let result = try run(part, factors, total: total, isCancelled)
      return (result.loss, result.gradients)
    }
    return try optimizer.step(
      &factors, found, epoch: number + 1, rate: rate, maximumNorm: options.maximumGradientNorm)
  }

  /// Mean loss of what is to be learnt of `examples`, in nats per token, by the base with the adapter as it is.
  ///
  /// - Throws: `TrainingError.tokenOutside`, `.nothingToLearn` or `.cancelled`.
  public func loss(
    of examples: [TokenizedExample], isCancelled: () -> Bool = { false }
  ) throws(TrainingError) -> Double {
    try loss(of: examples, factors, isCancelled)
  }

  /// The same by the base alone.
  ///
  /// - Throws: `TrainingError.tokenOutside`, `.nothingToLearn` or `.cancelled`.
  public func baseLoss(
    of examples: [TokenizedExample], isCancelled: () -> Bool = { false }
  ) throws(TrainingError) -> Double {
    try loss(of: examples, factors.zeros, isCancelled)
  }

  private func loss(
    of examples: [TokenizedExample], _ factors: AdapterFactors, _ isCancelled: () -> Bool
  ) throws(TrainingError) -> Double {
    try Self.check(examples, model, options)
    let batches = BatchPlan(
      examples, contextLength: plan.contextLength, tokensPerBatch: passTokens
    ).epoch(0)
    var (loss, count) = (0.0, 0)
    for part in batches.flatMap({ $0.parts(tokens: passTokens) }) {
      let result = try run(part, factors, total: nil, isCancelled)
      loss += result.loss
      count += result.count
    }
    guard count > 0 else { throw .nothingToLearn }
    return loss / Double(count)
  }

  private func run(
    _ batch: TrainingBatch, _ factors: AdapterFactors, total: Int?, _ isCancelled: () -> Bool
  ) throws(TrainingError) -> GradientPass.Result {
    do throws(LanguageModelError) {
      let result = try pass.run(batch, factors, total: total, isCancelled: isCancelled)
      try model.checkUnchanged()
      return result
    } catch {
      throw error == .cancelled ? .cancelled : .base(error)
    }
  }
}

extension AdapterTrainer {
  /// Bytes of activations that are kept for a gradient at once.
  private static let room = 1 << 30

  /// A with values of deviation 1 / √inputs, as tamm starts it, and B of zeros.
  private static func start(_ model: LanguageModel, _ options: TrainingOptions) -> AdapterFactors {
    var factors = AdapterFactors(
      model.weights.layers.map(\.shapes), rank: options.rank, targets: options.targets)
    var random = SplitMix64(seed: options.seed)
    factors.update { _, _, pair in
      let deviation = 1 / Float(pair.a.columns).squareRoot()
      for index in pair.a.values.indices {
        pair.a.values[index] = Mathematics.normal(&random) * deviation
      }
    }
    return factors
  }

  /// - Throws: `TrainingError.tokenOutside`, or `.base` for a context that the base does not have.
  private static func check(
    _ examples: [TokenizedExample], _ model: LanguageModel, _ options: TrainingOptions
  ) throws(TrainingError) {
    let limit = model.configuration.contextLength
    if let length = options.contextLength, length > limit {
      throw .base(.contextTooLong(requested: length, limit: limit))
    }
    try check(examples, model)
  }

  /// - Throws: `TrainingError.tokenOutside`.
  static func check(
    _ examples: [TokenizedExample], _ model: LanguageModel
  ) throws(TrainingError) {
    let count = model.configuration.vocabularySize
    for example in examples {
      for token in example.tokens where !(0..<count).contains(Int(token)) {
        throw .tokenOutside(line: example.line, token: token, count: count)
      }
    }
  }

  /// Tokens whose activations fit into the room; a longer sequence goes alone.
  static func passTokens(_ c: ModelConfiguration) -> Int {
    let hidden = c.experts.map { $0.used * ($0.hiddenWidth + c.width) } ?? c.hiddenWidth
    let perLayer = 6 * c.width + 4 * c.queryWidth + 4 * c.keyValueWidth + 4 * hidden
    return max(1, room / (4 * perLayer * c.layers))
  }

  /// SHA-256 over what decides the result: base, options and examples.
  private static func fingerprint(
    _ model: LanguageModel, _ examples: [TokenizedExample], _ options: TrainingOptions
  ) -> String {
    var digest = SHA256()
    digest.update(Array((model.signature + options.fingerprint).utf8))
    for example in examples {
      digest.update(Array("\(example.tokens) \(example.trained)".utf8))
    }
    return digest.finishHex()
  }
}
