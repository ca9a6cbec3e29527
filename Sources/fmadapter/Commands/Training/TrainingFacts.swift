import JSON
import SystemFiles

/// What a log says of a training, in words and figures for people; what has no name here is shown as the log has it.
enum TrainingFacts {
  /// The rows of a table: names and texts.
  static func rows(_ object: JSONObject) -> [(name: String, text: String)] {
    object.members.filter { $0.key != "event" }.map { member in
      (names[member.key] ?? member.key, text(member.key, member.value))
    }
  }

  private static let names = [
    "accumulation": "batches in a step",
    "alpha": "alpha",
    "arrangement": "arrangement of examples",
    "averaging": "share of the steps that are averaged",
    "contextLength": "longest example, in tokens",
    "data": "data",
    "dropout": "dropout",
    "endedEarly": "ended early",
    "epochs": "planned epochs",
    "examples": "examples to train on",
    "examplesPerStep": "examples in a step",
    "extensions": "times that it may go on by itself",
    "firstLoss": "loss of the first step",
    "heldOut": "examples held out",
    "heldOutLossAfter": "held-out loss of the adapter",
    "heldOutLossBefore": "held-out loss at the start",
    "heldOutLossOfBase": "held-out loss of the base alone",
    "keptStep": "step that was written",
    "lastFall": "fall of the loss in the last quarter",
    "lastLoss": "loss of the last step",
    "learningRate": "learning rate, at its highest",
    "maximumGradientNorm": "longest gradient",
    "moreEpochs": "epochs that it went on for",
    "path": "package",
    "seconds": "time",
    "stepsBefore": "steps before it was stopped",
    "stepsOfPackage": "steps of all trainings of the package",
    "tokensPerStep": "tokens in a step, at least",
    "trials": "trials of rates, with their losses",
    "warmupEpochs": "warm-up epochs",
    "warmupSteps": "warm-up steps",
    "watched": "held-out examples that are measured on the way",
    "weightDecay": "weight decay",
  ]

  private static func text(_ key: String, _ value: JSONValue) -> String {
    switch (key, value) {
    case ("seed", _): return value.string ?? value.line
    case ("seconds", .number(let number)): return Figures.duration(number.double)
    case ("lastFall", .number(let number)): return percent(number.double)
    case ("trials", .array(let trials)): return trials.compactMap(trial).joined(separator: "\n")
    case ("rewards", .object(let rewards)): return reward(rewards)
    default: return text(value)
    }
  }

  private static func text(_ value: JSONValue) -> String {
    switch value {
    case .bool(let value): value ? "yes" : "no"
    case .number(let number):
      value.integer.map { Figures.grouped($0) } ?? Figures.significant(number.double)
    case .array(let values): values.map(text).joined(separator: ", ")
    default: value.string ?? value.line
    }
  }

  private static func percent(_ share: Double) -> String { Figures.fixed(share * 100, 1) + " %" }

  private static func trial(_ value: JSONValue) -> String? {
    guard let trial = value.object, let rate = trial["rate"] else { return nil }
    // That of a rate that was lost is no number.
    let loss = trial["loss"]?.number.map { Figures.fixed($0.double, 3) } ?? "lost"
    return "\(text(rate)): \(loss)"
  }

  private static func reward(_ rewards: JSONObject) -> String {
    let accuracy = rewards["accuracy"]?.number?.double ?? 0
    let margin = rewards["margin"]?.number?.double ?? 0
    return
      "the chosen answer is preferred in \(percent(accuracy)), margin \(Figures.fixed(margin, 3))"
  }
}
