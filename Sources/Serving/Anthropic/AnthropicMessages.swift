import ChatTemplates
import JSON

/// The messages of a request of Anthropic's interface as those of a chat.
struct AnthropicMessages {
  private(set) var messages: [ChatMessage] = []
  /// Calls that have come, by their identity.
  private var calls: [String: ChatToolCall] = [:]
  private var instructions: [String] = []

  /// - Throws: `.invalidRequest` for the first field that is wrong, or asks for what is not done here.
  init(_ fields: RequestReader) throws(ServingError) {
    if let text = try Self.text(fields, "system") { instructions.append(text) }
    let given = try fields.required("messages", fields.objects("messages"))
    guard !given.isEmpty else {
      throw .invalid("messages", "there has to be at least one message.")
    }
    for message in given {
      switch try message.required("role", message.word("role", ["user", "assistant", "system"])) {
      case "user": try ask(message)
      case "assistant": try answer(message)
      default:
        instructions.append(try message.required("content", Self.text(message, "content")))
      }
    }
    guard messages.canBeAnswered else {
      throw .invalid(
        "messages",
        "the last message has to be the user's: no answer is continued that has begun.")
    }
    messages = messages.behind(instructions)
  }

  /// What the user says, and results of tools, in the order of the blocks.
  private mutating func ask(_ message: RequestReader) throws(ServingError) {
    for block in try Self.blocks(message) {
      switch try block.required("type", block.string("type")) {
      case "text":
        var said = goOn(.user)
        Self.add(try block.required("text", block.string("text")), to: &said.content)
        messages.append(said)
      case "tool_result": messages.append(try result(block))
      case "mid_conv_system":
        instructions.append(try block.required("content", Self.text(block, "content")))
      default: throw Self.unsupported(block)
      }
    }
  }

  private mutating func answer(_ message: RequestReader) throws(ServingError) {
    var said = goOn(.assistant)
    for block in try Self.blocks(message) {
      switch try block.required("type", block.string("type")) {
      case "text": Self.add(try block.required("text", block.string("text")), to: &said.content)
      case "thinking":
        let thought = try block.required("thinking", block.string("thinking"))
        var thoughts = said.thoughts ?? ""
        Self.add(thought, to: &thoughts)
        said.thoughts = thoughts
      case "tool_use":
        let call = ChatToolCall(
          id: try block.required("id", block.string("id")),
          name: try block.required("name", block.string("name")),
          arguments: .object(try block.required("input", block.object("input")).object))
        said.toolCalls.append(call)
        calls[call.id] = call
      default: throw Self.unsupported(block)
      }
    }
    messages.append(said)
  }

  /// The last message, to be gone on with, where it is of the same role: the interface makes one turn of them.
  private mutating func goOn(_ role: ChatRole) -> ChatMessage {
    guard let last = messages.last, last.role == role else {
      return ChatMessage(role: role, content: "")
    }
    messages.removeLast()
    return last
  }

  private func result(_ block: RequestReader) throws(ServingError) -> ChatMessage {
    let id = try block.required("tool_use_id", block.string("tool_use_id"))
    guard let call = calls[id] else {
      throw .invalid(block.place("tool_use_id"), "no tool_use before has this id.")
    }
    let text = try Self.text(block, "content") ?? ""
    // Templates have no place that tells of failure.
    let hasFailed = try block.bool("is_error") ?? false
    return ChatMessage(resultOf: call, content: hasFailed ? "Error: \(text)" : text)
  }

  private static func add(_ text: String, to content: inout String) {
    content += content.isEmpty ? text : "\n\(text)"
  }

  /// The blocks of a field; a text is one.
  private static func blocks(
    _ fields: RequestReader, _ key: String = "content"
  ) throws(ServingError) -> [RequestReader] {
    fields.describe(key, .schema("string"), .schema("array"))
    let content = try fields.required(key, fields[key])
    if let text = content.string {
      let block: JSONObject = ["type": .string("text"), "text": .string(text)]
      return [RequestReader(block, fields.place(key))]
    }
    guard content.array != nil else {
      throw .invalid(fields.place(key), "this has to be a string, or an array of blocks.")
    }
    return try fields.objects(key) ?? []
  }

  /// A text, which may come in blocks, of which no other kinds may be; nil where it is left out.
  private static func text(_ fields: RequestReader, _ key: String) throws(ServingError) -> String? {
    guard fields[key] != nil else { return nil }
    var text = ""
    for block in try blocks(fields, key) {
      let type = try block.required("type", block.string("type"))
      guard type == "text" else { throw unsupported(block) }
      add(try block.required("text", block.string("text")), to: &text)
    }
    return text
  }

  private static func unsupported(_ block: RequestReader) -> ServingError {
    let type = block["type"]?.string ?? ""
    return .invalid(
      block.place("type"), "blocks of the type '\(type.prefix(64))' are not supported here.")
  }
}
