import ChatTemplates
import JSON

/// The messages of a request for chat completions as those of a chat.
struct OpenAIMessages {
  let messages: [ChatMessage]

  /// - Throws: `.invalidRequest` for the first field that is wrong.
  init(_ fields: RequestReader) throws(ServingError) {
    let given = try fields.required("messages", fields.objects("messages"))
    var chat = OpenAIChat()
    for message in given {
      let roles = ["system", "developer", "user", "assistant", "tool"]
      switch try message.required("role", message.word("role", roles)) {
      case "system", "developer": chat.instruct(try Self.content(message))
      case "user": chat.append(ChatMessage(role: .user, content: try Self.content(message)))
      case "assistant": chat.append(try Self.answer(message))
      default:
        let id = try message.required("tool_call_id", message.string("tool_call_id"))
        let tool = try message.string("name") ?? ""
        chat.append(try Self.content(message), resultOf: id, tool: tool)
      }
    }
    messages = try chat.whole("messages")
  }

  private static func answer(_ message: RequestReader) throws(ServingError) -> ChatMessage {
    let content = try message.text("content", parts: parts) ?? ""
    var said = ChatMessage(role: .assistant, content: content)
    said.thoughts = try message.string("reasoning_content")
    if said.thoughts == nil { said.thoughts = try message.string("reasoning") }
    for call in try message.objects("tool_calls") ?? [] {
      let function = try call.required("function", call.object("function"))
      said.toolCalls.append(
        ChatToolCall(
          id: try call.string("id") ?? "",
          name: try function.required("name", function.string("name")),
          arguments: try function.arguments()))
    }
    return said
  }

  private static let parts = ["text": "text", "refusal": "refusal"]

  private static func content(_ message: RequestReader) throws(ServingError) -> String {
    try message.required("content", message.text("content", parts: parts))
  }
}
