/// How long passes take, so that prompts are read beside sequences that decode without holding them up.
struct PassPace {
  /// Steps of decoding that a pass may take which reads prompts, too.
  static let patience = 5
  /// Rows that are read in any case: fewer would read the weights for hardly anything.
  private static let least = 8

  // Of a pass in which all decode; nil before one.
  private var step: Duration?
  // Of each row of a pass that reads.
  private var row: Duration?

  /// Learns from a pass of so many rows.
  mutating func note(_ time: Duration, rows: Int, isReading: Bool) {
    if isReading {
      row = Self.mean(row, time / max(rows, 1))
    } else {
      step = Self.mean(step, time)
    }
  }

  /// Rows of the next pass, `most` at most; all of them where nobody decodes, or as long as nothing is known.
  func rows(_ most: Int, decoding: Int) -> Int {
    guard decoding > 0, let step, let row, row > .zero else { return most }
    let rows = Int(min(Double(Self.patience) * (step / row), Double(most)))
    return min(most, max(rows, decoding + Self.least))
  }

  private static func mean(_ known: Duration?, _ new: Duration) -> Duration {
    known.map { ($0 + new) / 2 } ?? new
  }
}
