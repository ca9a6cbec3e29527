import LanguageModels
import SystemFiles

/// Tells on standard error how much of a prompt is read, once that takes two seconds.
final class PromptReading {
  private let session: ModelSession
  private let progress: ProgressLine
  /// Tokens that the session had before, and those of the whole prompt.
  private let (held, count): (Int, Int)
  private var isOver = false

  init(_ generator: TokenGenerator, prompt: Int, _ progress: ProgressLine) {
    (session, self.progress) = (generator.session, progress)
    (held, count) = (session.tokens.count, prompt)
  }

  convenience init(_ generator: TokenGenerator, prompt: Int, _ terminal: Terminal) {
    let progress = ProgressLine("prompt", terminal, patience: .seconds(2))
    self.init(generator, prompt: prompt, progress)
  }

  /// Tells it while the session reads.
  func update() {
    guard !isOver else { return }
    let read = session.tokens.count
    progress.update(
      done: read - held, total: count - held,
      "\(Figures.grouped(read)) of \(Figures.count(count, "token"))")
  }

  /// Clears the line for what follows: the prompt is read, or will not be.
  func finish() {
    if !isOver { progress.finish() }
    isOver = true
  }
}
