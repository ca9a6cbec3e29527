import Adapters
import AdapterTraining
import TensorFiles

/// A training from its first step, or the one after a checkpoint, to the package.
struct TrainingJob {
  let trainer: AdapterTrainer
  let data: TrainingData
  let place: TrainingPlace
  let terminal: Terminal
  /// Texts that the package carries for guessing.
  var suffixes: SuffixTexts?
  private let watched: [TokenizedExample]
  private var watch = LossWatch()
  private var losses: [Double] = []
  private var tokens = 0

  /// How long what was learnt may be lost to a machine that stops.
  private static let pause = Duration.seconds(60)

  init(trainer: AdapterTrainer, data: TrainingData, place: TrainingPlace, terminal: Terminal) {
    (self.trainer, self.data) = (trainer, data)
    (self.place, self.terminal) = (place, terminal)
    watched = Self.watched(data, trainer)
  }

  /// Held-out examples, or those to train on where nothing is held out: evenly taken, so many that to measure them five
  /// times costs less than a tenth of the training.
  private static func watched(_ data: TrainingData, _ trainer: AdapterTrainer) -> [TokenizedExample]
  {
    let examples = data.heldOut.isEmpty ? data.examples : data.heldOut
    let tokens = examples.reduce(0) { $0 + $1.tokens.count }
    let room = max(trainer.stepCount * trainer.options.tokensPerStep / 20, 1024)
    return examples.enumerated().filter { $0.offset % (tokens / room + 1) == 0 }.map(\.element)
  }

  /// Goes on with the checkpoint, if there is one.
  func resume() throws {
    guard try FileSystem.info(place.checkpoint) != nil else {
      return terminal.note("there is no stopped training to go on with; starting anew")
    }
    try trainer.resume(from: place.checkpoint)
    terminal.note("going on after \(stepOfAll)")
  }

  /// Makes all steps that are left, and the package.
  mutating func run(
    _ metadata: AdapterMetadata, version: AdapterVersion?
  ) throws -> TrainingReport {
    noteSizes()
    let started = ContinuousClock.now
    try watch.add(trainer.baseLoss(of: watched, isCancelled: { Task.isCancelled }), after: 0)
    let before =
      try isHeldOutWatched
      ? watch.points[0].loss
      : heldOut { try trainer.baseLoss(of: $0, isCancelled: { Task.isCancelled }) }
    try train(started)
    let seconds = started.duration(to: .now).inSeconds
    let report = TrainingReport(
      path: place.package, identifier: metadata.adapterIdentifier.description,
      steps: trainer.stepsDone, tokens: tokens, seconds: seconds, firstLoss: losses.first,
      lastLoss: losses.last, heldOutLossBefore: before,
      heldOutLossAfter: try isHeldOutWatched
        ? watch.points.last?.loss
        : heldOut { try trainer.loss(of: $0, isCancelled: { Task.isCancelled }) },
      lastFall: watch.lastFall)
    try trainer.writePackage(
      metadata, version: version, trainedOn: facts(report), evaluation: report.evaluation,
      suffixes: suffixes, to: place.package, replacing: place.replaces)
    try place.removeCheckpoint()
    report.lines(losses, unicode: terminal.showsUnicode).forEach(terminal.note)
    if let fall = watch.lastFall { warnOfFall(fall) }
    return report
  }

  private func noteSizes() {
    let (plan, options) = (trainer.plan, trainer.options)
    terminal.note(
      "\(Figures.count(plan.exampleCount, "example")), \(Figures.count(trainer.stepCount, "step")) of "
        + "\(Figures.grouped(options.tokensPerStep)) tokens, learning rate \(options.learningRate)")
    if plan.cutCount > 0 {
      terminal.warn(
        "\(Figures.count(plan.cutCount, "example")) longer than the context, which lose the rest")
    }
    if plan.skippedCount > 0 {
      terminal.warn(
        "\(Figures.count(plan.skippedCount, "example")) with nothing to learn within the context")
    }
  }

  private mutating func train(_ started: ContinuousClock.Instant) throws {
    let bar = ProgressLine("training", terminal)
    defer { bar.finish() }
    var saved = ContinuousClock.now
    do {
      while let step = try trainer.step(isCancelled: { Task.isCancelled }) {
        losses.append(step.loss)
        tokens += step.tokens
        let rate = Double(tokens) / max(started.duration(to: .now).inSeconds, 0.001)
        bar.update(
          done: step.number, total: trainer.stepCount,
          stepOfAll,
          "loss \(Figures.fixed(step.loss, 3))", "\(Figures.grouped(Int(rate))) tokens/s")
        if isMoment(step.number) { try measure() }
        if saved.duration(to: .now) > Self.pause {
          try trainer.writeCheckpoint(to: place.checkpoint)
          saved = .now
        }
      }
      if watch.points.last?.step != trainer.stepsDone { try measure() }
      try watch.finish()
    } catch TrainingError.cancelled {
      bar.finish()
      try keep()
      throw TrainingError.cancelled
    } catch {
      // What has diverged is not worth going on with.
      try place.removeCheckpoint()
      throw error
    }
  }

  /// Whether a step ends a quarter of the training, but for the last one.
  private func isMoment(_ step: Int) -> Bool {
    (1...3).contains { step == trainer.stepCount * $0 / 4 }
  }

  private mutating func measure() throws {
    let loss = try trainer.loss(of: watched, isCancelled: { Task.isCancelled })
    try watch.add(loss, after: trainer.stepsDone)
  }

  private func warnOfFall(_ fall: Double) {
    let what = data.heldOut.isEmpty ? "loss" : "held-out loss"
    let more =
      trainer.options.steps.map { "--steps \($0 * 2)" } ?? "--epochs \(trainer.options.epochs * 2)"
    terminal.warn(
      "the \(what) still fell by \(Figures.fixed(fall * 100, 0)) % in the last quarter: it is worth training longer, as with \(more)"
    )
  }

  /// Writes what was learnt before the program ends.
  private func keep() throws {
    guard trainer.stepsDone > 0 else { return terminal.note("stopped before the first step") }
    try trainer.writeCheckpoint(to: place.checkpoint)
    terminal.note(
      "stopped after \(stepOfAll); --resume goes on with it")
  }

  private var stepOfAll: String {
    "step \(Figures.grouped(trainer.stepsDone)) of \(Figures.grouped(trainer.stepCount))"
  }

  /// Whether what is watched is all that is held out.
  private var isHeldOutWatched: Bool {
    !data.heldOut.isEmpty && watched.count == data.heldOut.count
  }

  private func heldOut(_ loss: ([TokenizedExample]) throws -> Double) rethrows -> Double? {
    data.heldOut.isEmpty ? nil : try loss(data.heldOut)
  }

  private func facts(_ report: TrainingReport) -> JSONObject {
    var facts: JSONObject = [
      "data": .string(FilePath.name(of: data.path)), "dataSHA256": .string(data.digest),
      "tool": .string("fmadapter \(programVersion)"),
    ]
    facts["finalLoss"] = report.lastLoss.map { .decimal(($0 * 1e4).rounded() / 1e4) }
    return facts
  }
}

/// What came of a training.
struct TrainingReport: Encodable {
  /// Path of the package.
  let path: String
  let identifier: String
  /// Steps, those before a checkpoint included.
  let steps: Int
  /// Tokens that were seen by this run.
  let tokens: Int
  let seconds: Double
  /// Mean losses in nats per token, of the first and the last step of this run.
  let firstLoss: Double?
  let lastLoss: Double?
  /// The same of what is held out, by the base alone and with the adapter.
  let heldOutLossBefore: Double?
  let heldOutLossAfter: Double?
  /// Share by which the watched loss fell in the last quarter, where more training is worth it.
  let lastFall: Double?

  /// What the package says of itself: the losses of what was held out.
  var evaluation: JSONValue? {
    guard let after = heldOutLossAfter else { return nil }
    var losses: JSONObject = ["adapter": Self.rounded(after)]
    losses["base"] = heldOutLossBefore.map(Self.rounded)
    return .object(["heldOutLoss": .object(losses)])
  }

  /// A line for the speed, and one for each loss.
  func lines(_ losses: [Double], unicode: Bool) -> [String] {
    let speed = Figures.grouped(Int(Double(tokens) / max(seconds, 0.001)))
    var lines = [
      "\(Figures.count(steps, "step")), \(Figures.duration(seconds)), \(speed) tokens/s"
    ]
    if let firstLoss, let lastLoss {
      let bars = BarChart(values: losses, unicode: unicode)
        .line(columns: 40, scale: losses.max() ?? 0)
      lines.append(
        "loss \(Figures.fixed(firstLoss, 3)) to \(Figures.fixed(lastLoss, 3))  \(bars)")
    }
    if let after = heldOutLossAfter {
      let before = heldOutLossBefore.map { Figures.fixed($0, 3) + " to " } ?? ""
      lines.append("held out \(before)\(Figures.fixed(after, 3))")
    }
    return lines
  }

  private static func rounded(_ value: Double) -> JSONValue {
    .decimal((value * 1e4).rounded() / 1e4)
  }
}
