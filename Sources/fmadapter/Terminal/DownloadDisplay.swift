import AdapterStore
import Synchronization

/// Downloads on standard error: a line for each on a terminal, a line now and then elsewhere, nothing when quiet.
final class DownloadDisplay: Sendable {
  private struct State {
    var labels: [String] = []
    var progress: [String: DownloadProgress] = [:]
    var told: [String: (at: ContinuousClock.Instant, waiting: String?)] = [:]
    /// Lines that stand on the terminal now.
    var drawn = 0
  }

  private let terminal: Terminal
  private let isAnimated: Bool
  private let state = Mutex(State())

  init(_ terminal: Terminal) {
    self.terminal = terminal
    isAnimated = terminal.errorIsTerminal && terminal.movesCursor
  }

  /// What shows the progress of the package or base called `name`.
  func observer(_ name: String) -> AdapterStore.DownloadObserver {
    { progress in
      let file = progress.file.split(separator: "/").last.map(String.init) ?? progress.file
      self.show(name.isEmpty ? file : "\(name) \(file)", progress)
    }
  }

  /// Takes the lines away, so that what follows starts on a clean line.
  func finish() {
    state.withLock { state in
      guard state.drawn > 0 else { return }
      terminal.writeError(Self.up(state.drawn) + "\u{1B}[J")
      state = State()
    }
  }

  private func show(_ label: String, _ progress: DownloadProgress) {
    guard !terminal.quiet else { return }
    state.withLock { state in
      if state.progress[label] == nil { state.labels.append(label) }
      state.progress[label] = progress
      if isAnimated { draw(&state) } else { tell(label, progress, &state) }
    }
  }

  private func draw(_ state: inout State) {
    // What is complete makes room for what is not.
    let open = state.labels.filter { label in
      guard let progress = state.progress[label] else { return false }
      return progress.waiting != nil || progress.received != progress.total
    }
    let lines = open.suffix(8).compactMap { label in
      state.progress[label].map {
        DownloadLine.text(
          label, $0, columns: terminal.columns - 1, unicode: terminal.showsUnicode)
      }
    }
    terminal.writeError(
      Self.up(state.drawn) + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J")
    state.drawn = lines.count
  }

  private func tell(_ label: String, _ progress: DownloadProgress, _ state: inout State) {
    let now = ContinuousClock.now
    // A countdown is one thing to say, not one a second.
    let waiting = progress.waiting?.split(separator: ",").first.map(String.init)
    if let last = state.told[label] {
      let isNews = waiting != nil && waiting != last.waiting
      guard isNews || (waiting == nil && last.at.duration(to: now) >= .seconds(5)) else { return }
    } else if waiting == nil {
      return
    }
    state.told[label] = (now, waiting)
    let text = progress.waiting?.printable ?? DownloadLine.figures(progress)
    terminal.writeError("\(label.printable): \(text)\n")
  }

  private static func up(_ lines: Int) -> String { lines > 0 ? "\r\u{1B}[\(lines)A" : "\r" }
}
