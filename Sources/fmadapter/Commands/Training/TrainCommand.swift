import AdapterTraining
import Adapters
import JSON
import LanguageModels
import SystemFiles
import TensorFiles

/// `train`: an adapter from a data set.
enum TrainCommand {
  static let data = Argument(
    "data", "The data set to train on, one example per line (default: that of --config)",
    arity: .optional, completion: .files)
  static let output = Option(
    "--output", short: "-o", .folder, "The package to write; .fmadapter is added if need be")
  static let valid = Option(
    "--valid", aliases: ["--eval-data"], .file,
    "A data set to hold out (default: a tenth of the examples)")
  static let heldOut = Option(
    "--held-out", .shareOrNone,
    "Share of the examples to hold out without --valid; 0 for none (default: 10%)")
  static let config = Option(
    "--config", .file, "Settings to train with, as a training writes them beside its package")
  static let from = Option(
    "--from", .adapter, "An adapter to start from, with its rank, alpha and targets")
  static let moreEpochs = Option(
    "--more-epochs", .integer(1...10_000),
    "Go on with the package of -o, which was trained here, for this many epochs")
  static let resume = Flag("--resume", "Go on with a training that was stopped")
  static let force = Flag(
    "--force", "Replace the package, or start a stopped training anew")
  static let suffixes = Flag(
    "--suffixes",
    "Put the answers into the package for guesses, as 'draft build' does; they can be read there")
  private static let on = Option(
    "--on", .word("system", ["torchrun"]),
    "Train elsewhere: torchrun writes a folder for PEFT and TRL beside the package, runs it if Python can, and takes the adapter back"
  )
  private static let nodes = Option(
    "--nodes", .integer(1...100_000), "With --on: machines that train together (default: 1)")
  private static let processes = Option(
    "--nproc", aliases: ["--nproc-per-node"], .integer(1...1024),
    "With --on: processes on each machine, one for each of its GPUs (default: 1)")
  private static let baseModel = Option(
    "--base-model", .text("model"),
    "With --on: the base as transformers loads it, a repository of the hub or a folder (default: what it was made of, where that is known)"
  )
  private static let json = Flag("--json", "Print what happens as JSON, one event per line")

  // Joined with types spelled out: the compiler needs minutes to find them in one expression.
  private static var options: [any OptionDeclaration] {
    let first: [any OptionDeclaration] = [output, valid, heldOut, ModelOptions.base]
    let start: [any OptionDeclaration] = [config, from, moreEpochs]
    let elsewhere: [any OptionDeclaration] = [on, nodes, processes, baseModel]
    let last: [any OptionDeclaration] = [
      PackageOptions.name, PackageOptions.author, PackageOptions.description,
      PackageOptions.license, PackageOptions.version, resume, force, suffixes,
      AnswerOptions.chatFormat,
      ModelOptions.threads, json,
    ]
    return first + start + TrainOptions.all + elsewhere + last
  }

  static let command = Command(
    name: "train",
    summary: "Train an adapter on a data set",
    details: [
      """
      Trains an adapter on the answers of the examples, on the processor. The adapter is a LoRA: \
      low-rank updates beside the projections of the base, which is not changed and may be \
      quantized. The data is checked first, as 'data check' does, and refused with all its \
      errors. The same data, base, options and seed give the same adapter on the same kind of \
      machine.
      """,
      """
      Nothing has to be chosen. The number of steps follows the data, and the learning rate the \
      width of the base. Without --valid a tenth of the examples is held out, \
      that is, kept away from training: whole families of examples that are alike. Their loss is \
      measured twelve times (if there are many, on an even part of them). The adapter with the \
      lowest loss is written, and measured on all of them. A training that has learnt its \
      examples, or whose loss no longer falls, ends early; one that diverges ends without a \
      package (exit code 4). One whose held-out loss still falls at its end goes on by itself \
      for half as many epochs, twice at most, unless --epochs or --steps says how long. The \
      last line says what to do next.
      """,
      """
      An adapter of --activated (aLoRA) begins at its invocation, which by default is what the \
      chat format begins an answer with. What stands before that is read as by the base, in \
      training, too: so a long context that the base or another such adapter has read need not \
      be read again. Each answer is learnt as an example of its own. It runs wherever others do, \
      one at a time.
      """,
      """
      Lines with prompt, chosen and rejected are pairs of answers. With --objective dpo or orpo \
      the adapter learns to prefer the chosen one, as trl does it. The reference of dpo is the \
      base, or the adapter of --from; it is asked once, before the first step. Its learning rate \
      is a tenth of the usual one. sft learns only the chosen answers.
      """,
      """
      Three files are written beside the package: a log as JSON lines, written as it happens \
      (.training.jsonl); a page with curves, settings and answers after each epoch \
      (.training.html); and all settings (.training.json), with which --config repeats the \
      training to the byte. If a training replaces a package, they stay those of the old package \
      until it has ended well.
      """,
      """
      Ctrl-C stops between two steps and keeps all that was learnt beside the package, in a file \
      that ends in .checkpoint. --resume goes on with it as if the training had not stopped, \
      with the data and options that it was started with. The package appears when it is \
      complete and has passed every check. Prints its path.
      """,
      """
      --on torchrun is for bases that need other machines: the folder NAME.torchrun has the \
      examples in tokens, what is learnt of them, the settings, and a script of PEFT and TRL. Where \
      python3, or FMADAPTER_PYTHON, has what it needs, it is run; else copy the folder to where it is \
      to run, start it by run.sh, bring it back, and give the command again with --resume.
      """,
    ],
    examples: [
      Example("fmadapter train train.jsonl -o mine.fmadapter", "On the base in use"),
      Example(
        "fmadapter train train.jsonl --valid valid.jsonl -o mine.fmadapter",
        "With a file of your own to hold out"),
      Example(
        "fmadapter train train.jsonl -o mine.fmadapter --resume", "Go on where it was stopped"),
      Example(
        "fmadapter train train.jsonl -o mine.fmadapter --activated",
        "One that begins with the answer"),
      Example("fmadapter train -o mine.fmadapter --more-epochs 5", "Learn longer"),
      Example(
        "fmadapter train pairs.jsonl --from mine.fmadapter -o better.fmadapter",
        "Learn which of two answers is better"),
      Example(
        "fmadapter train --config mine.training.json -o again.fmadapter --name mine",
        "The same adapter again"),
      Example("fmadapter run ./mine.fmadapter \"Hello\"", "Try it"),
    ],
    arguments: [data],
    options: options,
    knownElsewhereAs: [
      "finetune", "fine-tune", "lora", "fit", "train_adapter", "examples.train_adapter",
    ],
    optionsKnownElsewhere: TrainOptions.knownElsewhere,
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let path = try invocation.needed(output, "-o <folder>")
    try TrainOptions.check(invocation)
    try check(invocation)
    let place = try TrainingPlace(
      path, replaces: arguments.has(force), resumes: arguments.has(resume),
      learnsMore: arguments.value(moreEpochs) != nil)
    if arguments.has(on) { return try await trainElsewhere(invocation, at: place) }
    let made = try await TrainingPreparation(invocation, at: place)
    let (settings, start) = (made.settings, made.start)
    let trainer = try AdapterTrainer(
      made.base.model, examples: made.data.examples, options: made.options, from: start)
    var job = try TrainingJob(
      trainer: trainer, data: made.data, place: place, settings: settings, base: made.base,
      streams: arguments.has(json), resumes: arguments.has(resume), terminal: terminal)
    job.trials = made.trials
    job.hasStart = start != nil
    job.origin = settings.goesOnWith != nil ? start?.metadata.origin : start?.origin
    if settings.goesOnWith != nil { job.earlierSteps = start?.metadata.stepsMade ?? 0 }
    if settings.suffixes { job.suffixes = try SuffixTexts(made.data.examples, for: trainer.model) }
    if arguments.has(resume) { try job.resume() }
    let metadata = try metadata(settings, trainer)
    let result = try terminal.keeping { try job.run(metadata) }
    if !arguments.has(json) { terminal.print(result.path) }
    return .done
  }

  /// Writes the folder of the job, runs it where that can be, and makes a package of what came of it.
  private static func trainElsewhere(
    _ invocation: Invocation, at place: TrainingPlace
  ) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let folder = TorchrunJob.folder(of: place)
    let isThere = try FileSystem.info(folder) != nil
    guard !isThere || arguments.has(resume) || arguments.has(force) else {
      throw Failure(
        .usage,
        "\(folder): a job was written here"
          + "\(remedy: "--resume takes back what came of it, --force starts anew")")
    }
    let made = try await TrainingPreparation(invocation, at: place)
    guard made.options.objective == .sft, made.options.invocation == nil else {
      throw invocation.conflict("--on torchrun learns answers: neither pairs nor --activated")
    }
    if !isThere || !arguments.has(resume) {
      let origin = Library(terminal).origin(ofBase: made.base.model.file.path)
      guard let model = arguments.value(baseModel) ?? origin?.model else {
        throw Failure(
          .usage,
          "nobody knows what transformers loads as this base\(remedy: "give its repository or folder with --base-model")"
        )
      }
      var job = TorchrunJob(preparation: made, place: place, baseModel: model)
      (job.nodes, job.processes) = (arguments.value(nodes) ?? 1, arguments.value(processes) ?? 1)
      try job.write()
      terminal.note("wrote \(folder)")
    }
    if !TorchrunJob.isDone(folder) {
      guard (arguments.value(nodes) ?? 1) == 1, try TorchrunJob.run(folder, terminal) else {
        terminal.note(
          "it is to be run elsewhere: copy the folder, 'pip install -r requirements.txt' and 'sh run.sh' there, "
            + "bring it back, and give this command again with --resume")
        terminal.print(folder)
        return .done
      }
    }
    let result = try TorchrunResult(folder, for: try made.base.model.signature())
    terminal.print(try result.write(made.settings, made.base.model, at: place, terminal))
    return .done
  }

  private static func check(_ invocation: Invocation) throws {
    let arguments = invocation.arguments
    for option in [nodes, processes, baseModel] as [any OptionDeclaration]
    where arguments.has(option) && !arguments.has(on) {
      throw invocation.conflict(
        "\(option.name) is for --on torchrun"
          + (option.name == baseModel.name ? "\(remedy: "--base names the base to train on")" : ""))
    }
    for option in [from, moreEpochs, suffixes] as [any OptionDeclaration]
    where arguments.has(option) {
      try invocation.exclude(on, option)
    }
    try invocation.exclude(config, moreEpochs)
    try invocation.exclude(from, moreEpochs)
    try invocation.exclude(valid, heldOut)
    if arguments.has(moreEpochs),
      arguments.has(TrainOptions.epochs) || arguments.has(TrainOptions.steps)
    {
      throw invocation.conflict("--more-epochs says how long; leave out --epochs and --steps")
    }
    let shape: [any OptionDeclaration] = [
      TrainOptions.rank, TrainOptions.alpha, TrainOptions.targets, TrainOptions.activated,
      TrainOptions.invocationText,
    ]
    if arguments.has(from) || arguments.has(moreEpochs),
      let given = shape.first(where: arguments.has)
    {
      throw invocation.conflict("\(given.name) is that of the adapter to start from")
    }
  }

  private static func metadata(
    _ settings: TrainingSettings, _ trainer: AdapterTrainer
  ) throws -> AdapterMetadata {
    var metadata = try AdapterMetadata(
      name: settings.name ?? "", baseModelSignature: trainer.model.signature(),
      loraRank: trainer.options.rank, author: settings.author, description: settings.description,
      license: settings.license)
    // There is no draft whose tokens could be counted.
    metadata.speculativeDecodingDraftTokenCount = nil
    return metadata
  }
}
