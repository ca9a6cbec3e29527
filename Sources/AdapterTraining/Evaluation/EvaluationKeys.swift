import JSON
import SystemFiles

/// The keys of lines that a model is measured on, and which of a line are read.
enum EvaluationKeys {
  /// Keys that say what is asked and what is right, or what a line is called.
  static let known = [
    "prompt", "messages", "completion", "answer", "rule", "options", "chosen", "rejected", "schema",
    "tags", "own", "instructions", "tools", "id", "task", "group",
  ]

  /// Those that are read of any line.
  private static let everywhere = ["rule", "schema", "own", "id", "task", "group"]
  /// Those that are read where the right answer is not known otherwise.
  private static let play = ["names", "place", "thing"]

  /// The keys of a line that asks which are not read, those of its messages included.
  static func unread(inPrompt object: JSONObject, isAnswered: Bool) -> [String] {
    var read = Set(everywhere + ["instructions", "tools"])
    read.insert(object["prompt"] == nil ? "messages" : "prompt")
    let rights = ["answer", "completion", "chosen"]
    if let right = rights.first(where: { object[$0] != nil }) { read.insert(right) }
    read.formUnion(object["rejected"] == nil ? ["options"] : ["chosen", "rejected"])
    if !isAnswered {
      read.insert("tags")
      if play.allSatisfy({ object[$0] != nil }) { read.formUnion(play) }
    }
    let messages = object["prompt"] == nil ? object["messages"]?.array ?? [] : []
    let said = messages.compactMap(\.object).flatMap(\.keys)
    let others = said.filter { !["role", "content"].contains($0) }.map { "messages[].\($0)" }
    return object.unread(but: read) + Set(others).sorted()
  }

  /// The keys of an example of a data set which are not read.
  static func unread(inExample object: JSONObject) -> [String] {
    let forms = ["messages", "completion", "text", "chosen", "rejected"]
    var read = Set(everywhere + ["tools", "label", "weight", "kto_tag"])
    // Apple's toolkit takes the first list, whatever it is called.
    let isNamed = forms.contains { object[$0] != nil }
    if isNamed {
      read.formUnion(forms + ["prompt"])
    } else if let first = object.keys.first {
      read.insert(first)
    }
    return object.unread(but: read)
  }

  /// The key of `keys` that was probably meant by one that is not read.
  static func meant(by key: String, among keys: [String] = known) -> String? {
    Suggestion.nearest(to: key, among: keys.filter { $0 != key })
  }
}

extension JSONObject {
  /// The keys that are none of `read`, or whose values are of no kind that is.
  fileprivate func unread(but read: Set<String>) -> [String] {
    members.filter { !read.contains($0.key) || !$0.isUsable }.map(\.key)
  }
}

extension JSONObject.Member {
  fileprivate var isUsable: Bool {
    switch key {
    case "schema": value.object != nil
    case "own": value.integer != nil
    case "id", "task", "group": value.text != nil
    default: true
    }
  }
}

extension UnreadKeys.Key {
  /// The key of a line to measure on that was probably meant; nil where none is near.
  package var meant: String? { EvaluationKeys.meant(by: name) }
}
