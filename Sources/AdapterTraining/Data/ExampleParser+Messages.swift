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
      if let tools = value.object?["tools"] {
        found += parseTools(tools, at: place + ".tools", isMisplaced: index > 0)
      }
      if let message = parseMessage(value, at: place) { messages.append(message) }
    }
    // Turns cannot be judged while some of them could not be read.
    guard messages.count == values.count else { return nil }
    checkOrder(messages, path: path)
    if messages.contains(where: { $0.role == .assistant }), messages.allSatisfy({ !$0.isLearnt }) {
      report(.missingAnswer, "Every answer has the weight 0, so there is none to learn.")
    }
    checkCalls(values, path: path, tools: found)
    checkContents(messages, paths: messages.indices.map { "\(path)[\($0)].content" })
    return findings[count...].contains { $0.severity == .error }
      ? nil : .chat(messages, tools: found)
  }

  /// A message of a chat.
  mutating func parseMessage(_ value: JSONValue, at path: String) -> TrainingMessage? {
    guard let object = value.object else {
      report(.messageShape, at: path, "The message is \(value.kind), not an object.")
      return nil
    }
    guard let role = parseRole(object, at: path) else { return nil }
    let known: Set = [
      "role", "content", "tools", "tool_calls", "response_format", "tool_call_id", "name",
    ]
    for key in object.keys where !known.contains(key) && (key != "weight" || role != .assistant) {
      ignore(key, .ignoredMessageKey, at: "\(path).\(key)")
    }
    let calls = object["tool_calls"].flatMap { value -> JSONValue? in
      if case .null = value { nil } else { value }
    }
    guard let content = parseContent(object["content"], role, hasCalls: calls != nil, at: path)
    else { return nil }
    var message = TrainingMessage(role, content)
    message.isLearnt = role == .assistant && parseWeight(object["weight"], at: path)
    if let calls {
      guard let parsed = parseCalls(calls, role, at: path + ".tool_calls") else { return nil }
      message.toolCalls = parsed
    }
    if let format = object["response_format"] {
      message.responseFormat = parseFormat(format, role, at: path + ".response_format")
    }
    return message
  }

  /// Whether an answer is to be learnt, as OpenAI's data says with 0 and 1.
  private mutating func parseWeight(_ value: JSONValue?, at path: String) -> Bool {
    guard let value, value != .null else { return true }
    if value.number != nil, let isLearnt = value.isOne { return isLearnt }
    report(.weight, at: path + ".weight", "The weight is \(value.line), neither 0 nor 1.")
    return true
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

  /// The tools that a chat may call.
  mutating func parseTools(
    _ value: JSONValue, at path: String, isMisplaced: Bool = false
  ) -> [JSONValue] {
    guard let tools = value.array, tools.allSatisfy({ $0.object != nil }) else {
      report(.tools, at: path, "The tools are \(value.kind), not a list of objects.")
      return []
    }
    if isMisplaced { report(.tools, at: path, "Tools stand on another message than the first.") }
    return tools
  }

  /// The calls of an answer as a list of objects with `name` and `arguments`.
  ///
  /// Arguments that are the text of JSON become that JSON, as in Apple's toolkit.
  mutating func parseCalls(_ value: JSONValue, _ role: ChatRole, at path: String) -> JSONValue? {
    guard role == .assistant else {
      report(.calls, at: path, "Calls stand in a message of the \(role.rawValue).")
      return nil
    }
    guard let calls = value.array, !calls.isEmpty else {
      report(
        .calls, at: path, "The calls are \(value.array == nil ? value.kind : "an empty list").")
      return nil
    }
    var parsed: [JSONValue] = []
    for (index, call) in calls.enumerated() {
      guard let function = call.object?["function"]?.object, let name = function["name"]?.string,
        let arguments = function["arguments"]
      else {
        report(.calls, at: "\(path)[\(index)]", "The call has no function with name and arguments.")
        return nil
      }
      let json = arguments.string.flatMap(Self.json) ?? arguments
      if let text = json.string, !text.isBlank {
        report(
          .calls, at: "\(path)[\(index)].function.arguments",
          "The arguments of '\(name.prefix(40))' are a text that is no JSON.")
        return nil
      }
      parsed.append(.object(["name": .string(name), "arguments": json]))
    }
    return .array(parsed)
  }

  /// Reports calls of what `tools` do not have, where there are any, and results of calls that were not made.
  private mutating func checkCalls(_ values: [JSONValue], path: String, tools: [JSONValue]) {
    let names = Set(tools.compactMap { $0.object?.toolFunction["name"]?.string })
    var made: Set<String> = []
    for (index, message) in values.enumerated() {
      for call in message.object?["tool_calls"]?.array ?? [] {
        if let id = call.object?["id"]?.string { made.insert(id) }
        guard let name = call.object?["function"]?.object?["name"]?.string, !names.isEmpty,
          !names.contains(name)
        else { continue }
        report(
          .strayCall, at: "\(path)[\(index)].tool_calls",
          "The call is of '\(name.prefix(40))', which is not among the tools.")
      }
      if let id = message.object?["tool_call_id"]?.string, !made.contains(id) {
        report(
          .strayCall, at: "\(path)[\(index)].tool_call_id",
          "The result is of the call '\(id.prefix(40))', which no message before it makes.")
      }
    }
  }

  /// The JSON that `text` is; nil when it is none.
  static func json(in text: String) -> JSONValue? {
    try? JSONDocument(parsing: Array(text.utf8), limit: .max).root
  }

  /// The schema that an answer has to follow.
  mutating func parseFormat(
    _ value: JSONValue, _ role: ChatRole, at path: String
  ) -> ResponseFormat? {
    if case .null = value { return nil }
    guard role == .user else {
      report(.responseFormat, at: path, "The format stands on a message of the \(role.rawValue).")
      return nil
    }
    guard value.object?["type"]?.string == "json_schema",
      let described = value.object?["json_schema"]?.object,
      let schema = described["schema"], schema.object != nil
    else {
      report(.responseFormat, at: path, "The format is not of type json_schema with a schema.")
      return nil
    }
    return ResponseFormat(
      name: described["name"]?.string, description: described["description"]?.string,
      schema: schema)
  }
}
