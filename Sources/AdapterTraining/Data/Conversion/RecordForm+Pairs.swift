import JSON

extension RecordForm {
  /// A pair as a data set has it, of what trl reads: prompts and answers as texts or lists of messages, or whole conversations.
  ///
  /// What both conversations begin with is the prompt, as in trl's `extract_prompt`.
  func pair(
    _ record: JSONObject, prompt: String?, chosen: String, rejected: String
  ) throws(RecordReader.Problem) -> JSONObject {
    var asked = try prompt.flatMap { (key) throws(RecordReader.Problem) in
      record[key] == nil ? nil : try Self.side(record, key, from: "user")
    }
    var right = try Self.side(record, chosen, from: "assistant")
    var wrong = try Self.side(record, rejected, from: "assistant")
    if right.count > 1 || wrong.count > 1 {
      let most = min(right.count, wrong.count) - 1
      let shared = (0..<max(most, 0)).prefix { right[$0] == wrong[$0] }.count
      // Conversations repeat their prompt, and may have more of it than the prompt alone.
      if shared > 0 { asked = Array(right.prefix(shared)) }
      (right, wrong) = (Array(right.dropFirst(shared)), Array(wrong.dropFirst(shared)))
    }
    guard let asked, !asked.isEmpty else {
      throw RecordReader.Problem(rule: .record, text: "The record has no prompt.")
    }
    let told = HermesTexts(try opened(asked, record), tools: try tools(of: record))
    var pair: JSONObject = [
      "prompt": .array(told.messages), "chosen": .array(HermesTexts(right).messages),
      "rejected": .array(HermesTexts(wrong).messages),
    ]
    pair["tools"] = told.tools
    return pair
  }

  /// The messages of a member, or the turns of a text in the form of Anthropic's sets.
  private static func side(
    _ record: JSONObject, _ key: String, from role: String
  ) throws(RecordReader.Problem) -> [JSONValue] {
    if let turns = record[key]?.string.flatMap(spoken) { return turns }
    return try turns(record, key, from: role)
  }

  /// The turns of a text such as "\n\nHuman: Hello\n\nAssistant: Hi", as Anthropic's sets have them; nil for any other.
  private static func spoken(_ text: String) -> [JSONValue]? {
    let marks = [("\n\nHuman:", "user"), ("\n\nAssistant:", "assistant")]
    guard text.hasPrefix(marks[0].0) else { return nil }
    // Where each stands next.
    var places = marks.map { text.firstRange(of: $0.0) }
    var turns: [JSONValue] = []
    while let place = places.compactMap(\.self).min(by: { $0.lowerBound < $1.lowerBound }),
      let index = places.firstIndex(of: place)
    {
      let rest = text[place.upperBound...]
      places[index] = rest.firstRange(of: marks[index].0)
      let end = places.compactMap(\.?.lowerBound).min() ?? text.endIndex
      turns.append(.message(marks[index].1, String(rest[..<end].trimmingPrefix(" "))))
    }
    return turns
  }
}
