import AdapterTraining
import Adapters
import TensorFiles

/// A training from its first step, or the one after a checkpoint, to the package.
struct TrainingJob {
  let trainer: AdapterTrainer
  let data: TrainingData
  let place: TrainingPlace
  let terminal: Terminal
  private var losses: [Double] = []
  private var tokens = 0

  /// How long what was learnt may be lost to a machine that stops.
  private static let pause = Duration.seconds(60)

  init(trainer: AdapterTrainer, data: TrainingData, place: TrainingPlace, terminal: Terminal) {
    (self.trainer, self.data) = (trainer, data)
    (self.place, self.terminal) = (place, terminal)
  }

  /// Goes on with the checkpoint, if there is one.
  func resume() throws {
    guard try FileSystem.info(place.checkpoint) != nil else {
      return terminal.note("there is no stopped training to go on with; starting anew")
    }
    try trainer.resume(from: place.checkpoint)
    terminal.note("going on after step \(trainer.stepsDone) of \(trainer.stepCount)")
  }

  /// Makes all steps that are left, and the package.
  mutating func run(
    _ metadata: AdapterMetadata, version: AdapterVersion?
  ) throws -> TrainingReport {
    noteSizes()
    let started = ContinuousClock.now
    let before = trainer.stepsDone == 0 ? try heldOutLoss() : nil
    try train(started)
    let seconds = started.duration(to: .now).inSeconds
    let report = TrainingReport(
      path: place.package, identifier: metadata.adapterIdentifier.description,
      steps: trainer.stepsDone, tokens: tokens, seconds: seconds, firstLoss: losses.first,
      lastLoss: losses.last, heldOutLossBefore: before, heldOutLossAfter: try heldOutLoss())
    try trainer.writePackage(
      metadata, version: version, trainedOn: facts(report), evaluation: report.evaluation,
      to: place.package, replacing: place.replaces)
    if try FileSystem.info(place.checkpoint) != nil { try FileSystem.removeTree(place.checkpoint) }
    report.lines(losses, unicode: terminal.showsUnicode).forEach(terminal.note)
    return report
  }

  private func noteSizes() {
    let plan = trainer.plan
    terminal.note(
      "\(Figures.count(plan.exampleCount, "example")), \(Figures.count(trainer.stepCount, "step"))")
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
    let first = trainer.stepsDone
    var saved = ContinuousClock.now
    do {
      while let step = try trainer.step(isCancelled: { Task.isCancelled }) {
        losses.append(step.loss)
        tokens += step.tokens
        let seconds = started.duration(to: .now).inSeconds
        bar.update(done: step.number, total: trainer.stepCount, detail(step, first, seconds))
        if saved.duration(to: .now) > Self.pause {
          try trainer.writeCheckpoint(to: place.checkpoint)
          saved = .now
        }
      }
    } catch TrainingError.cancelled {
      bar.finish()
      try keep()
      throw TrainingError.cancelled
    }
  }

  /// Writes what was learnt before the program ends.
  private func keep() throws {
    guard trainer.stepsDone > 0 else { return terminal.note("stopped before the first step") }
    try trainer.writeCheckpoint(to: place.checkpoint)
    terminal.note(
      "stopped after step \(trainer.stepsDone) of \(trainer.stepCount); --resume goes on with it")
  }

  private func detail(_ step: TrainingStep, _ first: Int, _ seconds: Double) -> String {
    let left = Double(trainer.stepCount - step.number) * seconds / Double(step.number - first)
    return "step \(step.number) of \(trainer.stepCount), loss \(Figures.fixed(step.loss, 3)), "
      + "\(Figures.grouped(Int(Double(tokens) / max(seconds, 0.001)))) tokens/s, "
      + "\(Figures.age(left)) left"
  }

  private func heldOutLoss() throws -> Double? {
    guard !data.heldOut.isEmpty else { return nil }
    return try trainer.loss(of: data.heldOut, isCancelled: { Task.isCancelled })
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
