import Kernels
public import LanguageModels
import SystemFiles
package import Tokenization

/// Trains a small model on what an adapted base says, so that it can guess it; distillation as in Hinton and others 2015.
///
/// The draft is in the layout of Llama whatever the base is, has the base's tokens, and proposes only those that the
/// answers use: most of a draft's cost is its head. All of its weights are learnt, in full precision. Every step follows
/// from base, adapters, answers and options alone. Owned by one task.
public final class DraftTrainer {
  /// The base that the draft is to guess for.
  let base: BaseModel
  /// How it is trained.
  let options: DraftOptions
  /// What it learns to foretell, whole.
  let answers: DraftAnswers
  /// The tokens that it can propose, rising.
  package let tokens: [Token]
  /// Steps of the whole training.
  public let stepCount: Int
  /// Steps that have been made.
  public var stepsDone: Int { optimizer.count }
  /// The order of the answers.
  let plan: BatchPlan

  var weights: DraftWeights
  var optimizer: AdamW<DraftWeights>
  let fingerprint: String
  let start: DraftStart
  let teacher: DraftTeacher
  private let measured: [TokenizedExample]
  private let pass: DraftPass
  private let rate: LearningRate
  private var schedule: BatchSchedule
  private let passTokens: Int

  /// Prepares a training on `answers`, which have to be whole.
  ///
  /// - Throws: `TrainingError.invalidOption` for the first option that is out of range, `.draftTooLarge`, `.base` for a context that the base does not
  ///   have, or `.nothingToLearn` without answers.
  public init(
    _ base: BaseModel, adapters: [AppliedAdapter], answers: DraftAnswers, options: DraftOptions
  ) throws(TrainingError) {
    precondition(answers.answeredCount == answers.prompts.count, "answers are missing")
    try options.check(for: base)
    (self.base, self.answers, self.options) = (base, answers, options)
    let limit = base.configuration.contextLength
    let length = options.contextLength ?? limit
    tokens = Self.outputs(answers, limit: options.vocabularyLimit)
    start = DraftStart(base, answers, outputs: tokens, options)
    let examples = Self.examples(answers, start)
    let parameters = options.shape.parameters(
      tokens: base.configuration.vocabularySize, outputs: tokens.count)
    guard parameters <= base.weights.parameters else {
      throw .draftTooLarge(options.shape, parameters: parameters, base: base.weights.parameters)
    }
    let learnt = examples.prefix { $0.line < answers.prompts.count - answers.heldOutCount }
    measured = learnt.count < examples.count ? Array(examples[learnt.count...]) : Array(learnt)
    let plan = BatchPlan(
      Array(learnt), contextLength: length, tokensPerBatch: options.tokensPerStep,
      seed: options.seed)
    guard plan.exampleCount > 0 else { throw .nothingToLearn }
    self.plan = plan
    schedule = BatchSchedule(plan, epochs: options.epochs, steps: options.steps)
    stepCount = schedule.stepCount
    rate = LearningRate(
      highest: options.learningRate, warmup: options.warmupSteps, steps: stepCount)
    weights = start.weights
    optimizer = AdamW(weights, weightDecay: options.weightDecay)
    let configuration = options.shape.configuration(
      contextLength: limit, vocabularySize: start.inputs.count)
    pass = DraftPass(
      configuration: configuration, rotary: options.shape.rotary, loss: options.loss,
      operations: Operations(pool: WorkerPool.shared(threads: options.threads)))
    passTokens = AdapterTrainer.passTokens(configuration)
    var digest = SHA256()
    digest.update(Array("\(answers.fingerprint) \(options.fingerprint)".utf8))
    fingerprint = digest.finishHex()
    do {
      teacher = try DraftTeacher(
        base, adapters, tokens: tokens, contextLength: limit, threads: options.threads)
    } catch {
      throw .base(error)
    }
  }

  /// Makes the next step; nil when all have been made.
  ///
  /// - Throws: `TrainingError.diverged`, `.base`, or `.cancelled` within a product of `isCancelled` becoming true; then
  ///   everything is as before the step.
  public func step(
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(TrainingError) -> TrainingStep? {
    guard stepsDone < stepCount else { return nil }
    let (number, batch) = schedule.batch(stepsDone)
    var found: [(sum: LossSum, gradients: DraftWeights?)] = []
    for part in batch.parts(tokens: passTokens) {
      let result = try run(part, total: batch.targetCount, isCancelled)
      found.append((LossSum(nats: result.loss, tokens: part.targetCount), result.gradients))
    }
    return try optimizer.step(
      &weights, BatchGradients(batch, found), epoch: number + 1, rate: rate,
      maximumNorm: options.maximumGradientNorm)
  }

  /// How well the draft as it is foretells the answers that are held out, or, where there are none, those that it learns.
  ///
  /// `progress` is called behind each answer, with how many are done and how many there are.
  ///
  /// - Throws: `TrainingError.base`, or `.cancelled`.
  public func measure(
    isCancelled: () -> Bool = { Task.isCancelled },
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(TrainingError) -> DraftMeasure {
    var measure = DraftMeasure()
    for sequence in measured.map({ TrainingSequence($0, limit: plan.contextLength) })
    where sequence.targetCount > 0 {
      let result = try run(TrainingBatch([sequence]), total: nil, isCancelled)
      measure.divergence += result.loss
      measure.agreements.append(result.agrees)
      progress(measure.agreements.count, measured.count)
    }
    measure.divergence /= Double(max(measure.places, 1))
    guard measure.divergence.isFinite else { throw .diverged(step: stepsDone) }
    return measure
  }

  /// The places of the answers that are measured.
  var measuredPlaces: [Int] { measured.map(\.line) }

  private func run(
    _ batch: TrainingBatch, total: Int?, _ isCancelled: () -> Bool
  ) throws(TrainingError) -> DraftPass.Result {
    do throws(BaseModelError) {
      let rows = try teacherRows(batch, isCancelled)
      let result = try pass.run(batch, weights, rows, total: total, isCancelled: isCancelled)
      try base.checkUnchanged()
      return result
    } catch {
      throw TrainingError(error)
    }
  }

  /// What the adapted base says at the places of a batch, in their order.
  private func teacherRows(
    _ batch: TrainingBatch, _ isCancelled: () -> Bool
  ) throws(BaseModelError) -> TeacherRows {
    var (values, best): ([Float], [Int?]) = ([], [])
    for sequence in batch.sequences {
      // Each has one answer, of which it may have lost the end.
      let place = sequence.lines[0]
      let text = answers.prompts[place] + (answers.answers[place] ?? [])
      let first = answers.prompts[place].count - 1
      let rows = try teacher.rows(place, text, from: first, isCancelled: isCancelled)
      let count = sequence.targetCount
      values += rows.logarithms.values.prefix(count * tokens.count)
      best += rows.best.prefix(count)
    }
    return TeacherRows(
      logarithms: FloatMatrix(rows: best.count, columns: tokens.count, values: values), best: best)
  }

  /// The answers in rows of the draft's embedding, by their place; the mark that ends each is foretold, too.
  private static func examples(_ answers: DraftAnswers, _ start: DraftStart) -> [TokenizedExample] {
    answers.prompts.indices.compactMap { place in
      guard let answer = answers.answers[place], !answer.isEmpty else { return nil }
      let text = answers.prompts[place] + answer
      let rows = text.map { start.rows[$0] ?? 0 }
      return TokenizedExample(
        line: place, tokens: rows + [0], trained: [answers.prompts[place].count..<text.count + 1])
    }
  }

  /// The tokens of all answers and those that end them, the most frequent first where there are more than `limit`.
  private static func outputs(_ answers: DraftAnswers, limit: Int) -> [Token] {
    var counts: [Token: Int] = [:]
    for token in answers.answers.joined(default: []) { counts[token, default: 0] += 1 }
    for token in answers.stopTokens { counts[token] = .max }
    let order = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return order.prefix(limit).map(\.key).sorted()
  }
}

extension [[Token]?] {
  fileprivate func joined(default other: [Token]) -> [Token] { flatMap { $0 ?? other } }
}
