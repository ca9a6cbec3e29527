import Adapters
import Kernels
public import LanguageModels

/// What an answer costs: how unlikely a model finds it.
public struct AnswerLoss: Sendable, Equatable {
  /// Sum of -log of the probabilities, in nats.
  public var nats: Double
  /// Tokens that were foretold, the mark that ends the answer among them.
  public var tokens: Int

  package init(nats: Double, tokens: Int) { (self.nats, self.tokens) = (nats, tokens) }
}

/// Measures losses of examples, by a base alone or with an adapter; the same tokens as in training count.
public struct LossMeter: Sendable {
  private let model: BaseModel
  private let factors: AdapterFactors
  private let scale: Float
  private let invocation: [Int32]?
  private let threads: Int?

  /// Prepares for `model`, with `adapter` if there is one.
  ///
  /// - Throws: `TrainingError.otherBase` for an adapter that does not fit.
  public init(
    _ model: BaseModel, adapter: AppliedAdapter? = nil, threads: Int? = nil
  ) throws(TrainingError) {
    (self.model, self.threads) = (model, threads)
    (scale, invocation) = (adapter?.scale ?? 1, adapter?.invocation)
    let shapes = model.weights.layers.map(\.shapes)
    guard let adapter else {
      factors = AdapterFactors(shapes.map { _ in [LoRATarget: FactorPair]() })
      return
    }
    factors = AdapterFactors(adapter.layers)
    let fits =
      factors.layers.count == shapes.count
      && zip(factors.layers, shapes).allSatisfy { pairs, shapes in
        pairs.allSatisfy { shapes[$0.key] == $0.value.shape }
      }
    guard fits else { throw .otherBase(identifier: adapter.identifier) }
  }

  /// The loss of each of `examples`, of pairs that of the chosen answer; what is beyond the base's context is left out, and one without anything to foretell
  /// within it has no tokens.
  ///
  /// `eachLoss` is called with each as soon as it is known, and the place of its example.
  ///
  /// - Throws: `TrainingError.tokenOutside`, `.base` when its file changed, or `.cancelled`.
  public func losses(
    of examples: [TokenizedExample], isCancelled: () -> Bool = { Task.isCancelled },
    eachLoss: (_ place: Int, _ loss: AnswerLoss) -> Void = { _, _ in }
  ) throws(TrainingError) -> [AnswerLoss] {
    let limit = model.configuration.contextLength
    return try losses(of: examples, limit: limit, isCancelled, eachLoss)
  }

  private func losses(
    of examples: [TokenizedExample], limit: Int, _ isCancelled: () -> Bool,
    _ eachLoss: (_ place: Int, _ loss: AnswerLoss) -> Void
  ) throws(TrainingError) -> [AnswerLoss] {
    try AdapterTrainer.check(examples, model)
    let pass = GradientPass(
      model, scale: scale, operations: Operations(pool: WorkerPool.shared(threads: threads)))
    let room = min(AdapterTrainer.passTokens(model.configuration), 2048)
    let sequences = examples.map { example in
      guard let invocation else { return TrainingSequence(example.chosen, limit: limit) }
      return example.chosen.answers(beginningAt: invocation).reduce(into: TrainingSequence()) {
        $0.append($1, limit: limit)
      }
    }
    var losses = examples.map { _ in AnswerLoss(nats: 0, tokens: 0) }
    var next = 0
    for part in TrainingBatch(sequences).parts(tokens: room) {
      var rest = part.targetCount > 0 ? try run(pass, part, isCancelled)[...] : []
      for sequence in part.sequences {
        let own = rest.prefix(sequence.targetCount)
        rest = rest.dropFirst(own.count)
        losses[next] = AnswerLoss(nats: own.reduce(0, +), tokens: own.count)
        eachLoss(next, losses[next])
        next += 1
      }
    }
    return losses
  }

  /// The pairs with what this model says to their answers, as the reference of a training by DPO.
  ///
  /// The reference of an adapter that starts from nothing is the base alone, of one that starts as another adapter the base with that
  /// one. What is beyond `contextLength`, or the base's context, does not count. Examples that are no pairs stay as they are.
  ///
  /// - Throws: As ``losses(of:isCancelled:eachLoss:)``.
  public func referring(
    _ examples: [TokenizedExample], contextLength: Int? = nil,
    isCancelled: () -> Bool = { Task.isCancelled },
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(TrainingError) -> [TokenizedExample] {
    let places = examples.indices.filter { examples[$0].rejected != nil }
    let sides = places.flatMap { place -> [TokenizedExample] in
      [examples[place].chosen, examples[place].rejected].compactMap(\.self)
    }
    let limit = contextLength ?? model.configuration.contextLength
    let losses = try losses(of: sides, limit: limit, isCancelled) { place, _ in
      progress(place + 1, sides.count)
    }
    var result = examples
    for (number, place) in places.enumerated() {
      result[place].reference = AnswerLogs(
        chosen: -losses[2 * number].nats, rejected: -losses[2 * number + 1].nats)
    }
    return result
  }

  private func run(
    _ pass: GradientPass, _ batch: TrainingBatch, _ isCancelled: () -> Bool
  ) throws(TrainingError) -> [Double] {
    do throws(BaseModelError) {
      let result = try pass.run(batch, factors, total: nil, isCancelled: isCancelled)
      try model.checkUnchanged()
      return result.losses
    } catch {
      throw TrainingError(error)
    }
  }
}
