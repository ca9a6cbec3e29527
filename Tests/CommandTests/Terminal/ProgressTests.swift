import AdapterStore
import Testing

@testable import fmadapter

@Suite struct ProgressTests {
  private static let training = ProgressText(
    label: "training", fraction: 0.25, done: "25 %",
    details: ["step 25 of 100", "loss 1.234", "12,345 tokens/s"], secondsLeft: 721)

  @Test(arguments: [
    (20, "training 25 %, 12 min left"), (42, "training 25 %, step 25 of 100, 12 min left"),
    (60, "training 25 %, step 25 of 100, loss 1.234, 12 min left"),
    (
      100,
      "training ####------------ 25 %, step 25 of 100, loss 1.234, 12,345 tokens/s, 12 min left"
    ),
  ])
  func theTimeLeftIsNeverCut(_ columns: Int, _ expected: String) {
    #expect(Self.training.line(columns: columns, unicode: false).text == expected)
  }

  @Test func aLongNameIsCutWithAMark() {
    let text = ProgressText(
      label: String(repeating: "name", count: 20), fraction: 0.5, done: "50 % of 1.2 GB",
      details: ["3.4 MB/s"], secondsLeft: 59)
    #expect(text.line(columns: 39, unicode: true).text == "namenamename… 50 % of 1.2 GB, 59 s left")
    #expect(text.line(columns: 39, unicode: true).text.cellWidth <= 39)
    #expect(text.sentence.text.hasSuffix("50 % of 1.2 GB, 3.4 MB/s, 59 s left"))
  }
}
