import AdapterTraining
import Adapters
import LanguageModels
import TensorFiles

/// Options that say how an adapter is trained.
enum TrainOptions {
  static let epochs = Option(
    "--epochs", .integer(1...10_000), "How often every example is seen; 3 unless given")
  static let steps = Option(
    "--steps", .integer(1...1_000_000_000), "End after this many steps, in place of --epochs")
  static let rank = Option("--rank", .integer(1...4096), "Rank of the updates; 16 unless given")
  static let alpha = Option(
    "--alpha", .number(0.001...1_000_000), "Updates are scaled by alpha / rank; 16 unless given")
  static let targets = Option(
    "--targets", .targets, "Projections to change, such as attn_q,attn_v; all unless given")
  static let learningRate = Option(
    "--learning-rate", .number(1e-9...100),
    "Highest rate of the optimizer; 0.005 unless given, less for wide bases")
  static let warmup = Option(
    "--warmup", .integer(0...1_000_000_000),
    "Steps in which the rate rises; a twentieth of all, at most 100, unless given")
  static let tokens = Option(
    "--tokens", .integer(1...1_000_000_000),
    "Tokens of a step, at least; 256 to 2048, by the data, unless given")
  static let context = Option(
    "--context", .integer(2...1_000_000_000),
    "Longest example in tokens, which loses the rest; the base's context unless given")
  static let pack = Flag("--pack", "Put short examples one behind the other into one sequence")
  static let seed = Option("--seed", .seed, "Same seed, same adapter; 0 unless given")

  static let all: [any OptionDeclaration] = [
    epochs, steps, learningRate, warmup, rank, alpha, targets, tokens, context, pack, seed,
  ]

  /// Refuses options that exclude each other.
  static func check(_ invocation: Invocation) throws {
    let arguments = invocation.arguments
    guard arguments.value(epochs) == nil || arguments.value(steps) == nil else {
      throw invocation.conflict("--epochs and --steps exclude each other")
    }
  }

  /// What the command line says, over what suits the examples and the base.
  static func options(
    _ invocation: Invocation, for examples: [TokenizedExample], on model: LanguageModel
  ) -> TrainingOptions {
    let arguments = invocation.arguments
    var options = TrainingOptions(
      for: examples, on: model, epochs: arguments.value(epochs) ?? 3)
    options.steps = arguments.value(steps)
    options.rank = arguments.value(rank) ?? options.rank
    options.alpha = arguments.value(alpha)?.asWritten ?? options.alpha
    options.targets = arguments.value(targets).map { Set($0) } ?? options.targets
    options.learningRate = arguments.value(learningRate)?.asWritten ?? options.learningRate
    options.warmupSteps = arguments.value(warmup)
    options.tokensPerStep = arguments.value(tokens) ?? options.tokensPerStep
    options.contextLength = arguments.value(context)
    options.arrangement = arguments.has(pack) ? .packed : .sorted
    options.seed = arguments.value(seed) ?? options.seed
    options.threads = arguments.value(ModelOptions.threads)
    return options
  }
}

extension Float {
  /// The double that is written with the same digits: 0.001, not 0.0010000000474974513.
  var asWritten: Double { Double(description) ?? Double(self) }
}
