import Adapters
import ChatTemplates

/// How a record of somebody else's data says what is asked and answered.
enum RecordForm: Equatable, Sendable {
  /// A member each for question and answer, and maybe one for instructions and one for more of the question.
  case members(prompt: String, more: String? = nil, answer: String, system: String? = nil)
  /// `conversations` of objects with `from` and `value`, as ShareGPT has them, and maybe `system`.
  case conversations
  /// `messages` as data sets have them, and what stands beside them, but in a list or over several lines.
  case messages
  /// `chosen` and `rejected` answers, or whole conversations that begin alike, and maybe a member that asks and one for instructions.
  case pairs(prompt: String? = nil, system: String? = nil)

  /// Members that data sets ask and answer with, the more telling ones first; all of a row have to be there but for `more`.
  private static let known: [(prompt: String, more: String?, answer: String)] = [
    ("instruction", "input", "output"), ("instruction", "context", "response"),
    ("instruction", nil, "response"), ("prompt", nil, "completion"), ("prompt", nil, "response"),
    ("question", "context", "answer"), ("query", nil, "response"), ("input", nil, "output"),
    ("prompt", nil, "answer"), ("question", nil, "response"), ("text", nil, "label"),
  ]

  /// Members that ask in records of pairs.
  static let askingKeys = ["prompt", "question", "instruction", "query", "input"]

  /// The form of records with these keys, if it is a known one; upper and lower case are the same.
  init?(keys: [String]) {
    func key(_ name: String) -> String? { keys.first { $0.lowercased() == name } }
    if key("chosen") != nil, key("rejected") != nil {
      let prompt = Self.askingKeys.lazy.compactMap(key).first
      self = .pairs(prompt: prompt, system: key("system") ?? key("instructions"))
      return
    }
    if key("conversations") != nil {
      self = .conversations
      return
    }
    for form in Self.known {
      guard let prompt = key(form.prompt), let answer = key(form.answer) else { continue }
      self = .members(
        prompt: prompt, more: form.more.flatMap(key), answer: answer,
        system: key("system") ?? key("instructions"))
      return
    }
    return nil
  }

  /// The line that a record becomes.
  func line(of record: JSONObject) throws(RecordReader.Problem) -> JSONValue {
    switch self {
    case .pairs(let prompt, let system): .object(try Self.pair(record, prompt, system))
    case .messages: .object(record)
    case .members, .conversations: .array(try messages(of: record))
    }
  }

  /// The messages of a record of single answers, as JSON.
  private func messages(of record: JSONObject) throws(RecordReader.Problem) -> [JSONValue] {
    switch self {
    case .pairs, .messages: preconditionFailure("they have messages of their own")
    case .members(let prompt, let more, let answer, let system):
      var messages = try Self.opening(record, system)
      for turn in try Self.history(record) { messages.append(turn) }
      let rest =
        try more.flatMap { (key) throws(RecordReader.Problem) in try Self.text(record, key) } ?? ""
      let asked = [try Self.needed(record, prompt), rest].filter { !$0.isBlank }
      messages.append(.message("user", asked.joined(separator: "\n\n")))
      return messages + [.message("assistant", try Self.needed(record, answer))]
    case .conversations:
      guard let turns = record["conversations"]?.array else {
        throw RecordReader.Problem(
          rule: .record,
          text: "The conversations are \(record["conversations"]?.kind ?? "not there").")
      }
      var messages = try Self.opening(record, "system")
      for (index, turn) in turns.enumerated() {
        messages.append(try Self.message(turn, index))
      }
      return messages
    }
  }

  static func opening(_ record: JSONObject, _ key: String?) throws(RecordReader.Problem)
    -> [JSONValue]
  {
    guard let key, let text = try text(record, key), !text.isBlank else { return [] }
    return [.message("system", text)]
  }

  /// Earlier turns: pairs of question and answer.
  private static func history(_ record: JSONObject) throws(RecordReader.Problem) -> [JSONValue] {
    guard let value = record["history"], value != .null else { return [] }
    var messages: [JSONValue] = []
    for pair in value.array ?? [value] {
      guard let texts = pair.array?.compactMap(\.string), texts.count == 2 else {
        throw RecordReader.Problem(rule: .record, text: "The history is no list of pairs of texts.")
      }
      messages += [.message("user", texts[0]), .message("assistant", texts[1])]
    }
    return messages
  }

  private static let speakers = [
    "system": "system", "human": "user", "user": "user", "gpt": "assistant",
    "assistant": "assistant", "chatgpt": "assistant", "bing": "assistant", "bard": "assistant",
    "model": "assistant", "tool": "tool", "observation": "tool", "function_response": "tool",
  ]

  static func message(_ turn: JSONValue, _ index: Int) throws(RecordReader.Problem)
    -> JSONValue
  {
    guard let object = turn.object, let name = (object["from"] ?? object["role"])?.string,
      let text = (object["value"] ?? object["content"])?.string
    else {
      throw RecordReader.Problem(
        rule: .record, text: "Turn \(index + 1) is no object with from and value.")
    }
    guard let role = speakers[name.lowercased()] else {
      throw RecordReader.Problem(
        rule: .record, text: "Turn \(index + 1) is from '\(name.prefix(40))', who is not known.")
    }
    return .message(role, text)
  }

  private static func needed(_ record: JSONObject, _ key: String) throws(RecordReader.Problem)
    -> String
  {
    guard let text = try text(record, key) else {
      throw RecordReader.Problem(rule: .record, text: "The record has no '\(key)'.")
    }
    return text
  }

  /// The text of a member, numbers and truth values as they are written; nil where there is none.
  static func text(_ record: JSONObject, _ key: String) throws(RecordReader.Problem)
    -> String?
  {
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
}
