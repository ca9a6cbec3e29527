import AdapterTraining
import Adapters
import LanguageModels
import TensorFiles

/// `train`: an adapter from a data set.
enum TrainCommand {
  private static let data = Argument(
    "data", "The data set to train on, one example a line; that of --config unless given",
    arity: .optional, completion: .files)
  private static let output = Option(
    "--output", short: "-o", .folder, "The package to write; .fmadapter is added if need be")
  private static let valid = Option(
    "--valid", aliases: ["--eval-data"], .file,
    "A data set that is held out; families of the examples are unless given")
  private static let heldOut = Option(
    "--held-out", .shareOrNone,
    "Share of the examples to hold out without --valid; 10% unless given, 0 for none")
  private static let config = Option(
    "--config", .file, "Settings to train with, as a training writes them beside its package")
  private static let from = Option(
    "--from", .adapter, "An adapter to start from, with its rank, alpha and targets")
  private static let moreEpochs = Option(
    "--more-epochs", .integer(1...10_000),
    "Go on with the package of -o, which was trained here, for this many epochs")
  private static let resume = Flag("--resume", "Go on with a training that was stopped")
  private static let force = Flag(
    "--force", "Replace the package, or start a stopped training anew")
  private static let suffixes = Flag(
    "--suffixes",
    "Put the answers into the package for guesses, as 'draft build' does; they can be read there")
  private static let json = Flag("--json", "Print what happens as JSON, an event a line")

  // Joined with types spelled out: the compiler needs minutes to find them in one expression.
  private static var options: [any OptionDeclaration] {
    let first: [any OptionDeclaration] = [output, valid, heldOut, ModelOptions.base]
    let start: [any OptionDeclaration] = [config, from, moreEpochs]
    let last: [any OptionDeclaration] = [
      PackageOptions.name, PackageOptions.author, PackageOptions.description,
      PackageOptions.license, PackageOptions.version, resume, force, suffixes,
      AnswerOptions.chatFormat,
      ModelOptions.threads, json,
    ]
    return first + start + TrainOptions.all + last
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
      Nothing has to be chosen: steps follow the data, short trials on the first batches find the learning rate, and \
      without --valid a tenth of the examples is held out, of other families than the rest. Their loss is \
      measured twelve times, of many of them on an even part; the adapter with the lowest is what is written, and \
      measured on all of them. A training whose loss no \
      longer falls ends early, and one that diverges ends without a package (exit code 4). The last line says \
      what to do next.
      """,
      """
      Lines with prompt, chosen and rejected are pairs of answers, which --objective dpo and orpo learn to prefer as trl does. \
      The reference of dpo is the base, or the adapter of --from; it is asked once, before the first step. Its learning \
      rate is a tenth of the usual one, without trials, which would find one that learns the pairs by heart. sft learns the \
      chosen answers alone.
      """,
      """
      Beside the package stand a log as JSON lines, written as it happens (.training.jsonl), a page with curves, settings \
      and answers after each epoch (.training.html), and all settings (.training.json), with which --config \
      repeats the training to the byte. They stay those of a package that stands there until the training that \
      replaces it has ended well.
      """,
      """
      Ctrl-C stops between two steps and keeps all that was learnt beside the package, in a file \
      that ends in .checkpoint; --resume goes on with it as if the training had not stopped, with the data and \
      options that it was begun with. The package appears when it is whole and has passed every check. Prints its path.
      """,
    ],
    examples: [
      Example("fmadapter train train.jsonl -o mine.fmadapter", "On the base in use"),
      Example(
        "fmadapter train train.jsonl --valid valid.jsonl -o mine.fmadapter",
        "With a file of one's own that is held out"),
      Example(
        "fmadapter train train.jsonl -o mine.fmadapter --resume", "Go on where it was stopped"),
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
    knownElsewhereAs: ["finetune", "fine-tune", "lora", "fit", "train_adapter"],
    optionsKnownElsewhere: TrainOptions.knownElsewhere,
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    guard let path = arguments.value(output) else {
      throw invocation.conflict("--output is needed: -o <folder>")
    }
    try TrainOptions.check(invocation)
    try check(invocation)
    let more = arguments.value(moreEpochs)
    let place = try TrainingPlace(
      path, replaces: arguments.has(force), resumes: arguments.has(resume),
      learnsMore: more != nil)
    var settings = try settings(invocation, place)
    let base = try await DataOptions.base(
      invocation, or: settings.base, chatFormat: settings.chatFormat)
    settings.name = try PackageName.checked(
      settings.name ?? place.name, base.model.signature, invocation)
    var data = try TrainingData(
      settings.data, heldOut: settings.valid, share: settings.heldOut, base,
      threads: arguments.value(ModelOptions.threads), terminal)
    if let known = settings.dataSHA256, known != data.digest {
      terminal.warn(
        "\(data.path) has other bytes than the data of the training whose settings are used")
    }
    settings.dataSHA256 = data.digest
    let objective =
      arguments.value(TrainOptions.objective).flatMap(TrainingObjective.init)
      ?? settings.options?.objective
      ?? settings.someOptions?["objective"]?.string.flatMap(TrainingObjective.init)
    if try !data.prepare(for: objective).needsPairs, arguments.value(TrainOptions.beta) != nil {
      throw invocation.conflict("--beta is for pairs of answers: give --objective dpo or orpo")
    }
    let learnsMore = more != nil || settings.goesOnWith != nil
    let start = try await start(settings, learnsMore ? place.package : nil, base, terminal)
    settings.goesOnWith = learnsMore ? start?.contentHash : nil
    let knowsRate = settings.options != nil || settings.someOptions?["learningRate"] != nil
    var plain = try chosen(arguments, settings, data, base)
    try data.leaveOut(
      beyond: plain.contextLength ?? base.model.configuration.contextLength, terminal)
    try await refer(&data, settings, plain, base, terminal)
    let sweep = try rate(&plain, knowsRate: knowsRate, place, data, start, base, invocation)
    settings.options = plain
    let trainer = try AdapterTrainer(
      base.model, examples: data.examples, options: plain, from: start)
    var job = try TrainingJob(
      trainer: trainer, data: data, place: place, settings: settings, base: base,
      streams: arguments.has(json), resumes: arguments.has(resume), terminal: terminal)
    job.trials = sweep?.trials ?? []
    job.hasStart = start != nil
    if learnsMore { job.earlierSteps = start?.metadata.stepsMade ?? 0 }
    if settings.suffixes { job.suffixes = try SuffixTexts(data.examples, for: base.model) }
    if arguments.has(resume) { try job.resume() }
    let metadata = try metadata(settings, trainer)
    let result = try terminal.keeping { try job.run(metadata) }
    if !arguments.has(json) { terminal.print(result.path) }
    return .done
  }

  /// The options of the settings, or those that suit the data, with what the command line says over them.
  private static func chosen(
    _ arguments: ParsedArguments, _ settings: TrainingSettings, _ data: TrainingData,
    _ base: DataOptions.Base
  ) throws -> TrainingOptions {
    let some = settings.someOptions ?? [:]
    var options =
      try settings.options
      ?? TrainingOptions(
        json: some,
        over: TrainingOptions(
          for: data.examples, on: base.model,
          epochs: arguments.value(TrainOptions.epochs) ?? some["epochs"]?.integer,
          context: arguments.value(TrainOptions.context) ?? some["contextLength"]?.integer,
          objective: data.objective))
    if let more = arguments.value(moreEpochs) { (options.epochs, options.steps) = (more, nil) }
    options = TrainOptions.apply(arguments, to: options)
    options.objective = data.objective
    return options
  }

  private static func check(_ invocation: Invocation) throws {
    let arguments = invocation.arguments
    let start = [config, from].first { arguments.value($0) != nil }
    if arguments.value(moreEpochs) != nil, let start {
      throw invocation.conflict("\(start.name) and --more-epochs exclude each other")
    }
    if arguments.value(valid) != nil, arguments.value(heldOut) != nil {
      throw invocation.conflict("--valid and --held-out exclude each other")
    }
    if arguments.value(moreEpochs) != nil,
      arguments.value(TrainOptions.epochs) != nil || arguments.value(TrainOptions.steps) != nil
    {
      throw invocation.conflict("--more-epochs says how long; leave out --epochs and --steps")
    }
    let shape = [
      (TrainOptions.rank.name, arguments.value(TrainOptions.rank) != nil),
      (TrainOptions.alpha.name, arguments.value(TrainOptions.alpha) != nil),
      (TrainOptions.targets.name, arguments.value(TrainOptions.targets) != nil),
    ]
    if arguments.value(from) != nil || arguments.value(moreEpochs) != nil,
      let (name, _) = shape.first(where: \.1)
    {
      throw invocation.conflict("\(name) is that of the adapter to start from")
    }
  }

  /// What was trained with before, with what the command line says over it.
  private static func settings(
    _ invocation: Invocation, _ place: TrainingPlace
  ) throws -> TrainingSettings {
    let arguments = invocation.arguments
    var path = arguments.value(config)
    if arguments.value(moreEpochs) != nil {
      path = place.files.settings
    } else if path == nil, place.goesOn, arguments.text(data) == nil {
      path = place.work.settings
    }
    var settings: TrainingSettings
    if let path {
      settings = try TrainingSettings(path: path)
      if arguments.value(config) != nil, settings.goesOnWith != nil {
        throw Failure(
          .invalid,
          "\(path): this training went on with a package that it replaced, and cannot be repeated"
            + "\(remedy: "give the configuration of a training from its start")")
      }
      try settings.find(beside: path, data: arguments.text(data))
    } else if let data = arguments.text(data) {
      settings = TrainingSettings(data: data)
    } else if arguments.has(resume) {
      throw Failure(
        .notFound,
        "\(place.checkpoint): there is no checkpoint, so no training was stopped here"
          + "\(remedy: "give a data set to start one")")
    } else {
      throw invocation.conflict("a data set is needed, or --config")
    }
    settings.valid = arguments.value(valid) ?? settings.valid
    settings.base = arguments.value(ModelOptions.base) ?? settings.base
    settings.chatFormat = arguments.value(AnswerOptions.chatFormat) ?? settings.chatFormat
    settings.heldOut = arguments.value(heldOut) ?? settings.heldOut
    settings.from = arguments.value(from) ?? settings.from
    settings.patience = arguments.value(TrainOptions.patience) ?? settings.patience
    settings.name = arguments.value(PackageOptions.name) ?? settings.name
    settings.author = arguments.value(PackageOptions.author) ?? settings.author
    settings.description = arguments.value(PackageOptions.description) ?? settings.description
    settings.license = arguments.value(PackageOptions.license) ?? settings.license
    settings.version = arguments.value(PackageOptions.version).map { "\($0)" } ?? settings.version
    settings.suffixes = settings.suffixes || arguments.has(suffixes)
    return settings
  }

  /// The adapter to start from: the package of the place where a training goes on, or the one of the settings.
  private static func start(
    _ settings: TrainingSettings, _ package: String?, _ base: DataOptions.Base,
    _ terminal: Terminal
  ) async throws -> Adapter? {
    if let package { return try Adapter(package: package, for: base.model.contract) }
    guard let text = settings.from else { return nil }
    let path = try await Shelf(terminal).packagePath(text)
    return try Adapter(package: path, for: base.model.contract)
  }

  /// Asks the reference of DPO, which is the adapter of --from, also where the training goes on with the package that came of it,
  /// or the base alone.
  private static func refer(
    _ data: inout TrainingData, _ settings: TrainingSettings, _ options: TrainingOptions,
    _ base: DataOptions.Base, _ terminal: Terminal
  ) async throws {
    guard data.objective == .dpo else { return }
    let reference = try await start(settings, nil, base, terminal).map { AppliedAdapter($0) }
    try data.refer(
      to: try LossMeter(base.model, adapter: reference, threads: options.threads),
      contextLength: options.contextLength, terminal)
  }

  /// Sets the learning rate: that of the checkpoint or the settings, or one that trials find.
  private static func rate(
    _ options: inout TrainingOptions, knowsRate: Bool, _ place: TrainingPlace,
    _ data: TrainingData, _ start: Adapter?, _ base: DataOptions.Base, _ invocation: Invocation
  ) throws -> RateSweep? {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    guard TrainOptions.findsRate(arguments) else { return nil }
    if arguments.has(resume), try FileSystem.info(place.checkpoint) != nil {
      options.learningRate = try AdapterTrainer.learningRate(ofCheckpoint: place.checkpoint)
      return nil
    }
    if knowsRate, arguments.value(TrainOptions.learningRate) == nil { return nil }
    let started = ContinuousClock.now
    let usual = options.learningRate
    let sweep = try terminal.noting(
      "stopped while a learning rate was sought: nothing of that is kept, and the same command seeks anew; "
        + "--learning-rate \(usual) goes without"
    ) {
      let bar = ProgressLine("finding a rate", terminal)
      defer { bar.finish() }
      return try RateSweep(
        base.model, examples: data.examples, options: options, from: start,
        isCancelled: { Task.isCancelled }, progress: { bar.update(done: $0, total: $1) })
    }
    options.learningRate = sweep.rate
    if !sweep.trials.isEmpty {
      terminal.note(
        "learning rate \(sweep.rate), found by \(Figures.count(sweep.trials.count, "short trial")) in "
          + Figures.duration(started.duration(to: .now).inSeconds))
    } else if options.objective != .dpo {
      terminal.note(
        "learning rate \(sweep.rate), half the usual one: the training is too short for trials")
    }
    return sweep
  }

  private static func metadata(
    _ settings: TrainingSettings, _ trainer: AdapterTrainer
  ) throws -> AdapterMetadata {
    var metadata = try AdapterMetadata(
      name: settings.name ?? "", baseModelSignature: trainer.model.signature,
      loraRank: trainer.options.rank, author: settings.author, description: settings.description,
      license: settings.license)
    // There is no draft whose tokens could be counted.
    metadata.speculativeDecodingDraftTokenCount = nil
    return metadata
  }
}
