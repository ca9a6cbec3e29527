import Adapters
import ChatTemplates
import JSON

/// Whether the answers of a file are learnt with what ends them, as far as the first chat of it tells: all have the same template.
struct AnswerEnds {
  private let renderer: ExampleRenderer?
  private var isKnown = false

  /// Of answers as `renderer` has them; nothing is known without one.
  init(_ renderer: ExampleRenderer?) { self.renderer = renderer }

  /// The finding on the first chat, where its last answer ends without an end token.
  mutating func findings(_ example: TrainingExample, in path: String) -> [Finding] {
    guard let renderer, !isKnown, !example.messages.isEmpty,
      let rendered = try? renderer.render(example), let answer = rendered.trained.last,
      let last = rendered.tokens[answer].last
    else { return [] }
    isKnown = true
    guard !renderer.chat.stopTokens.contains(last) else { return [] }
    return [
      Finding(
        .unlearntEnd, at: .init(path, line: example.line, offset: example.offset),
        "The end of answers is not learnt, here and on other lines, as the base's template writes no end token of the base behind them: the model may not stop."
      )
    ]
  }
}
