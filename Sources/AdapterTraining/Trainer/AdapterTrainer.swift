public import Adapters
import JSON
import Kernels
public import LanguageModels
import SystemFiles

/// Trains a LoRA adapter on a frozen base, quantized or not, on the CPU.
///
/// Every step follows from base, examples and options alone, so that a training can stop at a checkpoint and go on as if
/// it had not. Owned by one task.
public final class AdapterTrainer {
  /// The frozen base.
  package let model: BaseModel
  /// How it is trained.
  package let options: TrainingOptions
  /// The order of the examples.
  package let plan: BatchPlan
  /// Steps of the whole training, with those that it goes on for.
  public internal(set) var stepCount: Int
  /// How often it went on.
  package internal(set) var extensions = 0
  /// Steps that have been made.
  public var stepsDone: Int { optimizer.count }

  /// The losses that were measured on the way.
  public internal(set) var watch = LossWatch()

  /// As the last step has left them.
  var factors: AdapterFactors
  /// Their mean over the last steps; nil where none is taken.
  var average: FactorAverage?
  /// The factors with the lowest loss that was measured; nil before the first measure that is one.
  var kept: AdapterFactors?
  var optimizer: AdamW<AdapterFactors>
  let fingerprint: String
  /// The factors of the adapter that it starts from; nil without one.
  private let startFactors: AdapterFactors?
  private let pass: GradientPass
  /// The same in full precision, for losses that are told.
  private let exactPass: GradientPass
  var rate: LearningRate
  var schedule: BatchSchedule
  private let parts: BatchParts
  /// Nil where answers are learnt one by one.
  private let preference: PreferenceLoss?

  /// Prepares a training; the adapter starts as `start`, whose rank, alpha, targets and invocation the options get, or as one that
  /// changes nothing.
  ///
  /// The objective `dpo` compares with a reference, which `examples` need to have: ``LossMeter/referring(_:contextLength:isCancelled:progress:)``.
  ///
  /// - Throws: `TrainingError.invalidOption`, `.noTarget`, `.tokenOutside`, `.noPair`, `.noReference`, `.nothingToLearn`, `.noInvocation`, `.otherBase` for a start that does not
  ///   fit, or `.base` when the context that was asked for is longer than the base's.
  public init(
    _ model: BaseModel, examples: [TokenizedExample], options: TrainingOptions = .init(),
    from start: Adapter? = nil
  ) throws(TrainingError) {
    var options = options
    if let start {
      (options.rank, options.alpha) = (start.rank, start.alpha)
      options.targets = Set(start.layers.flatMap(\.keys))
      options.invocation = start.metadata.settings.invocation
    }
    try options.check()
    try options.check(model)
    options.targets.formIntersection(model.weights.layers.flatMap(\.shapes.keys))
    let examples = try Self.checked(examples, model, options)
    (self.model, self.options) = (model, options)
    preference = PreferenceLoss(options.objective, beta: options.beta)
    let plan = BatchPlan(
      examples, contextLength: options.contextLength ?? model.configuration.contextLength,
      tokensPerBatch: options.tokensPerStep * options.accumulation,
      sequencesPerBatch: options.examplesPerStep.map { $0 * options.accumulation },
      arrangement: options.arrangement, seed: options.seed)
    guard plan.exampleCount > 0 else { throw .nothingToLearn }
    self.plan = plan
    var schedule = BatchSchedule(plan, epochs: options.epochs, steps: options.steps)
    stepCount = schedule.stepCount
    rate = LearningRate(options, &schedule, steps: stepCount)
    self.schedule = schedule
    factors = try Self.start(model, options, start)
    startFactors = start == nil ? nil : factors
    if options.averaging > 0 {
      average = FactorAverage(factors, share: options.averaging, of: stepCount)
    }
    optimizer = AdamW(factors, weightDecay: options.weightDecay)
    fingerprint = try Self.fingerprint(model, examples, options, start)
    let pool = WorkerPool.shared(threads: options.threads)
    let scale = Float(options.alpha / Double(options.rank))
    exactPass = GradientPass(model, scale: scale, operations: Operations(pool: pool))
    pass = GradientPass(
      model, scale: scale, operations: Operations(pool: pool, rounds: options.precision == .mixed))
    parts = BatchParts(
      pool: pool, limit: Self.passTokens(model.configuration),
      sharesBeginnings: pass.sharesBeginnings && options.dropout == 0)
  }

  /// Makes the next step; nil when all have been made.
  ///
  /// - Throws: `TrainingError.diverged`, `.base` when its file changed, or `.cancelled` within a product of `isCancelled` becoming true; then everything is
  ///   as before the step.
  public func step(
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(TrainingError) -> TrainingStep? {
    guard stepsDone < stepCount else { return nil }
    let step = try step(rate, isCancelled)
    average?.add(factors, after: stepsDone - rate.begin)
    return step
  }

  /// What the training has come to: the mean over the last steps, or what the last one left where none is taken.
  var learnt: AdapterFactors { average?.factors ?? factors }

  /// A step at another rate, which no mean knows of.
  func step(
    _ rate: LearningRate, _ isCancelled: () -> Bool
  ) throws(TrainingError) -> TrainingStep {
    let (number, batch) = schedule.batch(stepsDone)
    let cut = parts.parts(of: batch)
    var pass = pass
    pass.keptTokens = max(
      parts.limit * Self.keptParts / min(parts.pool.threads, cut.count), parts.limit)
    let found = try parts.run(cut, isCancelled: isCancelled) {
      [self] index, part, isCancelled throws(TrainingError) in
      try run(part, factors, pass, of: batch, dropout(index), isCancelled)
    }
    return try optimizer.step(
      &factors, BatchGradients(batch, found), epoch: number + 1, rate: rate,
      maximumNorm: options.maximumGradientNorm)
  }

  /// What is left out in a part of the next step, whichever steps came before in this process.
  private func dropout(_ part: Int) -> Dropout? {
    guard options.dropout > 0 else { return nil }
    var random = SplitMix64(seed: options.seed)
    return Dropout(options.dropout, seed: random.next() &+ UInt64(stepsDone) &+ UInt64(part) << 32)
  }

  /// The mean loss of the next `count` batches as they are, in nats per token.
  func lossOfNextBatches(
    _ count: Int, _ isCancelled: () -> Bool
  ) throws(TrainingError) -> Double {
    let batches = (stepsDone..<stepsDone + count).map { schedule.batch($0).batch }
    return try sum(of: batches, factors, isCancelled).mean ?? 0
  }

  /// Measures the loss of `examples`, and keeps the adapter as it is where that is the lowest so far.
  ///
  /// The first measure, before any step, is what later ones are compared with.
  ///
  /// - Throws: What ``loss(of:isCancelled:)`` does, `TrainingError.diverged` for a loss that is not finite, `.rose` for one that is far above the
  ///   first where none was below it, or `.overgrown` for values that are far larger than those of any adapter that works.
  @discardableResult
  public func measure(
    _ examples: [TokenizedExample], isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(TrainingError) -> Double {
    let point = try point(of: examples, isCancelled: isCancelled)
    let size = factors.meanSize
    guard size <= Self.largestSize else { throw .overgrown(step: stepsDone, size: size) }
    let isLowest = try watch.add(
      point.loss, after: stepsDone, rewards: point.rewards, error: point.error)
    if isLowest { kept = learnt }
    return point.loss
  }

  /// Goes back to the adapter with the lowest loss that was measured.
  public func useBest() {
    guard let kept else { return }
    factors = kept
    average?.factors = kept
  }

  /// Notes what a step found.
  ///
  /// - Throws: `TrainingError.rose` when the last steps together are far above the start.
  public func note(_ step: TrainingStep) throws(TrainingError) { try watch.add(step) }

  /// Mean loss of what is to be learnt of `examples` by the base with the adapter as it is: in nats per token, or as the
  /// objective has it for pairs.
  ///
  /// - Throws: `TrainingError.tokenOutside`, `.noPair`, `.noReference`, `.nothingToLearn` or `.cancelled`.
  public func loss(
    of examples: [TokenizedExample], isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(TrainingError) -> Double {
    try point(of: examples, isCancelled: isCancelled).loss
  }

  /// The same with the rewards of pairs.
  package func point(
    of examples: [TokenizedExample], isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(TrainingError) -> LossWatch.Point {
    try point(of: examples, learnt, isCancelled)
  }

  /// The loss by the base alone.
  ///
  /// - Throws: `TrainingError.tokenOutside`, `.noPair`, `.noReference`, `.nothingToLearn` or `.cancelled`.
  public func baseLoss(
    of examples: [TokenizedExample], isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(TrainingError) -> Double {
    try point(of: examples, factors.zeros, isCancelled).loss
  }

  /// The loss by the adapter that it started from, or by the base alone without one.
  package func startLoss(
    of examples: [TokenizedExample], isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(TrainingError) -> Double {
    try point(of: examples, startFactors ?? factors.zeros, isCancelled).loss
  }

  private func point(
    of examples: [TokenizedExample], _ factors: AdapterFactors, _ isCancelled: () -> Bool
  ) throws(TrainingError) -> LossWatch.Point {
    let batches = BatchPlan(
      try Self.checked(examples, model, options), contextLength: plan.contextLength,
      tokensPerBatch: Self.tokensPerMeasure
    ).epoch(0)
    let sum = try sum(of: batches, factors, isCancelled)
    guard let loss = sum.mean else { throw .nothingToLearn }
    return LossWatch.Point(
      step: stepsDone, loss: loss, rewards: sum.rewards, error: sum.pairError)
  }

  /// The losses of some batches.
  private func sum(
    of batches: [TrainingBatch], _ factors: AdapterFactors, _ isCancelled: () -> Bool
  ) throws(TrainingError) -> LossSum {
    let all = batches.flatMap { parts.parts(of: $0) }
    return try parts.run(all, isCancelled: isCancelled) {
      [self] _, part, isCancelled throws(TrainingError) in
      try run(part, factors, exactPass, of: nil, nil, isCancelled).sum
    }.reduce(into: LossSum()) { $0.add($1) }
  }

  /// The losses of a part, and as a part of `whole` the gradients.
  private func run(
    _ part: TrainingBatch, _ factors: AdapterFactors, _ pass: GradientPass,
    of whole: TrainingBatch?, _ dropout: Dropout?, _ isCancelled: () -> Bool
  ) throws(TrainingError) -> (sum: LossSum, gradients: AdapterFactors?) {
    do throws(BaseModelError) {
      guard let preference else {
        let result = try pass.run(
          part, factors, total: whole?.targetCount, dropout: dropout, isCancelled: isCancelled)
        try model.checkUnchanged()
        return (LossSum(nats: result.loss, tokens: result.count), result.gradients)
      }
      let result = try pass.run(
        part, factors, preference, totals: whole.map { PreferenceLoss.Totals($0) },
        dropout: dropout, isCancelled: isCancelled)
      try model.checkUnchanged()
      return result
    } catch {
      throw TrainingError(error)
    }
  }
}

extension AdapterTrainer {
  /// Bytes of activations that a part keeps for its gradient.
  private static let room = 1 << 29

  /// Parts of that size whose steps are kept at once, however many threads there are; longer ones are computed again layer by layer.
  private static let keptParts = 4

  /// Tokens of the batches that a set is cut into where its loss is measured.
  private static let tokensPerMeasure = 4096

  /// Root of the mean square of an adapter's values beyond which nothing comes of it; usual are 0.01 to 0.2.
  private static let largestSize = 4.0

  /// The factors of `adapter`; else A with values of deviation 1 / √inputs, as tamm starts it, and B of zeros.
  ///
  /// - Throws: `TrainingError.otherBase` where `adapter` does not fit.
  private static func start(
    _ model: BaseModel, _ options: TrainingOptions, _ adapter: Adapter?
  ) throws(TrainingError) -> AdapterFactors {
    if let adapter {
      let factors = AdapterFactors(adapter.layers)
      let shapes = model.weights.layers.map {
        $0.shapes.filter { options.targets.contains($0.key) }
      }
      guard try adapter.metadata.baseModelSignature == signature(of: model),
        factors.layers.map({ $0.mapValues(\.shape) }) == shapes
      else { throw .otherBase(identifier: "\(adapter.identifier)") }
      return factors
    }
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

  /// The examples as the objective takes them: of pairs the chosen answers alone, where single answers are learnt.
  ///
  /// - Throws: `TrainingError.tokenOutside`, `.noPair` for an example that is none where the objective needs it, `.noReference` for a pair without one, or `.base` for a context that the
  ///   base does not have.
  private static func checked(
    _ examples: [TokenizedExample], _ model: BaseModel, _ options: TrainingOptions
  ) throws(TrainingError) -> [TokenizedExample] {
    try options.checkContext(of: model)
    try check(examples, model)
    let examples = try activated(examples, options)
    guard options.objective.needsPairs else { return examples.map(\.chosen) }
    for example in examples where example.rejected == nil { throw .noPair(line: example.line) }
    guard options.objective == .dpo else { return examples }
    for example in examples where example.reference == nil {
      throw .noReference(line: example.line)
    }
    return examples
  }

  /// The answers of the examples that an activated adapter can learn; the examples themselves for another one.
  ///
  /// - Throws: `TrainingError.noInvocation` where there are none.
  private static func activated(
    _ examples: [TokenizedExample], _ options: TrainingOptions
  ) throws(TrainingError) -> [TokenizedExample] {
    guard let invocation = options.invocation else { return examples }
    let answers = examples.flatMap { $0.answers(beginningAt: invocation) }.filter(\.isActivated)
    guard examples.isEmpty || !answers.isEmpty else { throw .noInvocation }
    return answers
  }

  /// - Throws: `TrainingError.tokenOutside`.
  static func check(_ examples: [TokenizedExample], _ model: BaseModel) throws(TrainingError) {
    let count = model.configuration.vocabularySize
    for example in examples {
      let tokens = example.tokens + (example.rejected?.tokens ?? [])
      for token in tokens where !(0..<count).contains(Int(token)) {
        throw .tokenOutside(line: example.line, token: token, count: count)
      }
    }
  }

  /// Tokens whose activations fit into the room; a longer sequence goes alone.
  static func passTokens(_ c: ModelConfiguration) -> Int {
    let experts = c.experts.map { $0.used * ($0.hiddenWidth + c.width) } ?? 0
    let hidden = experts + (c.architecture.hasExperts ? 0 : c.hiddenWidth)
    let perLayer = 6 * c.width + 4 * c.queryWidth + 4 * c.keyValueWidth + 4 * hidden
    return max(1, room / (4 * perLayer * c.layers))
  }

  static func signature(of model: BaseModel) throws(TrainingError) -> String {
    do throws(BaseModelError) { return try model.signature() } catch { throw TrainingError(error) }
  }

  /// SHA-256 over what decides the result: base, options, start and examples.
  private static func fingerprint(
    _ model: BaseModel, _ examples: [TokenizedExample], _ options: TrainingOptions,
    _ start: Adapter?
  ) throws(TrainingError) -> String {
    var digest = SHA256()
    digest.update(
      Array((try signature(of: model) + options.fingerprint + (start?.contentHash ?? "")).utf8))
    for example in examples {
      for side in [example.chosen, example.rejected].compactMap(\.self) {
        digest.update(Array("\(side.tokens) \(side.trained)".utf8))
      }
    }
    return digest.finishHex()
  }
}
