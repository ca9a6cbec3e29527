import AdapterStore
import JSON
import Synchronization
import SystemFiles

/// What is known of a job that goes on, as a line that fits.
struct ProgressText {
  let label: String
  /// How much is done, of 1; nil when nobody knows how much there is.
  let fraction: Double?
  /// How much is done, in words.
  let done: String
  /// More about it, which goes first where there is no room, from the end on.
  var details: [String] = []
  /// Seconds that the rest takes; they are shown in the narrowest line.
  var secondsLeft: Double?

  /// At most `columns` cells: label, a bar if there is room for it, and figures.
  func line(columns: Int, unicode: Bool) -> Line {
    var shown = details.map(\.printable)
    while !shown.isEmpty, figures(shown).cellWidth + 9 > columns { shown.removeLast() }
    let figures = figures(shown)
    let room = columns - figures.cellWidth - 1
    let name = TextLayout.cut(label.printable, max(8, min(28, room)))
    guard let fraction, room >= name.cellWidth + 17 else { return "\(name) \(figures)" }
    let bar = BarChart.progress(fraction, width: 16, unicode: unicode)
    return "\(name) \(bar) \(figures)"
  }

  /// The same where nothing is drawn.
  var sentence: Line { "\(label): \(figures(details))" }

  private func figures(_ details: [String]) -> String {
    let left = secondsLeft.flatMap { (1..<360_000).contains($0) ? Figures.wait($0) + " left" : nil }
    return ([done] + details + (left.map { [$0] } ?? [])).joined(separator: ", ")
  }
}

extension Terminal {
  /// Whether a program reads how far a job is.
  var tellsProgress: Bool { environment["FMADAPTER_PROGRESS"] == "json" }

  /// Tells a program how far a job is, also where errors alone are JSON otherwise.
  fileprivate func tell(_ text: ProgressText) {
    tell(progress: [
      "label": .string(text.label), "fraction": text.fraction.map(JSONValue.decimal) ?? .null,
      "text": .string(([text.done] + text.details).joined(separator: ", ")),
      "secondsLeft": text.secondsLeft.map(JSONValue.decimal) ?? .null,
    ])
  }
}

extension ProgressText {
  /// What has come of a file, and how fast.
  init(_ label: String, _ progress: DownloadProgress) {
    self.label = label
    guard progress.waiting == nil else {
      // What it waits for, and for how long.
      let parts = (progress.waiting ?? "").split(separator: ", ").map(String.init)
      (fraction, done) = (nil, parts.last ?? "waiting")
      details = parts.dropLast()
      return
    }
    if let total = progress.total, total > 0 {
      fraction = min(1, Double(progress.received) / Double(total))
      done = "\(min(100, progress.received * 100 / total)) % of \(Figures.size(total))"
    } else {
      (fraction, done) = (nil, Figures.size(progress.received))
    }
    if progress.rate > 0 { details = ["\(Figures.size(Int(progress.rate)))/s"] }
    secondsLeft = progress.secondsLeft
  }
}

/// Progress of one long job on standard error: a bar on a terminal, a line now and then elsewhere, nothing when quiet.
final class ProgressLine: Sendable {
  private struct State {
    var first: (at: ContinuousClock.Instant, done: Int)?
    var last: ContinuousClock.Instant?
    var drawn = false
  }

  private let title: String
  private let terminal: Terminal
  private let patience: Duration
  private let now: @Sendable () -> ContinuousClock.Instant
  private let start: ContinuousClock.Instant
  private let state = Mutex(State())

  /// Nothing is shown before `patience` is over: most jobs are, too.
  init(
    _ title: String, _ terminal: Terminal, patience: Duration = .milliseconds(150),
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    (self.title, self.terminal, self.patience) = (title, terminal, patience)
    (self.now, start) = (now, now())
  }

  /// Reports that `done` of `total` is done, with words on what is being done.
  func update(done: Int, total: Int, _ details: String...) {
    guard !terminal.quiet, total > 0 else { return }
    let now = now()
    let (isDue, left) = state.withLock { state in
      if state.first == nil { state.first = (now, done) }
      let pause: Duration =
        terminal.tellsProgress
        ? .milliseconds(250)
        : !terminal.isAnimated ? .seconds(2) : state.drawn ? .milliseconds(80) : patience
      guard (state.last ?? start).duration(to: now) >= pause else { return (false, nil as Double?) }
      state.last = now
      state.drawn = true
      return (true, Self.secondsLeft(since: state.first, now, done, total))
    }
    guard isDue else { return }
    let fraction = min(1, Double(done) / Double(total))
    let text = ProgressText(
      label: title, fraction: fraction, done: "\(Int(fraction * 100)) %",
      details: details.filter { !$0.isEmpty }, secondsLeft: left)
    if terminal.tellsProgress {
      terminal.tell(text)
    } else if terminal.isAnimated {
      terminal.draw(text.line(columns: terminal.progressColumns, unicode: terminal.showsUnicode))
    } else {
      terminal.note(text.sentence)
    }
  }

  /// Nothing until enough is done to tell.
  private static func secondsLeft(
    since first: (at: ContinuousClock.Instant, done: Int)?, _ now: ContinuousClock.Instant,
    _ done: Int, _ total: Int
  ) -> Double? {
    guard let first, done > first.done else { return nil }
    let seconds = first.at.duration(to: now).inSeconds
    return seconds < 1 ? nil : seconds * Double(total - done) / Double(done - first.done)
  }

  /// Removes the bar, so that what follows starts on a clean line.
  func finish() {
    let drawn = state.withLock(\.drawn)
    if drawn, terminal.isAnimated { terminal.draw("") }
  }
}

extension DownloadControl {
  /// What `install` returns; `show` gets how far its control is, all of it before this returns.
  static func following<R>(
    _ show: @escaping @Sendable (DownloadProgress) -> Void,
    while install: (DownloadControl) async throws -> R
  ) async throws -> R {
    let control = DownloadControl()
    let progress = control.progress
    // A child of this task, so that it runs where this one does.
    async let shown: Void = { for await step in progress { show(step) } }()
    let result: Result<R, any Error>
    do { result = .success(try await install(control)) } catch { result = .failure(error) }
    control.endProgress()
    await shown
    return try result.get()
  }
}

extension ProgressLine {
  /// Runs `install`, and shows how far it is.
  func following<R>(_ install: (DownloadControl) async throws -> R) async throws -> R {
    defer { finish() }
    return try await DownloadControl.following { step in
      // Its time is that of what is done, not of how long that took to begin.
      self.state.withLock { if $0.first == nil { $0.last = self.now() } }
      self.update(done: step.received, total: step.total ?? 0)
    } while: {
      try await install($0)
    }
  }
}

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
  private let state = Mutex(State())

  init(_ terminal: Terminal) { self.terminal = terminal }

  /// Runs `install`, and shows how far the package or base called `name` is.
  func following<R>(
    _ name: String = "", _ install: (DownloadControl) async throws -> R
  ) async throws -> R {
    try await DownloadControl.following { progress in
      let file = progress.file.split(separator: "/").last.map(String.init) ?? progress.file
      self.show(name.isEmpty || name == file ? file : "\(name) \(file)", progress)
    } while: {
      try await install($0)
    }
  }

  /// Takes the lines away, so that what follows starts on a clean line.
  func finish() {
    state.withLock { state in
      guard state.drawn > 0 else { return }
      terminal.draw([], over: state.drawn)
      state = State()
    }
  }

  /// Shows how far the file called `label` is.
  func show(_ label: String, _ progress: DownloadProgress) {
    guard !terminal.quiet else { return }
    state.withLock { state in
      if state.progress[label] == nil { state.labels.append(label) }
      state.progress[label] = progress
      if terminal.tellsProgress {
        tellProgram(label, progress, &state)
      } else if terminal.isAnimated {
        draw(&state)
      } else {
        tell(label, progress, &state)
      }
    }
  }

  private func tellProgram(_ label: String, _ progress: DownloadProgress, _ state: inout State) {
    let now = ContinuousClock.now
    let isWhole = progress.received == progress.total
    if let last = state.told[label], !isWhole, last.waiting == progress.waiting,
      last.at.duration(to: now) < .milliseconds(250)
    {
      return
    }
    state.told[label] = (now, progress.waiting)
    terminal.tell(ProgressText(label, progress))
  }

  private func draw(_ state: inout State) {
    // What is complete makes room for what is not.
    let open = state.labels.filter { label in
      guard let progress = state.progress[label] else { return false }
      return progress.waiting != nil || progress.received != progress.total
    }
    let lines = open.suffix(8).compactMap { label in
      state.progress[label].map {
        ProgressText(label, $0)
          .line(columns: terminal.progressColumns, unicode: terminal.showsUnicode)
      }
    }
    terminal.draw(lines, over: state.drawn)
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
    terminal.note(
      progress.waiting.map { "\(label): \($0)" } ?? ProgressText(label, progress).sentence)
  }
}
