import Adapters
import Testing

@testable import AdapterTraining

/// A line that breaks one rule, and what is to be said of it.
struct BrokenLine: CustomTestStringConvertible, Sendable {
  let rule: DataRule
  let line: String
  /// Key and message of the finding.
  let said: String

  init(_ rule: DataRule, _ line: String, _ said: String) {
    self.rule = rule
    self.line = line
    self.said = said
  }

  var testDescription: String { "\(rule.rawValue): \(line.prefix(60))" }

  private static let user = #"{"role": "user", "content": "Q"}"#
  private static let answer = #"{"role": "assistant", "content": "A"}"#
  private static let system = #"{"role": "system", "content": "S"}"#

  static let all: [BrokenLine] = shapes + messages + answers + pairs + tools

  private static let shapes = [
    BrokenLine(.blankLine, " \t", "The line is empty."),
    BrokenLine(.json, "{", "byte 1: The line is not JSON: the text ends inside a value."),
    BrokenLine(.json, #"{"text": 01}"#, "byte 9: The line is not JSON: a number is malformed."),
    BrokenLine(.json, "[] []", "byte 3: The line is not JSON: something follows the value."),
    BrokenLine(
      .repeatedKey, #"{"text": "a", "text": "b"}"#, "The key 'text' stands twice in one object."),
    BrokenLine(.form, "7", "The line is an integer, not an example."),
    BrokenLine(
      .form, #"[{"messages": []}]"#,
      "The line is a list of examples; 'fmadapter data convert' writes each on a line."),
    BrokenLine(.form, "{}", "The object has the keys (none), none of which is an example."),
    BrokenLine(.form, #"{"q": 1}"#, "The object has the keys 'q', none of which is an example."),
    BrokenLine(
      .form, #"{"prompt": "Q"}"#, "The object has the keys 'prompt', but no 'completion'."),
    BrokenLine(
      .ambiguousForm, #"{"text": "a", "messages": []}"#,
      "The line has keys of several forms: text, messages."),
    BrokenLine(.content, #"{"text": 7}"#, "text: The value is an integer, not a string."),
    BrokenLine(
      .content, #"{"prompt": [], "completion": "A"}"#,
      "prompt: The value is an array, not a string."),
    BrokenLine(
      .ignoredKey, #"{"text": "a", "id": 1}"#,
      "id: The key 'id' is not read, here or on later lines."),
    BrokenLine(
      .notToLearn, #"{"prompt": "Q", "completion": "A", "label": false}"#,
      "label: The label is false: the answer is not to be learnt."),
    BrokenLine(
      .notToLearn, #"{"prompt": "Q", "completion": "A", "label": "False"}"#,
      #"label: The label is "False": the answer is not to be learnt."#),
    BrokenLine(
      .notToLearn, #"{"messages": [\#(user), \#(answer)], "weight": 0}"#,
      "weight: The weight is 0: the answer is not to be learnt."),
    BrokenLine(
      .notToLearn, #"{"prompt": "Q", "completion": "A", "weight": "0"}"#,
      #"weight: The weight is "0": the answer is not to be learnt."#),
    BrokenLine(
      .notToLearn, #"{"prompt": "Q", "chosen": "A", "rejected": "B", "weight": 0}"#,
      "weight: The weight is 0: the answer is not to be learnt."),
    BrokenLine(
      .ignoredKey, #"{"prompt": "Q", "chosen": "A", "rejected": "B", "label": true}"#,
      "label: The key 'label' is not read, here or on later lines."),
    BrokenLine(
      .ignoredKey, #"{"text": "a", "label": false}"#,
      "label: The key 'label' is not read, here or on later lines."),
    BrokenLine(
      .ignoredKey, #"{"prompt": "Q", "completion": "A", "label": "spam"}"#,
      "label: The key 'label' is not read, here or on later lines."),
    BrokenLine(
      .firstKey, #"{"tools": [], "messages": [\#(user), \#(answer)]}"#,
      "tools: The key 'tools' comes before the messages."),
    BrokenLine(
      .messageShape, #"{"messages": {}}"#, "messages: The messages are an object, not a list."),
  ]

  private static let messages = [
    BrokenLine(.missingAnswer, "[]", "The example has no messages."),
    BrokenLine(.messageShape, "[7]", "[0]: The message is an integer, not an object."),
    BrokenLine(
      .messageShape, #"{"messages": [{"content": "Q"}]}"#,
      "messages[0]: The message has the keys 'content', but no 'role'."),
    BrokenLine(.messageShape, #"[{"role": "user"}]"#, "[0]: The message has no 'content'."),
    BrokenLine(
      .role, #"[{"role": "model", "content": "A"}]"#, "[0].role: The role 'model' is not known."),
    BrokenLine(
      .role, #"[{"role": null, "content": "A"}]"#, "[0].role: The role is null, not a string."),
    BrokenLine(
      .content, #"[{"role": "user", "content": [{"type": "text", "text": "Q"}]}]"#,
      "[0].content: The content is an array, not a string."),
    BrokenLine(
      .order, "[\(user), \(user), \(answer)]",
      "[1].role: Two messages of the user follow one another."),
    BrokenLine(
      .order, "[\(user), \(answer), \(answer)]",
      "[2].role: Two messages of the assistant follow one another."),
    BrokenLine(.order, "[\(answer)]", "[0].role: The assistant speaks before the user."),
    BrokenLine(.order, "[\(system), \(answer)]", "[1].role: The assistant speaks before the user."),
    BrokenLine(
      .order, "[\(user), \(answer), \(system), \(user), \(answer)]",
      "[2].role: Message 3 is of the system; only the first may be."),
    BrokenLine(
      .order, #"[\#(user), {"role": "tool", "content": "R"}, \#(answer)]"#,
      "[1].role: The result of a tool follows no answer."),
    BrokenLine(
      .ignoredMessageKey, #"[{"role": "user", "content": "Q", "weight": 1}, \#(answer)]"#,
      "[0].weight: The key 'weight' is not read, here or on later lines."),
    BrokenLine(
      .weight, #"[\#(user), {"role": "assistant", "content": "A", "weight": 0.5}]"#,
      "[1].weight: The weight is 0.5, neither 0 nor 1."),
    BrokenLine(
      .missingAnswer, #"[\#(user), {"role": "assistant", "content": "A", "weight": 0}]"#,
      "Every answer has the weight 0, so there is none to learn."),
    BrokenLine(
      .emptyPrompt, #"[{"role": "user", "content": " "}, \#(answer)]"#,
      "[0].content: The message of the user is empty."),
  ]

  private static let answers = [
    BrokenLine(
      .missingAnswer, "[\(user)]",
      "[0].role: The last message is one of the user, so there is no answer to learn."),
    BrokenLine(
      .emptyAnswer, #"{"prompt": "Q", "completion": "\n"}"#, "completion: The answer is empty."),
    BrokenLine(.emptyAnswer, #"{"text": " "}"#, "text: The text is empty."),
    BrokenLine(
      .bareAnswer, #"{"prompt": "Q", "completion": "…"}"#,
      "completion: The answer has no letter, digit or symbol."),
    BrokenLine(
      .answerNotJSON,
      #"[{"role": "user", "content": "Q", "response_format": {"type": "json_schema", "json_schema": {"schema": {}}}}, \#(answer)]"#,
      "[1].content: The answer is not JSON, but a schema is given for it."),
  ]

  private static let pairs = [
    BrokenLine(
      .missingOfPair, #"{"prompt": "Q", "chosen": "A"}"#, "The pair has no 'rejected'."),
    BrokenLine(
      .missingOfPair, #"{"rejected": "B"}"#, "The pair has no 'prompt' and no 'chosen'."),
    BrokenLine(
      .ambiguousForm, #"{"prompt": "Q", "completion": "A", "rejected": "B"}"#,
      "The line has keys of several forms: prompt, completion, rejected."),
    BrokenLine(
      .pairShape, #"{"prompt": 7, "chosen": "A", "rejected": "B"}"#,
      "prompt: The prompt is an integer, not a text or messages."),
    BrokenLine(
      .pairShape, #"{"prompt": [], "chosen": "A", "rejected": "B"}"#,
      "prompt: The prompt has no messages."),
    BrokenLine(
      .pairShape, #"{"prompt": [\#(user), \#(answer)], "chosen": "A", "rejected": "B"}"#,
      "prompt: The prompt ends with a message of the assistant."),
    BrokenLine(
      .messageShape, #"{"prompt": [7], "chosen": "A", "rejected": "B"}"#,
      "prompt[0]: The message is an integer, not an object."),
    BrokenLine(
      .pairShape, #"{"prompt": "Q", "chosen": {}, "rejected": "B"}"#,
      "chosen: The chosen answer is an object, not a text or a message."),
    BrokenLine(
      .pairShape, #"{"prompt": "Q", "chosen": "A", "rejected": [\#(user), \#(answer)]}"#,
      "rejected: The rejected answer has 2 messages, not one."),
    BrokenLine(
      .pairShape, #"{"prompt": "Q", "chosen": [\#(user)], "rejected": "B"}"#,
      "chosen[0].role: The chosen answer is a message of the user."),
    BrokenLine(
      .order, #"{"prompt": [\#(user), \#(user)], "chosen": "A", "rejected": "B"}"#,
      "prompt[1].role: Two messages of the user follow one another."),
    BrokenLine(
      .emptyAnswer, #"{"prompt": "Q", "chosen": " ", "rejected": "B"}"#,
      "chosen: The answer is empty."),
    BrokenLine(
      .emptyAnswer, #"{"prompt": "Q", "chosen": "A", "rejected": ""}"#,
      "rejected: The answer is empty."),
    BrokenLine(
      .equalAnswers, #"{"prompt": "Q", "chosen": "A", "rejected": [\#(answer)]}"#,
      "rejected: The chosen and the rejected answer are the same."),
    BrokenLine(
      .equalAnswers,
      #"{"prompt": "Q", "chosen": "A", "rejected": [{"role": "assistant", "content": "A", "weight": 0}]}"#,
      "rejected: The chosen and the rejected answer are the same."),
    BrokenLine(
      .notToLearn,
      #"{"prompt": "Q", "chosen": [{"role": "assistant", "content": "A", "weight": 0}], "rejected": "B"}"#,
      "chosen[0].weight: The weight is 0: the answer is not to be learnt."),
  ]

  private static let tools = [
    BrokenLine(
      .tools, #"{"messages": [\#(user), \#(answer)], "tools": "none"}"#,
      "tools: The tools are a string, not a list of objects."),
    BrokenLine(
      .tools, #"[\#(user), {"role": "assistant", "content": "A", "tools": []}]"#,
      "[1].tools: Tools stand on another message than the first."),
    BrokenLine(
      .calls, #"[{"role": "user", "content": "Q", "tool_calls": [1]}, \#(answer)]"#,
      "[0].tool_calls: Calls stand in a message of the user."),
    BrokenLine(
      .calls, #"[\#(user), {"role": "assistant", "content": "A", "tool_calls": []}]"#,
      "[1].tool_calls: The calls are an empty list."),
    BrokenLine(
      .calls, #"[\#(user), {"role": "assistant", "content": null, "tool_calls": [{"name": "f"}]}]"#,
      "[1].tool_calls[0]: The call has no function with name and arguments."),
    BrokenLine(
      .calls,
      #"[\#(user), {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{\"k\": "}}]}]"#,
      "[1].tool_calls[0].function.arguments: The arguments of 'f' are a text that is no JSON."),
    BrokenLine(
      .strayCall,
      #"[\#(user), \#(answer), {"role": "tool", "tool_call_id": "9", "content": "r"}, \#(answer)]"#,
      "[2].tool_call_id: The result is of the call '9', which no message before it makes."),
    BrokenLine(
      .strayCall,
      #"""
      {"messages": [\#(user), {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}], \#
      "tools": [{"type": "function", "function": {"name": "g"}}]}
      """#, "messages[1].tool_calls: The call is of 'f', which is not among the tools."),
    BrokenLine(
      .responseFormat, #"[\#(user), {"role": "assistant", "content": "A", "response_format": {}}]"#,
      "[1].response_format: The format stands on a message of the assistant."),
    BrokenLine(
      .responseFormat,
      #"[{"role": "user", "content": "Q", "response_format": {"type": "json_object"}}, \#(answer)]"#,
      "[0].response_format: The format is not of type json_schema with a schema."),
  ]
}

@Suite struct ExampleParserTests {
  /// The example and the findings of a text, as its only line.
  static func parse(_ bytes: [UInt8], number: Int = 1) -> (TrainingExample?, [Finding]) {
    var parser = ExampleParser(file: "f")
    return parser.parse(
      LineReader.Line(
        number: number, offset: 0, length: bytes.count, text: bytes, hasCarriageReturn: false,
        isTooLong: false))
  }

  static func example(_ text: String) throws -> TrainingExample {
    let (example, findings) = parse(Array(text.utf8))
    #expect(findings.isEmpty)
    return try #require(example)
  }

  private static func said(_ finding: Finding) -> String {
    let offset = finding.place.offset.flatMap { $0 == 0 ? nil : "byte \($0): " } ?? ""
    return offset + (finding.place.key.map { $0 + ": " } ?? "") + finding.message
  }

  @Test(arguments: BrokenLine.all) func eachDefectIsNamed(_ broken: BrokenLine) {
    let (example, findings) = Self.parse(Array(broken.line.utf8))
    #expect(findings.map(\.rule) == [broken.rule.rawValue])
    #expect(findings.map(Self.said) == [broken.said])
    #expect((example == nil) == (broken.rule.severity == .error || broken.rule == .blankLine))
  }

  @Test func formsSayTheSame() throws {
    let list = try Self.example(
      #"[{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}]"#)
    let messages = try Self.example(
      #"{"messages": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}]}"#)
    let first = try Self.example(
      #"{"conversation": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}]}"#
    )
    let completion = try Self.example(#"{"prompt": "Q", "completion": "A"}"#)
    #expect(
      [list, messages, first, completion].map(\.form) == [.list, .messages, .messages, .completion])
    let expected = [TrainingMessage(.user, "Q"), TrainingMessage(.assistant, "A")]
    for example in [list, messages, first, completion] {
      #expect(example.messages == expected)
      #expect(example.key == list.key)
    }
    let text = try Self.example(#"{"text": "Q A"}"#)
    #expect(text.content == .text("Q A"))
    #expect(text.key != list.key)
    #expect(text.promptKey == nil)
  }

  /// Texts and messages say the same, and no side is lost.
  @Test func pairsHaveTwoAnswers() throws {
    let texts = try Self.example(#"{"prompt": "Q", "chosen": "A", "rejected": "B"}"#)
    let messages = try Self.example(
      #"""
      {"prompt": [{"role": "user", "content": "Q"}], "chosen": [{"role": "assistant", "content": "A"}], \#
      "rejected": [{"role": "assistant", "content": "B"}]}
      """#)
    for pair in [texts, messages] {
      #expect(pair.form == .preference)
      #expect(pair.messages == [TrainingMessage(.user, "Q"), TrainingMessage(.assistant, "A")])
      #expect(pair.rejected == TrainingMessage(.assistant, "B"))
      #expect(pair.key == texts.key)
    }
    let single = try Self.example(#"{"prompt": "Q", "completion": "A"}"#)
    #expect(texts.key != single.key && texts.promptKey == single.promptKey)
    let other = try Self.example(#"{"prompt": "Q", "chosen": "B", "rejected": "A"}"#)
    #expect(other.key != texts.key && other.key == texts.mirrored?.key)
    #expect(single.mirrored == nil)
  }

  @Test func schemasAndCallsAreKept() throws {
    let example = try Self.example(
      #"""
      [{"role": "user", "content": "Q", "tools": [{"x": 1}], "response_format": {"type": "json_schema", \#
      "json_schema": {"name": "N", "schema": {"b": 1, "a": 2}}}}, {"role": "assistant", "content": null, \#
      "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{\"k\": 1}"}}]}, \#
      {"role": "function", "content": {"ok": true}}, {"role": "assistant", "content": "{}"}]
      """#)
    #expect(example.tools == [.object(["x": .number(JSONNumber(1))])])
    let format = try #require(example.messages[0].responseFormat)
    #expect(format.name == "N")
    #expect(format.description == nil)
    #expect(format.schema.line == #"{"b": 1, "a": 2}"#)
    #expect(example.messages[1].toolCalls?.line == #"[{"name": "f", "arguments": {"k": 1}}]"#)
    #expect(example.messages.map(\.role) == [.user, .assistant, .tool, .assistant])
    #expect(example.messages[2].content == #"{"ok": true}"#)
  }

  @Test func damagedTextIsFoundToTheByte() {
    let (example, findings) = Self.parse(
      Array(#"{"text": "aü"#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8))
    #expect(example == nil)
    #expect(findings.map(\.rule) == ["line.utf8"])
    #expect(findings.first?.place.offset == 13)
    #expect(findings.first?.message == "The byte 0xC3 is not part of UTF-8 text.")
  }

  @Test func aByteOrderMarkIsNamedAndTheLineReadOn() {
    let text = [0xEF, 0xBB, 0xBF] + Array("{".utf8)
    #expect(Self.parse(text).1.map(\.rule) == ["file.byte-order-mark", "line.json"])
    #expect(Self.parse(text).1.last?.place.offset == 4)
    #expect(Self.parse(text, number: 2).1.map(\.rule) == ["line.json"])
  }

  @Test func everyDefectOfALineIsReported() {
    let line =
      #"[{"role": "user", "content": "Q"}, {"role": "user", "content": ""}, {"role": "assistant", "content": ""}]"#
    #expect(
      Self.parse(Array(line.utf8)).1.map(\.rule)
        == ["message.order", "prompt.empty", "answer.empty"])
  }

  @Test func rulesHaveTexts() {
    for rule in DataRule.allCases {
      #expect(rule.remedy.hasSuffix("."), "\(rule)")
    }
    #expect(Set(DataRule.allCases.map(\.rawValue)).count == DataRule.allCases.count)
  }
}
