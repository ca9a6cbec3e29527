import Adapters
import AdapterTraining
import TensorFiles

/// What came of a training.
struct TrainingReport {
  /// Path of the package.
  let path: String
  let identifier: String
  /// Steps, those before a checkpoint included.
  let steps: Int
  /// Those of them that were made before it was stopped, of which tokens and seconds do not tell.
  let stepsBefore: Int
  /// The step after which the adapter was as it was written.
  let keptStep: Int
  /// Tokens that were seen by this run.
  let tokens: Int
  let seconds: Double
  /// Mean losses in nats per token, of the first and the last step.
  let firstLoss: Double?
  let lastLoss: Double?
  /// Losses of the examples that are watched, at the start and with the adapter that was written.
  let watchedLosses: (start: Double?, kept: Double?)
  /// Of what is held out, by the base alone, where the training started from an adapter.
  let heldOutLossOfBase: Double?
  /// Of what is held out, at the start, which is the base alone or the adapter to start from, and with the adapter that was written.
  let heldOutLossBefore: Double?
  let heldOutLossAfter: Double?
  /// Of pairs: of those that are held out, or of the watched ones that are learnt where none are.
  let rewards: PreferenceRewards?
  /// Examples that are held out, of all of which the two losses are.
  let heldOut: Int
  /// Whether the losses on the way are of a part of the examples.
  let isPartWatched: Bool
  /// Share by which the watched loss fell in the last quarter, where more training is worth it.
  let lastFall: Double?
  /// Steps that it would have had if the watched loss had not ended it.
  let plannedSteps: Int
  /// Whether it started from an adapter.
  let startsFromAdapter: Bool
  /// Steps that had made the package with which it went on.
  var earlierSteps = 0

  /// Whether the watched loss ended it before its last step.
  var endedEarly: Bool { steps < plannedSteps }

  /// What the package says of itself: the losses of what was held out.
  var evaluation: JSONValue? {
    guard let after = heldOutLossAfter else { return nil }
    var losses: JSONObject = ["adapter": Self.rounded(after)]
    losses["start"] = startsFromAdapter ? heldOutLossBefore.map(Self.rounded) : nil
    losses["base"] =
      (startsFromAdapter ? heldOutLossOfBase : heldOutLossBefore).map(Self.rounded)
    var evaluation: JSONObject = ["heldOutLoss": .object(losses)]
    evaluation["heldOutRewards"] = rewards.map { rewards in
      .object([
        "margin": Self.rounded(rewards.margin), "accuracy": Self.rounded(rewards.accuracy),
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
    facts["finalLoss"] = lastLoss.map(Self.rounded)
    return facts
  }

  /// The last event of `--json`.
  var json: JSONObject {
    var object: JSONObject = [
      "path": .string(path), "identifier": .string(identifier), "steps": .integer(steps),
      "keptStep": .integer(keptStep), "tokens": .integer(tokens),
      "seconds": .decimal((seconds * 1000).rounded() / 1000), "endedEarly": .bool(endedEarly),
    ]
    if stepsBefore > 0 { object["stepsBefore"] = .integer(stepsBefore) }
    if earlierSteps > 0 { object["stepsOfPackage"] = .integer(earlierSteps + steps) }
    object["firstLoss"] = firstLoss.map(JSONValue.decimal)
    object["lastLoss"] = lastLoss.map(JSONValue.decimal)
    object["heldOut"] = .integer(heldOut)
    object["heldOutLossOfBase"] = heldOutLossOfBase.map(JSONValue.decimal)
    object["heldOutLossBefore"] = heldOutLossBefore.map(JSONValue.decimal)
    object["heldOutLossAfter"] = heldOutLossAfter.map(JSONValue.decimal)
    object["rewards"] = rewards?.json
    object["lastFall"] = lastFall.map(JSONValue.decimal)
    return object
  }

  /// How pairs stand.
  var preferred: String? {
    rewards.map { rewards in
      "the chosen answer is preferred in \(Figures.fixed(rewards.accuracy * 100, 0)) % of the "
        + "\(heldOut > 0 ? "held-out " : "")pairs, with a margin of \(Figures.fixed(rewards.margin, 3))"
    }
  }

  /// A line for the speed, and one for each loss.
  var lines: [String] {
    let speed = Figures.grouped(Int(Double(tokens) / max(seconds, 0.001)))
    let planned = Figures.count(plannedSteps, "step")
    let whole = endedEarly ? "\(Figures.grouped(steps)) of \(planned)" : planned
    let here = stepsBefore > 0 ? ", \(Figures.grouped(steps - stepsBefore)) of them now" : ""
    var lines = ["\(whole)\(here), \(Figures.duration(seconds)), \(speed) tokens/s"]
    if heldOut == 0, let before = watchedLosses.start, let after = watchedLosses.kept {
      // That of steps is of other examples each time.
      let part = isPartWatched ? ", of a part of the examples" : ""
      lines.append("loss \(Figures.fixed(before, 3)) to \(Figures.fixed(after, 3))\(part)")
    } else if let firstLoss, let lastLoss {
      lines.append("loss \(Figures.fixed(firstLoss, 3)) to \(Figures.fixed(lastLoss, 3))")
    }
    if let after = heldOutLossAfter {
      let before = heldOutLossBefore.map { Figures.fixed($0, 3) + " to " } ?? ""
      let base = heldOutLossOfBase.map { ", \(Figures.fixed($0, 3)) by the base alone" } ?? ""
      let whole = isPartWatched ? ", of all \(Figures.count(heldOut, "example"))" : ""
      lines.append("held out \(before)\(Figures.fixed(after, 3))\(whole)\(base)")
    }
    return lines
  }

  private static func rounded(_ value: Double) -> JSONValue {
    .decimal((value * 1e4).rounded() / 1e4)
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

extension AdapterMetadata {
  /// The step after which the adapter was as it is; 0 where that is not told.
  var stepsMade: Int {
    let facts = settings.trainedOn?.object
    let steps = (facts?["keptStep"] ?? facts?["steps"])?.integer ?? 0
    return (0..<1 << 48).contains(steps) ? steps : 0
  }
}
