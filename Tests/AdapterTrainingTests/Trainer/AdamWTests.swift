import Testing

@testable import AdapterTraining

/// Of the learning rate; the steps are compared with PyTorch's in the tests of the trainer.
@Suite struct AdamWTests {
  private static func rate(_ warmup: Int?, _ steps: Int) -> LearningRate {
    LearningRate(highest: 2, warmup: warmup, steps: steps)
  }

  @Test func risesInALineAndFallsInACosine() {
    let rate = Self.rate(4, 12)
    let rates = (0..<12).map(rate.at)
    #expect(rates.prefix(5) == [0.5, 1, 1.5, 2, 2])
    #expect(abs(rates[8] - 1) < 1e-9)
    #expect(zip(rates.dropFirst(4), rates.dropFirst(5)).allSatisfy { $0 > $1 })
    #expect(rates[11] > 0 && rates[11] < 0.1)
  }

  @Test(arguments: [(100, 5), (10_000, 100), (10, 0)]) func warmsUpForATwentieth(
    _ steps: Int, _ warmup: Int
  ) {
    #expect(Self.rate(nil, steps).warmup == warmup)
  }

  @Test func aWarmUpMayBeAll() {
    #expect(Self.rate(50, 4).at(3) == 2)
    #expect(Self.rate(0, 4).at(0) == 2)
  }
}
