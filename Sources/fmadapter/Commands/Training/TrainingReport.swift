import AdapterTraining
import Adapters
import JSON
import SystemFiles

/// What came of a training.
struct TrainingReport {
  /// Path of the package.
  let path: String
  let identifier: String
  /// Steps, those before a checkpoint included.
  let steps: Int
  /// Those of them that were made before it was stopped, of which tokens and seconds do not tell.
  let stepsBefore: Int
  /// Epochs that were begun.
  let epochs: Int
  /// Tokens that were seen by this run.
  let tokens: Int
  let seconds: Double
  /// Mean losses in nats per token, of the first and the last step.
  let firstLoss: Double?
  let lastLoss: Double?
  /// Losses of the examples that are watched.
  let watch: LossWatch
  /// Of what is held out, by the base alone, where the training started from an adapter.
  let heldOutLossOfBase: Double?
  /// Of what is held out, at the start, which is the base alone or the adapter to start from, and with the adapter that was written.
  let heldOutLossBefore: Double?
  let heldOutAfter: LossWatch.Point?
  /// Examples that are held out, of all of which the two losses are.
  let heldOut: Int
  /// Whether the losses on the way are of a part of the examples.
  let isPartWatched: Bool
  /// Steps that it would have had if the watched loss had not ended it.
  let plannedSteps: Int
  /// Epochs that it went on for by itself, as the held-out loss still fell.
  let epochsAdded: Int
  /// Whether it started from an adapter.
  let startsFromAdapter: Bool
  /// Steps that had made the package with which it went on.
  let earlierSteps: Int

  /// The step after which the adapter was as it was written.
  var keptStep: Int { watch.best?.step ?? steps }

  /// Of pairs: of those that are held out, or of the watched ones that are learnt where none are.
  var rewards: PreferenceRewards? { heldOutAfter?.rewards ?? watch.best?.rewards }

  /// Whether the watched loss ended it before its last step.
  var endedEarly: Bool { steps < plannedSteps }

  /// What the package says of itself: the losses of what was held out.
  var evaluation: JSONValue? {
    guard let after = heldOutAfter?.loss else { return nil }
    var losses: JSONObject = ["adapter": .decimal(after, digits: 4)]
    losses["start"] = startsFromAdapter ? heldOutLossBefore.map { .decimal($0, digits: 4) } : nil
    losses["base"] =
      (startsFromAdapter ? heldOutLossOfBase : heldOutLossBefore).map { .decimal($0, digits: 4) }
    var evaluation: JSONObject = ["heldOutLoss": .object(losses)]
    evaluation["heldOutRewards"] = rewards.map { rewards in
      .object([
        "margin": .decimal(rewards.margin, digits: 4),
        "accuracy": .decimal(rewards.accuracy, digits: 4),
      ])
    }
    return .object(evaluation)
  }

  /// What the package says of how it was made; its steps are those of all trainings that made it.
  func facts(_ data: TrainingData) -> JSONObject {
    var facts: JSONObject = [
      "steps": .integer(earlierSteps + steps), "data": .string(FilePath.name(of: data.path)),
      "dataSHA256": .string(data.digest), "tool": .string("fmadapter \(programVersion)"),
    ]
    if keptStep < steps { facts["keptStep"] = .integer(earlierSteps + keptStep) }
    facts["finalLoss"] = lastLoss.map { .decimal($0, digits: 4) }
    return facts
  }

  /// The last event of `--json`.
  var json: JSONObject {
    var object: JSONObject = [
      "path": .string(path), "identifier": .string(identifier), "steps": .integer(steps),
      "keptStep": .integer(keptStep), "tokens": .integer(tokens),
      "seconds": .decimal(seconds, digits: 3), "endedEarly": .bool(endedEarly),
    ]
    if stepsBefore > 0 { object["stepsBefore"] = .integer(stepsBefore) }
    if epochsAdded > 0 { object["moreEpochs"] = .integer(epochsAdded) }
    if earlierSteps > 0 { object["stepsOfPackage"] = .integer(earlierSteps + steps) }
    object["firstLoss"] = firstLoss.map(JSONValue.decimal)
    object["lastLoss"] = lastLoss.map(JSONValue.decimal)
    object["heldOut"] = .integer(heldOut)
    object["heldOutLossOfBase"] = heldOutLossOfBase.map(JSONValue.decimal)
    object["heldOutLossBefore"] = heldOutLossBefore.map(JSONValue.decimal)
    object["heldOutLossAfter"] = (heldOutAfter?.loss).map(JSONValue.decimal)
    object["rewards"] = rewards?.json
    object["lastFall"] = watch.lastFall.map(JSONValue.decimal)
    return object
  }

  /// A line for the speed, and one for each loss.
  var lines: [String] {
    let speed = Figures.grouped(Int(Double(tokens) / max(seconds, 0.001)))
    let planned = Figures.count(plannedSteps, "step")
    let whole = endedEarly ? "\(Figures.grouped(steps)) of \(planned)" : planned
    let here = stepsBefore > 0 ? ", \(Figures.grouped(steps - stepsBefore)) of them now" : ""
    var lines = ["\(whole)\(here), \(Figures.duration(seconds)), \(speed) tokens/s"]
    if epochsAdded > 0 {
      lines.append(
        "the held-out loss still fell: went on for \(Figures.count(epochsAdded, "more epoch"))")
    }
    if heldOut == 0, let before = watch.points.first?.loss, let after = watch.best?.loss {
      // That of steps is of other examples each time.
      let part = isPartWatched ? ", of a part of the examples" : ""
      lines.append("loss \(Figures.fixed(before, 3)) to \(Figures.fixed(after, 3))\(part)")
    } else if let firstLoss, let lastLoss {
      lines.append("loss \(Figures.fixed(firstLoss, 3)) to \(Figures.fixed(lastLoss, 3))")
    }
    if let after = heldOutAfter?.loss {
      let before = heldOutLossBefore.map { Figures.fixed($0, 3) + " to " } ?? ""
      let base = heldOutLossOfBase.map { ", \(Figures.fixed($0, 3)) by the base alone" } ?? ""
      let whole = isPartWatched ? ", of all \(Figures.count(heldOut, "example"))" : ""
      lines.append("held out \(before)\(Figures.fixed(after, 3))\(whole)\(base)")
    }
    return lines
  }

  /// How pairs stand, and what to do next.
  var advice: String {
    guard let rewards else { return nextStep }
    return "the chosen answer is preferred in \(Figures.fixed(rewards.accuracy * 100, 0)) % of the "
      + "\(heldOut > 0 ? "held-out " : "")pairs, with a margin of \(Figures.fixed(rewards.margin, 3)); "
      + nextStep
  }

  private var nextStep: String {
    let loss = heldOut > 0 ? "held-out loss" : "loss"
    if !watch.hasFallen {
      return
        "the \(loss) is no lower than at the start, as far as so few examples can tell: "
        + "more of them help now, or a lower --learning-rate"
    }
    if endedEarly || keptStep < steps {
      return
        "the \(loss) was lowest after step \(Figures.grouped(keptStep)), and that adapter was written: "
        + "more examples of other wordings help now, more epochs do not"
    }
    if let fall = watch.lastFall {
      return
        "the \(loss) still fell by \(Figures.fixed(fall * 100, 0)) % in the last quarter: go on with "
        + "'fmadapter train -o \(path.shellWord) --more-epochs \((epochs + 1) / 2)'"
    }
    // As 'run' takes it for a path.
    let package = path.contains("/") ? path : "./" + path
    let fall = watch.isLevel ? "the \(loss) fell by less than 2 % in the last quarter: " : ""
    return fall + "try it with 'fmadapter run \(package.shellWord)'"
  }
}

extension PreferenceRewards {
  /// As the log has it.
  var json: JSONValue {
    .object([
      "chosen": .decimal(chosen), "rejected": .decimal(rejected), "margin": .decimal(margin),
      "accuracy": .decimal(accuracy),
    ])
  }
}

extension Adapter {
  /// What a package says of the adapter that its training began with.
  var origin: JSONValue {
    .object([
      "identifier": .string(identifier.description), "weightsSHA256": .string(contentHash),
    ])
  }
}

extension AdapterMetadata {
  /// The adapter that the training began with, where there was one.
  var origin: JSONValue? { settings.trainedOn?.object?["from"] }

  /// The step after which the adapter was as it is; 0 where that is not told.
  var stepsMade: Int {
    let facts = settings.trainedOn?.object
    let steps = (facts?["keptStep"] ?? facts?["steps"])?.integer ?? 0
    return (0..<1 << 48).contains(steps) ? steps : 0
  }
}
