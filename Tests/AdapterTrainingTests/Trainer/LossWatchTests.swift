import Testing

@testable import AdapterTraining

@Suite struct LossWatchTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let losses: [Double]
    var pairError: Double? = nil
    var error: TrainingError? = nil
    var fall: Double? = nil
  }

  static let cases = [
    Case(testDescription: "falls and settles", losses: [5, 2, 1, 0.5, 0.495]),
    Case(testDescription: "still falls", losses: [5, 4, 3, 2, 1], fall: 0.5),
    Case(testDescription: "too few moments to tell", losses: [5, 4]),
    Case(testDescription: "stays where it was", losses: [5, 5, 5]),
    Case(testDescription: "rises a little, then falls", losses: [5, 6, 4, 4, 4]),
    Case(
      testDescription: "ends above its start", losses: [5, 5.25, 5.5],
      error: .rose(step: 20, from: 5, to: 5.5)),
    Case(
      testDescription: "pairs end above their start by chance", losses: [5, 5.25, 5.5],
      pairError: 0.3),
    Case(
      testDescription: "pairs end above their start", losses: [5, 5.25, 5.5], pairError: 0.2,
      error: .rose(step: 20, from: 5, to: 5.5)),
    Case(testDescription: "ends above its start, and was below it", losses: [5, 4, 5.5]),
    Case(testDescription: "fell, and rises at the end", losses: [5, 4, 3, 2, 2.1]),
    Case(
      testDescription: "explodes", losses: [5, 7.51, 1],
      error: .rose(step: 10, from: 5, to: 7.51)),
    Case(testDescription: "is learnt by heart, and was below its start", losses: [5, 4, 7.51, 9]),
    Case(testDescription: "falls where all is known", losses: [5, 0.009, 0.008, 0.007]),
    Case(
      testDescription: "is infinite", losses: [5, .infinity, 1], error: .diverged(step: 10)),
    Case(testDescription: "is no number from the start", losses: [.nan], error: .diverged(step: 0)),
  ]

  @Test(arguments: cases) func lossesAreJudged(_ example: Case) {
    var watch = LossWatch()
    var found: TrainingError?
    do throws(TrainingError) {
      for (index, loss) in example.losses.enumerated() {
        try watch.add(loss, after: index * 10, error: example.pairError)
      }
      try watch.finish()
    } catch {
      found = error
    }
    #expect(found == example.error)
    if found == nil { #expect(watch.lastFall == example.fall) }
  }

  /// What the last quarter brought shows only where there is a measure at its beginning.
  @Test(arguments: [
    ([5, 4.9], false), ([5, 4.99, 4.98], false), ([5, 2, 1, 0.5, 0.495], true),
    ([5, 4, 3, 2, 1], false), ([5, 4, 3, 2, 2.1], false),
  ])
  func aLevelLossIsMeasured(_ losses: [Double], _ isLevel: Bool) throws {
    var watch = LossWatch()
    for (index, loss) in losses.enumerated() { try watch.add(loss, after: index) }
    #expect(watch.isLevel == isLevel)
  }

  /// Losses at every tenth step behind the one after which the training went on, where it was 1.
  static let goneOn: [(id: String, losses: [Double], fall: Double?)] = [
    ("rises with the rate and falls below where it was", [1.2, 1, 0.9, 0.8, 0.76], 0.16),
    ("wins back what it lost, and little more", [1.2, 1.2, 1.2, 1.1, 0.99], nil),
    ("ends above where it was", [1.2, 1.2, 1.2, 1.1, 1], nil),
    ("settles", [0.9, 0.8, 0.7, 0.6, 0.6], nil), ("too few moments to tell", [0.9], nil),
  ]

  @Test(arguments: goneOn)
  func theLastQuarterIsOfWhatItWentOnFor(_ id: String, _ losses: [Double], _ fall: Double?) throws {
    var watch = LossWatch()
    for (step, loss) in [(0, 5.0), (300, 2), (400, 1)] { try watch.add(loss, after: step) }
    watch.begin = 400
    for (place, loss) in losses.enumerated() { try watch.add(loss, after: 410 + 10 * place) }
    #expect(watch.lastFall.map { ($0 * 100).rounded() / 100 } == fall)
  }

  @Test func theLowestIsKnown() throws {
    var watch = LossWatch()
    #expect(watch.best == nil && watch.momentsSinceBest == 0)
    for (index, loss) in [5, 4, 2, 3, 2.5].enumerated() {
      #expect(try watch.add(loss, after: index * 10) == (index < 3))
    }
    #expect(watch.best == .init(step: 20, loss: 2))
    #expect(watch.momentsSinceBest == 2 && !watch.isLost)
    try watch.add(7.51, after: 50)
    #expect(watch.momentsSinceBest == 3 && watch.isLost)
  }

  /// Of pairs what was learnt is kept, as long as it is above the start by no more than chance.
  @Test(arguments: [(0.3, 10), (0.1, 0)])
  func pairsKeepWhatIsAboveTheStartByChance(_ error: Double, _ kept: Int) throws {
    var watch = LossWatch()
    for (index, loss) in [5, 5.5, 5.75].enumerated() {
      try watch.add(loss, after: index * 10, error: error)
    }
    #expect(watch.best?.step == kept && !watch.hasFallen)
  }

  private static func step(_ number: Int, _ loss: Double) -> TrainingStep {
    TrainingStep(
      number: number, epoch: 1, loss: loss, tokens: 1, targets: 1, learningRate: 1,
      gradientNorm: 1)
  }

  /// Single batches differ; eight that are far above the start are no chance.
  @Test func batchesThatRiseEndTheTraining() throws {
    var watch = LossWatch()
    try watch.add(2, after: 0)
    for number in 1...40 { try watch.add(Self.step(number, number % 4 == 0 ? 9 : 2)) }
    #expect(throws: TrainingError.rose(step: 43, from: 2, to: 4.875)) {
      for number in 41...60 { try watch.add(Self.step(number, 5)) }
    }
  }

  /// Batches that leave nothing to learn end the training once what is measured moves no more.
  @Test func whatIsLearntSettles() throws {
    var watch = LossWatch()
    try watch.add(2, after: 0)
    for number in 1...8 { try watch.add(Self.step(number, 1)) }
    try watch.add(0.5, after: 8)
    #expect(!watch.isLearnt && !watch.asksAgain(after: 16))
    for number in 9...16 { try watch.add(Self.step(number, 0.01)) }
    #expect(watch.isLearnt && watch.asksAgain(after: 16) && !watch.asksAgain(after: 15))
    // One percent is no notable fall, ten are one.
    try watch.add(0.495, after: 16)
    #expect(!watch.isSettled)
    try watch.add(0.45, after: 24)
    try watch.add(0.46, after: 32)
    #expect(!watch.isSettled)
    try watch.add(0.449, after: 40)
    #expect(watch.isSettled)
    // A batch that is not learnt leaves something to do.
    try watch.add(Self.step(17, 1))
    #expect(!watch.isLearnt && !watch.isSettled)
  }

  /// Where all is known that can be, falls count no more.
  @Test func whatIsKnownSettles() throws {
    var watch = LossWatch()
    for (index, loss) in [2, 0.009, 0.004, 0.001].enumerated() {
      try watch.add(loss, after: index * 10)
    }
    for number in 1...8 { try watch.add(Self.step(number, 0.001)) }
    #expect(watch.isSettled)
  }

  @Test func theErrorNamesBothLossesAndTheRemedy() {
    #expect(
      TrainingError.rose(step: 20, from: 5, to: 7.51239).description
        == "after step 20 the loss is 7.512, above the 5.0 before the first step: nothing was written; "
        + "start anew with a lower learning rate, or fewer epochs")
    #expect(
      TrainingError.rose(step: 1, from: 0.00031, to: 0.000402).description
        .hasPrefix("after step 1 the loss is 0.000402, above the 0.00031 before"))
  }
}
