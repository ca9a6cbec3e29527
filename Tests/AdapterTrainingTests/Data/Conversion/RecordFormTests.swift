import Testing

@testable import AdapterTraining

@Suite struct RecordFormTests {
  /// Of two marks, one may stand far behind the other.
  @Test(.timeLimit(.minutes(15))) func manyTurnsInATextAreRead() throws {
    let form = try #require(RecordForm(["chosen", "rejected"], RecordForm.Names()))
    let turns = String(repeating: "\n\nHuman: Is it raining?", count: 40_000)
    let pair = try form.line(of: [
      "chosen": .string(turns + "\n\nAssistant: A"),
      "rejected": .string(turns + "\n\nAssistant: B"),
    ])
    #expect(pair.object?["prompt"]?.array?.count == 40_000)
    #expect(pair.object?["chosen"]?.line == ConversionCase.chat(("assistant", "A")))
  }
}
