import AdapterTraining
import Kernels
import LanguageModels
import SystemFiles

/// The training of a draft: answers, steps, the file, and what it is worth here.
struct DraftJob {
  let loaded: LoadedModel
  let place: DraftPlace
  let options: DraftOptions
  let type: TensorType
  let terminal: Terminal
  var answers: DraftAnswers
  private var tokens = 0
  private var losses: [Double] = []
  private var resumes = false

  /// How long what was learnt may be lost to a machine that stops.
  private static let pause = Duration.seconds(60)

  init(
    loaded: LoadedModel, place: DraftPlace, options: DraftOptions, type: TensorType,
    terminal: Terminal, answers: DraftAnswers
  ) {
    (self.loaded, self.place, self.options) = (loaded, place, options)
    (self.type, self.terminal, self.answers) = (type, terminal, answers)
  }

  /// Goes on with the checkpoint, if there is one.
  mutating func resume() throws {
    guard try FileSystem.info(place.checkpoint) != nil else {
      return terminal.note("there is no stopped training to go on with; starting anew")
    }
    try answers.resume(from: place.checkpoint)
    resumes = true
    terminal.note(
      "going on with \(Figures.grouped(answers.answeredCount)) of \(Figures.count(answers.prompts.count, "answer"))"
    )
  }

  /// Does all that is left.
  mutating func run() throws -> DraftReport {
    let started = ContinuousClock.now
    try answer()
    let trainer = try DraftTrainer(
      loaded.model, adapters: loaded.adapters, answers: answers, options: options)
    if resumes {
      try trainer.resume(from: place.checkpoint)
      if trainer.stepsDone > 0 { terminal.note("going on after \(stepOfAll(trainer))") }
    }
    noteSizes(trainer)
    let report: DraftReport
    do {
      let before = try measured(trainer)
      try train(trainer)
      report = try finish(trainer, before, started)
    } catch TrainingError.cancelled, BaseModelError.cancelled {
      try terminal.kept { try trainer.writeCheckpoint(to: place.checkpoint) }
      terminal.note("stopped after \(stepOfAll(trainer)); --resume goes on with it")
      throw TrainingError.cancelled
    }
    report.lines(losses, unicode: terminal.showsUnicode).forEach(terminal.note)
    if report.proposals == 0 {
      terminal.warn(
        "on this machine the draft is expected to cost more than it saves, and will be asked seldom"
          + "\(remedy: "train it longer, make it smaller with --layers or --width, or leave it out")"
      )
    }
    return report
  }

  /// Lets the adapted base answer the prompts that have no answer yet.
  private mutating func answer() throws {
    let all = answers.prompts.count
    if answers.skippedCount > 0 {
      terminal.warn(
        "\(Figures.count(answers.skippedCount, "prompt")) as long as the base's context, which cannot be answered"
      )
    }
    let bar = ProgressLine("answering", terminal)
    defer { bar.finish() }
    let (started, first) = (ContinuousClock.now, answers.tokenCount)
    var saved = ContinuousClock.now
    do {
      var done = answers.answeredCount
      while try answers.answerNext(
        isCancelled: { Task.isCancelled },
        progress: { tokens in
          let seconds = max(started.duration(to: .now).inSeconds, 0.001)
          bar.update(
            done: done, total: all, "\(Figures.grouped(done)) of \(Figures.count(all, "answer"))",
            "\(Figures.grouped(Int(Double(tokens - first) / seconds))) tokens/s")
        })
      {
        done = answers.answeredCount
        if saved.duration(to: .now) > Self.pause {
          try answers.writeCheckpoint(to: place.checkpoint)
          saved = .now
        }
      }
    } catch BaseModelError.cancelled {
      bar.finish()
      if answers.answeredCount > 0 {
        try terminal.kept { try answers.writeCheckpoint(to: place.checkpoint) }
        terminal.note(
          "stopped after \(Figures.grouped(answers.answeredCount)) of \(Figures.count(all, "answer")); --resume goes on with them"
        )
      } else {
        terminal.note(
          "stopped before the first answer: nothing is kept, and the same command starts anew")
      }
      throw TrainingError.cancelled
    }
  }

  private func noteSizes(_ trainer: DraftTrainer) {
    let shape = options.shape
    terminal.note(
      "\(Figures.count(answers.answeredCount - answers.heldOutCount, "answer")), \(Figures.grouped(answers.heldOutCount)) held out, "
        + "\(Figures.count(trainer.tokens.count, "token")) to propose; "
        + "\(Figures.count(shape.layers, "layer")) of width \(shape.width), "
        + "\(Figures.count(trainer.stepCount, "step")) of \(Figures.count(options.tokensPerStep, "token"))"
    )
  }

  private mutating func train(_ trainer: DraftTrainer) throws {
    let bar = ProgressLine("training", terminal)
    defer { bar.finish() }
    let started = ContinuousClock.now
    var saved = started
    do {
      while let step = try trainer.step(isCancelled: { Task.isCancelled }) {
        losses.append(step.loss)
        tokens += step.tokens
        let rate = Double(tokens) / max(started.duration(to: .now).inSeconds, 0.001)
        bar.update(
          done: step.number, total: trainer.stepCount, stepOfAll(trainer),
          "divergence \(Figures.fixed(step.loss, 3))", "\(Figures.grouped(Int(rate))) tokens/s")
        if saved.duration(to: .now) > Self.pause {
          try trainer.writeCheckpoint(to: place.checkpoint)
          saved = .now
        }
      }
    } catch TrainingError.diverged(let step) {
      // What has diverged is not worth going on with.
      try place.removeCheckpoint()
      throw TrainingError.diverged(step: step)
    }
  }

  /// Writes the draft, measures what was written, and puts it into its place.
  private func finish(
    _ trainer: DraftTrainer, _ before: DraftMeasure, _ started: ContinuousClock.Instant
  ) throws -> DraftReport {
    let after = try measured(trainer)
    let seconds = started.duration(to: .now).inSeconds
    let file = place.work
    defer { try? FileSystem.removeTree(file) }
    try trainer.writeDraft(to: file, type: type, isCancelled: { Task.isCancelled })
    let draft = try DraftModel(path: file, for: loaded.model)
    let measure = try trainer.measure(draft, isCancelled: { Task.isCancelled })
    let costs = try PassCosts.measure(
      loaded.model, adapters: loaded.adapters, threads: options.threads)
    let cost =
      try draft.secondsPerToken(beside: loaded.model, threads: options.threads) / costs.time(1)
    let best = measure.best(costs, draftCost: cost)
    try place.take(file, tokenCount: max(best.proposals, 1), for: loaded.model)
    try place.removeCheckpoint()
    return DraftReport(
      path: place.path, size: draft.model.fileSize, steps: trainer.stepsDone, tokens: tokens,
      seconds: seconds, answers: answers.answeredCount, answerTokens: answers.tokenCount,
      heldOut: answers.heldOutCount, layers: options.shape.layers, width: options.shape.width,
      vocabulary: trainer.tokens.count, loss: options.loss.rawValue,
      divergenceBefore: before.divergence, divergenceAfter: after.divergence,
      acceptance: measure.acceptance, proposals: best.proposals, tokensPerPass: best.tokensPerPass,
      draftRatio: cost, speedup: best.speedup)
  }

  /// How well the draft foretells what is held out; at first the base has to say what it would.
  private func measured(_ trainer: DraftTrainer) throws -> DraftMeasure {
    let bar = ProgressLine("measuring", terminal)
    defer { bar.finish() }
    return try trainer.measure(
      isCancelled: { Task.isCancelled }, progress: { bar.update(done: $0, total: $1) })
  }

  private func stepOfAll(_ trainer: DraftTrainer) -> String {
    "step \(Figures.grouped(trainer.stepsDone)) of \(Figures.grouped(trainer.stepCount))"
  }
}

/// What came of the training of a draft.
struct DraftReport: Encodable {
  /// Path of the draft, and its bytes.
  let path: String
  let size: Int
  /// Steps, those before a checkpoint included.
  let steps: Int
  /// Tokens that were seen by this run.
  let tokens: Int
  let seconds: Double
  /// Answers that were given, and their tokens.
  let answers: Int
  let answerTokens: Int
  /// Those of the answers that were held out; where there are none, all that is measured is of those that were learnt.
  let heldOut: Int
  let layers: Int
  let width: Int
  /// Tokens that it can propose.
  let vocabulary: Int
  let loss: String
  /// Mean divergences from the adapted base in nats a token, before and after all steps of this run.
  let divergenceBefore: Double
  let divergenceAfter: Double
  /// Share of the places where the draft's likeliest token is the adapted base's.
  let acceptance: Double
  /// Proposals a pass that bring most here, tokens a pass that come of them, and how many times as fast that is.
  let proposals: Int
  let tokensPerPass: Double
  /// What a token of the draft costs, a pass of the base being 1.
  let draftRatio: Double
  let speedup: Double

  /// A line for the size, one for each thing that was learnt and measured.
  func lines(_ losses: [Double], unicode: Bool) -> [String] {
    var lines = [
      "\(Figures.count(steps, "step")), \(Figures.duration(seconds)), \(Figures.size(size))"
    ]
    let bars = BarChart(values: losses, unicode: unicode).line(
      columns: 40, scale: losses.max() ?? 0)
    lines.append(
      "divergence \(Figures.fixed(divergenceBefore, 3)) to \(Figures.fixed(divergenceAfter, 3))  \(bars)"
    )
    let what = heldOut > 0 ? "held-out places" : "places that were learnt"
    lines.append("right in \(Figures.fixed(acceptance * 100, 1)) % of the \(what)")
    lines.append(
      "a token of the draft takes \(Figures.fixed(draftRatio, 3)) of a pass; "
        + (proposals == 0
          ? "no proposals: they cost more than they save"
          : "\(Figures.count(proposals, "proposal")) a pass: \(Figures.fixed(tokensPerPass, 2)) tokens, "
            + "\(Figures.fixed(speedup, 2)) times as fast"))
    return lines
  }
}
