/// How often a growing text is read as a whole: whenever it is a little longer in proportion, so that all the reading takes as
/// long as that of ``share`` whole texts, whatever its length.
struct SnapshotPace {
  private var count = 0
  private var beginning = 0

  private static let share = 256

  /// Whether enough has come since the text was last shown.
  func isDue(_ current: GrowingText.Current) -> Bool {
    isBehind(current)
      && (current.beginning != beginning
        || current.text.utf8.count >= count + count / Self.share + 1)
  }

  /// Whether anything has come since the text was last shown.
  func isBehind(_ current: GrowingText.Current) -> Bool {
    current.beginning != beginning ? !current.text.isEmpty : current.text.utf8.count > count
  }

  mutating func show(_ current: GrowingText.Current) {
    (count, beginning) = (current.text.utf8.count, current.beginning)
  }
}

/// What all who have a stream have in common: when the last of them has let it go, `end` is called.
final class StreamHold: Sendable {
  private let end: @Sendable () -> Void

  init(end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}

/// A way through a stream: when the last one is left before the end, nobody waits for the response, unless it is collected.
final class StreamVisit {
  private let turn: TurnState?
  var hasEnded = false

  init(_ turn: TurnState?) {
    self.turn = turn
    turn?.enter()
  }

  deinit { if !hasEnded { turn?.leave() } }
}
