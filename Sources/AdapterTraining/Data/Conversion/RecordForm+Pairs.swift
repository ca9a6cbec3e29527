import Adapters
import TensorFiles

extension RecordForm {
  /// A pair as a data set has it, of what trl reads: prompts and answers as texts or lists of messages, or whole conversations.
  ///
  /// What both conversations begin with is the prompt, as in trl's `extract_prompt`.
  static func pair(
    _ record: JSONObject, _ prompt: String?, _ system: String?
  ) throws(RecordReader.Problem) -> JSONObject {
    let asking = prompt ?? askingKeys.first { record[$0] != nil }
    var asked = try asking.flatMap { (key) throws(RecordReader.Problem) in
      record[key] == nil ? nil : try turns(record, key, from: "user")
    }
    var chosen = try turns(record, "chosen", from: "assistant")
    var rejected = try turns(record, "rejected", from: "assistant")
    if chosen.count > 1 || rejected.count > 1 {
      let most = min(chosen.count, rejected.count) - 1
      let shared = (0..<max(most, 0)).prefix { chosen[$0] == rejected[$0] }.count
      // Conversations repeat their prompt, and may have more of it than the prompt alone.
      if shared > 0 { asked = Array(chosen.prefix(shared)) }
      (chosen, rejected) = (Array(chosen.dropFirst(shared)), Array(rejected.dropFirst(shared)))
    }
    guard var asked, !asked.isEmpty else {
      throw RecordReader.Problem(rule: .record, text: "The record has no prompt.")
    }
    if asked[0].role != "system" { asked = try opening(record, system) + asked }
    var pair: JSONObject = [
      "prompt": .array(asked), "chosen": .array(chosen), "rejected": .array(rejected),
    ]
    pair["tools"] = record["tools"].flatMap { $0 == .null ? nil : $0 }
    return pair
  }

  /// The messages of a member: a list of them, the turns of a text in the form of Anthropic's sets, or one of `role`.
  private static func turns(
    _ record: JSONObject, _ key: String, from role: String
  ) throws(RecordReader.Problem) -> [JSONValue] {
    if let list = record[key]?.array {
      var messages: [JSONValue] = []
      for (index, turn) in list.enumerated() { messages.append(try message(turn, index)) }
      return messages
    }
    guard let text = try text(record, key) else {
      throw RecordReader.Problem(rule: .record, text: "The record has no '\(key)'.")
    }
    return spoken(text) ?? [.message(role, text)]
  }

  /// The turns of a text such as "\n\nHuman: Hello\n\nAssistant: Hi", as Anthropic's sets have them; nil for any other.
  private static func spoken(_ text: String) -> [JSONValue]? {
    let marks = [("\n\nHuman:", "user"), ("\n\nAssistant:", "assistant")]
    guard text.hasPrefix(marks[0].0) else { return nil }
    var rest = text[...]
    var turns: [JSONValue] = []
    while let (mark, role) = marks.first(where: { rest.hasPrefix($0.0) }) {
      rest = rest.dropFirst(mark.count)
      let end = marks.compactMap { rest.firstRange(of: $0.0)?.lowerBound }.min() ?? rest.endIndex
      turns.append(.message(role, String(rest[..<end].trimmingPrefix(" "))))
      rest = rest[end...]
    }
    return turns
  }
}

extension JSONValue {
  /// Who says a message; nil for any other value.
  fileprivate var role: String? { object?["role"]?.string }
}
