import Adapters

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
  /// The same of what is held out; before only when this run started the training.
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
      "\(Figures.count(steps, "step")), \(Figures.seconds(.seconds(seconds))), \(speed) tokens/s"
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
