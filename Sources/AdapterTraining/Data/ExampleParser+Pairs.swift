import Adapters
import ChatTemplates
import JSON
import SystemFiles

extension ExampleParser {
  /// A pair of answers to one question; each value is a text, or a list of messages as trl has it.
  mutating func parsePair(_ object: JSONObject) -> Parsed? {
    let keys = ["prompt", "chosen", "rejected"]
    ignoreKeys(of: object, but: Set(keys + ["tools"]), judging: ["weight"])
    let missing = keys.filter { object[$0] == nil }
    guard missing.isEmpty else {
      report(
        .missingOfPair,
        "The pair has no \(missing.map { "'\($0)'" }.joined(separator: " and no ")).")
      return nil
    }
    let count = findings.count
    let tools = object["tools"].map { parseTools($0, at: "tools") } ?? []
    let (prompt, answer) = (object["prompt"]?.array ?? [], object["chosen"]?.array ?? [])
    let asked = parseQuestion(object["prompt"] ?? .null)
    let chosen = parseSide(object, "chosen")
    let rejected = parseSide(object, "rejected")
    guard let asked, let chosen, let rejected else { return nil }
    checkOrder(asked.messages + [chosen], path: "prompt")
    checkContents(asked.messages + [chosen], paths: asked.paths + ["chosen"])
    checkCalls(
      prompt + answer, paths: prompt.indices.map { "prompt[\($0)]" } + ["chosen[0]"], tools: tools)
    checkRejected(rejected, beside: chosen)
    guard !findings[count...].contains(where: { $0.severity == .error }) else { return nil }
    return Parsed(
      form: .preference, content: .chat(asked.messages + [chosen], tools: tools),
      rejected: rejected)
  }

  /// What is asked, and the keys of its texts.
  private mutating func parseQuestion(
    _ value: JSONValue
  ) -> (messages: [TrainingMessage], paths: [String])? {
    if let text = value.string { return ([TrainingMessage(.user, text)], ["prompt"]) }
    guard let list = value.array else {
      report(.pairShape, at: "prompt", "The prompt is \(value.kind), not a text or messages.")
      return nil
    }
    let messages = list.enumerated().compactMap { index, value in
      parseMessage(value, at: "prompt[\(index)]")
    }
    guard messages.count == list.count else { return nil }
    guard let last = messages.last, last.role == .user || last.role == .tool else {
      let whose = messages.last.map { "ends with a message of the \($0.role.rawValue)" }
      report(.pairShape, at: "prompt", "The prompt \(whose ?? "has no messages").")
      return nil
    }
    return (messages, messages.indices.map { "prompt[\($0)].content" })
  }

  /// One of the two answers.
  private mutating func parseSide(_ object: JSONObject, _ key: String) -> TrainingMessage? {
    guard let value = object[key] else { return nil }
    if let text = value.string { return TrainingMessage(.assistant, text) }
    guard let list = value.array else {
      report(
        .pairShape, at: key, "The \(key) answer is \(value.kind), not a text or a message.")
      return nil
    }
    guard list.count == 1 else {
      report(
        .pairShape, at: key,
        "The \(key) answer has \(Figures.count(list.count, "message")), not one.")
      return nil
    }
    guard var message = parseMessage(list[0], at: "\(key)[0]") else { return nil }
    let denial = list[0].object.flatMap(LearningMark.denial)
    guard message.role == .assistant else {
      report(
        .pairShape, at: "\(key)[0].role",
        "The \(key) answer is a message of the \(message.role.rawValue).")
      return nil
    }
    if let denial, key == "chosen" {
      report(
        .notToLearn, at: "chosen[0].\(denial.key)",
        "The \(denial.key) is \(denial.value.line): the answer is not to be learnt.")
    }
    // Which of a pair is learnt says its key.
    message.isLearnt = true
    return message
  }

  private mutating func checkRejected(
    _ rejected: TrainingMessage, beside chosen: TrainingMessage
  ) {
    if rejected.content.isBlank, rejected.toolCalls == nil {
      report(.emptyAnswer, at: "rejected", "The answer is empty.")
    }
    if rejected == chosen {
      report(.equalAnswers, at: "rejected", "The chosen and the rejected answer are the same.")
    }
  }
}
