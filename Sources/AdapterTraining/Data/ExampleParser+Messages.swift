import Adapters
import ChatTemplates
import JSON

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
      report(.notToLearn, "No answer is to be learnt, as each has the weight 0 or another mark.")
    }
    let paths = messages.indices.map { "\(path)[\($0)]" }
    checkCalls(values, paths: paths, tools: found)
    checkContents(messages, paths: paths.map { $0 + ".content" })
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
    let thoughts = role == .assistant ? Self.thoughts(of: object) : nil
    for member in object.members where !known.contains(member.key) {
      let isMark = LearningMark.keys.contains(member.key)
      // What others say is never learnt.
      if isMark, role == .assistant || LearningMark.isLearnt(member) == false { continue }
      if thoughts != nil, ChatMessage.thoughtKeys.contains(member.key) { continue }
      ignore(member.key, .ignoredMessageKey, at: "\(path).\(member.key)")
    }
    let calls = object["tool_calls"]
    guard let content = parseContent(object["content"], role, hasCalls: calls != nil, at: path)
    else { return nil }
    var message = TrainingMessage(role, content)
    message.thoughts = thoughts
    message.answeredCall = role == .tool ? Self.answeredCall(of: object) : nil
    message.isLearnt = role == .assistant && parseMarks(object, at: path)
    if let calls {
      guard let parsed = parseCalls(calls, role, at: path + ".tool_calls") else { return nil }
      message.toolCalls = parsed
      message.callIDs = (calls.array ?? []).map { $0.object?["id"]?.string ?? "" }
    }
    if let format = object["response_format"] {
      message.responseFormat = parseFormat(format, role, at: path + ".response_format")
    }
    return message
  }

  /// What an answer thinks, by the first of the names for it that has a text.
  private static func thoughts(of object: JSONObject) -> String? {
    ChatMessage.thoughtKeys.lazy.compactMap { object[$0]?.string }.first { !$0.isBlank }
  }

  /// What the result of a tool says of the call that it belongs to.
  private static func answeredCall(of object: JSONObject) -> ChatToolCall? {
    let (id, name) = (object["tool_call_id"]?.string, object["name"]?.string)
    return id == nil && name == nil
      ? nil : ChatToolCall(id: id ?? "", name: name ?? "", arguments: .null)
  }

  /// Whether an answer is to be learnt.
  private mutating func parseMarks(_ object: JSONObject, at path: String) -> Bool {
    for mark in object.members
    where LearningMark.keys.contains(mark.key) && LearningMark.isLearnt(mark) == nil {
      report(.weight, at: "\(path).\(mark.key)", LearningMark.defect(of: mark))
    }
    return LearningMark.denial(in: object) == nil
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
    checkNumbers(value, at: path)
    return tools.map(\.toolOfTemplates)
  }

  /// The calls of an answer as a list of objects with `name` and `arguments`.
  ///
  /// Arguments that are the text of JSON become that JSON, as in Apple's toolkit.
  mutating func parseCalls(_ value: JSONValue, _ role: ChatRole, at path: String) -> JSONValue? {
    guard role == .assistant else {
      report(.calls, at: path, "Calls stand in a message of the \(role.rawValue).")
      return nil
    }
    guard let calls = value.array else {
      report(.calls, at: path, "The calls are \(value.kind), not a list.")
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
      checkNumbers(json, at: "\(path)[\(index)].function.arguments")
      parsed.append(.object(["name": .string(name), "arguments": json]))
    }
    return .array(parsed)
  }

  /// Reports a number that templates cannot write, as they know doubles alone.
  private mutating func checkNumbers(_ value: JSONValue, at path: String) {
    guard let number = value.hugeNumber else { return }
    report(
      .hugeNumber, at: path,
      "The number \(number.text.prefix(40)) is too large: templates write numbers as doubles.")
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

extension JSONValue {
  /// The first number with a fraction or an exponent that is beyond the doubles; nil where there is none.
  fileprivate var hugeNumber: JSONNumber? {
    switch self {
    case .number(let number): number.isInteger || number.double.isFinite ? nil : number
    case .array(let values): values.lazy.compactMap(\.hugeNumber).first
    case .object(let object): object.members.lazy.compactMap(\.value.hugeNumber).first
    case .null, .bool, .string: nil
    }
  }
}
