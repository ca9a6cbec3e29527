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
  /// The step after which the adapter was as it was written.
  let keptStep: Int
  /// Tokens that were seen by this run.
  let tokens: Int
  let seconds: Double
  /// Mean losses in nats per token, of the first and the last step.
  let firstLoss: Double?
  let lastLoss: Double?
  /// The same of what is held out, by the base alone and with the adapter.
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
  /// Whether the watched loss ended it before its last step.
  let endedEarly: Bool

  /// What the package says of itself: the losses of what was held out.
  var evaluation: JSONValue? {
    guard let after = heldOutLossAfter else { return nil }
    var losses: JSONObject = ["adapter": Self.rounded(after)]
    losses["base"] = heldOutLossBefore.map(Self.rounded)
    var evaluation: JSONObject = ["heldOutLoss": .object(losses)]
    evaluation["heldOutRewards"] = rewards.map { rewards in
      .object([
        "margin": Self.rounded(rewards.margin), "accuracy": Self.rounded(rewards.accuracy),
      ])
    }
    return .object(evaluation)
  }

  /// The last event of `--json`.
  var json: JSONObject {
    var object: JSONObject = [
      "path": .string(path), "identifier": .string(identifier), "steps": .integer(steps),
      "keptStep": .integer(keptStep), "tokens": .integer(tokens),
      "seconds": .decimal((seconds * 1000).rounded() / 1000), "endedEarly": .bool(endedEarly),
    ]
    object["firstLoss"] = firstLoss.map(JSONValue.decimal)
    object["lastLoss"] = lastLoss.map(JSONValue.decimal)
    object["heldOut"] = .integer(heldOut)
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
    var lines = [
      "\(Figures.count(steps, "step")), \(Figures.duration(seconds)), \(speed) tokens/s"
    ]
    if let firstLoss, let lastLoss {
      lines.append("loss \(Figures.fixed(firstLoss, 3)) to \(Figures.fixed(lastLoss, 3))")
    }
    if let after = heldOutLossAfter {
      let before = heldOutLossBefore.map { Figures.fixed($0, 3) + " to " } ?? ""
      let whole = isPartWatched ? ", of all \(Figures.count(heldOut, "example"))" : ""
      lines.append("held out \(before)\(Figures.fixed(after, 3))\(whole)")
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
