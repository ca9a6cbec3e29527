import Adapters
import ChatTemplates
import JSON
import Testing

@testable import AdapterTraining

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
      [{"role": "user", "content": "Q", "tools": [{"name": "f"}], "response_format": {"type": "json_schema", \#
      "json_schema": {"name": "N", "schema": {"b": 1, "a": 2}}}}, {"role": "assistant", "content": null, \#
      "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{\"k\": 1}"}}]}, \#
      {"role": "function", "content": {"ok": true}}, {"role": "assistant", "content": "{}"}]
      """#)
    #expect(example.tools == [.object(["name": .string("f")])])
    let format = try #require(example.messages[0].responseFormat)
    #expect(format.name == "N")
    #expect(format.description == nil)
    #expect(format.schema.line == #"{"b": 1, "a": 2}"#)
    #expect(example.messages[1].toolCalls?.line == #"[{"name": "f", "arguments": {"k": 1}}]"#)
    #expect(example.messages.map(\.role) == [.user, .assistant, .tool, .assistant])
    #expect(example.messages[2].content == #"{"ok": true}"#)
  }

  /// Marks of OpenAI, ms-swift and axolotl.
  @Test(arguments: [
    (#""weight": 0"#, false), (#""weight": 1"#, true), (#""loss": false"#, false),
    (#""loss": true"#, true), (#""loss": 0"#, false), (#""loss_scale": 0.0"#, false),
    (#""loss_scale": 1"#, true), (#""train": false"#, false), (#""training": false"#, false),
    (#""train": null"#, true), (#""train": false, "weight": 1"#, false),
    (#""train_detail": [{"train": false}]"#, false),
    (#""train_detail": [{"train": true}]"#, true), (#""train_detail": []"#, true),
  ]) func answersAreLearntUnlessTheyAreMarked(_ mark: String, _ isLearnt: Bool) throws {
    let example = try Self.example(
      #"""
      [{"role": "user", "content": "Q", "train": false, "loss": false}, {"role": "assistant", "content": "A", \#(mark)}, \#
      {"role": "user", "content": "R"}, {"role": "assistant", "content": "B"}]
      """#)
    #expect(example.messages.map(\.isLearnt) == [false, isLearnt, false, true])
  }

  /// As columns of one type have them.
  @Test(arguments: ["null", "[]", "\"\"", #""[]""#])
  func whatIsEmptyIsNone(_ none: String) throws {
    let plain = try Self.example(
      #"[{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}]"#)
    for line in [
      #"{"messages": [{"role": "user", "content": "Q", "tool_calls": N}, {"role": "assistant", "content": "A", "tool_calls": N}], "tools": N}"#,
      #"{"prompt": "Q", "completion": "A", "tools": N, "messages": null, "label": null}"#,
      #"[{"role": "user", "content": "Q", "tools": N}, {"role": "assistant", "content": "A", "tool_calls": N, "weight": null}]"#,
    ] {
      #expect(try Self.example(line.replacing("N", with: none)).content == plain.content)
    }
  }

  @Test func toolsMayBeATextOfJSON() throws {
    let line =
      #"{"messages": [{"role": "user", "content": "Q"}, {"role": "assistant", "tool_calls": "[{\"function\": {\"name\": \"f\", \"arguments\": {}}}]"}], "#
      + #""tools": "[{\"name\": \"f\", \"description\": null}]"}"#
    let example = try Self.example(line)
    #expect(example.tools.map(\.line) == [#"{"name": "f"}"#])
    #expect(example.messages[1].toolCalls?.line == #"[{"name": "f", "arguments": {}}]"#)
  }

  @Test func identitiesAndNamesOfCallsAreKept() throws {
    let messages = try Self.example(
      #"""
      [{"role": "user", "content": "Q"}, {"role": "assistant", "content": null, "tool_calls": [\#
      {"id": "x", "function": {"name": "f", "arguments": {}}}, {"function": {"name": "g", "arguments": {}}}]}, \#
      {"role": "tool", "content": "1", "tool_call_id": "x", "name": "f"}, {"role": "tool", "content": "2"}, \#
      {"role": "assistant", "content": "A"}]
      """#
    ).messages.map(\.said)
    #expect(messages[1].toolCalls.map(\.id) == ["x", ""])
    #expect(messages[2].answeredCall == ChatToolCall(id: "x", name: "f", arguments: .null))
    #expect(messages[3].answeredCall == nil)
  }

  /// Servers and other trainers have several names for them.
  @Test(arguments: ["reasoning_content", "reasoning", "thinking"]) func thoughtsAreRead(
    key: String
  ) throws {
    func line(_ value: String) -> String {
      #"[{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A", "\#(key)": \#(value)}]"#
    }
    let example = try Self.example(line("\"T\""))
    #expect(example.messages[1].said.thoughts == "T")
    #expect(try Self.example(line("\"U\"")).key != example.key)
    for (value, isNamed) in [("\"T\"", false), ("\" \"", true), ("true", true)] {
      let (parsed, findings) = Self.parse(Array(line(value).utf8))
      #expect(parsed?.messages[1].thoughts == (isNamed ? nil : "T"))
      #expect(findings.map(\.rule) == (isNamed ? ["message.ignored-key"] : []), "\(value)")
    }
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
