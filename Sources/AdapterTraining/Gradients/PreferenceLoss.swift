import LanguageModels

/// What a training lowers.
public enum TrainingObjective: String, Sendable, Codable, CaseIterable {
  /// How unlikely the answers are; of pairs, the chosen ones.
  case sft
  /// How little the chosen answers of pairs gain on the rejected ones, against a reference; Rafailov and others 2023, arXiv 2305.18290.
  case dpo
  /// How unlikely the chosen answers of pairs are, and how small their odds beside the rejected ones; Hong, Lee and Thorne 2024,
  /// arXiv 2403.07691.
  case orpo

  /// Whether it learns from pairs of answers.
  package var needsPairs: Bool { self != .sft }
}

/// The losses of pairs of answers, in the form of trl's trainers, from the logarithms of the probabilities of their tokens.
struct PreferenceLoss: Sendable {
  let objective: TrainingObjective
  let beta: Double

  /// Nil for an objective of single answers.
  init?(_ objective: TrainingObjective, beta: Double) {
    guard objective.needsPairs else { return nil }
    (self.objective, self.beta) = (objective, beta)
  }

  /// What the means of a step are taken over.
  struct Totals {
    let pairs: Int
    /// Tokens of the chosen sides that are foretold as wholes.
    let wholeTokens: Int

    init(_ batch: TrainingBatch) {
      (pairs, wholeTokens) = (batch.pairCount, batch.wholeCount)
    }
  }

  /// The losses of the pairs whose rows have `losses`; with the totals of a step how much each row counts in its loss.
  func judge(
    _ rows: PairRows, _ losses: [Double], _ totals: Totals?
  ) -> (sum: LossSum, weights: [Float]) {
    var sum = LossSum()
    var weights = [Double](repeating: 0, count: losses.count)
    for pair in rows.pairs {
      let chosen = pair.chosen.reduce(0) { $0 - losses[$1] }
      let rejected = pair.rejected.reduce(0) { $0 - losses[$1] }
      let found =
        objective == .dpo
        ? dpo(chosen, rejected, pair)
        : orpo(chosen / Double(pair.chosen.count), rejected / Double(pair.rejected.count))
      sum.pairs += 1
      sum.pairLoss += found.loss
      sum.pairSquares += found.loss * found.loss
      (sum.chosen, sum.rejected) = (sum.chosen + found.rewards.0, sum.rejected + found.rewards.1)
      if found.rewards.0 > found.rewards.1 { sum.ordered += 1 }
      if objective == .orpo {
        sum.nats += pair.whole.reduce(0) { $0 + losses[$1] }
        sum.tokens += pair.whole.count
      }
      guard let totals else { continue }
      // Of the mean of a side's tokens each is a part, of their sum it is whole.
      let (up, down) =
        objective == .dpo
        ? (1, 1) : (1 / Double(pair.chosen.count), 1 / Double(pair.rejected.count))
      for row in pair.chosen { weights[row] -= found.slopes.0 * up / Double(totals.pairs) }
      for row in pair.rejected { weights[row] -= found.slopes.1 * down / Double(totals.pairs) }
      for row in pair.whole { weights[row] += 1 / Double(totals.wholeTokens) }
    }
    return (sum, weights.map { Float($0) })
  }

  /// What one pair comes to, and the slopes of its loss over the logarithms of both probabilities.
  private typealias Found = (loss: Double, rewards: (Double, Double), slopes: (Double, Double))

  /// -log σ(β ((log p - log r) of the chosen one - the same of the rejected one)), where r is the reference.
  private func dpo(_ chosen: Double, _ rejected: Double, _ pair: PairRows.Pair) -> Found {
    guard let reference = pair.reference else { preconditionFailure("a pair without a reference") }
    let rewards = (beta * (chosen - reference.chosen), beta * (rejected - reference.rejected))
    let (loss, slope) = Self.logistic(rewards.0 - rewards.1)
    return (loss, rewards, (beta * slope, -beta * slope))
  }

  /// -β log σ(log (odds of the chosen one / odds of the rejected one)), where odds are p / (1 - p) of the geometric mean p of the tokens.
  private func orpo(_ chosen: Double, _ rejected: Double) -> Found {
    // The odds of what is certain in floats would be infinite.
    let (chosen, rejected) = (min(chosen, -1e-9), min(rejected, -1e-9))
    let odds = (chosen - Self.logOfRest(chosen)) - (rejected - Self.logOfRest(rejected))
    let (loss, slope) = Self.logistic(odds)
    func steepness(_ log: Double) -> Double { -1 / Mathematics.exponentialLessOne(log) }
    return (
      beta * loss, (beta * chosen, beta * rejected),
      (beta * slope * steepness(chosen), -beta * slope * steepness(rejected))
    )
  }

  /// -log σ(x) and its slope.
  private static func logistic(_ x: Double) -> (loss: Double, slope: Double) {
    let small = Mathematics.exponential(-abs(x))
    let loss = Mathematics.logarithmOfOneMore(small) + max(-x, 0)
    return (loss, -(x < 0 ? 1 : small) / (1 + small))
  }

  /// log (1 - eˣ) for x below zero.
  private static func logOfRest(_ x: Double) -> Double {
    Mathematics.logarithm(-Mathematics.exponentialLessOne(x))
  }
}

/// The rows of a batch of pairs from which something is foretold, and what each is part of.
struct PairRows {
  /// Rows by their number among those that foretell something.
  struct Pair {
    var chosen: [Int] = []
    var rejected: [Int] = []
    /// All of the side with the chosen answer, where wholes are foretold.
    var whole: [Int] = []
    let reference: AnswerLogs?
  }

  let rows: BatchRows
  private(set) var pairs: [Pair] = []

  /// Takes the rows of answers, and with `foretellsWholes` all others of the chosen sides, as `rows` makes them.
  init(
    _ batch: TrainingBatch, foretellsWholes: Bool, rows: (TrainingBatch) -> BatchRows
  ) {
    self.rows = rows(
      foretellsWholes ? TrainingBatch(batch.sequences.map(\.foretellingWholes)) : batch)
    var next = 0
    for sequence in batch.sequences {
      for place in sequence.pairs {
        var pair = Pair(reference: place.reference)
        for index in place.chosen {
          let isAnswer = sequence.targets[index] != nil
          let isWhole = foretellsWholes && index + 1 < place.chosen.upperBound
          guard isAnswer || isWhole else { continue }
          if isAnswer { pair.chosen.append(next) }
          if isWhole { pair.whole.append(next) }
          next += 1
        }
        for index in place.rejected where sequence.targets[index] != nil {
          pair.rejected.append(next)
          next += 1
        }
        pairs.append(pair)
      }
    }
    precondition(next == self.rows.places.count, "a batch with examples that are no pairs")
  }
}

extension GradientPass {
  /// The losses of the pairs of `batch`; with the totals of a step the gradients of its loss, too.
  ///
  /// - Throws: `BaseModelError.cancelled` once `isCancelled` says so, between two products.
  func run(
    _ batch: TrainingBatch, _ factors: AdapterFactors, _ loss: PreferenceLoss,
    totals: PreferenceLoss.Totals?, dropout: Dropout? = nil,
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(BaseModelError) -> (sum: LossSum, gradients: AdapterFactors?) {
    func stop() throws(BaseModelError) {
      if isCancelled() { throw .cancelled }
    }
    let pairs = PairRows(batch, foretellsWholes: loss.objective == .orpo) { rows($0, dropout) }
    var sum = LossSum()
    var gradients = totals.map { _ in Gradients(factors) }
    try run(pairs.rows, factors.layers, &gradients, stop, dropout) {
      (states) throws(BaseModelError) in
      let found = try head.loss(
        states, targets: pairs.rows.targets, weight: totals.map { _ in 1 }, stop)
      let judged = loss.judge(pairs, found.rows, totals)
      sum = judged.sum
      // How much a row counts is known behind all of them; its gradient is in proportion.
      var gradient = found.gradient
      gradient?.multiplyRows(by: judged.weights)
      return gradient
    }
    return (sum, gradients.map { AdapterFactors($0.layers.map(\.pairs)) })
  }
}
