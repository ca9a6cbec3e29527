import FoundationModels

extension Error {
  /// The name of the case of an error that is an enumeration.
  package var caseName: String {
    Mirror(reflecting: self).children.first?.label ?? String("\(self)".prefix { $0 != "(" })
  }
}

extension Transcript.Entry {
  /// The entry, if it is a prompt.
  package var asPrompt: Transcript.Prompt? {
    if case .prompt(let entry) = self { entry } else { nil }
  }

  /// The entry, if it is a response.
  package var asResponse: Transcript.Response? {
    if case .response(let entry) = self { entry } else { nil }
  }

  /// The entry, if it is calls of tools.
  package var asToolCalls: Transcript.ToolCalls? {
    if case .toolCalls(let entry) = self { entry } else { nil }
  }

  /// The entry, if it is what a tool put out.
  package var asToolOutput: Transcript.ToolOutput? {
    if case .toolOutput(let entry) = self { entry } else { nil }
  }

  /// The entry, if it is reasoning.
  package var asReasoning: Transcript.Reasoning? {
    if case .reasoning(let entry) = self { entry } else { nil }
  }
}
