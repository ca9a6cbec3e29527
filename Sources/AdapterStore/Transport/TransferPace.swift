/// Tells when a transfer has become too slow: fewer bytes over the window than the least speed would bring.
///
/// The window slides in eight steps, so a stall is seen at most an eighth late.
struct TransferPace {
  private let least: Int
  private let step: Duration
  private var marks: [Int]
  private var next: SuspendingClock.Instant

  /// At least `speed` bytes per second over `window` seconds, more than zero.
  init(speed: Int, window: Double, start: SuspendingClock.Instant) {
    least = Int(Double(speed) * window)
    step = .seconds(window / 8)
    marks = [0]
    next = start + step
  }

  /// Whether, with `received` bytes so far, the transfer is too slow at `now`.
  mutating func isTooSlow(received: Int, now: SuspendingClock.Instant) -> Bool {
    while now >= next {
      marks.append(received)
      next += step
      if marks.count > 8 {
        if received - marks[marks.count - 9] < least { return true }
        marks.removeFirst(marks.count - 8)
      }
    }
    return false
  }
}
