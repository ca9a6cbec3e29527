import Testing

@testable import fmadapter

@Suite struct LossCurveTests {
  private static let curve = LossCurve(
    losses: (1...40).map { ($0, 4 - Double($0) / 20) },
    measures: [(0, 4), (20, 3.2), (40, 2.5)])

  @Test func batchesAndMeasuresAreDrawn() {
    let lines = Self.curve.lines(columns: 28, rows: 4, unicode: false)
    #expect(
      lines == [
        " 4.000 |o.....",
        "       |      ....o",
        "       |           .....   o",
        " 2.025 |                ....",
      ], "\(lines)")
    #expect(
      Self.curve.caption(unicode: false, measured: "held-out loss")
        == "        . batches  o held-out loss")
    #expect(Self.curve.lines(columns: 79, unicode: true).allSatisfy { $0.count <= 79 })
  }

  /// As pairs have that are learnt by heart.
  @Test func aTinyLossLeavesRoomForTheOthers() {
    let curve = LossCurve(
      losses: [(1, 0.7), (2, 1e-9)], measures: [(0, 0.7), (1, 0.07), (2, 0.007)])
    let lines = curve.lines(columns: 28, rows: 4, unicode: false)
    #expect(
      lines == [
        " 0.700 |o", "       |          o", "       |                   o",
        " 0.001 |          .",
      ], "\(lines)")
    #expect(curve.svg(measured: "loss", unit: "of a pair").contains("cy=\"83.3\""))
  }

  @Test func thereIsNothingToDrawWithoutRoomOrLosses() {
    #expect(Self.curve.lines(columns: 20, unicode: false).isEmpty)
    #expect(LossCurve(losses: [(1, 2)], measures: []).lines(columns: 80, unicode: true).isEmpty)
    let flat = LossCurve(losses: [(1, 2), (2, 2)], measures: [])
    #expect(flat.lines(columns: 80, unicode: true).isEmpty)
  }

  @Test func thePageHasAPointForEachMeasure() {
    let svg = Self.curve.svg(measured: "loss", unit: "in nats a token")
    #expect(svg.contains(">step</text>") && svg.contains(">loss, in nats a token</text>"))
    #expect(svg.components(separatedBy: "<circle").count == 4)
    #expect(svg.contains("<title>step 20: loss 3.200</title>"))
  }
}

extension String {
  fileprivate func components(separatedBy text: String) -> [Substring] { split(separator: text) }
}
