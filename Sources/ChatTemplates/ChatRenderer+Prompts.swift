import JSON
public import Tokenization

extension ChatMessage {
  /// The message as templates take it.
  func json(argumentsAreText: Bool) -> JSONValue {
    var object: JSONObject = ["role": .string(role.rawValue), "content": .string(content)]
    if let thoughts { object["reasoning_content"] = .string(thoughts) }
    if !toolCalls.isEmpty {
      object["tool_calls"] = .array(
        toolCalls.map { $0.json(argumentsAreText: argumentsAreText) })
    }
    if let call = answeredCall {
      if !call.name.isEmpty { object["name"] = .string(call.name) }
      if !call.id.isEmpty { object["tool_call_id"] = .string(call.id) }
    }
    return .object(object)
  }
}

extension ChatRenderer {
  /// The tokens of a whole chat, up to where the answer starts.
  ///
  /// Without instructions, the default ones of the style come first.
  ///
  /// - Throws: `ChatDefect` when roles come in an order that no model was trained on, or the template refuses them.
  public func prompt(_ messages: [ChatMessage]) throws(ChatDefect) -> [Token] {
    tokens(of: try checkedText(messages))
  }

  /// The tokens of a whole chat whose turns may follow each other in any order, up to where the answer starts.
  ///
  /// A transcript that its owner has shortened is such a chat. As ``prompt(_:)`` otherwise.
  ///
  /// - Throws: `ChatDefect` when there is nothing to answer, or the template refuses the turns.
  package func prompt(shortened messages: [ChatMessage]) throws(ChatDefect) -> [Token] {
    tokens(of: try shortenedText(messages))
  }

  /// The text of a whole chat, up to where the answer starts, with marks by their names.
  ///
  /// - Throws: `ChatDefect` when roles come in an order that no model was trained on, or the template refuses them.
  public func text(_ messages: [ChatMessage]) throws(ChatDefect) -> String {
    try checkedText(messages).string
  }

  private func checkedText(_ messages: [ChatMessage]) throws(ChatDefect) -> SourcedText {
    // As they were given: places in errors are theirs.
    try check(messages, after: nil)
    return try text(instructed(messages), isPrompt: true)
  }

  func shortenedText(_ messages: [ChatMessage]) throws(ChatDefect) -> SourcedText {
    guard let last = messages.last else { throw .noMessages }
    guard last.role == .user || last.role == .tool else { throw .nothingToAnswer }
    try checkTools(messages)
    return try text(instructed(messages), isPrompt: true)
  }

  /// What the template makes of messages, whatever their order.
  func text(_ messages: [ChatMessage], isPrompt: Bool) throws(ChatDefect) -> SourcedText {
    var settings = ChatSettings()
    settings.hasGenerationPrompt = isPrompt
    settings.thinking = thinking
    settings.tools = tellsToolsItself ? [] : tools.filter(\.isTold).map(\.definition)
    return try written(messages, settings).text
  }

  /// What the template makes of messages, and how they were handed to it.
  ///
  /// Calls have the identities that they came with and their arguments as objects; a template that refuses that gets
  /// identities that all take, then arguments as a text, too.
  func written(
    _ messages: [ChatMessage], _ settings: ChatSettings
  ) throws(ChatDefect) -> (text: SourcedText, objects: [JSONValue]) {
    let given = messages.map(json)
    do throws(ChatDefect) { return (try sourced(given, settings), given) } catch {
      guard messages.contains(where: { !$0.toolCalls.isEmpty || $0.role == .tool }) else {
        throw error
      }
    }
    let short = ChatToolCall.shorteningIDs(of: messages)
    let objects = short.map(json)
    do throws(ChatDefect) { return (try sourced(objects, settings), objects) } catch {
      let texts = short.map { $0.json(argumentsAreText: true) }
      guard toolCalls == nil, let text = try? sourced(texts, settings) else { throw error }
      return (text, texts)
    }
  }

  /// The messages with the default instructions of the style, where they have none, and with tools that the template has no
  /// place for.
  func instructed(_ messages: [ChatMessage]) -> [ChatMessage] {
    guard let instructions = style.defaultInstructions, let first = messages.first,
      first.role != .system
    else { return toldTools(messages) }
    return toldTools([ChatMessage(role: .system, content: instructions)] + messages)
  }

  func check(
    _ messages: [ChatMessage], after role: ChatRole?
  ) throws(ChatDefect) {
    try checkOrder(messages, after: role)
    guard messages.last?.role != .assistant, messages.last?.role != .system else {
      throw .nothingToAnswer
    }
  }

  /// Checks that every message may follow the one before it, whoever has the last word.
  func checkOrder(
    _ messages: [ChatMessage], after role: ChatRole?
  ) throws(ChatDefect) {
    guard !messages.isEmpty else { throw .noMessages }
    var before = role
    for (index, message) in messages.enumerated() {
      switch (message.role, before) {
      case (.system, nil) where index == 0: break
      case (.system, _): throw .misplacedSystem(index: index)
      case (.user, nil), (.user, .system), (.user, .assistant), (.user, .tool): break
      case (.assistant, .user), (.assistant, .tool): break
      case (.tool, .assistant), (.tool, .tool): break
      default: throw .wrongOrder(index: index, role: message.role, after: before)
      }
      before = message.role
    }
    try checkTools(messages)
  }

  private func checkTools(_ messages: [ChatMessage]) throws(ChatDefect) {
    guard !tellsToolsItself, let format = style.format,
      [.llama2, .gemma, .phi3].contains(format)
    else { return }
    if messages.contains(where: { $0.role == .tool }) { throw .unsupportedRole(format, .tool) }
  }
}
