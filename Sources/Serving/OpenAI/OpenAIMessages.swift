import ChatTemplates
import JSON

/// The messages of a request for chat completions as those of a chat.
struct OpenAIMessages {
  private(set) var messages: [ChatMessage] = []
  /// Calls that have no result yet, to name the tool of one that comes.
  private var calls: [String: ChatToolCall] = [:]

  /// - Throws: `.invalidRequest` for the first field that is wrong.
  init(_ fields: RequestReader) throws(ServingError) {
    let given = try fields.required("messages", fields.objects("messages"))
    guard !given.isEmpty else {
      throw .invalid("messages", "there has to be at least one message.")
    }
    var instructions: [String] = []
    for message in given {
      let roles = ["system", "developer", "user", "assistant", "tool"]
      switch try message.required("role", message.word("role", roles)) {
      case "system", "developer": instructions.append(try Self.text(message, isNeeded: true))
      case "user":
        messages.append(ChatMessage(role: .user, content: try Self.text(message, isNeeded: true)))
      case "assistant": messages.append(try answer(message))
      default: messages.append(try result(message))
      }
    }
    guard messages.last.map({ $0.role != .assistant }) ?? false else {
      throw .invalid(
        "messages", "the last message has to be the user's, or the result of a tool.")
    }
    // Templates have one place for instructions, in front.
    if !instructions.isEmpty {
      messages.insert(
        ChatMessage(role: .system, content: instructions.joined(separator: "\n\n")), at: 0)
    }
  }

  private mutating func answer(_ message: RequestReader) throws(ServingError) -> ChatMessage {
    var said = ChatMessage(role: .assistant, content: try Self.text(message, isNeeded: false))
    said.thoughts = try message.string("reasoning_content")
    if said.thoughts == nil { said.thoughts = try message.string("reasoning") }
    for call in try message.objects("tool_calls") ?? [] {
      let function = try call.required("function", call.object("function"))
      let parsed = ChatToolCall(
        id: try call.string("id") ?? "",
        name: try function.required("name", function.string("name")),
        arguments: try Self.arguments(function))
      said.toolCalls.append(parsed)
      if !parsed.id.isEmpty { calls[parsed.id] = parsed }
    }
    return said
  }

  /// A text of JSON, as OpenAI has it, or an object, as others do.
  private static func arguments(_ function: RequestReader) throws(ServingError) -> JSONValue {
    guard let value = function["arguments"] else { return .object([:]) }
    guard let text = value.string else { return value }
    guard !text.isEmpty else { return .object([:]) }
    do throws(JSONError) {
      return try JSONDocument(parsing: Array(text.utf8)).root
    } catch {
      throw .invalid(function.place("arguments"), "this is a text, but not of JSON: \(error).")
    }
  }

  private func result(_ message: RequestReader) throws(ServingError) -> ChatMessage {
    let id = try message.required("tool_call_id", message.string("tool_call_id"))
    let name = try message.string("name") ?? ""
    return ChatMessage(
      resultOf: calls[id] ?? ChatToolCall(id: id, name: name, arguments: .null),
      content: try Self.text(message, isNeeded: true))
  }

  /// The text of a message, which may come in parts.
  private static func text(
    _ message: RequestReader, isNeeded: Bool
  ) throws(ServingError) -> String {
    guard let value = message["content"] else {
      if isNeeded { throw .invalid(message.place("content"), "this is missing.") }
      return ""
    }
    if let text = value.string { return text }
    guard value.array != nil else {
      throw .invalid(message.place("content"), "this has to be a text, or an array of parts.")
    }
    var texts: [String] = []
    for part in try message.objects("content") ?? [] {
      let type = try part.required("type", part.string("type"))
      switch type {
      case "text": texts.append(try part.required("text", part.string("text")))
      case "refusal": texts.append(try part.required("refusal", part.string("refusal")))
      default:
        throw .invalid(
          part.place("type"), "parts of the type '\(type.prefix(64))' are not supported, only text."
        )
      }
    }
    return texts.joined(separator: "\n")
  }
}
