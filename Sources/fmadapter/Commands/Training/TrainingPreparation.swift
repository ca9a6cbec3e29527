import AdapterTraining
import Adapters
import JSON
import LanguageModels
import SystemFiles
import Tokenization

/// All that a training needs before its first step, where one thing follows from the other: settings, base, data, the adapter to start from,
/// options, and last their learning rate.
struct TrainingPreparation {
  private(set) var settings: TrainingSettings
  let base: DataOptions.Base
  private(set) var data: TrainingData
  /// The adapter to start from.
  let start: Adapter?
  private(set) var options: TrainingOptions
  /// What was tried to find the rate.
  private(set) var trials: [RateSweep.Trial] = []
  private let invocation: Invocation

  private var terminal: Terminal { invocation.terminal }

  init(_ invocation: Invocation, at place: TrainingPlace) async throws {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    self.invocation = invocation
    settings = try TrainingSettings(invocation, at: place)
    base = try await DataOptions.base(
      invocation, or: settings.base, chatFormat: settings.chatFormat)
    try Library(terminal).prepare(base.model)
    settings.name = try PackageName.checked(
      settings.name ?? place.name, base.model.signature(), invocation)
    data = try TrainingData(
      settings.data, heldOut: settings.valid, share: settings.heldOut, base,
      threads: arguments.value(ModelOptions.threads), terminal)
    let objective =
      arguments.value(TrainOptions.objective).flatMap(TrainingObjective.init)
      ?? settings.options?.objective
      ?? settings.someOptions?["objective"]?.string.flatMap(TrainingObjective.init)
    if try !data.prepare(for: objective).needsPairs, arguments.value(TrainOptions.beta) != nil {
      throw invocation.conflict("--beta is for pairs of answers: give --objective dpo or orpo")
    }
    let learnsMore = arguments.value(TrainCommand.moreEpochs) != nil || settings.goesOnWith != nil
    start =
      learnsMore
      ? try Adapter(package: place.package, for: base.model.contract())
      : try await Self.from(settings, base, terminal)
    settings.goesOnWith = learnsMore ? start?.contentHash : nil
    try settings.recognize(data, base.model, learnsMore ? nil : start, terminal)
    let knowsRate = settings.options != nil || settings.someOptions?["learningRate"] != nil
    options = try Self.options(arguments, settings, data, base)
    if let start { options.invocation = start.metadata.settings.invocation }
    try data.leaveOut(
      beyond: options.contextLength ?? base.model.configuration.contextLength, terminal)
    tellUnactivated()
    try await askReference()
    try chooseRate(arguments, place, isKnown: knowsRate)
    settings.options = options
  }

  /// The options of the settings, or those that suit the data, with what the command line says over them.
  private static func options(
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
    if let more = arguments.value(TrainCommand.moreEpochs) { options.learn(for: more) }
    options = TrainOptions.apply(arguments, to: options)
    options.invocation = try invocation(arguments, base) ?? options.invocation
    options.objective = data.objective
    return options
  }

  /// The tokens that the command line has an activated adapter begin at; nil where it says nothing of such.
  private static func invocation(
    _ arguments: ParsedArguments, _ base: DataOptions.Base
  ) throws -> [Int32]? {
    let text = arguments.value(TrainOptions.invocationText)
    guard arguments.has(TrainOptions.activated) || text != nil else { return nil }
    let tokens =
      text.map { base.tokenizer.encode($0, special: true) } ?? base.renderer.answerOpening
    guard tokens.isEmpty else { return tokens }
    throw Failure(
      .usage,
      text == nil
        ? "the chat format has nothing that begins an answer\(remedy: "give a text with --invocation")"
        : "--invocation: the text has no tokens\(remedy: "give at least a word")")
  }

  /// Tells of examples that an activated adapter learns nothing of.
  private func tellUnactivated() {
    guard let invocation = options.invocation else { return }
    let count = data.examples.count { example in
      !example.answers(beginningAt: invocation).contains(where: \.isActivated)
    }
    guard count > 0, count < data.examples.count else { return }
    terminal.warn(
      "\(Figures.count(count, "example")) without the invocation before an answer, of which nothing is learnt"
    )
  }

  /// The adapter that the settings start from.
  private static func from(
    _ settings: TrainingSettings, _ base: DataOptions.Base, _ terminal: Terminal
  ) async throws -> Adapter? {
    guard let text = settings.from else { return nil }
    let path = try await Library(terminal).packagePath(text)
    return try Adapter(package: path, for: base.model.contract())
  }

  /// Asks the reference of DPO, which is the adapter of --from, also where the training goes on with the package that came of it,
  /// or the base alone.
  private mutating func askReference() async throws {
    guard data.objective == .dpo else { return }
    let reference = try await Self.from(settings, base, terminal).map { AppliedAdapter($0) }
    try data.refer(
      to: try LossMeter(base.model, adapter: reference, threads: options.threads),
      contextLength: options.contextLength, terminal)
  }

  /// Sets the learning rate, unless the command line or settings have one; what goes on keeps that of its checkpoint.
  private mutating func chooseRate(
    _ arguments: ParsedArguments, _ place: TrainingPlace, isKnown: Bool
  ) throws {
    let choice = arguments.value(TrainOptions.learningRate)
    if case .fixed? = choice { return }
    if arguments.has(TrainCommand.resume), try FileSystem.info(place.checkpoint) != nil {
      options.learningRate = try AdapterTrainer.learningRate(ofCheckpoint: place.checkpoint)
    } else if choice == .search {
      try searchRate()
    } else if choice == .auto || !isKnown {
      options.learningRate = try AdapterTrainer(
        base.model, examples: data.examples, options: options, from: start
      ).suggestedRate
    }
  }

  /// Sets the learning rate to one that trials find.
  private mutating func searchRate() throws {
    let started = ContinuousClock.now
    let sweep = try terminal.noting(
      "stopped while a learning rate was sought: nothing of that is kept, and the same command seeks anew"
    ) {
      let bar = ProgressLine("finding a learning rate", terminal)
      defer { bar.finish() }
      return try RateSweep(
        base.model, examples: data.examples, options: options, from: start,
        isCancelled: { Task.isCancelled }, progress: { bar.update(done: $0, total: $1) })
    }
    (options.learningRate, trials) = (sweep.rate, sweep.trials)
    terminal.note(
      "learning rate \(Figures.rate(sweep.rate)), "
        + (trials.isEmpty
          ? "without trials: \(options.objective == .dpo ? "they tell nothing of pairs" : "the training is too short")"
          : "found by \(Figures.count(trials.count, "short trial")) in "
            + Figures.duration(started.duration(to: .now).inSeconds)))
  }
}
