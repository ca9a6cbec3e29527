package import ChatTemplates
import JSON
public import Tokenization

extension ExampleRenderer {
  /// All tokens before the answer, as `run` has them; with tools or calls in an example, as training has them.
  ///
  /// - Throws: `DataSetError.rendering` when the chat format has no place for a part of the example.
  public func prompt(_ example: EvaluationExample) throws(DataSetError) -> [Token] {
    if let whole = example.whole, !example.tools.isEmpty || example.messages.useTools {
      return try asked(whole)
    }
    do throws(ChatDefect) {
      return try offering(example).prompt(example.messages(example.options).map(\.said))
    } catch {
      throw .rendering(error, line: example.line)
    }
  }

  /// The renderer of a chat in which the tools of `example` may be called, or those that its right answer calls where it has none;
  /// itself where there are neither.
  package func offering(_ example: EvaluationExample) throws(ChatDefect) -> ChatRenderer {
    var tools = example.tools.compactMap(ChatTool.init(definition:))
    if example.tools.isEmpty {
      let calls = example.whole?.messages.last?.toolCalls?.array ?? []
      tools = Set(calls.compactMap { $0.object?["name"]?.string }).sorted().map(
        ChatTool.init(called:))
    }
    return tools.isEmpty ? chat : try chat.offering(tools)
  }

  /// The example with each of its options as the answer; the options shown in their order and, where they are shown, the
  /// other way round.
  ///
  /// - Throws: `DataSetError.rendering` when the chat format has no place for a part of the example.
  package func options(
    _ example: EvaluationExample
  ) throws(DataSetError) -> [[TokenizedExample]] {
    guard !example.options.isEmpty else { return [] }
    if example.isPair, let whole = example.whole {
      let pair = try render(whole)
      return [[pair.chosen, pair.rejected].compactMap(\.self)]
    }
    let orders =
      example.showsOptions ? [example.options, example.options.reversed()] : [example.options]
    var rendered: [[TokenizedExample]] = []
    for order in orders {
      var answers: [TokenizedExample] = []
      for option in example.options {
        let said = example.messages(order) + [TrainingMessage(.assistant, option)]
        answers.append(
          try render(TrainingExample(.chat(said, tools: []), line: example.line)))
      }
      rendered.append(answers)
    }
    return rendered
  }
}
