import Adapters
import ChatTemplates

/// Whether the calls of a file are learnt in a form in which they are read when the adapter runs, as far as the first call of it tells.
struct CallForms {
  private let renderer: ExampleRenderer?
  private var isKnown = false

  /// Of calls as `renderer` has them; nothing is known without one.
  init(_ renderer: ExampleRenderer?) { self.renderer = renderer }

  /// The finding on the first chat with calls, where the template of the base has a form of its own for them.
  mutating func findings(_ example: TrainingExample, in path: String) -> [Finding] {
    guard let renderer, !isKnown, example.messages.contains(where: { $0.toolCalls != nil })
    else { return [] }
    isKnown = true
    guard renderer.chat.tellsToolsOtherwise else { return [] }
    return [
      Finding(
        .callForm, at: .init(path, line: example.line, offset: example.offset),
        "Calls are learnt in the form of the base's template, here and on other lines, which sessions do not read: they tell of tools in the instructions, and read calls as JSON."
      )
    ]
  }
}
