import Testing

@testable import LanguageModels

@Suite struct SamplerTests {
  static let logits: [Float] = [0.5, 3, 1, 2.5, -1, 2, 0, 3]

  private func draws(
    _ options: SamplingOptions, _ count: Int = 4_000, logits: [Float] = SamplerTests.logits,
    history: [Int32] = []
  ) -> [Int32] {
    var sampler = Sampler(options, seed: options.seed ?? 1, vocabularySize: logits.count)
    return (0..<count).compactMap { _ in sampler.next(logits.span, after: history) }
  }

  @Test func greedyTakesTheLowestOfEqualTokens() {
    #expect(draws(SamplingOptions(), 3) == [1, 1, 1])
  }

  @Test func frequenciesFollowTheTemperature() {
    for temperature in [0.5, 1, 2.0] {
      let tokens = draws(SamplingOptions(temperature: temperature), 20_000)
      let weights = Self.logits.map { exponential(Double($0) / temperature) }
      let total = weights.reduce(0, +)
      for (token, weight) in weights.enumerated() {
        let share = Double(tokens.count { $0 == token }) / Double(tokens.count)
        #expect(abs(share - weight / total) < 0.015, "token \(token) at \(temperature)")
      }
    }
  }

  @Test(arguments: [
    (SamplingOptions(temperature: 5, topK: 1), [1]),
    (SamplingOptions(temperature: 5, topK: 2), [1, 7]),
    (SamplingOptions(temperature: 5, topK: 3), [1, 3, 7]),
    (SamplingOptions(temperature: 5, topK: 100), [0, 1, 2, 3, 4, 5, 6, 7]),
    // Probabilities at temperature 1: 0.29, 0.29, 0.18, 0.11, 0.04, 0.02, 0.01, 0.005.
    (SamplingOptions(temperature: 1, topP: 0.2), [1]),
    (SamplingOptions(temperature: 1, topP: 0.5), [1, 7]),
    (SamplingOptions(temperature: 1, topP: 0.7), [1, 3, 7]),
    (SamplingOptions(temperature: 1, minP: 0.5), [1, 3, 7]),
    (SamplingOptions(temperature: 1, minP: 1), [1, 7]),
    (SamplingOptions(temperature: 1, topK: 3, topP: 0.99, minP: 0.9), [1, 7]),
    (SamplingOptions(temperature: 1e-9), [1, 7]),
  ])
  func filtersKeep(options: SamplingOptions, expected: [Int32]) {
    #expect(Set(draws(options)).sorted() == expected)
  }

  /// More tokens than one sum is of, and likely ones beyond those that are sorted first.
  @Test func manyTokensAreDrawnAsOftenAsTheyAreLikely() {
    let logits = (0..<3_000).map { Float($0 % 3 == 0 ? 1 : $0 % 3 == 1 ? 0 : -30) }
    let filters = [
      SamplingOptions(temperature: 1), SamplingOptions(temperature: 1, topP: 0.99999),
      SamplingOptions(temperature: 1, topK: 2_500), SamplingOptions(temperature: 1, minP: 1e-20),
    ]
    for options in filters {
      let tokens = draws(options, 3_000, logits: logits)
      let share = Double(tokens.count { $0 % 3 == 0 }) / Double(tokens.count)
      #expect(abs(share - 0.731) < 0.03, "\(options)")
      #expect(!tokens.contains { $0 % 3 == 2 })
      #expect(Set(tokens.map { $0 / 1_000 }).count == 3)
    }
  }

  @Test func theSeedDecides() {
    let options = { SamplingOptions(temperature: 1, seed: $0) }
    #expect(draws(options(5), 50) == draws(options(5), 50))
    #expect(draws(options(5), 50) != draws(options(6), 50))
    #expect(draws(options(5), 8) == [3, 7, 1, 1, 1, 3, 7, 3])
  }

  @Test func thePenaltyCountsEachRecentTokenOnce() {
    let options = SamplingOptions(repetitionPenalty: 1.25)
    // 3 / 1.25 = 2.4 falls below 2.5 once; twice would fall below 2.
    #expect(draws(options, 1, history: [1, 1, 7]) == [3])
    #expect(draws(options, 1, history: [1, 1, 7, 3]) == [1])
    let negative: [Float] = [-1, -1.1]
    #expect(draws(options, 1, logits: negative, history: [0]) == [1])
    let old = [1, 7] + [Int32](repeating: 4, count: SamplingOptions().penalizedTokens)
    #expect(draws(options, 1, history: old) == [1])
  }

  @Test func thePenaltyLooksBackAsFarAsItIsTold() {
    var options = SamplingOptions(repetitionPenalty: 1.25)
    let history: [Int32] = [1, 7, 4, 4, 4]
    for (count, expected) in [(0, 1), (3, 1), (4, 1), (5, 3), (Int.max, 3)] as [(Int, Int32)] {
      options.penalizedTokens = count
      #expect(draws(options, 1, history: history) == [expected])
    }
  }

  private static func shifts(
    presence: Double = 0, frequency: Double = 0, _ biases: [Int32: Double] = [:]
  ) -> LogitShifts {
    var shifts = LogitShifts()
    (shifts.presence, shifts.frequency, shifts.biases) = (presence, frequency, biases)
    return shifts
  }

  /// Of the logits 0.5, 3, 1, 2.5, -1, 2, 0, 3.
  @Test(
    arguments: [
      (shifts([1: -1, 7: -0.25]), [], 7), (shifts([4: 100]), [], 4),
      (shifts(presence: 0.4), [1, 7], 1), (shifts(presence: 0.6), [1, 7], 3),
      (shifts(presence: 0.4), [1, 1, 7, 7, 7], 1), (shifts(frequency: 0.3), [1, 7], 1),
      (shifts(frequency: 0.3), [1, 1, 7], 7), (shifts(frequency: 0.3), [1, 1, 7, 7], 3),
      (shifts(frequency: -1), [5, 5], 5), (shifts(presence: -2), [3], 3),
    ] as [(LogitShifts, [Int32], Int32)])
  func shiftsAreAdded(_ shifts: LogitShifts, answer: [Int32], expected: Int32) {
    var options = SamplingOptions()
    options.shifts = shifts
    let prompt: [Int32] = [3, 3, 3]
    for evenly in [true, false] {
      var sampler = Sampler(
        options, seed: 1, vocabularySize: Self.logits.count, promptCount: prompt.count)
      // Told of the answer at once, or token by token.
      for count in evenly ? 0..<answer.count : 0..<0 {
        _ = sampler.next(Self.logits.span, after: prompt + answer.prefix(count))
      }
      #expect(sampler.next(Self.logits.span, after: prompt + answer) == expected)
    }
    #expect(Sampler(options, seed: 1, vocabularySize: 8).takesMostLikely == false)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity])
  func logitsThatAreNotFiniteGiveNothing(value: Float) {
    var sampler = Sampler(SamplingOptions(), seed: 1, vocabularySize: 2)
    #expect(sampler.next([1, value].span, after: []) == nil)
  }

  @Test func theHeapSorts() {
    let weights: [Float] = [0.25, 1, 0.5, 1, 0, 0.75, 0.5]
    var heap = TokenHeap()
    for _ in 0..<2 {
      heap.fill(weights)
      #expect((0..<7).map { heap.token(ranked: $0, weights) } == [1, 3, 5, 2, 6, 0, 4])
      #expect(heap.token(ranked: 2, weights) == 5)
    }
  }
}

/// e^x by its series, so that the test does not share the sampler's function.
private func exponential(_ x: Double) -> Double {
  var (sum, term) = (1.0, 1.0)
  for n in 1..<60 {
    term *= x / Double(n)
    sum += term
  }
  return sum
}
