import Adapters
import ChatTemplates

extension ExampleParser {
  /// A chat from its messages; `path` is the key of their list, `tools` what stands beside them.
  mutating func parseChat(
    _ values: [JSONValue], path: String, tools: JSONValue?
  ) -> TrainingExample.Content? {
    let count = findings.count
    var messages: [TrainingMessage] = []
    var found = tools.map { parseTools($0, at: "tools") } ?? []
    for (index, value) in values.enumerated() {
      let place = "\(path)[\(index)]"
      guard let object = value.object else {
        report(.messageShape, at: place, "The message is \(value.kind), not an object.")
        continue
      }
      if let tools = object["tools"] {
        found += parseTools(tools, at: place + ".tools", isMisplaced: index > 0)
      }
      if let message = parseMessage(object, at: place) { messages.append(message) }
    }
    // Turns cannot be judged while some of them could not be read.
    guard messages.count == values.count else { return nil }
    checkOrder(messages, path: path)
    checkContents(messages, paths: messages.indices.map { "\(path)[\($0)].content" })
    return findings[count...].contains { $0.severity == .error }
      ? nil : .chat(messages, tools: found)
  }

  private mutating func parseMessage(_ object: JSONObject, at path: String) -> TrainingMessage? {
    guard let role = parseRole(object, at: path) else { return nil }
    let known: Set = [
      "role", "content", "tools", "tool_calls", "response_format", "tool_call_id", "name",
    ]
    for key in object.keys where !known.contains(key) {
      ignore(key, .ignoredMessageKey, at: "\(path).\(key)")
    }
    let calls = object["tool_calls"].flatMap { value -> JSONValue? in
      if case .null = value { nil } else { value }
    }
    guard let content = parseContent(object["content"], role, hasCalls: calls != nil, at: path)
    else { return nil }
    var message = TrainingMessage(role, content)
    if let calls {
      guard let parsed = parseCalls(calls, role, at: path + ".tool_calls") else { return nil }
      message.toolCalls = parsed
    }
    if let format = object["response_format"] {
      message.responseFormat = parseFormat(format, role, at: path + ".response_format")
    }
    return message
  }

  private mutating func parseRole(_ object: JSONObject, at path: String) -> ChatRole? {
    guard let value = object["role"] else {
      report(
        .messageShape, at: path,
        "The message has the keys \(Self.list(object.keys)), but no 'role'.")
      return nil
    }
    guard let name = value.string else {
      report(.role, at: path + ".role", "The role is \(value.kind), not a string.")
      return nil
    }
    if name == "function" { return .tool }
    if let role = ChatRole(rawValue: name) { return role }
    report(.role, at: path + ".role", "The role '\(name.prefix(40))' is not known.")
    return nil
  }

  /// The text of a message.
  ///
  /// A tool may answer with an object, or with a list of new tools, which become text as in Apple's toolkit.
  private mutating func parseContent(
    _ value: JSONValue?, _ role: ChatRole, hasCalls: Bool, at path: String
  ) -> String? {
    switch value {
    case .string(let text): return text
    case .null where hasCalls: return ""
    case nil where hasCalls: return ""
    case .object(let object) where role == .tool: return JSONValue.object(object).line
    case .array(let tools) where role == .tool:
      return "new tools: " + tools.map(\.line).joined(separator: "\n")
    case nil: report(.messageShape, at: path, "The message has no 'content'.")
    case .some(let value):
      report(.content, at: path + ".content", "The content is \(value.kind), not a string.")
    }
    return nil
  }

  /// Reports every message that must not stand where it does.
  private mutating func checkOrder(_ messages: [TrainingMessage], path: String) {
    guard let last = messages.last else {
      return report(.missingAnswer, "The example has no messages.")
    }
    var before: ChatRole?
    for (index, message) in messages.enumerated() {
      if let problem = Self.problem(with: message.role, at: index, after: before) {
        report(.order, at: "\(path)[\(index)].role", problem)
      }
      before = message.role
    }
    if last.role != .assistant {
      report(
        .missingAnswer, at: "\(path)[\(messages.count - 1)].role",
        "The last message is one of the \(last.role.rawValue), so there is no answer to learn.")
    }
  }

  private static func problem(
    with role: ChatRole, at index: Int, after before: ChatRole?
  ) -> String? {
    switch (role, before) {
    case (.system, nil): nil
    case (.system, _): "Message \(index + 1) is of the system; only the first may be."
    case (.user, .user): "Two messages of the user follow one another."
    case (.assistant, .assistant): "Two messages of the assistant follow one another."
    case (.assistant, nil), (.assistant, .system): "The assistant speaks before the user."
    case (.tool, nil), (.tool, .system), (.tool, .user): "The result of a tool follows no answer."
    default: nil
    }
  }
}
