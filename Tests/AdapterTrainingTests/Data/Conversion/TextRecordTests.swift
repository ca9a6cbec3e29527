import AdapterTraining
import Testing

/// Records of one text, and turns without one.
@Suite struct TextRecordTests {
  private func lines(_ text: String, _ name: String) throws -> String {
    var written: [UInt8] = []
    _ = try DataConversion().run(Array(text.utf8), named: name) { written += $0 }
    return String(decoding: written, as: UTF8.self)
  }

  @Test func linesOfTextsAreADataSetAsTheyStand() {
    #expect(throws: DataSetError.isDataSet(path: "a.jsonl")) {
      try lines(#"{"text": "<s>Q</s>A"}"#, "a.jsonl")
    }
  }

  @Test func aListOfTextsBecomesLines() throws {
    let converted = try lines(#"[{"text": "Q A", "id": 3}, {"text": "B"}]"#, "a.json")
    #expect(converted == "{\"text\": \"Q A\"}\n{\"text\": \"B\"}\n")
  }

  @Test(arguments: [
    (
      #"{"from": "gpt", "value": {"a": 1}}"#,
      "Turn 2, from 'gpt', has an object where its text should be."
    ),
    (#"{"from": "gpt"}"#, "Turn 2, from 'gpt', has no text."),
    (#"{"value": "A"}"#, "Turn 2 is no object with from and value."),
  ])
  func aTurnWithoutTextIsNamed(_ turn: String, _ text: String) {
    let error = #expect(throws: DataSetError.self) {
      try lines(#"[{"conversations": [{"from": "human", "value": "Q"}, \#(turn)]}]"#, "a.json")
    }
    guard case .refused(let report)? = error else { return #expect(Bool(false), "no report") }
    #expect(report.findings.map(\.message) == [text])
  }
}
