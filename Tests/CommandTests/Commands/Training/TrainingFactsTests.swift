import SystemFiles
import Testing

@testable import fmadapter

@Suite struct TrainingFactsTests {
  @Test func aLogReadsAsWordsAndFigures() {
    let rows = TrainingFacts.rows([
      "event": .string("end"), "keptStep": .integer(1200), "learningRate": .decimal(0.0015),
      "lastLoss": .decimal(0.012345678901234567), "alpha": .decimal(64), "endedEarly": .bool(true),
      "seconds": .decimal(95.5), "lastFall": .decimal(0.123), "seed": .string("1234567"),
      "targets": .array([.string("attn_q"), .string("attn_k")]),
      "trials": .array([
        .object(["rate": .decimal(0.001), "loss": .decimal(0.51234)]),
        .object(["rate": .decimal(0.004), "loss": .null]),
      ]),
      "rewards": .object(["accuracy": .decimal(0.75), "margin": .decimal(1.25)]),
    ])
    let expected = [
      ("step that was written", "1,200"), ("learning rate, at its highest", "0.0015"),
      ("loss of the last step", "0.01235"), ("alpha", "64"), ("ended early", "yes"),
      ("time", "95.5 s"), ("fall of the loss in the last quarter", "12.3 %"), ("seed", "1234567"),
      ("targets", "attn_q, attn_k"),
      ("trials of rates, with their losses", "0.001: 0.512\n0.004: lost"),
      ("rewards", "the chosen answer is preferred in 75.0 %, margin 1.250"),
    ]
    #expect(rows.map(\.name) == expected.map(\.0))
    #expect(rows.map(\.text) == expected.map(\.1))
  }

  @Test(arguments: [
    (0.0, "0"), (0.00148, "0.00148"), (0.549249, "0.5492"), (300, "300"), (12_345.6, "12346"),
    (-0.5, "-0.5"), (1e-9, "0.000000001"),
  ])
  func figuresHaveFourDigits(_ value: Double, _ text: String) {
    #expect(Figures.significant(value) == text)
  }
}
