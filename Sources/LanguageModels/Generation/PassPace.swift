/// How long passes take, so that prompts are read beside sequences that decode without holding them up.
struct PassPace {
  /// Steps of decoding that a pass may take which reads prompts, too.
  static let patience = 5
  /// Rows that are read in any case: fewer would read the weights for hardly anything.
  private static let least = 8

  // Of a pass in which all decode; nil before one.
  private var step: Duration?
  // What each row of a pass that reads takes beyond a step.
  private var row: Duration?

  /// Learns from a pass of so many rows.
  mutating func note(_ time: Duration, rows: Int, isReading: Bool) {
    if isReading {
      // A pass of few rows may take no longer than a step, and its rows are not for nothing.
      row = Self.mean(row, max(time - (step ?? .zero), time / 2) / max(rows, 1))
    } else {
      step = Self.mean(step, time)
    }
  }

  /// Takes over what `other` knows.
  mutating func learn(from other: PassPace) {
    (step, row) = (other.step ?? step, other.row ?? row)
  }

  /// Rows of the next pass, `most` at most; all of them where nobody decodes, or as long as nothing is known.
  func rows(_ most: Int, decoding: Int) -> Int {
    guard decoding > 0, let step, let row, row > .zero else { return most }
    let rows = Int(min(Double(Self.patience - 1) * (step / row), Double(most)))
    return min(most, max(rows, decoding + Self.least))
  }

  private static func mean(_ known: Duration?, _ new: Duration) -> Duration {
    known.map { ($0 + new) / 2 } ?? new
  }
}
