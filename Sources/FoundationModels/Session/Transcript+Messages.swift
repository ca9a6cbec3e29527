import ChatTemplates

extension Prompt {
  /// The prompt as a turn of a chat.
  var message: ChatMessage { ChatMessage(role: .user, content: text) }
}

extension Instructions {
  /// The instructions as a turn of a chat.
  var message: ChatMessage { ChatMessage(role: .system, content: text) }
}

extension Transcript.ToolCall {
  /// The call as a model would write it: JSON with the tool's name and its arguments.
  fileprivate var text: String {
    GeneratedContent(properties: ["name": toolName, "arguments": arguments]).jsonString
  }
}

extension Transcript.Entry {
  /// The entry as a turn of a chat.
  var message: ChatMessage {
    switch self {
    case .instructions(let entry): ChatMessage(role: .system, content: entry.segments.text)
    case .prompt(let entry): ChatMessage(role: .user, content: entry.segments.text)
    case .toolCalls(let entry):
      ChatMessage(role: .assistant, content: entry.map(\.text).joined(separator: "\n"))
    case .toolOutput(let entry): ChatMessage(role: .tool, content: entry.segments.text)
    case .response(let entry): ChatMessage(role: .assistant, content: entry.segments.text)
    }
  }
}
