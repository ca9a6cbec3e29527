import AdapterTraining
import Adapters
import JSON
import SystemFiles

/// A training from its first step, or the one after a checkpoint, to the package.
struct TrainingJob {
  let trainer: AdapterTrainer
  let data: TrainingData
  let place: TrainingPlace
  let settings: TrainingSettings
  let terminal: Terminal
  /// Whether the adapter started as another one.
  var hasStart = false
  /// Steps that had made the package with which it goes on.
  var earlierSteps = 0
  /// The adapter of --from, as the package has it.
  var origin: JSONValue?
  /// What was tried to find the rate.
  var trials: [RateSweep.Trial] = []
  /// Texts that the package carries for guessing.
  var suffixes: SuffixTexts?
  private let log: TrainingLog
  private let samples: TrainingSamples
  private let measures: TrainingMeasures
  private var tokens = 0
  private var hasResumed = false
  /// Steps that were made before it was stopped.
  private var stepsBefore = 0
  /// Steps that the checkpoint has; nil without one.
  private var stepsKept: Int?
  /// Epochs that were begun.
  private var epochs = 0

  /// How long what was learnt may be lost to a machine that stops; tests shorten it as they do all waits.
  private let pause: Duration
  /// Epochs at whose end samples are answered, at most.
  private static let sampledEpochs = 10

  init(
    trainer: AdapterTrainer, data: TrainingData, place: TrainingPlace, settings: TrainingSettings,
    base: DataOptions.Base, streams: Bool, resumes: Bool, terminal: Terminal
  ) throws {
    (self.trainer, self.data, self.settings) = (trainer, data, settings)
    (self.place, self.terminal) = (place, terminal)
    pause = .seconds(60) * (terminal.environment["FMADAPTER_WAIT_SCALE"].flatMap(Double.init) ?? 1)
    log = try TrainingLog(place, streams: streams, terminal)
    samples = TrainingSamples(data.heldOut.isEmpty ? data.examples : data.heldOut, base)
    measures = TrainingMeasures(trainer, data, patience: settings.patience)
  }

  /// Goes on with the checkpoint, if there is one.
  mutating func resume() throws {
    guard try FileSystem.info(place.checkpoint) != nil else {
      return terminal.note("there is no stopped training to go on with; starting anew")
    }
    do throws(TrainingError) {
      try trainer.resume(from: place.checkpoint)
    } catch {
      guard case .otherTraining = error,
        let begun = try? TrainingSettings(path: place.work.settings)
      else { throw error }
      // Nobody asked for anything else, so that the examples are taken otherwise.
      if isAs(begun) { throw TrainingError.otherVersion(path: place.checkpoint) }
      let back = "'fmadapter train -o \(place.package.shellWord) --resume' goes on as it began"
      let rest = changedFile(since: begun).map {
        "\($0) is not what it was when that training began: put it back, or give --force"
      }
      throw Failure(ExitCode(error), "\(error)\(remedy: rest ?? back)")
    }
    try log.goOn(
      after: trainer.stepsDone, measured: trainer.watch.points.last?.step ?? -1)
    (hasResumed, stepsKept, epochs) = (true, trainer.stepsDone, log.epoch ?? 0)
    stepsBefore = trainer.stepsDone
    terminal.note(
      "going on after \(stepOfAll)" + (measures.part.map { "; the losses so far are\($0)" } ?? ""))
    for point in trainer.watch.points {
      terminal.note(
        "  step \(Figures.grouped(point.step)): \(measures.what) \(Figures.fixed(point.loss, 3))")
    }
  }

  /// Whether base, data and options are those of `begun`.
  private func isAs(_ begun: TrainingSettings) -> Bool {
    begun.options?.json == settings.options?.json && begun.heldOut == settings.heldOut
      && begun.chatFormat == settings.chatFormat
      && Self.same(begun.dataSHA256, settings.dataSHA256)
      && Self.same(begun.validSHA256, settings.validSHA256)
      && Self.same(begun.baseSignature, settings.baseSignature)
      && Self.same(begun.fromSHA256, settings.fromSHA256)
  }

  /// What was read for `begun`, and has other bytes now.
  private func changedFile(since begun: TrainingSettings) -> String? {
    let read = [
      (begun.data, settings.data, begun.dataSHA256, settings.dataSHA256),
      (begun.valid, settings.valid, begun.validSHA256, settings.validSHA256),
      (begun.from, settings.from, begun.fromSHA256, settings.fromSHA256),
    ]
    return read.first { $0.0 == $0.1 && !Self.same($0.2, $0.3) }?.0
  }

  private static func same(_ known: String?, _ now: String?) -> Bool {
    known == nil || known == now
  }

  /// Makes all steps that are left, and the package.
  mutating func run(_ metadata: AdapterMetadata) throws -> TrainingReport {
    if !hasResumed {
      try place.clear()
      try log.start()
    }
    try settings.write(to: place.work.settings)
    noteSizes()
    let started = ContinuousClock.now
    let report: TrainingReport
    do {
      if !hasResumed { try begin() }
      try train(started)
      report = try finish(metadata, started)
    } catch {
      throw try ended(error)
    }
    try place.settle()
    try place.removeCheckpoint()
    try log.write("end", report.json)
    try writePage(to: place.files)
    tell(report)
    return report
  }

  /// Keeps what is worth going on with, says what there is, and returns what to throw.
  private mutating func ended(_ error: any Error) throws -> any Error {
    let failure = Failure(error)
    try? log.write("end", ["error": .string("\(failure.text)")])
    try? writePage(to: place.work)
    let isInterrupted = failure.code == .interrupted
    if isInterrupted {
      do { try terminal.kept { try keep() } } catch { noteKept() }
    } else if Self.isDivergence(error) {
      // What has diverged is not worth going on with; after any other error it may be.
      try place.removeCheckpoint()
    } else {
      noteKept()
    }
    if place.isAside {
      terminal.note("\(place.package) stays as it was")
      terminal.note("curves of the training that ended: \(place.work.page)")
    }
    return isInterrupted ? TrainingError.cancelled : error
  }

  /// Says up to where a checkpoint holds what was learnt, where there is one.
  private func noteKept() {
    guard let stepsKept else { return }
    terminal.note(
      "what was learnt up to step \(Figures.grouped(stepsKept)) is kept; --resume goes on with it")
  }

  private static func isDivergence(_ error: any Error) -> Bool {
    switch error {
    case TrainingError.diverged, TrainingError.rose, TrainingError.overgrown: true
    default: false
    }
  }

  private func begin() throws {
    var start: JSONObject = [
      "package": .string(place.package), "data": .string(data.path),
      "examples": .integer(trainer.plan.exampleCount), "heldOut": .integer(data.heldOut.count),
      "watched": .integer(measures.examples.count), "steps": .integer(trainer.stepCount),
      "options": .object(trainer.options.json),
    ]
    if !trials.isEmpty {
      start["trials"] = .array(
        trials.map { ["rate": .decimal($0.rate), "loss": .decimal($0.loss)] }.map(JSONValue.object))
    }
    try log.write("start", start)
    try log.write("measure", measures.measure())
  }

  private func noteSizes() {
    let (plan, options) = (trainer.plan, trainer.options)
    let all = data.examples.reduce(0) { $0 + $1.size(limit: plan.contextLength) }
    let batch =
      options.examplesPerStep.map {
        Figures.count(min($0 * options.accumulation, plan.exampleCount), "example")
      } ?? Figures.count(min(options.tokensPerStep * options.accumulation, all), "token")
    let more =
      data.heldOut.isEmpty || trainer.epochsLeft == 0
      ? ""
      : "; up to \(Figures.count(trainer.epochsLeft, "epoch")) more while the \(measures.what) still falls"
    terminal.note(
      "\(Figures.count(plan.exampleCount, "example")), \(Figures.count(trainer.stepCount, "step")) of "
        + "\(batch), learning rate \(Figures.rate(options.learningRate))\(more)")
    if plan.cutCount > 0 {
      terminal.warn(
        "\(Figures.count(plan.cutCount, "example")) longer than the context, which lose the rest")
    }
  }

  private mutating func train(_ started: ContinuousClock.Instant) throws {
    // One that was stopped while it measured.
    if measures.isMoment(trainer.stepsDone), trainer.watch.points.last?.step != trainer.stepsDone {
      try log.write("measure", measures.measure())
    }
    repeat { try makeSteps(started) } while try goesOn()
    try trainer.watch.finish()
    if trainer.stepsDone < trainer.stepCount {
      terminal.note("ended early, after \(stepOfAll): \(measures.whyStale)")
    }
  }

  /// Measures behind the last step, and prepares more of them where that tells to; whether it does.
  private func goesOn() throws -> Bool {
    guard trainer.watch.points.last?.step != trainer.stepsDone else { return false }
    var event = try measures.measure()
    let fall = trainer.watch.lastFall
    let more = measures.goOn()
    // One event, so that a log that goes on behind a checkpoint has both or neither.
    event["moreEpochs"] = more.map(JSONValue.integer)
    try log.write("measure", event)
    guard let more else { return false }
    terminal.note(
      "the \(measures.what) still fell by \(Figures.fixed((fall ?? 0) * 100, 0)) % in the last quarter: "
        + "going on for \(Figures.count(more, "more epoch")), up to step \(Figures.grouped(trainer.stepCount))"
    )
    return true
  }

  private mutating func makeSteps(_ started: ContinuousClock.Instant) throws {
    let bar = ProgressLine("training", terminal)
    defer { bar.finish() }
    var saved = ContinuousClock.now
    while !measures.areStale, let step = try trainer.step(isCancelled: { Task.isCancelled }) {
      tokens += step.tokens
      try note(step, started)
      let rate = Double(tokens) / max(started.duration(to: .now).inSeconds, 0.001)
      bar.update(
        done: step.number, total: trainer.stepCount, stepOfAll,
        "loss \(Figures.fixed(step.loss, 3))"
          + (step.rewards.map { ", margin \(Figures.fixed($0.margin, 2))" } ?? ""),
        "\(Figures.grouped(Int(rate))) tokens/s")
      if measures.isMoment(step.number) { try log.write("measure", measures.measure()) }
      if step.epoch != epochs, isSampled(step.epoch) {
        try sample(after: step.number, epoch: step.epoch - 1)
      }
      epochs = step.epoch
      if saved.duration(to: .now) > pause {
        try writeCheckpoint()
        try writePage(to: place.work)
        saved = .now
      }
    }
  }

  private mutating func writeCheckpoint() throws {
    try trainer.writeCheckpoint(to: place.checkpoint)
    stepsKept = trainer.stepsDone
  }

  private func note(_ step: TrainingStep, _ started: ContinuousClock.Instant) throws {
    var event: JSONObject = [
      "step": .integer(step.number), "epoch": .integer(step.epoch), "loss": .decimal(step.loss),
      "learningRate": .decimal(step.learningRate), "gradientNorm": .decimal(step.gradientNorm),
      "tokens": .integer(step.tokens),
      "seconds": .decimal(started.duration(to: .now).inSeconds, digits: 3),
    ]
    event["rewards"] = step.rewards?.json
    try log.write("step", event)
    try trainer.note(step)
  }

  /// Whether samples are answered at the start of an epoch, after the one before it.
  private func isSampled(_ epoch: Int) -> Bool {
    let every = (trainer.options.epochs + Self.sampledEpochs - 1) / Self.sampledEpochs
    return epoch > 1 && (epoch - 1) % max(every, 1) == 0
  }

  /// Lets the adapter answer the samples; `epoch` is the one that has ended.
  private func sample(after step: Int, epoch: Int? = nil) throws {
    for answer in try samples.answers(trainer.adapter, threads: trainer.options.threads) {
      var event: JSONObject = ["step": .integer(step)]
      event["epoch"] = epoch.map(JSONValue.integer)
      for member in answer.members { event[member.key] = member.value }
      try log.write("sample", event)
    }
  }

  /// Measures and writes the adapter with the lowest loss.
  private func finish(
    _ metadata: AdapterMetadata, _ started: ContinuousClock.Instant
  ) throws -> TrainingReport {
    trainer.useBest()
    try sample(after: trainer.stepsDone)
    let report = try report(metadata, started)
    var facts = report.facts(data)
    facts["from"] = origin
    try trainer.writePackage(
      metadata, version: settings.version.flatMap { AdapterVersion($0) },
      trainedOn: facts, evaluation: report.evaluation, suffixes: suffixes,
      to: place.package, replacing: place.replaces)
    return report
  }

  private func report(
    _ metadata: AdapterMetadata, _ started: ContinuousClock.Instant
  ) throws -> TrainingReport {
    // Against a reference that is no base, the loss of the base tells nothing.
    let showsBase = hasStart && trainer.options.objective != .dpo && !data.heldOut.isEmpty
    let heldOut = try measures.ofAllHeldOut()
    return TrainingReport(
      path: place.package, identifier: metadata.adapterIdentifier.description,
      steps: trainer.stepsDone, stepsBefore: stepsBefore, epochs: epochs, tokens: tokens,
      seconds: started.duration(to: .now).inSeconds, firstLoss: log.losses.first?.loss,
      lastLoss: log.losses.last?.loss, watch: trainer.watch,
      heldOutLossOfBase: showsBase
        ? try trainer.baseLoss(of: data.heldOut, isCancelled: { Task.isCancelled }) : nil,
      heldOutLossBefore: heldOut.start, heldOutAfter: heldOut.kept,
      heldOut: data.heldOut.count, isPartWatched: measures.part != nil,
      plannedSteps: trainer.stepCount, epochsAdded: trainer.epochsAdded,
      startsFromAdapter: hasStart, earlierSteps: earlierSteps)
  }

  private func tell(_ report: TrainingReport) {
    report.lines.forEach(terminal.note)
    let lines = log.curve.lines(
      columns: terminal.progressColumns, unicode: terminal.showsUnicode)
    lines.forEach(terminal.note)
    if !lines.isEmpty {
      terminal.note(log.curve.caption(unicode: terminal.showsUnicode, measured: measured))
    }
    terminal.note("curves and answers: \(place.files.page)")
    terminal.note(report.advice)
  }

  /// Writes what was learnt before the program ends.
  private mutating func keep() throws {
    guard trainer.stepsDone > 0 else {
      let rate =
        trials.isEmpty
        ? "" : "; --learning-rate \(trainer.options.learningRate) is the one that was found"
      return terminal.note(
        "stopped before the first step: nothing is kept, and the same command starts anew\(rate)")
    }
    try writeCheckpoint()
    terminal.note("stopped after \(stepOfAll); --resume goes on with it")
  }

  private func writePage(to files: TrainingFiles) throws {
    let page = TrainingPage(
      title: "Training of \(FilePath.name(of: place.package))", events: log.events,
      curve: log.curve, measured: measured,
      heldOut: measures.part == nil ? nil : data.heldOut.count)
    try AtomicFile.write(Array(page.html.utf8), to: files.page)
  }

  /// What the measured losses are of.
  private var measured: String { measures.what + (measures.part ?? "") }

  private var stepOfAll: String {
    "step \(Figures.grouped(trainer.stepsDone)) of \(Figures.grouped(trainer.stepCount))"
  }
}
