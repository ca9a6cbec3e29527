import AdapterTraining
import LanguageModels

/// Options that say how an adapter is trained.
enum TrainOptions {
  static let objective = Option(
    "--objective", .word("name", TrainingObjective.allCases.map(\.rawValue)),
    "What is lowered (default: dpo if all lines are pairs of answers, otherwise sft)")
  static let beta = Option(
    "--beta", .number(1e-6...1000),
    "How near pairs keep to the reference of dpo, or what the odds of orpo count (default: 0.1)")
  static let epochs = Option(
    "--epochs", .integer(1...10_000),
    "How often every example is seen (default: 3, or more if that is fewer than 200 steps; half as many more, twice at most, while the held-out loss still falls)"
  )
  static let steps = Option(
    "--steps", .integer(1...1_000_000_000), "End after this many steps, in place of --epochs")
  static let learningRate = Option(
    "--learning-rate", .rate(1e-9...100),
    "Learning rate, at its highest; search finds one by short trials on the first batches (default: auto: it follows from the base's width)"
  )
  static let schedule = Option(
    "--schedule", .word("name", TrainingOptions.Schedule.allCases.map(\.rawValue)),
    "How the learning rate changes after its highest (default: cosine)")
  static let warmup = Option(
    "--warmup", .integer(0...1_000_000_000),
    "Steps in which the rate rises (default: a twentieth of all, at most 100)")
  static let warmupEpochs = Option(
    "--warmup-epochs", .integer(0...10_000), "The same in epochs, as Apple's toolkit has it")
  static let rank = Option(
    "--rank", .integer(1...4096),
    "Rank of the updates: a higher one can learn more, and is larger (default: 16)")
  static let alpha = Option(
    "--alpha", .number(0.001...1_000_000),
    "Updates are scaled by alpha / rank (default: 16 times the root of the rank, as in rsLoRA)"
  )
  static let targets = Option(
    "--targets", .targets, "Projections to change, such as attn_q,attn_v (default: all)")
  static let activated = Flag(
    "--activated",
    "An adapter that begins at its invocation: what stands before that is read as by the base")
  static let invocationText = Option(
    "--invocation", .text("text"),
    "The text that an activated adapter begins at (default: what begins an answer in the chat format)"
  )
  static let dropout = Option(
    "--dropout", .number(0...0.99),
    "Share of an update's input that a step leaves out (default: 0)")
  static let weightDecay = Option(
    "--weight-decay", .number(0...1),
    "Share of the learning rate by which weights shrink (default: 0.01)"
  )
  static let average = Option(
    "--average", .number(0...1),
    "Share of the steps over which the factors are averaged; 0 for none (default: 0.04, or 0.15 over a base of 50 million weights or more)"
  )
  static let clip = Option(
    "--clip-grad-norm", .number(1e-9...1e9),
    "Longer gradients are shortened to this (default: 1)")
  static let tokens = Option(
    "--tokens", .integer(1...1_000_000_000),
    "Tokens of a step, at least (default: up to 2048, for 200 steps)")
  static let examples = Option(
    "--batch-size", .integer(1...1_000_000_000), "Examples of a step, in place of --tokens")
  static let accumulation = Option(
    "--gradient-accumulation-steps", .integer(1...1_000_000),
    "Batches that make a step together (default: 1)")
  static let context = Option(
    "--context", aliases: ["--max-sequence-length"], .integer(2...1_000_000_000),
    "Longest example in tokens; a longer one loses the rest (default: the base's context)")
  static let pack = Flag(
    "--pack", aliases: ["--pack-sequences"],
    "Put short examples one behind the other into one sequence")
  static let precision = Option(
    "--precision", .word("name", TrainingOptions.Precision.allCases.map(\.rawValue)),
    "Number format of products with the base (default: bf16-mixed if the processor has it)")
  static let seed = Option("--seed", .seed, "Same seed, same adapter (default: 0)")
  static let patience = Option(
    "--patience", .integer(0...1000),
    "Measures, of 12, without a lower held-out loss that end the training; 0: it never ends early (default: 6)"
  )

  static let all: [any OptionDeclaration] = [
    objective, beta, epochs, steps, learningRate, schedule, warmup, warmupEpochs, rank, alpha,
    targets, activated, invocationText,
    dropout, weightDecay, average, clip, tokens, examples, accumulation, context, pack, precision,
    seed,
    patience,
  ]

  /// What Apple's toolkit, transformers and PEFT, axolotl, LLaMA-Factory and mlx-lm call them.
  static let knownElsewhere = KnownElsewhere.base.filter { $0.key != "--base-model" }.merging([
    "--lr": "--learning-rate", "--lr-scheduler": "--schedule", "--lr-scheduler-type": "--schedule",
    "--num-epochs": "--epochs", "--num-train-epochs": "--epochs", "--max-steps": "--steps",
    "--iters": "--steps", "--warmup-steps": "--warmup", "--lora-r": "--rank",
    "--lora-rank": "--rank", "--lora-alpha": "--alpha", "--lora-dropout": "--dropout",
    "--target-modules": "--targets", "--lora-target": "--targets",
    "--lora-target-modules": "--targets", "--micro-batch-size": "--batch-size",
    "--per-device-train-batch-size": "--batch-size", "--max-grad-norm": "--clip-grad-norm",
    "--max-length": "--context", "--max-seq-length": "--context", "--sequence-len": "--context",
    "--cutoff-len": "--context", "--packing": "--pack", "--sample-packing": "--pack",
    "--val-set-size": "--held-out", "--val-size": "--held-out", "--output-dir": "--output",
    "--adapter-path": "--output", "--resume-from-checkpoint": "--resume",
    "--early-stopping-patience": "--patience", "--pref-beta": "--beta",
    "--bf16": "--precision", "--fp16": "--precision", "--train-data": data,
    "--checkpoint-dir": "--output", "--adapter-name": "--name", "--checkpoint": "--from",
  ]) { $1 }

  /// What to do where others have an option for the data.
  static let data = "the data set is a word by itself"

  /// Refuses options that exclude each other.
  static func check(_ invocation: Invocation) throws {
    try invocation.exclude(epochs, steps)
    try invocation.exclude(warmup, warmupEpochs)
    try invocation.exclude(tokens, examples)
  }

  /// What the command line says, over `options`.
  static func apply(_ arguments: ParsedArguments, to options: TrainingOptions) -> TrainingOptions {
    var options = options
    options.beta = arguments.value(beta)?.asWritten ?? options.beta
    if let steps = arguments.value(steps) { options.steps = steps }
    if let epochs = arguments.value(epochs) { options.learn(for: epochs) }
    if case .fixed(let rate)? = arguments.value(learningRate) {
      options.learningRate = rate.asWritten
    }
    options.schedule =
      arguments.value(schedule).flatMap(TrainingOptions.Schedule.init) ?? options.schedule
    if let steps = arguments.value(warmup) {
      (options.warmupSteps, options.warmupEpochs) = (steps, nil)
    }
    if let epochs = arguments.value(warmupEpochs) {
      (options.warmupSteps, options.warmupEpochs) = (nil, epochs)
    }
    if let rank = arguments.value(rank) {
      (options.rank, options.alpha) = (rank, TrainingOptions.usualAlpha(rank: rank))
    }
    options.alpha = arguments.value(alpha)?.asWritten ?? options.alpha
    options.targets = arguments.value(targets).map { Set($0) } ?? options.targets
    options.dropout = arguments.value(dropout)?.asWritten ?? options.dropout
    options.weightDecay = arguments.value(weightDecay)?.asWritten ?? options.weightDecay
    options.averaging = arguments.value(average)?.asWritten ?? options.averaging
    options.maximumGradientNorm = arguments.value(clip)?.asWritten ?? options.maximumGradientNorm
    if let tokens = arguments.value(tokens) {
      (options.tokensPerStep, options.examplesPerStep) = (tokens, nil)
    }
    options.examplesPerStep = arguments.value(examples) ?? options.examplesPerStep
    options.accumulation = arguments.value(accumulation) ?? options.accumulation
    options.contextLength = arguments.value(context) ?? options.contextLength
    if arguments.has(pack) { options.arrangement = .packed }
    options.precision =
      arguments.value(precision).flatMap(TrainingOptions.Precision.init) ?? options.precision
    options.seed = arguments.value(seed) ?? options.seed
    options.threads = arguments.value(ModelOptions.threads)
    return options
  }
}

extension TrainingOptions {
  /// Sees every example `epochs` times, and no more.
  mutating func learn(for epochs: Int) {
    (self.epochs, steps, extensions) = (epochs, nil, 0)
  }
}

extension Float {
  /// The double that is written with the same digits: 0.001, not 0.0010000000474974513.
  var asWritten: Double { Double(description) ?? Double(self) }
}
