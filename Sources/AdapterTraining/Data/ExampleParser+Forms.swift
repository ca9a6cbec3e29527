import Adapters
import ChatTemplates

extension ExampleParser {
  typealias Parsed = (form: ExampleForm, content: TrainingExample.Content)

  /// What the value of a line says, by its form.
  mutating func parse(_ value: JSONValue) -> Parsed? {
    switch value {
    case .array(let messages):
      return parseChat(messages, path: "", tools: nil).map { (.list, $0) }
    case .object(let object):
      return parse(object)
    default:
      report(.form, "The line is \(value.kind), not an example.")
      return nil
    }
  }

  private mutating func parse(_ object: JSONObject) -> Parsed? {
    let isCompletion = object["prompt"] != nil || object["completion"] != nil
    let list = messages(of: object, isOther: isCompletion || object["text"] != nil)
    let forms = [list != nil, isCompletion, object["text"] != nil]
    guard forms.count(where: \.self) < 2 else {
      report(
        .ambiguousForm,
        "The line has keys of several forms: \(object.keys.joined(separator: ", ")).")
      return nil
    }
    if let list { return parseMessages(object, list) }
    if isCompletion { return parseCompletion(object) }
    if let text = object["text"] { return parseText(object, text) }
    report(.form, "The object has the keys \(Self.list(object.keys)), none of which is an example.")
    return nil
  }

  /// The member with the messages: by its name, or as Apple's toolkit has it, a list that comes first.
  private func messages(of object: JSONObject, isOther: Bool) -> JSONObject.Member? {
    if let value = object["messages"] { return JSONObject.Member(key: "messages", value: value) }
    guard !isOther, let first = object.members.first, first.value.array != nil else { return nil }
    return first
  }

  private mutating func parseMessages(_ object: JSONObject, _ list: JSONObject.Member) -> Parsed? {
    ignoreKeys(of: object, but: [list.key, "tools"])
    if let first = object.keys.first, first != list.key {
      if !hasNotedFirstKey {
        report(.firstKey, at: first, "The key '\(first)' comes before the messages.")
      }
      hasNotedFirstKey = true
    }
    guard let messages = list.value.array else {
      report(.messageShape, at: list.key, "The messages are \(list.value.kind), not a list.")
      return nil
    }
    return parseChat(messages, path: list.key, tools: object["tools"]).map { (.messages, $0) }
  }

  private mutating func parseCompletion(_ object: JSONObject) -> Parsed? {
    ignoreKeys(of: object, but: ["prompt", "completion", "tools"])
    guard let prompt = text(of: object, "prompt"), let answer = text(of: object, "completion")
    else { return nil }
    let messages = [TrainingMessage(.user, prompt), TrainingMessage(.assistant, answer)]
    checkContents(messages, paths: ["prompt", "completion"])
    let tools = object["tools"].map { parseTools($0, at: "tools") } ?? []
    return (.completion, .chat(messages, tools: tools))
  }

  private mutating func parseText(_ object: JSONObject, _ value: JSONValue) -> Parsed? {
    ignoreKeys(of: object, but: ["text"])
    guard let text = text(of: object, "text") else { return nil }
    if text.isBlank { report(.emptyAnswer, at: "text", "The text is empty.") }
    return (.text, .text(text))
  }

  private mutating func text(of object: JSONObject, _ key: String) -> String? {
    guard let value = object[key] else {
      report(.form, "The object has the keys \(Self.list(object.keys)), but no '\(key)'.")
      return nil
    }
    guard let text = value.string else {
      report(.content, at: key, "The value is \(value.kind), not a string.")
      return nil
    }
    return text
  }

  private mutating func ignoreKeys(of object: JSONObject, but known: Set<String>) {
    for key in object.keys where !known.contains(key) { ignore(key, .ignoredKey, at: key) }
  }

  /// A few keys, for messages.
  static func list(_ keys: [String]) -> String {
    guard !keys.isEmpty else { return "(none)" }
    let shown = keys.prefix(6).map { "'\($0.prefix(40))'" }.joined(separator: ", ")
    return keys.count > 6 ? shown + ", …" : shown
  }
}

extension StringProtocol {
  /// Whether there is nothing to see.
  var isBlank: Bool { unicodeScalars.allSatisfy(\.properties.isWhitespace) }
}
