import Synchronization

/// A text that one task writes, piece by piece, and another one reads.
final class GrowingText: Sendable {
  /// What there is of a text, and how often one was begun.
  struct Current: Sendable {
    var text = ""
    var beginning = 0
  }

  private let state = Mutex(Current())

  /// Adds a piece; nil begins another text.
  func append(_ piece: String?) {
    state.withLock { state in
      guard let piece else {
        state = Current(beginning: state.beginning + 1)
        return
      }
      state.text += piece
    }
  }

  var current: Current { state.withLock { $0 } }
}

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

/// A way through a stream: when it is left before the end, nobody waits for the response, unless it is collected.
final class StreamVisit {
  private let turn: TurnState?
  var hasEnded = false

  init(_ turn: TurnState?) { self.turn = turn }

  deinit { if !hasEnded { turn?.leave() } }
}
