import ChatTemplates
package import JSON

/// How a record of somebody else's data says what is asked and answered.
struct RecordForm: Equatable, Sendable {
  /// Where question and answer stand.
  enum Kind: Equatable, Sendable {
    /// In a member each, and maybe more of the question in one.
    case members(prompt: String, more: String?, answer: String)
    /// In a list of objects with `from` and `value`, as ShareGPT has them.
    case conversations(String)
    /// In a list of messages as data sets have them, but in a list of records or over several
    /// lines.
    case messages(String)
    /// In a chosen and a rejected answer, or whole conversations that begin alike, and maybe a
    /// member that asks.
    case pairs(prompt: String?, chosen: String, rejected: String)
    /// In one text, marks and all.
    case text(String)
  }

  /// The members that a person has named.
  struct Names: Sendable {
    var prompt: String?
    var answer: String?
    var system: String?

    var all: [String] { [prompt, answer, system].compactMap(\.self) }

    /// The names as `keys` have them, whose letters may be composed or not.
    func spelled(as keys: [String]) -> Names {
      func spelled(_ name: String?) -> String? {
        guard let name, !keys.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
          return name
        }
        return keys.first { $0 == name } ?? name
      }
      return Names(prompt: spelled(prompt), answer: spelled(answer), system: spelled(system))
    }
  }

  let kind: Kind
  /// What is said first.
  let system: String?
  /// Earlier turns: pairs of question and answer.
  let history: String?
  /// What may be called.
  let tools: String?
  /// Whether the answer is a right one, as trl's unpaired preferences have it.
  let label: String?
  /// Whether the answer is a right one, as LLaMA-Factory has it.
  let tag: String?
  /// Whether the answer is to be learnt.
  let weight: String?

  /// Members that data sets ask and answer with, the more telling ones first.
  private static let known: [(prompt: String, more: String?, answer: String)] = [
    ("instruction", "input", "output"), ("instruction", "context", "response"),
    ("instruction", nil, "response"), ("prompt", nil, "completion"), ("prompt", nil, "response"),
    ("question", "context", "answer"), ("query", nil, "response"), ("input", nil, "output"),
    ("prompt", nil, "answer"), ("question", nil, "response"), ("text", nil, "label"),
  ]

  /// Members that ask in records of pairs.
  private static let askingKeys = ["prompt", "question", "instruction", "query", "input"]

  /// The form of records with these keys, if it is a known one; upper and lower case are the same.
  ///
  /// One text is a form only where that is said, as it may be a question whose answer is missing.
  init?(_ keys: [String], _ named: Names, takesText: Bool = false) {
    let lowered = Dictionary(keys.map { ($0.lowercased(), $0) }) { first, _ in first }
    let text = takesText && named.all.isEmpty ? lowered["text"].map(Kind.text) : nil
    guard let kind = text ?? Self.kind({ lowered[$0] }, named) else { return nil }
    let used = kind.keys
    func other(_ names: String...) -> String? {
      names.lazy.compactMap { lowered[$0] }.first { !used.contains($0) }
    }
    self.kind = kind
    system = text == nil ? named.system ?? other("system", "instructions") : nil
    tools = text == nil ? other("tools") : nil
    weight = other("weight")
    var (isAnswered, isSingle) = (true, false)
    if case .pairs = kind { isAnswered = false }
    if case .members = kind { isSingle = true }
    history = isSingle ? other("history") : nil
    label = isAnswered ? other("label") : nil
    tag = isAnswered ? other("kto_tag") : nil
  }

  private static func kind(_ key: (String) -> String?, _ named: Names) -> Kind? {
    if let prompt = named.prompt, let answer = named.answer {
      return .members(prompt: prompt, more: nil, answer: answer)
    }
    if let chosen = key("chosen"), let rejected = key("rejected") {
      let prompt = named.prompt ?? askingKeys.lazy.compactMap(key).first
      return .pairs(prompt: prompt, chosen: chosen, rejected: rejected)
    }
    if let list = key("messages") { return .messages(list) }
    if let list = key("conversations") { return .conversations(list) }
    for form in known {
      guard let prompt = named.prompt ?? key(form.prompt),
        let answer = named.answer ?? key(form.answer), prompt != answer
      else { continue }
      let more = named.prompt == nil ? form.more.flatMap(key) : nil
      return .members(prompt: prompt, more: more == answer ? nil : more, answer: answer)
    }
    return nil
  }
}

extension RecordForm.Kind {
  /// The members in which it finds question and answer.
  var keys: [String] {
    switch self {
    case .members(let prompt, let more, let answer): [prompt, answer] + (more.map { [$0] } ?? [])
    case .conversations(let list), .messages(let list): [list]
    case .text(let text): [text]
    case .pairs(let prompt, let chosen, let rejected):
      [chosen, rejected] + (prompt.map { [$0] } ?? [])
    }
  }
}

extension RecordForm {
  /// Whether a record says that its answer is one that is not to be learnt, or by its label a wrong
  /// one.
  func isLeftOut(_ record: JSONObject, isRight: Bool?) -> Bool {
    isRight == false || weight.flatMap { record[$0]?.isOne } == false
      || tag.flatMap { record[$0] }.flatMap(FileLabels.isRight(tag:)) == false
  }

  /// What a record says that nothing reads, by its keys, each once; `isRight` is what its label says.
  func unread(in record: JSONObject, isRight: Bool?) -> [String] {
    var (names, known) = ([String](), Set<String>())
    for member in record.members where !member.value.saysNothing {
      guard member.key == label ? isRight != nil : reads(member) else {
        names.append(member.key)
        continue
      }
      guard kind.keys.contains(member.key), let turns = turns(member.value) else { continue }
      for key in turns.compactMap(\.object).flatMap(\.keys) where !Self.turnKeys.contains(key) {
        let name = "\(member.key)[].\(key)"
        if known.insert(name).inserted { names.append(name) }
      }
    }
    return names
  }

  /// The messages in a value, which tables have as a text of JSON; nil where it is none of such.
  private func turns(_ value: JSONValue) -> [JSONValue]? {
    switch kind {
    case .conversations, .messages: value.list
    case .members, .pairs, .text: value.array
    }
  }

  private func reads(_ member: JSONObject.Member) -> Bool {
    switch member.key {
    case weight: member.value.isOne != nil
    case tag: FileLabels.isRight(tag: member.value) != nil
    case system, history, tools: true
    case let key: kind.keys.contains(key)
    }
  }

  private static let turnKeys: Set<String> = Set(["from", "value", "role", "content"] + keptKeys)

  /// What messages may have beside what they say.
  static let keptKeys =
    ["tools", "tool_calls", "tool_call_id", "name", "response_format"] + answerKeys

  /// What answers may have beside what they say and call.
  static let answerKeys = ChatMessage.thoughtKeys + LearningMark.keys
}

extension JSONValue {
  /// Whether there is nothing in it, as in the empty field of a table, or in an empty list.
  package var saysNothing: Bool {
    self == .null || string?.isBlank ?? false || array?.isEmpty ?? false
  }

  /// A truth value, which tables have as a text; nil for anything else.
  var truth: Bool? {
    switch self {
    case .bool(let value): value
    case .string(let text): ["true": true, "false": false][text.lowercased()]
    default: nil
    }
  }

  /// Whether a weight or a label is 1 and not 0, which tables have as texts; nil for anything else.
  var isOne: Bool? {
    let value = number?.double ?? string.flatMap { Double($0) }
    return value == 1 ? true : value == 0 ? false : nil
  }
}
