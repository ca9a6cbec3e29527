import JSON

// What a chat with tools is for a template that knows of none: definitions stand in the instructions, calls are answers, and results
// messages of the user.
extension ChatRenderer {
  /// Whether messages stand for what the template has no place for.
  var tellsToolsItself: Bool { toolCalls?.isInAnswers ?? false }

  /// Whether the template has no place for definitions of tools.
  var knowsNoTools: Bool { !style.takesTools }

  /// Whether an assistant that may call tools is told of them otherwise than the template would: it writes calls in a form that
  /// nothing here reads.
  package var tellsToolsOtherwise: Bool { !knowsNoTools && ToolCallFormat(of: self) == nil }

  /// `messages` with the tools in the instructions.
  func toldTools(_ messages: [ChatMessage]) -> [ChatMessage] {
    let told = tools.filter(\.isTold)
    guard tellsToolsItself, !told.isEmpty else { return messages }
    let text = Self.text(of: told)
    guard var first = messages.first, let content = joined(text, first.role, first.content) else {
      return [ChatMessage(role: .system, content: text)] + messages
    }
    first.content = content
    return [first] + messages.dropFirst()
  }

  /// The same of messages as templates take them.
  ///
  /// - Throws: `ChatDefect.unusableToolName`, also for a definition without a name, and `.duplicateTool`.
  func toldTools(
    _ messages: [JSONValue], _ definitions: [JSONValue]
  ) throws(ChatDefect) -> [JSONValue] {
    let messages = messages.map(Self.told)
    guard !definitions.isEmpty else { return messages }
    let text = Self.text(of: try offering(definitions: definitions).tools)
    guard var first = messages.first?.object, let said = first["content"]?.string,
      let role = first["role"]?.string.flatMap(ChatRole.init),
      let content = joined(text, role, said)
    else {
      let instructions = ChatMessage(role: .system, content: text)
      return [instructions.json(argumentsAreText: false)] + messages
    }
    first["content"] = .string(content)
    return [.object(first)] + messages.dropFirst()
  }

  /// A chat with `tools` as a template that knows of none is given it; nil where nothing of it is about tools, or where the
  /// template knows them.
  ///
  /// A result becomes a message of the user, which another one may follow; the roles of `messages` are what has an order.
  ///
  /// - Throws: What ``toldTools(_:_:)`` does; `ChatDefect.severalCalls`, and those of an order that no model was trained on.
  func told(_ messages: [ChatMessage], _ tools: [JSONValue]) throws(ChatDefect) -> [ChatMessage]? {
    let isAboutTools =
      !tools.isEmpty || messages.contains { $0.role == .tool || !$0.toolCalls.isEmpty }
    guard isAboutTools, knowsNoTools else { return nil }
    let offering = try offering(definitions: tools)
    try offering.checkOrder(messages, after: nil)
    if let index = messages.firstIndex(where: { $0.toolCalls.count > 1 }) {
      throw .severalCalls(index: index)
    }
    return offering.instructed(messages).map(Self.told)
  }

  /// The renderer of chats in which what `definitions` define may be called.
  private func offering(definitions: [JSONValue]) throws(ChatDefect) -> ChatRenderer {
    var tools: [ChatTool] = []
    for definition in definitions {
      guard let tool = ChatTool(definition: definition) else { throw .unusableToolName("") }
      tools.append(tool)
    }
    return try offering(tools)
  }

  /// A message as the template takes it.
  func json(of message: ChatMessage) -> JSONValue {
    guard tellsToolsItself else {
      return message.json(argumentsAreText: toolCalls?.argumentsAreText ?? false)
    }
    return Self.told(message.json(argumentsAreText: false))
  }

  /// The text that tells an assistant of `tools`, in the words of the guide for Gemma.
  private static func text(of tools: [ChatTool]) -> String {
    let definitions = tools.map { $0.definition.object?["function"]?.line ?? "" }
    return """
      You have access to functions. If you decide to invoke any of the functions, you MUST put it in the format of
      {"name": function name, "parameters": dictionary of argument name and its value}

      You SHOULD NOT include any other text in the response if you call a function.
      \(definitions.joined(separator: "\n"))
      """
  }

  /// What the first message says with `text`; nil where that becomes a message of its own before it.
  private func joined(_ text: String, _ role: ChatRole, _ content: String) -> String? {
    if role != .system, takesInstructions { return nil }
    let parts = role == .system ? [content, text] : [text, content]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  /// Whether the template has a place for instructions; some refuse them.
  private var takesInstructions: Bool {
    let chat = [ChatRole.system, .user].map { role in
      ChatMessage(role: role, content: "-").json(argumentsAreText: false)
    }
    return (try? sourced(chat, ChatSettings())) != nil
  }

  private static func told(_ message: ChatMessage) -> ChatMessage {
    guard message.role == .tool || !message.toolCalls.isEmpty,
      let object = told(message.json(argumentsAreText: false)).object
    else { return message }
    var said = ChatMessage(
      role: message.role == .tool ? .user : message.role,
      content: object["content"]?.string ?? message.content)
    said.thoughts = message.thoughts
    return said
  }

  /// A message without what the template has no place for: a call is all of an answer, and a result is said by the user.
  ///
  /// What an answer says besides is left out, as a call is read only where an answer begins with it.
  private static func told(_ message: JSONValue) -> JSONValue {
    guard let object = message.object else { return message }
    if object["role"]?.string == ChatRole.tool.rawValue {
      let content = object["content"]?.string ?? ""
      return ChatMessage(role: .user, content: content).json(argumentsAreText: false)
    }
    guard let calls = object["tool_calls"]?.array, !calls.isEmpty else { return message }
    var said = object
    said["tool_calls"] = nil
    said["content"] = .string(calls.map(text(ofCall:)).joined(separator: "\n"))
    return .object(said)
  }

  /// A call as an answer.
  private static func text(ofCall call: JSONValue) -> String {
    let function = call.object?.toolFunction ?? [:]
    return JSONValue.object([
      "name": function["name"] ?? .string(""),
      "parameters": function.callArguments ?? .object([:]),
    ]).line
  }
}
