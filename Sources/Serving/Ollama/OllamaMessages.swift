import ChatTemplates
import JSON

/// The messages of a request of Ollama's interface as those of a chat.
struct OllamaMessages {
  private(set) var messages: [ChatMessage] = []
  /// Calls that have no result yet, in order.
  private var calls: [ChatToolCall] = []
  private var callCount = 0

  /// The question of a prompt that is no chat.
  init(asking text: String, system: String) {
    if !system.isEmpty { messages.append(ChatMessage(role: .system, content: system)) }
    messages.append(ChatMessage(role: .user, content: text))
  }

  /// None where the request has none.
  ///
  /// - Throws: `.invalidRequest` for the first field that is wrong, or asks for what is not done here.
  init(_ fields: RequestReader) throws(ServingError) {
    let given = try fields.objects("messages") ?? []
    var instructions: [String] = []
    for message in given {
      try message.refuse(["images"])
      let content = try message.string("content") ?? ""
      let roles = ["system", "user", "assistant", "tool"]
      switch try message.required("role", message.word("role", roles)) {
      case "system": instructions.append(content)
      case "user": messages.append(ChatMessage(role: .user, content: content))
      case "assistant": messages.append(try answer(message, content))
      default: messages.append(try result(message, content))
      }
    }
    guard given.isEmpty || messages.canBeAnswered else {
      throw .invalid(
        "messages", "the last message has to be the user's, or the result of a tool.")
    }
    messages = messages.behind(instructions)
  }

  private mutating func answer(
    _ message: RequestReader, _ content: String
  ) throws(ServingError) -> ChatMessage {
    var said = ChatMessage(role: .assistant, content: content)
    said.thoughts = try message.string("thinking")
    for call in try message.objects("tool_calls") ?? [] {
      let function = try call.required("function", call.object("function"))
      callCount += 1
      said.toolCalls.append(
        ChatToolCall(
          id: try call.string("id") ?? "call \(callCount)",
          name: try function.required("name", function.string("name")),
          arguments: .object(try function.object("arguments")?.object ?? [:])))
    }
    calls = said.toolCalls
    return said
  }

  /// Belongs to the call of its identity, else to the first one of its tool, else to the first one.
  private mutating func result(
    _ message: RequestReader, _ content: String
  ) throws(ServingError) -> ChatMessage {
    let id = try message.string("tool_call_id")
    let older = try message.string("name")
    let name = try message.string("tool_name") ?? older
    let index = calls.firstIndex { call in
      if let id { call.id == id } else { name == nil || call.name == name }
    }
    let call = index.map { calls.remove(at: $0) }
    return ChatMessage(
      resultOf: call ?? ChatToolCall(id: id ?? "", name: name ?? "", arguments: .null),
      content: content)
  }
}
