package import JSON

extension RecordForm {
  /// The line that a record becomes.
  func line(of record: JSONObject) throws(RecordReader.Problem) -> JSONValue {
    let record = PaddedNulls.removed(from: .object(record)).object ?? record
    return switch kind {
    case .pairs(let prompt, let chosen, let rejected):
      .object(try pair(record, prompt: prompt, chosen: chosen, rejected: rejected))
    case .messages(let list): .object(try chat(record, list))
    case .conversations(let list): try tooled(try conversation(record, list), record)
    case .members(let prompt, let more, let answer):
      try tooled(try answered(record, prompt: prompt, more: more, answer: answer), record)
    case .text(let key): .object(["text": .string(try Self.text(record, key) ?? "")])
    }
  }

  private func answered(
    _ record: JSONObject, prompt: String, more: String?, answer: String
  ) throws(RecordReader.Problem) -> [JSONValue] {
    let said = try Self.turns(record, answer, from: "assistant")
    var asked = try Self.turns(record, prompt, from: "user")
    if record[prompt]?.array == nil {
      let rest = try more.flatMap { (key) throws(RecordReader.Problem) in
        try Self.text(record, key)
      }
      let texts = [asked.first?.object?["content"]?.string, rest].compactMap(\.self)
      asked = [.message("user", texts.filter { !$0.isBlank }.joined(separator: "\n\n"))]
    }
    return try opened(try history(record) + asked, record) + said
  }

  private func conversation(
    _ record: JSONObject, _ key: String
  ) throws(RecordReader.Problem) -> [JSONValue] {
    guard let turns = record[key]?.list else {
      throw RecordReader.Problem(
        rule: .record, text: "The conversations are \(record[key]?.kind ?? "not there").")
    }
    return try opened(try Self.messages(turns), record)
  }

  /// A record that is a line already, but for texts of JSON and instructions beside its messages.
  private func chat(
    _ record: JSONObject, _ key: String
  ) throws(RecordReader.Problem) -> JSONObject {
    var object = record
    var definitions = try tools(of: record)
    if let found = record[key]?.list {
      var list: [JSONValue] = []
      for (index, message) in found.enumerated() { list.append(try Self.plain(message, index)) }
      let messages = try opened(list, record)
      if let system, messages != list { object[system] = nil }
      let told = HermesTexts(messages, tools: definitions)
      definitions = told.tools
      if key != "messages" { object[key] = nil }
      object["messages"] = .array(told.messages)
    }
    if let definitions {
      if let tools, tools != "tools" { object[tools] = nil }
      object["tools"] = definitions
    }
    return object
  }

  /// The messages with the instructions of the record before them, and before those that they begin
  /// with.
  func opened(
    _ messages: [JSONValue], _ record: JSONObject
  ) throws(RecordReader.Problem) -> [JSONValue] {
    guard let system, let text = try Self.text(record, system), !text.isBlank else {
      return messages
    }
    guard messages.first?.role == "system", var first = messages.first?.object else {
      return [.message("system", text)] + messages
    }
    guard let own = first["content"]?.string, own != text else { return messages }
    first["content"] = .string(own.isBlank ? text : text + "\n\n" + own)
    return [.object(first)] + messages.dropFirst()
  }

  /// The messages as a list, the tools of the record on its first one.
  private func tooled(
    _ messages: [JSONValue], _ record: JSONObject
  ) throws(RecordReader.Problem) -> JSONValue {
    let told = HermesTexts(messages, tools: try tools(of: record))
    guard let tools = told.tools, var first = told.messages.first?.object else {
      return .array(told.messages)
    }
    first["tools"] = first["tools"] ?? tools
    return .array([.object(first)] + told.messages.dropFirst())
  }

  /// The tools beside a record, which may be a text of JSON as tables have it; nil where there are
  /// none.
  func tools(of record: JSONObject) throws(RecordReader.Problem) -> JSONValue? {
    guard let tools, let value = record[tools], value != .null else { return nil }
    if value.string?.isBlank ?? false { return nil }
    guard let list = value.list else {
      throw RecordReader.Problem(
        rule: .tools, text: "'\(tools)' is \(value.kind), not a list of objects.")
    }
    return .array(list)
  }

  private func history(_ record: JSONObject) throws(RecordReader.Problem) -> [JSONValue] {
    guard let history, let value = record[history], value != .null else { return [] }
    var messages: [JSONValue] = []
    for pair in value.array ?? [value] {
      guard let texts = pair.array?.compactMap(\.string), texts.count == 2 else {
        throw RecordReader.Problem(rule: .record, text: "The history is no list of pairs of texts.")
      }
      messages += [.message("user", texts[0]), .message("assistant", texts[1])]
    }
    return messages
  }
}

extension RecordForm {
  /// The messages of a member: a list of them, or a text of `role`.
  static func turns(
    _ record: JSONObject, _ key: String, from role: String
  ) throws(RecordReader.Problem) -> [JSONValue] {
    if let list = record[key]?.array {
      guard list.isEmpty || list.contains(where: { $0.object != nil }) else {
        throw RecordReader.Problem(
          rule: .record, text: "'\(key)' is a list without messages, not a text or messages.")
      }
      return try messages(list)
    }
    guard let text = try text(record, key) else {
      throw RecordReader.Problem(rule: .record, text: "The record has no '\(key)'.")
    }
    return [.message(role, text)]
  }

  private static func messages(
    _ turns: [JSONValue]
  ) throws(RecordReader.Problem) -> [JSONValue] {
    var messages: [JSONValue] = []
    for (index, turn) in turns.enumerated() { messages.append(try message(turn, index)) }
    return messages
  }

  /// A message of a data set, with the usual name of its role, parts of text as one, and a text that is a call as one.
  private static func plain(
    _ message: JSONValue, _ index: Int
  ) throws(RecordReader.Problem) -> JSONValue {
    guard var object = message.object else { return message }
    let (role, text) = (message.role?.lowercased() ?? "", object["content"]?.joined)
    if role == "function_call", let text { return try call(text, index, of: object) }
    if let known = speakers[role] { object["role"] = .string(known) }
    if let text { object["content"] = .string(text) }
    return .object(object)
  }

  private static let speakers = [
    "system": "system", "developer": "system", "human": "user", "user": "user", "gpt": "assistant",
    "assistant": "assistant", "chatgpt": "assistant", "bing": "assistant", "bard": "assistant",
    "model": "assistant", "tool": "tool", "observation": "tool", "function_response": "tool",
  ]

  private static func message(
    _ turn: JSONValue, _ index: Int
  ) throws(RecordReader.Problem) -> JSONValue {
    let object = turn.object ?? [:]
    let kept = keptKeys.compactMap { key in
      object[key].flatMap { $0 == .null ? nil : JSONObject.Member(key: key, value: $0) }
    }
    let text = (object["value"] ?? object["content"])?.joined
    guard let name = (object["from"] ?? object["role"])?.string else {
      throw RecordReader.Problem(
        rule: .record, text: "Turn \(index + 1) is no object with from and value.")
    }
    guard let text = text ?? (kept.contains { $0.key == "tool_calls" } ? "" : nil) else {
      let value = object["value"] ?? object["content"]
      throw RecordReader.Problem(
        rule: .record,
        text: "Turn \(index + 1), from '\(name.prefix(40))', has "
          + (value.map { "\($0.kind) where its text should be." } ?? "no text."))
    }
    if name.lowercased() == "function_call" { return try call(text, index, of: object) }
    guard let role = speakers[name.lowercased()] else {
      throw RecordReader.Problem(
        rule: .record, text: "Turn \(index + 1) is from '\(name.prefix(40))', who is not known.")
    }
    let message = JSONObject(
      [
        JSONObject.Member(key: "role", value: .string(role)),
        JSONObject.Member(key: "content", value: .string(text)),
      ] + kept)
    return .object(LearningMark.asWeight(message))
  }

  /// A turn whose text is a call of a tool, or a list of calls, as LLaMA-Factory has them.
  private static func call(
    _ text: String, _ index: Int, of turn: JSONObject
  ) throws(RecordReader.Problem) -> JSONValue {
    let value = ExampleParser.json(in: text)
    guard let calls = value?.array ?? value.map({ [$0] }),
      calls.allSatisfy({ $0.object?["name"]?.string != nil })
    else {
      throw RecordReader.Problem(
        rule: .record,
        text: "Turn \(index + 1) is a function_call that is no JSON with name and arguments.")
    }
    let wrapped = calls.map { JSONValue.object(["function": $0]) }
    let message: JSONObject = [
      "role": .string("assistant"), "content": .string(""), "tool_calls": .array(wrapped),
    ]
    let kept = turn.members.filter { answerKeys.contains($0.key) }
    return .object(LearningMark.asWeight(JSONObject(message.members + kept)))
  }

  /// The text of a member, numbers and truth values as they are written; nil where there is none.
  static func text(
    _ record: JSONObject, _ key: String
  ) throws(RecordReader.Problem) -> String? {
    switch record[key] {
    case nil, .null?: return nil
    case .string(let text)?: return text
    case .number(let number)?: return number.text
    case .bool(let value)?: return "\(value)"
    case let value?:
      throw RecordReader.Problem(rule: .record, text: "'\(key)' is \(value.kind), not a text.")
    }
  }
}

extension JSONValue {
  static func message(_ role: String, _ content: String) -> JSONValue {
    .object(["role": .string(role), "content": .string(content)])
  }

  /// A text, or parts of text as OpenAI's data has them, a line each; nil for anything else, such as an image.
  fileprivate var joined: String? {
    guard let array, !array.isEmpty else { return string }
    let texts = array.compactMap { part in
      part.object?["type"]?.string == "text" ? part.object?["text"]?.string : nil
    }
    return texts.count == array.count ? texts.joined(separator: "\n") : nil
  }

  /// Who says a message; nil for any other value.
  var role: String? { object?["role"]?.string }

  /// The elements of a list, which may be a text of JSON; nil for anything else.
  package var list: [JSONValue]? {
    array ?? string.flatMap { ExampleParser.json(in: $0)?.array }
  }
}
