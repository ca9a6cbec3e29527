import Testing

@testable import LanguageModels

@Suite struct GenerationStatisticsTests {
  /// Tokens that were guessed in the prompt's pass take next to no time of their own.
  @Test func thereIsNoRateWithoutAPass() {
    var statistics = GenerationStatistics()
    (statistics.decodedTokens, statistics.decodeTime) = (3, .microseconds(4))
    #expect(statistics.decodeTokensPerSecond == nil)
    statistics.decodePasses = 1
    #expect(statistics.decodeTokensPerSecond.map { abs($0 - 750_000) < 1 } == true)
  }
}
