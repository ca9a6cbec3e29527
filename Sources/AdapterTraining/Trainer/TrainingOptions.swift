public import Adapters
public import LanguageModels
import SystemFiles

/// How an adapter is trained.
public struct TrainingOptions: Sendable, Equatable {
  /// What products with the base's weights are made of; all else is in full precision.
  public enum Precision: String, Sendable, CaseIterable {
    /// Values rounded to BF16, where the processor multiplies them faster than floats; sums are floats.
    case mixed = "bf16-mixed"
    /// Floats, on any processor.
    case single = "f32"
  }
  /// How the rate goes on from its highest.
  public enum Schedule: String, Sendable, Codable, CaseIterable {
    /// Half a cosine down to zero, as in Apple's toolkit.
    case cosine
    /// A straight line down to zero.
    case linear
    /// It stays.
    case constant
  }
  /// How examples become sequences.
  public enum Arrangement: String, Sendable, Codable, CaseIterable {
    /// A sequence for each example; those of similar length stand together.
    case sorted
    /// Sequences filled with examples, one behind the other, up to the length of the context.
    case packed
  }

  /// What is lowered.
  public var objective = TrainingObjective.sft
  /// How near pairs keep to the reference of DPO, or what the odds of ORPO count; trl's name and default.
  public var beta = 0.1
  /// Rank of every pair of factors, 1 to 4096.
  public var rank = 16
  /// The update is scaled by alpha / rank.
  public var alpha = 16.0
  /// Projections that are changed; all stand for those that the base has.
  public var targets = Set(LoRATarget.allCases)
  /// Tokens of an activated adapter's invocation, from which on it acts, and learns; nil for an adapter that acts on all tokens.
  public var invocation: [Int32]?
  /// Share of what comes into the factors that is left out at random in each step, 0 up to 1.
  public var dropout = 0.0
  /// How often every example is seen.
  public var epochs = 2
  /// Steps after which to end, in as many epochs as they take; nil for as many as the epochs have.
  public var steps: Int?
  /// How often a training goes on by itself for half of its epochs more, while its measured loss still falls; where ``steps`` are
  /// given, never.
  public var extensions = 0
  /// Highest rate of the optimizer.
  public var learningRate = 1e-3
  /// How the rate goes on from its highest.
  public var schedule = Schedule.cosine
  /// Steps in which the rate rises to its highest; nil for a twentieth of all, at most 100.
  public var warmupSteps: Int?
  /// The same in epochs, in place of steps.
  public var warmupEpochs: Int?
  /// Share of the learning rate by which weights shrink in each step.
  public var weightDecay = 0.01
  /// Share of all steps over which the factors are averaged, 0 to 1: that mean is what is measured and written; 0 for what the last step left.
  public var averaging = 0.0
  /// Gradients that are longer than this are shortened to it.
  public var maximumGradientNorm = 1.0
  /// Tokens of a batch, at least.
  public var tokensPerStep = 2048
  /// Examples of a batch, in place of its tokens.
  public var examplesPerStep: Int?
  /// Batches whose gradients are summed up for a step.
  public var accumulation = 1
  /// Longest sequence, in tokens; nil for the base's own context.
  public var contextLength: Int?
  /// How examples become sequences.
  public var arrangement = Arrangement.sorted
  /// What products with the base's weights are made of.
  public var precision = Precision.mixed
  /// Decides the order of the examples, the first values, and what dropout leaves out.
  public var seed: UInt64 = 0
  /// Worker threads, on which results do not depend; nil for one per processor.
  public var threads: Int?

  /// The defaults, which are those of Apple's toolkit where it has any, but for its rank of 32.
  public init() {}

  /// The alpha with which updates of any rank are about as strong: 16 / √rank of them is added, as in rsLoRA (Kalajdzievski
  /// 2023, arXiv 2312.03732), rounded to two digits behind the point.
  package static func usualAlpha(rank: Int) -> Double {
    (16 * Double(rank).squareRoot() * 100).rounded() / 100
  }

  /// The betas and the epsilon of AdamW, for who trains elsewhere in the same way.
  package static let adam = (
    beta1: AdamUpdate.beta1, beta2: AdamUpdate.beta2, epsilon: AdamUpdate.epsilon
  )

  /// Updates that a training should have; small sets get as many small ones.
  static let fewestSteps = 200
  /// Of the rate for single answers, as differences of likelihoods are learnt sooner than answers.
  static let shareForPairs = 0.1

  /// How often a training goes on whose length nobody chose.
  static let usualExtensions = 2

  /// Of a training's steps: the mean over these is far nearer to what is learnt while the rate is high, and no different at its end.
  static let usualAveraging = 0.04
  /// The same over a large base, whose training mostly ends while the rate is high.
  static let largeBaseAveraging = 0.15
  /// Weights from which on a base is a large one: it knows language, and learns most sets in a few dozen steps.
  static let largeBase = 50_000_000

  /// Options that suit what is to be learnt: as many tokens a step as give 200 steps over all epochs, about 256 to 2048, and a
  /// learning rate in inverse proportion to the base's width, 0.005 at 256 and below; rank 16 with its usual alpha.
  ///
  /// Pairs of answers are learnt by `dpo` unless `objective` says otherwise, and that at a tenth of the rate.
  ///
  /// What is beyond the context, `context` or the base's own, does not count, as it is not learnt.
  ///
  /// Without `epochs` there are three, and up to 30 where the set is too small for 200 steps; and twice half as many more while the
  /// measured loss still falls. Small sets need many small steps, or they
  /// end before anything is learnt. That the best rate of Adam falls with the width is of Yang and others 2022
  /// (arXiv 2203.03466), section 4.
  public init(
    for examples: [TokenizedExample], on model: BaseModel, epochs: Int? = nil,
    context: Int? = nil, objective: TrainingObjective? = nil
  ) {
    alpha = Self.usualAlpha(rank: rank)
    averaging =
      model.weights.parameters < Self.largeBase ? Self.usualAveraging : Self.largeBaseAveraging
    let limit = context ?? model.configuration.contextLength
    let learnt = examples.filter { $0.isOfUse(within: limit) }
    let tokens = max(learnt.reduce(0) { $0 + $1.size(limit: limit) }, 1)
    let least = 256
    self.epochs = epochs ?? min(max((Self.fewestSteps * least + tokens - 1) / tokens, 3), 30)
    extensions = epochs == nil ? Self.usualExtensions : 0
    // A step ends with the example that fills it, which is half an example too much in the mean.
    let excess = tokens / max(learnt.count, 1) / 2
    let wanted = max(tokens * self.epochs / Self.fewestSteps, least) - excess
    tokensPerStep = min(max(wanted * 24 / 25, 1), 2048)
    learningRate = 0.005 * 256 / Double(max(model.configuration.width, 256))
    let hasPairs = examples.contains { $0.rejected != nil }
    self.objective = objective ?? (hasPairs ? .dpo : .sft)
    if self.objective == .dpo { learningRate *= Self.shareForPairs }
  }
}

extension TrainingOptions: StepOptions {
  /// - Throws: `TrainingError.invalidOption` for the first one that is out of range.
  func check() throws(TrainingError) {
    try check("beta", beta, 1e-6...1000)
    try check("rank", Double(rank), 1...4096)
    try check("alpha", alpha, 1e-6...1e6)
    try check("number of targets", Double(targets.count), 1...Double(LoRATarget.allCases.count))
    try check("dropout", dropout, 0...0.99)
    if let invocation {
      try check(
        "number of tokens of the invocation", Double(invocation.count),
        1...Double(AdapterSettings.invocationLimit))
    }
    try check("averaging", averaging, 0...1)
    try check("number of extensions", Double(extensions), 0...100)
    try check("number of warm-up epochs", Double(warmupEpochs ?? 0), 0...10_000)
    try check("number of examples in a step", Double(examplesPerStep ?? 1), 1...1_000_000_000)
    try check("number of batches in a step", Double(accumulation), 1...1_000_000)
    try checkSteps()
  }

  /// - Throws: `TrainingError.noTarget` for targets that were chosen and that no layer of `model` has.
  func check(_ model: BaseModel) throws(TrainingError) {
    for token in invocation ?? [] {
      try check(
        "token of the invocation", Double(token),
        0...Double(model.configuration.vocabularySize - 1))
    }
    let known = Set(model.weights.layers.flatMap(\.shapes.keys))
    let missing = targets.subtracting(known)
    // Those of a transformer, with whatever others there were when the options were written, stand for all.
    guard !missing.isEmpty, !targets.isSuperset(of: LoRATarget.transformer) else { return }
    func names(_ targets: Set<LoRATarget>) -> String {
      LoRATarget.allCases.filter(targets.contains).map(\.rawValue).choice
    }
    throw .noTarget(names: names(missing), known: names(known))
  }
}
