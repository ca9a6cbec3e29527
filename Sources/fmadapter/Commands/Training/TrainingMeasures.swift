import AdapterTraining
import JSON
import SystemFiles

/// When the loss is measured on the way, of which examples, and what is said of it.
struct TrainingMeasures {
  /// Held-out examples, or those to train on where nothing is held out: evenly taken, so many that measuring takes no more than a
  /// tenth of the time, that of all of them at the end included.
  let examples: [TokenizedExample]
  private let trainer: AdapterTrainer
  private let data: TrainingData
  private let patience: Int
  /// Steps of the training before it goes on.
  private let planned: Int

  /// How often the loss is measured behind the start.
  private static let moments = 12

  /// Measures that end the training once `patience` of them have not fallen; 0 for none that do.
  init(_ trainer: AdapterTrainer, _ data: TrainingData, patience: Int) {
    (self.trainer, self.data, self.patience) = (trainer, data, patience)
    planned = max(trainer.stepCount, 1)
    let all = data.heldOut.isEmpty ? data.examples : data.heldOut
    let tokens = all.reduce(0) { $0 + $1.size(limit: trainer.plan.contextLength) }
    // Forward alone is a third of a step, so that this is a twentieth of what is trained.
    let room = max(planned * trainer.options.tokensPerStep / (6 * Self.moments), 1024)
    examples = all.enumerated().filter { $0.offset % (tokens / room + 1) == 0 }.map(\.element)
  }

  /// What the loss is of.
  var what: String { data.heldOut.isEmpty ? "loss" : "held-out loss" }

  /// How many of the examples are measured, behind what they have; nil where all are.
  var part: String? {
    let all = data.heldOut.isEmpty ? data.examples.count : data.heldOut.count
    guard examples.count < all else { return nil }
    return " of \(Figures.grouped(examples.count)) of \(Figures.count(all, "example"))"
  }

  /// Whether a step ends a twelfth of the training as it was planned, or may have been one too many; the last one aside.
  func isMoment(_ step: Int) -> Bool {
    guard step < trainer.stepCount else { return false }
    let moment = (step * Self.moments + planned - 1) / planned
    return step == planned * moment / Self.moments
      || (mayEnd && trainer.watch.asksAgain(after: step))
  }

  /// Measures, and returns the event of it.
  func measure() throws -> JSONObject {
    let loss = try trainer.measure(examples, isCancelled: { Task.isCancelled })
    var event: JSONObject = [
      "step": .integer(trainer.stepsDone), "loss": .decimal(loss),
      "lowest": .bool(trainer.watch.best?.step == trainer.stepsDone),
      "watched": .integer(examples.count),
    ]
    event["rewards"] = trainer.watch.points.last?.rewards?.json
    return event
  }

  /// Whether more steps bring nothing: all is learnt, or the held-out loss has not fallen for as long as the patience lasts, or is
  /// far above its start.
  var areStale: Bool {
    guard mayEnd else { return false }
    let watch = trainer.watch
    return watch.isLost || watch.momentsSinceBest >= patience || watch.isSettled
  }

  /// Goes on where all steps are made and what is held out still gets better; how many epochs for.
  func goOn() -> Int? { data.heldOut.isEmpty || areStale ? nil : trainer.goOn() }

  // Examples that are learnt always get better: only others tell when to end.
  private var mayEnd: Bool { patience > 0 && !data.heldOut.isEmpty }

  /// What is said of a training that ends before its last step.
  var whyStale: String {
    if trainer.watch.isLost { return "the \(what) is far above that of the start" }
    if trainer.watch.momentsSinceBest >= patience {
      return "the \(what) has not fallen for \(Figures.count(patience, "measure"))"
    }
    return "the examples are learnt, and the \(what) moves no more"
  }

  /// Losses of all that is held out, at the start and by the adapter that is kept; nil where nothing is.
  func ofAllHeldOut() throws -> (start: Double?, kept: LossWatch.Point?) {
    guard !data.heldOut.isEmpty else { return (nil, nil) }
    guard part != nil else { return (trainer.watch.points.first?.loss, trainer.watch.best) }
    let kept = try trainer.point(of: data.heldOut, isCancelled: { Task.isCancelled })
    return (try trainer.startLoss(of: data.heldOut, isCancelled: { Task.isCancelled }), kept)
  }
}
