import Foundation
import TestSupport
import Testing

@testable import AdapterTraining

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
      {"prompt": "Q", "chosen": ["A", "B"], "rejected": "C"}

      """
    let report = try refusal { try convert(text, "a.json") }
    #expect(
      report.findings.map { "\($0.place.line ?? 0) \($0.rule): \($0.message)" } == [
        "1 record.form: The record has no prompt.",
        "2 record.form: The record has no 'rejected'.",
        "3 pair.equal: The chosen and the rejected answer are the same.",
        "4 record.form: 'rejected' is an object, not a text.",
        "5 pair.shape: The chosen answer has 3 messages, not one.",
        "6 pair.shape: The chosen answer has 0 messages, not one.",
        "7 record.form: 'chosen' is a list without messages, not a text or messages.",
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

  /// What is found in the records that `convert` refuses.
  private func refusal<Result>(_ convert: () throws -> Result) throws -> DataReport {
    let error = try #require(throws: DataSetError.self) { _ = try convert() }
    guard case .refused(let report) = error else { throw error }
    return report
  }

  @Test func severalFilesBecomeOneSet() throws {
    let good = try folder.write(#"[{"question": "Q", "answer": "A", "id": 1}]"#, to: "a.json")
    let table = try folder.write("prompt,completion,id\nR,B,2\n", to: "b.csv")
    var lines = ""
    let result = try DataConversion().run([good, table]) {
      lines += String(decoding: $0, as: UTF8.self)
    }
    #expect(lines.split(separator: "\n").count == 2 && lines.contains("\"Q\""))
    #expect(result.examples == 2 && result.unread.keys.map(\.count) == [2])
    let bad = try ["c", "d"].map {
      try folder.write(#"{"question": "Q", "answer": ""}"#, to: $0 + ".json")
    }
    let report = try refusal { try DataConversion().run([good] + bad) { _ in } }
    #expect(Set(report.findings.map(\.place.file)) == Set(bad))
  }

  private static func utf16(_ text: String, swapped: Bool) -> [UInt8] {
    ("\u{FEFF}" + text).utf16.flatMap { unit in
      let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
      return swapped ? bytes.reversed() : bytes
    }
  }

  /// What a text in memory becomes, as standard input does.
  private func convert(_ bytes: [UInt8]) throws -> [String] {
    var lines = ""
    _ = try DataConversion().run(bytes, named: "standard input") {
      lines += String(decoding: $0, as: UTF8.self)
    }
    return lines.split(separator: "\n").map(String.init)
  }

  /// As Excel saves a text with tabs, and PowerShell what it is given; a pair of surrogates lies
  /// where the first piece ends.
  @Test(arguments: [false, true]) func textsInUTF16AreRead(_ swapped: Bool) throws {
    let filler = String(repeating: "é", count: (256 << 10) / 2 - 21)
    let table = "prompt\tcompletion\r\n\(filler)🙂\tb\r\n"
    let json = #"[{"prompt": "\#(filler)🙂", "completion": "b"}]"#
    for text in [table, json] {
      let bytes = Self.utf16(text, swapped: swapped)
      let lines = try convert(bytes)
      #expect(lines.count == 1 && lines[0].contains("é🙂\"}"))
      let path = folder.path("x.txt")
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      var written = ""
      _ = try DataConversion().run(path) { written += String(decoding: $0, as: UTF8.self) }
      #expect(written == lines[0] + "\n")
    }
  }

  @Test(arguments: [[0xFF, 0xFE, 0x61, 0x00, 0x00, 0xD8], [0xFF, 0xFE, 0x61]] as [[UInt8]])
  func whatIsNoUTF16IsSaid(_ bytes: [UInt8]) throws {
    let error = #expect(throws: DataSetError.self) { try convert(bytes) }
    #expect(error == .table(path: "standard input", line: 1, .notText))
  }

  /// Nothing is dropped in silence.
  @Test func whatIsNotReadIsCounted() throws {
    let text = """
      {"id": 1, "prompt": "Q", "completion": "A", "label": "spam", "note": null}
      {"id": 2, "prompt": "Q", "completion": "A", "weight": 0.5, "label": true}
      {"id": 3, "conversations": [{"from": "human", "value": "1", "lang": "en"}, {"from": "gpt", "value": "2", "lang": "en", "thinking": "T"}]}
      {"id": 4, "prompt": "Q", "completion": "B", "label": false}
      """
    let found = try convert(text, "a.jsonl")
    #expect(found.result.examples == 3 && found.result.notToLearn == 1)
    #expect(
      found.result.unread.keys.map { "\($0.name) \($0.count) \($0.line)" } == [
        "id 4 1", "label 1 1", "weight 1 2", "conversations[].lang 1 3",
      ])
    let table = try convert(",prompt,completion,mood\n0,Q,A,\n1,Q,A,good\n", "a.csv")
    #expect(table.result.unread.keys.map { "\($0.name) \($0.count)" } == ["column 1 2", "mood 1"])
    let texts = try convert(
      #"""
      messages
      "[{""role"": ""user"", ""content"": ""Q"", ""lang"": 1}, {""role"": ""assistant"", ""content"": ""A"", ""reasoning_content"": ""T""}]"
      """#, "a.csv")
    #expect(texts.result.unread.keys.map { "\($0.name) \($0.count)" } == ["messages[].lang 1"])
    let many = (0..<200).map { "\"k\($0)\": 1" }.joined(separator: ", ")
    let bounded = try convert("{\"prompt\": 1, \"completion\": 2, \(many)}", "a.json")
    #expect(bounded.result.unread.keys.count == UnreadKeys.limit)
    #expect(bounded.result.unread.isCut && !found.result.unread.isCut)
  }

  @Test func aFileOfWrongAnswersAloneHasNoExamples() throws {
    let report = try refusal {
      try convert(#"{"prompt": "Q", "completion": "A", "label": false}"#, "a.jsonl")
    }
    #expect(
      report.findings.map { "\($0.rule): \($0.message)" } == [
        "file.empty: No record became an example: 1 not to be learnt (label or weight)."
      ])
    #expect(report.findings.map(\.remedy) == ["Give records whose answers are right."])
    let told = try refusal {
      try convert(#"{"prompt": "Q", "completion": ""}"#, "a.jsonl") { $0.skips = true }
    }
    #expect(
      told.findings.map { "\($0.message) \($0.remedy)" } == [
        "No record became an example: 1 left out for their errors. "
          + "Leave none out to see what is wrong with each record."
      ])
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
    let report = try refusal { try convert(text, "a.json") }
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

  /// A file of which every record but two is none: the first has no known form, others are no
  /// objects, or are broken off.
  @Test(arguments: [
    """
    {"id": 1}
    {"prompt": "Q", "completion": "A"}
    []
    "x"
    {"prompt": "Q", "completion":}
    {"prompt": "Q", "completion": "B"
    {"prompt": "Q", "completion": "C
    {"prompt": "Q", "completion": "A"}
    {"prompt": ["Q"],
    """,
    """
    [{"id": 1}, {"prompt": "Q", "completion": "A"},
    [], "x",
    {"prompt": "Q", "completion":},
    {"prompt": "Q", "completion": "B",
    {"prompt": "Q", "completion": "C,
    {"prompt": "Q", "completion": "A"}, -]
    """,
  ]) func recordsThatAreNoneAreLeftOut(_ text: String) throws {
    let report = try refusal { try convert(text, "a.json") }
    #expect(
      report.findings.prefix(3).map(\.message) == [
        "The record has 'id', which is no known form.", "The record is an array, not an object.",
        "The record is a string, not an object.",
      ])
    let rules = Array(repeating: "record.form", count: 3) + Array(repeating: "line.json", count: 4)
    #expect(report.findings.map(\.rule) == rules)
    #expect(report.findings.allSatisfy { $0.remedy == DataRule.record.remedy })
    let kept = try convert(text, "a.json") { $0.skips = true }
    #expect((kept.result.examples, kept.result.skipped) == (2, 7))
    #expect(Set(kept.lines) == [ConversionCase.chat(("user", "Q"), ("assistant", "A"))])
  }

  /// The first record of lines may be an empty list, which is no list of all of them.
  @Test(arguments: ["[]\n{LINE}\n", "\n[ ]\n[]\n{LINE}", "[] {LINE} 7"])
  func anEmptyListIsARecordWhereOthersFollow(_ text: String) throws {
    let whole = text.replacing("{LINE}", with: #"{"prompt": "Q", "completion": "A"}"#)
    let report = try refusal { try convert(whole, "a.jsonl") }
    let first = report.findings.first
    #expect(first?.message == "The record is an array, not an object.")
    #expect(first?.place.line == (text.first == "\n" ? 2 : 1))
    let kept = try convert(whole, "a.jsonl") { $0.skips = true }
    #expect(kept.lines == [ConversionCase.chat(("user", "Q"), ("assistant", "A"))])
    #expect(kept.result.skipped == report.findings.count)
  }

  /// A data set as it stands is one with fewer lines.
  @Test func linesWithErrorsAreLeftOutOfADataSet() throws {
    let good = #"{"messages": \#(ConversionCase.chat(("user", "Q"), ("assistant", "A")))}"#
    let text = [good, #"{"messages": []}"#, #"{"messages""#, good].joined(separator: "\n")
    let error = #expect(throws: DataSetError.self) { try convert(text, "a.jsonl") }
    #expect(error == .isDataSet(path: folder.path("a.jsonl")))
    let kept = try convert(text, "a.jsonl") { $0.skips = true }
    #expect(kept.lines == [good, good] && kept.result.skipped == 2)
  }

  @Test func bytesThatAreNoTextAreSaid() throws {
    let report = try refusal {
      try convert(Array(#"{"prompt": ""#.utf8) + [0xE9] + Array(#"", "completion": "A"}"#.utf8))
    }
    #expect(report.findings.map(\.message) == ["The record is not UTF-8 text."])
    #expect(report.findings.map(\.remedy) == [DataRule.encoding.remedy])
  }

  @Test func eachRecordThatIsNoJSONIsNamed() throws {
    let report = try refusal {
      try convert(String(repeating: "{'prompt': 'Q'}\n", count: 20), "a.jsonl")
    }
    #expect(report.findings.map(\.rule) == Array(repeating: "line.json", count: 20))
  }

  /// Whoever writes JSON often writes one line.
  @Test func recordsOfAListHaveNumbers() throws {
    let text = #"""
      [{"instruction": "a", "output": ""}, {"instruction": "b", "output": "x"}, \#
      {"instruction": "c", "output": "y", "instruction": "z"}]
      """#
    let report = try refusal { try convert(text, "a.json") }
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
    let report = try refusal {
      try convert("prompt,completion\nQ\nQ,A\nQ,A,B\n", "a.csv")
    }
    #expect(
      report.findings.map(\.message) == [
        "The row has 1 field, the first one 2.", "The row has 3 fields, the first one 2.",
      ])
  }

  @Test(
    arguments: [
      (
        "a.json", #"{"a": "x", "b": 1}"#,
        "the first record has 'a', 'b', but no prompt and answer under usual names; name the one that asks and the one that answers"
      ),
      (
        "a.json", #"{"messages": []}"#,
        "is a data set as it stands; a check tells whether it can be trained on"
      ),
      (
        "a.jsonl", #"[{"role": "user", "content": "x"}]"#,
        "is a data set as it stands; a check tells whether it can be trained on"
      ),
      (
        "a.json", "3",
        "line 1: found '3', expected an object; give objects in one list, or one after the other"
      ),
      (
        "a.json", "[{\"prompt\": 1, \"completion\": 2}\n",
        "line 2: the list does not end; give objects in one list, or one after the other"
      ),
      (
        "a.json", "[{\"prompt\": 1, \"completion\": 2}]\n{}",
        "line 2: found '{', expected an object; give objects in one list, or one after the other"
      ),
      ("a.csv", "a,b,a\n", "line 1: two columns are called 'a'; rename one"),
      ("a.csv", "sep=;\na;b;a \n", "line 2: two columns are called 'a'; rename one"),
      (
        "a.parquet", "PAR1\u{15}\u{4}",
        "line 1: the file is a Parquet file; give its records as CSV or as JSON lines"
      ),
      (
        "a.json", "PK\u{3}\u{4}",
        "line 1: the file is a workbook or another ZIP archive; give its records as CSV or as JSON lines"
      ),
      (
        "a.csv", "prompt,completion\n\"x,y\n",
        "line 2: a quotation mark is never closed; double marks inside of fields"
      ),
      (
        "a.csv", "prompt,completion\n\"x\"y,z\n",
        "line 2: text stands behind the mark that closes a field; double marks inside of fields"
      ),
    ] as [(String, String, String)])
  func errors(_ name: String, _ text: String, _ message: String) throws {
    let error = #expect(throws: DataSetError.self) {
      try convert(text, name)
    }
    #expect(error?.text.description == "\(folder.path(name)): \(message)")
  }

  @Test func toolsOfATableHaveToBeJSON() throws {
    let report = try refusal {
      try convert("prompt,completion,tools\nQ,A,f\n", "a.csv")
    }
    #expect(
      report.findings.map { "\($0.rule): \($0.message)" } == [
        "tools.shape: 'tools' is a string, not a list of objects."
      ])
  }

  @Test func namesThatAreNotThereAreSaid() throws {
    let error = #expect(throws: DataSetError.self) {
      try convert("Body,Queue\nQ,A\n", "a.csv") { ($0.prompt, $0.answer) = ("Body", "queue") }
    }
    #expect(
      error?.text.description
        == "\(folder.path("a.csv")): nothing is called 'queue'; there is 'Body', 'Queue'")
  }

  static let unused: [(record: String, used: String)] = [
    (#"{"X": "1", "messages": [{"role": "user", "content": "Q"}]}"#, "'messages'"),
    (#"{"X": "1", "conversations": [{"from": "human", "value": "Q"}]}"#, "'conversations'"),
    (#"{"X": "1", "chosen": "A", "rejected": "B"}"#, "'chosen', 'rejected'"),
  ]

  @Test(arguments: unused) func namesThatNothingIsReadByAreSaid(
    _ record: String, _ used: String
  ) throws {
    let error = #expect(throws: DataSetError.self) {
      try convert("[\(record)]", "a.json") { ($0.answer, $0.skips) = ("X", true) }
    }
    #expect(
      error?.text.description
        == "\(folder.path("a.json")): 'X' is not read, as \(used) says what is asked and answered; "
        + "name both what asks and what answers, or neither")
  }

  @Test(arguments: ["a.csv", "a.json"]) func aFileWithoutRecordsIsRefused(_ name: String) throws {
    let text = name == "a.csv" ? "prompt,completion\n" : "[]"
    let report = try refusal { try convert(text, name) }
    #expect(report.findings.map(\.rule) == ["file.empty"])
  }

  @Test func itCanBeStopped() throws {
    let path = try folder.write("prompt,completion\nQ,A\n", to: "a.csv")
    #expect(throws: DataSetError.cancelled) {
      try DataConversion().run(path, isCancelled: { true }) { _ in }
    }
  }
}
