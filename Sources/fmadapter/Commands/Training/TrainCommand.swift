import AdapterTraining
import Adapters
import LanguageModels
import TensorFiles

/// `train`: an adapter from a data set.
enum TrainCommand {
  private static let data = Argument(
    "data", "The data set to train on, one example a line", completion: .files)
  private static let output = Option(
    "--output", short: "-o", .folder, "The package to write; .fmadapter is added if need be")
  private static let valid = Option(
    "--valid", .file, "A data set that is held out; its loss is measured before and after")
  private static let name = Option(
    "--name", .text("name"), "Name of the adapter; that of the package's folder unless given")
  private static let author = Option("--author", .text, "Author, for the package's metadata")
  private static let description = Option(
    "--description", .text, "What the adapter does, for the package's metadata")
  private static let license = Option(
    "--license", .text, "Licence of the weights, for the package's metadata")
  private static let version = Option(
    "--package-version", .version, "Version of the package, such as 1.0.0")
  private static let resume = Flag("--resume", "Go on with a training that was stopped")
  private static let force = Flag(
    "--force", "Replace the package, or start a stopped training anew")
  private static let suffixes = Flag(
    "--suffixes",
    "Put the answers into the package for guesses, as 'draft build' does; they can be read there")
  private static let json = Flag("--json", "Print what came of it as JSON")

  // Joined with types spelled out: the compiler needs minutes to find them in one expression.
  private static var options: [any OptionDeclaration] {
    let first: [any OptionDeclaration] = [output, valid, ModelOptions.base]
    let last: [any OptionDeclaration] = [
      name, author, description, license, version, resume, force, suffixes,
      AnswerOptions.chatFormat,
      ModelOptions.threads, json,
    ]
    return first + TrainOptions.all + last
  }

  static let command = Command(
    name: "train",
    summary: "Train an adapter on a data set",
    details: [
      """
      Low-rank updates beside the projections of the frozen base, which may be quantized, learn the \
      answers of the examples, on the processor. The data is checked first, as 'data check' does, and \
      refused with all its errors. The same data, base, options and seed give the same adapter on the \
      same kind of machine.
      """,
      """
      Ctrl-C stops between two steps and keeps all that was learnt beside the package, in a file \
      that ends in .checkpoint; --resume goes on with it as if the training had not stopped. The \
      package appears when it is whole and has passed every check. Prints its path.
      """,
      """
      The loss is measured five times, on --valid where it is given: a training whose loss rises ends without a package \
      (exit code 4), and one whose loss still falls at its end says so.
      """,
    ],
    examples: [
      Example("fmadapter train train.jsonl -o mine.fmadapter", "On the base in use"),
      Example(
        "fmadapter train train.jsonl --valid valid.jsonl -o mine.fmadapter --epochs 3",
        "Measure what is held out before and after"),
      Example(
        "fmadapter train train.jsonl -o mine.fmadapter --epochs 3 --resume",
        "Go on where it was stopped"),
      Example("fmadapter run ./mine.fmadapter \"Hello\"", "Try it"),
    ],
    arguments: [data],
    options: options,
    knownElsewhereAs: ["finetune", "fine-tune", "lora", "fit"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    guard let path = arguments.value(output) else {
      throw invocation.conflict("--output is needed: -o <folder>")
    }
    let place = try TrainingPlace(
      path, replaces: arguments.has(force), resumes: arguments.has(resume))
    try TrainOptions.check(invocation)
    let base = try await DataOptions.base(invocation)
    let name = try name(invocation, place, base.model)
    let data = try TrainingData(
      arguments.required(data), heldOut: arguments.value(valid), base, terminal)
    let options = TrainOptions.options(invocation, for: data.examples, on: base.model)
    let trainer = try AdapterTrainer(base.model, examples: data.examples, options: options)
    var job = TrainingJob(trainer: trainer, data: data, place: place, terminal: terminal)
    if arguments.has(suffixes) {
      job.suffixes = try SuffixTexts(data.examples, for: base.model)
    }
    if arguments.has(resume) { try job.resume() }
    var metadata = try AdapterMetadata(
      name: name, baseModelSignature: base.model.signature, loraRank: options.rank,
      author: arguments.value(author) ?? "", description: arguments.value(description) ?? "",
      license: arguments.value(license) ?? "")
    // There is no draft whose tokens could be counted.
    metadata.speculativeDecodingDraftTokenCount = nil
    let result = try job.run(metadata, version: arguments.value(version))
    if arguments.has(json) {
      try terminal.printJSON(result)
    } else {
      terminal.print(result.path)
    }
    return .done
  }

  /// The adapter's name; one that no package can have is refused before the training.
  private static func name(
    _ invocation: Invocation, _ place: TrainingPlace, _ model: LanguageModel
  ) throws -> String {
    let name = invocation.arguments.value(name) ?? place.name
    guard AdapterIdentifier(name: name, signature: model.signature) != nil else {
      throw invocation.conflict(
        "'\(name)' cannot be the name of an adapter"
          + "\(remedy: "give letters, digits and underscores with --name")"
      )
    }
    return name
  }
}
