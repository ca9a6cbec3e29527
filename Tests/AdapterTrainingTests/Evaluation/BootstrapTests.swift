import Testing

@testable import AdapterTraining

@Suite struct BootstrapTests {
  /// The same draws, with numpy's quantiles.
  @Test func intervalsAreThoseOfPython() throws {
    let cases = try EvaluationFixture().objects("bootstraps")
    #expect(cases.count == 4)
    for object in cases {
      let parts = (object["parts"]?.array ?? []).map { value in
        let numbers = (value.array ?? []).compactMap { $0.number?.double }
        return Bootstrap.Part(unit: Int(numbers[0]), sum: numbers[1], weight: numbers[2])
      }
      let seed = UInt64(object["seed"]?.integer ?? 0)
      let found = try #require(Bootstrap(seed: seed).estimate(parts))
      let wanted = (object["found"]?.array ?? []).compactMap { $0.number?.double }
      for (own, other) in zip([found.value, found.low, found.high], wanted) {
        #expect(abs(own - other) < 1e-12 * max(1, abs(other)))
      }
      #expect(found.count == parts.count)
    }
  }

  /// Both sides of a difference are drawn by the same lines, so that what both have in common does not blur it.
  @Test func differencesAreByTheSameLines() throws {
    let parts = (0..<30).map { Bootstrap.Part(unit: $0, sum: Double($0 % 7), weight: 1) }
    let higher = parts.map { Bootstrap.Part(unit: $0.unit, sum: $0.sum + 0.5, weight: 1) }
    let found = try #require(Bootstrap(seed: 0).difference(higher, parts))
    #expect(abs(found.value - 0.5) < 1e-12 && abs(found.low - 0.5) < 1e-9)
    #expect(abs(found.high - 0.5) < 1e-9 && found.count == 30)
    let some = try #require(Bootstrap(seed: 0).difference(Array(higher.prefix(4)), parts))
    #expect(some.count == 4)
    #expect(Bootstrap(seed: 0).difference([], parts) == nil)
    #expect(Bootstrap(seed: 0).estimate([]) == nil)
    let mean = try #require(Bootstrap(seed: 0).mean(of: [0, 1, 1, 1]))
    #expect(mean.value == 0.75 && mean.count == 4 && mean.low < 0.75 && mean.high == 1)
    #expect(Bootstrap(seed: 0).mean(of: []) == nil)
  }
}
