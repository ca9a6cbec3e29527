import Synchronization

/// Progress of one long job on standard error: a bar on a terminal, a line now and then elsewhere, nothing when quiet.
final class ProgressLine: Sendable {
  private struct State {
    var last: ContinuousClock.Instant?
    var drawn = false
  }

  private let title: String
  private let terminal: Terminal
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  init(_ title: String, _ terminal: Terminal) {
    self.title = title
    self.terminal = terminal
  }

  /// Reports that `done` of `total` is done, with a word on what is being done.
  func update(done: Int, total: Int, _ detail: String = "") {
    guard !terminal.quiet, total > 0 else { return }
    let animated = terminal.errorIsTerminal && terminal.movesCursor
    let due = state.withLock { state in
      let now = ContinuousClock.now
      let pause: Duration = animated ? .milliseconds(state.drawn ? 80 : 150) : .seconds(2)
      guard (state.last ?? start).duration(to: now) >= pause else { return false }
      state.last = now
      state.drawn = true
      return true
    }
    guard due else { return }
    let fraction = min(1, Double(done) / Double(total))
    terminal.writeError(animated ? bar(fraction, detail) : line(fraction, detail))
  }

  /// Removes the bar, so that what follows starts on a clean line.
  func finish() {
    let drawn = state.withLock(\.drawn)
    if drawn, terminal.errorIsTerminal, terminal.movesCursor { terminal.writeError("\r\u{1B}[K") }
  }

  private func line(_ fraction: Double, _ detail: String) -> String {
    "\(title): \(Int(fraction * 100)) %\(detail.isEmpty ? "" : ", " + detail.printable)\n"
  }

  private func bar(_ fraction: Double, _ detail: String) -> String {
    let width = 20
    let full = Int(fraction * Double(width))
    let (on, off) = terminal.showsUnicode ? ("█", "░") : ("#", "-")
    let bar = String(repeating: on, count: full) + String(repeating: off, count: width - full)
    let text = "\(title) \(bar) \(Int(fraction * 100)) % \(detail.printable)"
    return "\r" + TextLayout.cut(text, terminal.columns - 1) + "\u{1B}[K"
  }
}
