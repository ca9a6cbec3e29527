import Adapters
import Testing

@testable import AdapterTraining

@Suite struct FactorAverageTests {
  /// One pair of factors of single values, A of `value` and B of its negative.
  private static func factors(_ value: Float) -> AdapterFactors {
    var pair = FactorPair(MatrixShape(rows: 1, columns: 1), rank: 1)
    (pair.a.values, pair.b.values) = ([value], [-value])
    return AdapterFactors([[.query: pair]])
  }

  /// What the mean of steps that leave 1, 2, 3 and so on comes to.
  @Test(arguments: [
    (share: 0.001, steps: 4, [1, 2, 3, 4] as [Float]),
    (share: 0.2, steps: 10, [1, 1.5, 2.25, 3.125]),
    (share: 1, steps: 10, [1, 1.5, 2, 2.5]),
  ]) func earlyStepsCountAlikeAndThoseBeforeTheSpanHardly(
    _ share: Double, _ steps: Int, _ expected: [Float]
  ) {
    var average = FactorAverage(Self.factors(99), share: share, of: steps)
    #expect(average.factors == Self.factors(99))
    for (place, value) in expected.enumerated() {
      average.add(Self.factors(Float(place + 1)), after: place + 1)
      #expect(average.factors == Self.factors(value))
    }
    let before = average
    average.begin(share: share, of: steps)
    #expect(average == before)
    average.add(Self.factors(7), after: 1)
    #expect(average.factors == Self.factors(7))
  }
}
