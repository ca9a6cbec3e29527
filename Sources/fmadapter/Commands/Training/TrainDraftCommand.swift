import AdapterTraining
import Adapters
import ChatTemplates
import JSON
import Kernels
import LanguageModels
import SystemFiles

/// `train-draft`: a small model that guesses what an adapted base says.
enum TrainDraftCommand {
  private static let adapter = Argument(
    "adapter", "The path of a package, or the name of an installed adapter", completion: .adapters)
  private static let data = Argument(
    "data", "A data set whose prompts the adapted base answers, one example per line",
    completion: .files)
  private static let output = Option(
    "--output", short: "-o", .file,
    "The GGUF file to write, in the place of a draft in the package")
  private static let valid = Option(
    "--valid", aliases: ["--eval-data"], .file,
    "A data set whose prompts are held out (default: a tenth of those of the data)")
  private static let resume = Flag("--resume", "Go on with a training that was stopped")
  private static let force = Flag(
    "--force", "Replace the draft that is there, or start a stopped training anew")
  private static let json = Flag("--json", "Print what came of it as JSON")

  // Joined with types spelled out: the compiler needs minutes to find them in one expression.
  private static var options: [any OptionDeclaration] {
    let first: [any OptionDeclaration] = [output, valid, ModelOptions.base]
    let last: [any OptionDeclaration] = [
      resume, force, AnswerOptions.chatFormat, ModelOptions.threads, json,
    ]
    return first + TrainDraftOptions.all + last
  }

  static let command = Command(
    name: "train-draft",
    summary: "Train a small model that guesses an adapter's answers",
    details: [
      """
      The base with the adapter answers the prompts of the data; a small model learns the \
      probabilities behind these answers, and proposes the tokens that they use. 'run' and sessions \
      let it guess ahead, which changes no text. It is written into the package as draft.gguf, or to \
      -o for 'run --draft', and fits any base: it needs its tokens alone. The same adapter, data, \
      options and seed give the same bytes on the same kind of machine.
      """,
      """
      Ctrl-C keeps the answers and all that was learnt beside the package, in a file that ends \
      in .checkpoint; --resume goes on with it as if it had not stopped. At the end, held-out \
      prompts show how often the draft is right, and passes are timed to find out what that is \
      worth on this machine. Prints the path of the draft.
      """,
    ],
    examples: [
      Example("fmadapter train-draft mine.fmadapter train.jsonl", "Into the package itself"),
      Example(
        "fmadapter train-draft tagging train.jsonl --valid valid.jsonl -o tagging.gguf",
        "A file, for an installed adapter"),
      Example(
        "fmadapter train-draft mine.fmadapter train.jsonl --layers 2 --epochs 4 --loss forward-kl",
        "Another size, and another divergence to learn from"),
    ],
    arguments: [adapter, data],
    options: options,
    knownElsewhereAs: ["train-draft-model", "train_draft_model", "distill", "distil"],
    optionsKnownElsewhere: [
      "--train-data": TrainOptions.data, "--checkpoint-dir": "--output",
      "--checkpoint": "the adapter is a word by itself, before the data",
    ],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    try TrainDraftOptions.check(invocation)
    let text = arguments.required(adapter)
    guard Library.isPath(text) || arguments.value(output) != nil else {
      throw invocation.conflict(
        "an installed adapter is never changed\(remedy: "give a file to write: -o draft.gguf")")
    }
    let library = Library(terminal)
    let package = try await library.packagePath(text)
    let place = try DraftPlace(
      package: package, file: arguments.value(output), replaces: arguments.has(force),
      resumes: arguments.has(resume))
    let loaded = try await library.load(LoadRequest(invocation, adapters: [text]))
    defer { withExtendedLifetime(loaded.leases) {} }
    let options = try TrainDraftOptions.options(invocation, for: loaded.model)
    try options.check(for: loaded.model)
    let tokenizer = try loaded.model.tokenizer()
    let chat = try ChatRenderer(
      AnswerOptions.style(arguments, loaded.model.file), tokenizer: tokenizer)
    let data = try TrainingData(
      arguments.required(data), heldOut: arguments.value(valid),
      DataOptions.Base(
        model: loaded.model, renderer: ExampleRenderer(chat, tokenizer: tokenizer),
        tokenizer: tokenizer, stopTokens: chat.stopTokens),
      threads: arguments.value(ModelOptions.threads), terminal)
    let answers = try DraftAnswers(
      loaded.model, adapters: loaded.adapters, examples: data.examples, heldOut: data.heldOut,
      stopTokens: chat.stopTokens, options: TrainDraftOptions.answering(invocation))
    var job = DraftJob(
      loaded: loaded, place: place, options: options,
      type: arguments.value(TrainDraftOptions.type) ?? .q8_0, terminal: terminal, answers: answers)
    if arguments.has(resume) { try job.resume() }
    let report = try terminal.keeping { try job.run() }
    try invocation.report(report) { terminal.print(report.path) }
    return .done
  }
}

/// Options that say how a draft is trained.
enum TrainDraftOptions {
  static let loss = Option(
    "--loss", .word("loss", DistillationLoss.allCases.map(\.rawValue)),
    "What is learnt: with reverse-kl to say nothing that the base would not, with forward-kl to cover all that it would (default: reverse-kl)"
  )
  static let layers = Option(
    "--layers", .integer(DraftShape.layerRange),
    "Layers of the draft (default: an eighth of the base's, 1 to 4)")
  static let width = Option(
    "--width", .integer(DraftShape.widthRange),
    "Width of the draft, a multiple of 8 (default: a quarter of the base's, 64 to 512)")
  static let type = Option(
    "--type", .tensorType, "Type of the draft's weights (default: q8_0)")
  static let vocabulary = Option(
    "--vocabulary", .integer(1...1_000_000),
    "Tokens that it can propose, at most (default: the 16,384 most frequent of the answers)")
  static let temperature = Option(
    "--temperature", .number(0...2),
    "How varied the answers are that it learns from (default: 0, the likeliest)")
  static let maximumTokens = Option(
    "--max-tokens", .integer(1...1_000_000), "Longest answer, in tokens (default: 256)")
  static let epochs = Option(
    "--epochs", .integer(1...10_000), "How often every answer is seen (default: 20)")
  static let learningRate = Option(
    "--learning-rate", .number(1e-9...100), "Learning rate, at its highest (default: 0.003)")
  static let tokens = Option(
    "--tokens", .integer(1...1_000_000_000), "Tokens of a step, at least (default: 1024)")
  static let seed = Option("--seed", .seed, "Same seed, same draft (default: 0)")

  static let all: [any OptionDeclaration] = [
    loss, layers, width, type, vocabulary, temperature, maximumTokens, epochs, TrainOptions.steps,
    learningRate, TrainOptions.warmup, tokens, TrainOptions.context, seed,
  ]

  /// Refuses options that exclude each other, and sizes that no draft can have.
  static func check(_ invocation: Invocation) throws {
    let arguments = invocation.arguments
    try invocation.exclude(epochs, TrainOptions.steps)
    if let width = arguments.value(width), !width.isMultiple(of: DraftShape.widthStep) {
      throw invocation.conflict(
        "--width \(width) is no multiple of \(DraftShape.widthStep)"
          + "\(remedy: "give \((width + 7) / 8 * 8)")")
    }
  }

  /// What the command line says, over what suits the base.
  static func options(_ invocation: Invocation, for base: BaseModel) throws -> DraftOptions {
    let arguments = invocation.arguments
    let usual = DraftShape(for: base)
    var options = DraftOptions(
      shape: DraftShape(
        layers: arguments.value(layers) ?? usual.layers,
        width: arguments.value(width) ?? usual.width))
    options.loss = arguments.value(loss).flatMap(DistillationLoss.init) ?? options.loss
    options.vocabularyLimit = arguments.value(vocabulary) ?? options.vocabularyLimit
    options.epochs = arguments.value(epochs) ?? options.epochs
    options.steps = arguments.value(TrainOptions.steps)
    options.learningRate = arguments.value(learningRate)?.asWritten ?? options.learningRate
    options.warmupSteps = arguments.value(TrainOptions.warmup)
    options.tokensPerStep = arguments.value(tokens) ?? options.tokensPerStep
    options.contextLength = arguments.value(TrainOptions.context)
    options.seed = arguments.value(seed) ?? options.seed
    options.threads = arguments.value(ModelOptions.threads)
    return options
  }

  /// How the base is to answer.
  static func answering(_ invocation: Invocation) -> DraftAnswers.Options {
    let arguments = invocation.arguments
    var options = DraftAnswers.Options()
    options.temperature = arguments.value(temperature)?.asWritten ?? options.temperature
    options.maximumTokens = arguments.value(maximumTokens) ?? options.maximumTokens
    options.seed = arguments.value(seed) ?? options.seed
    options.threads = arguments.value(ModelOptions.threads)
    return options
  }
}

/// Where a draft is put, and beside it what its training needs to go on.
struct DraftPlace: ResumablePlace {
  /// The package that gets it; nil for a file of its own.
  let package: String?
  /// Path of the draft.
  let path: String
  /// Path of the file with all that the training needs to go on.
  let checkpoint: String

  /// Refuses a place where something stands already that was not said to go.
  init(package: String, file: String?, replaces: Bool, resumes: Bool) throws {
    self.package = file == nil ? package : nil
    path = file ?? FilePath.join(package, "draft.gguf")
    let folder = FilePath.parent(of: file ?? package)
    // A package holds nothing but what it is made of.
    checkpoint =
      (file ?? FilePath.join(folder, FilePath.name(of: package) + ".draft")) + ".checkpoint"
    if !replaces, try FileSystem.info(path) != nil {
      throw Failure(
        .usage,
        "\(path): exists already\(remedy: "--force replaces it, -o writes another file")")
    }
    // Found out now, and not once it is trained.
    if let kind = FileSystem.kind(of: path), [.directory, .other].contains(kind) {
      throw FileError.notRegular(path: path)
    }
    try check(replaces: replaces, resumes: resumes, folder: folder, for: "draft")
  }

  /// A name beside the draft's place that nobody else has.
  var work: String {
    FilePath.join(FilePath.parent(of: checkpoint), ".draft.\(FilePath.randomName()).gguf")
  }

  /// Puts the draft at `file` into its place, which is whole before and after.
  func take(_ file: String, tokenCount: Int, for model: BaseModel) throws {
    guard let package else { return try FileSystem.rename(file, to: path) }
    // What a link leads to is exchanged, not the link.
    try AdapterWriter.write(
      draftModel: file, tokenCount: tokenCount, into: package,
      as: FileSystem.resolved(package), replacing: true,
      for: model.contract())
    try FileSystem.removeTree(file)
  }
}
