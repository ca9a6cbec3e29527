import TensorFiles
import TestSupport
import Testing

@testable import AdapterTraining

/// Text of a file, and the lines that it becomes.
struct ConversionCase: Sendable, CustomTestStringConvertible {
  let name: String
  let text: String
  let lines: [String]
  var adjust: @Sendable (inout DataConversion) -> Void = { _ in }

  var testDescription: String { name }

  fileprivate static func chat(_ messages: (String, String)...) -> String {
    let texts = messages.map { #"{"role": "\#($0)", "content": "\#($1)"}"# }
    return "[\(texts.joined(separator: ", "))]"
  }

  static let all: [ConversionCase] = tables + objects + conversations + preferences

  private static let tables = [
    ConversionCase(
      name: "a.csv", text: "prompt,completion\nQ,A\n\"Q, 2\",\"A\n2\"\n",
      lines: [
        chat(("user", "Q"), ("assistant", "A")), chat(("user", "Q, 2"), ("assistant", #"A\n2"#)),
      ]),
    ConversionCase(
      name: "upper case.CSV", text: "Question,Id,Answer\nQ,7,A\n",
      lines: [chat(("user", "Q"), ("assistant", "A"))]),
    ConversionCase(
      name: "a.tsv", text: "prompt\tresponse\tsystem\nQ, 1\tA\tS\nQ\tA\t\n",
      lines: [
        chat(("system", "S"), ("user", "Q, 1"), ("assistant", "A")),
        chat(("user", "Q"), ("assistant", "A")),
      ]),
    ConversionCase(
      name: "named.csv", text: "Body,Queue,Rule\nQ,A,S\n",
      lines: [chat(("system", "S"), ("user", "Q"), ("assistant", "A"))]
    ) {
      ($0.prompt, $0.answer, $0.system) = ("Body", "Queue", "Rule")
    },
    ConversionCase(
      name: "one named.csv", text: "instruction,input,output,short\nQ,more,A,S\n",
      lines: [chat(("user", #"Q\n\nmore"#), ("assistant", "S"))]
    ) { $0.answer = "short" },
    ConversionCase(
      name: "table.txt", text: "text,label\nQ,A\n",
      lines: [chat(("user", "Q"), ("assistant", "A"))]
    ) { $0.source = .csv },
  ]

  private static let objects = [
    ConversionCase(
      name: "alpaca.json",
      text: """
        [
          {"instruction": "I", "input": "", "output": "A"},
          {"instruction": "I", "input": "in", "output": "A [1]"}, {"instruction": "I", "output": "}\\"{"}
        ]
        """,
      lines: [
        chat(("user", "I"), ("assistant", "A")),
        chat(("user", #"I\n\nin"#), ("assistant", "A [1]")),
        chat(("user", "I"), ("assistant", #"}\"{"#)),
      ]),
    ConversionCase(
      name: "history.json",
      text: #"{"instruction": "3", "output": "4", "history": [["1", "2"]], "system": "S"}"#,
      lines: [
        chat(
          ("system", "S"), ("user", "1"), ("assistant", "2"), ("user", "3"), ("assistant", "4"))
      ]),
    ConversionCase(
      name: "dolly.jsonl",
      text: #"{"instruction": "I", "context": "C", "response": "A", "category": "x"}"# + "\n",
      lines: [chat(("user", #"I\n\nC"#), ("assistant", "A"))]),
    ConversionCase(
      name: "input alone.json", text: #"[{"instruction": "", "input": "in", "output": "A"}]"#,
      lines: [chat(("user", "in"), ("assistant", "A"))]),
    ConversionCase(
      name: "pairs over several lines", text: "{\n\"prompt\": 7,\n\"completion\": true\n}\n{}",
      lines: [chat(("user", "7"), ("assistant", "true"))]
    ) { $0.skips = true },
  ]

  private static let conversations = [
    ConversionCase(
      name: "sharegpt.json",
      text: """
        [{"id": 1, "conversations": [{"from": "human", "value": "1"}, {"from": "gpt", "value": "2"},
        {"from": "human", "value": "3"}, {"from": "gpt", "value": "4"}]},
        {"system": "S", "conversations": [{"from": "user", "value": "1"}, {"from": "assistant", "value": "2"}]}]
        """,
      lines: [
        chat(("user", "1"), ("assistant", "2"), ("user", "3"), ("assistant", "4")),
        chat(("system", "S"), ("user", "1"), ("assistant", "2")),
      ]),
    ConversionCase(
      name: "messages in a list.json",
      text: #"[{"messages": \#(chat(("user", "1"), ("assistant", "2")))}]"#,
      lines: [#"{"messages": \#(chat(("user", "1"), ("assistant", "2")))}"#]),
    ConversionCase(
      name: "messages over lines.json",
      text: "{\n\"messages\":\n\(chat(("user", "1"), ("assistant", "2")))}",
      lines: [#"{"messages": \#(chat(("user", "1"), ("assistant", "2")))}"#]),
    ConversionCase(
      name: "roles.jsonl",
      text:
        #"{"conversations": [{"role": "user", "content": "1"}, {"role": "assistant", "content": "2"}]}"#,
      lines: [chat(("user", "1"), ("assistant", "2"))]),
  ]
}

extension ConversionCase {
  private static func pair(_ prompt: String, _ chosen: String, _ rejected: String) -> String {
    func answer(_ text: String) -> String { chat(("assistant", text)) }
    return
      #"{"prompt": \#(prompt), "chosen": \#(answer(chosen)), "rejected": \#(answer(rejected))}"#
  }

  /// What trl's data sets look like.
  fileprivate static let preferences = [
    ConversionCase(
      name: "standard.jsonl",
      text: #"{"prompt": "Q", "chosen": "A", "rejected": "B", "score_chosen": 8.5}"#,
      lines: [pair(chat(("user", "Q")), "A", "B")]),
    ConversionCase(
      name: "conversational.json",
      text:
        #"[{"prompt": \#(chat(("system", "S"), ("user", "Q"))), "chosen": \#(chat(("assistant", "A"))), "rejected": \#(chat(("assistant", "B")))}]"#,
      lines: [pair(chat(("system", "S"), ("user", "Q")), "A", "B")]),
    ConversionCase(
      name: "implicit.json",
      text:
        #"{"chosen": \#(chat(("user", "Q"), ("assistant", "A"))), "rejected": \#(chat(("user", "Q"), ("assistant", "B")))}"#,
      lines: [pair(chat(("user", "Q")), "A", "B")]),
    ConversionCase(
      name: "ultrafeedback.jsonl",
      text:
        #"{"prompt": "Q", "prompt_id": "7", "messages": [], "chosen": \#(chat(("user", "Q"), ("assistant", "A"))), "rejected": \#(chat(("user", "Q"), ("assistant", "B")))}"#,
      lines: [pair(chat(("user", "Q")), "A", "B")]),
    ConversionCase(
      name: "turns.jsonl",
      text:
        #"{"chosen": "\n\nHuman: 1\n\nAssistant: 2\n\nHuman: 3\n\nAssistant: A", "rejected": "\n\nHuman: 1\n\nAssistant: 2\n\nHuman: 3\n\nAssistant: B"}"#,
      lines: [pair(chat(("user", "1"), ("assistant", "2"), ("user", "3")), "A", "B")]),
    ConversionCase(
      name: "orca.csv", text: "system,question,chosen,rejected\nS,Q,A,B\n,Q,A,C\n",
      lines: [
        pair(chat(("system", "S"), ("user", "Q")), "A", "B"), pair(chat(("user", "Q")), "A", "C"),
      ]),
    ConversionCase(
      name: "named pairs.csv", text: "Ask,chosen,rejected\nQ,A,B\n",
      lines: [pair(chat(("user", "Q")), "A", "B")]
    ) { $0.prompt = "Ask" },
  ]
}

@Suite struct DataConversionTests {
  @Test func allThatIsWrongWithPairsIsSaidAtOnce() throws {
    let turn = #"{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}"#
    let text = """
      {"chosen": "A", "rejected": "B"}
      {"prompt": "Q", "chosen": "A"}
      {"prompt": "Q", "chosen": "A", "rejected": "A"}
      {"prompt": "Q", "chosen": 1.5, "rejected": {}}
      {"chosen": [\(turn), \(turn)], "rejected": [\(turn)]}
      {"prompt": "Q", "chosen": [], "rejected": "B"}

      """
    let error = #expect(throws: DataSetError.self) { try convert(text, "a.json") }
    guard case .refused(let report)? = error else { return #expect(Bool(false), "no report") }
    #expect(
      report.findings.map { "\($0.place.line ?? 0) \($0.rule): \($0.message)" } == [
        "1 record.form: The record has no prompt.",
        "2 record.form: The record has no 'rejected'.",
        "3 pair.equal: The chosen and the rejected answer are the same.",
        "4 record.form: 'rejected' is an object, not a text.",
        "5 pair.shape: The chosen answer has 3 messages, not one.",
        "6 pair.shape: The chosen answer has 0 messages, not one.",
      ])
  }

  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func convert(
    _ text: String, _ name: String, _ adjust: (inout DataConversion) -> Void = { _ in }
  ) throws -> (lines: [String], result: DataConversion.Result) {
    let path = try folder.write(text, to: name)
    var conversion = DataConversion()
    adjust(&conversion)
    var lines = ""
    let result = try conversion.run(path) { lines += String(decoding: $0, as: UTF8.self) }
    return (lines.split(separator: "\n").map(String.init), result)
  }

  @Test(arguments: ConversionCase.all) func recordsBecomeMessages(_ sample: ConversionCase) throws {
    let found = try convert(sample.text, sample.name, sample.adjust)
    #expect(found.lines == sample.lines)
    #expect(found.result.examples == sample.lines.count)
    let data = try folder.write(found.lines.joined(separator: "\n"), to: "out.jsonl")
    #expect(try DataSet(path: data).examples.count == sample.lines.count)
  }

  @Test func allThatIsWrongIsSaidAtOnce() throws {
    let text = """
      {"conversations": [{"from": "human", "value": "1"}, {"from": "gpt", "value": "2"}]}
      {"conversations": [{"from": "gpt", "value": "2"}]}
      {"conversations": [{"from": "elf", "value": "2"}]}
      {"conversations": 3}
      {"conversations": [{"from": "human", "value": "1"}]}
      {"conversations": [{"value": "1"}]}
      {"conversations": 01}
      {"conversations": [{"from": "human", "value": "1"}, {"from": "gpt", "value": " "}]}

      """
    let error = #expect(throws: DataSetError.self) { try convert(text, "a.json") }
    guard case .refused(let report)? = error else { return #expect(Bool(false), "no report") }
    #expect(
      report.findings.map { "\($0.place.line ?? 0) \($0.rule): \($0.message)" } == [
        "2 message.order: The assistant speaks before the user.",
        "3 record.form: Turn 1 is from 'elf', who is not known.",
        "4 record.form: The conversations are an integer.",
        "5 answer.missing: The last message is one of the user, so there is no answer to learn.",
        "6 record.form: Turn 1 is no object with from and value.",
        "7 line.json: The record is not JSON: a number is malformed.",
        "8 answer.empty: The answer is empty.",
      ])
    let kept = try convert(text, "a.json") { $0.skips = true }
    #expect(kept.lines.count == 1)
    #expect(kept.result == DataConversion.Result(examples: 1, skipped: 7))
  }

  /// Whoever writes JSON often writes one line.
  @Test func recordsOfAListHaveNumbers() throws {
    let text = #"""
      [{"instruction": "a", "output": ""}, {"instruction": "b", "output": "x"}, \#
      {"instruction": "c", "output": "y", "instruction": "z"}]
      """#
    let error = #expect(throws: DataSetError.self) { try convert(text, "a.json") }
    guard case .refused(let report)? = error else { return #expect(Bool(false), "no report") }
    #expect(
      report.findings.map {
        "\($0.place.line ?? 0) \($0.place.key ?? "") \($0.rule): \($0.message)"
      }
        == [
          "1 record 1 answer.empty: The answer is empty.",
          "1 record 3 line.repeated-key: The key 'instruction' stands twice in one object.",
        ])
  }

  @Test func rowsOfAnotherLengthAreSaid() throws {
    let error = #expect(throws: DataSetError.self) {
      try convert("prompt,completion\nQ\nQ,A\nQ,A,B\n", "a.csv")
    }
    guard case .refused(let report)? = error else { return #expect(Bool(false), "no report") }
    #expect(
      report.findings.map(\.message) == [
        "The row has 1 field, the first one 2.", "The row has 3 fields, the first one 2.",
      ])
  }

  @Test(
    arguments: [
      (
        "a.json", #"{"a": "x", "b": 1}"#,
        "the first record has 'a', 'b', which is no known form; say what asks and what answers",
        4
      ),
      (
        "a.json", #"{"messages": []}"#,
        "is a data set as it stands; 'fmadapter data check' tells whether it can be trained on", 2
      ),
      (
        "a.jsonl", #"[{"role": "user", "content": "x"}]"#,
        "is a data set as it stands; 'fmadapter data check' tells whether it can be trained on", 2
      ),
      (
        "a.json", "3",
        "line 1: found '3', expected an object; give objects in one list, or one after the other",
        4
      ),
      (
        "a.json", "[{\"prompt\": 1, \"completion\": 2}\n",
        "line 2: the list does not end; give objects in one list, or one after the other", 4
      ),
      (
        "a.json", "\n{\"a\": {",
        "line 2: the object does not end; give objects in one list, or one after the other", 4
      ),
      (
        "a.json", "[{\"prompt\": 1, \"completion\": 2}]\n{}",
        "line 2: found '{', expected an object; give objects in one list, or one after the other", 4
      ),
      ("a.csv", "a,b,a\n", "line 1: two columns are called 'a'; rename one", 4),
      (
        "a.csv", "prompt,completion\n\"x,y\n",
        "line 2: a quotation mark is never closed; double marks inside of fields", 4
      ),
      (
        "a.csv", "prompt,completion\n\"x\"y,z\n",
        "line 2: text stands behind the mark that closes a field; double marks inside of fields", 4
      ),
    ] as [(String, String, String, Int32)])
  func errors(_ name: String, _ text: String, _ message: String, _ code: Int32) throws {
    let error = #expect(throws: DataSetError.self) {
      try convert(text, name)
    }
    #expect(error?.text.description == "\(folder.path(name)): \(message)")
    #expect(error?.exitCode == code)
  }

  @Test func namesThatAreNotThereAreSaid() throws {
    let error = #expect(throws: DataSetError.self) {
      try convert("Body,Queue\nQ,A\n", "a.csv") { ($0.prompt, $0.answer) = ("Body", "queue") }
    }
    #expect(
      error?.text.description
        == "\(folder.path("a.csv")): nothing is called 'queue'; there is 'Body', 'Queue'")
    #expect(error?.exitCode == 2)
  }

  @Test(arguments: ["a.csv", "a.json"]) func aFileWithoutRecordsIsRefused(_ name: String) throws {
    let text = name == "a.csv" ? "prompt,completion\n" : "[]"
    let error = #expect(throws: DataSetError.self) { try convert(text, name) }
    guard case .refused(let report)? = error else { return #expect(Bool(false), "no report") }
    #expect(report.findings.map(\.rule) == ["file.empty"])
  }

  @Test func itCanBeStopped() throws {
    let path = try folder.write("prompt,completion\nQ,A\n", to: "a.csv")
    #expect(throws: DataSetError.cancelled) {
      try DataConversion().run(path, isCancelled: { true }) { _ in }
    }
  }
}
