import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct DataStatisticsTests {
  @Test(arguments: [
    ([5], [5, 5, 5, 5, 5]), ([3, 1, 2], [1, 2, 3, 3, 6]), ([4, 3, 1, 2], [1, 2, 4, 4, 10]),
    (Array(1...100), [1, 50, 95, 100, 5050]),
  ])
  func distributions(_ values: [Int], _ expected: [Int]) throws {
    let found = try #require(DataStatistics.Distribution(Tally(values)))
    #expect(
      [found.minimum, found.median, found.percentile95, found.maximum, found.total] == expected)
  }

  @Test func nothingHasNoDistribution() {
    #expect(DataStatistics.Distribution(Tally()) == nil)
    #expect(DataStatistics().trainedShare == nil)
  }

  @Test func countsWhatIsThere() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(
      #"""
      {"prompt": "Hello!", "completion": "Hi"}
      {"text": "four"}
      {"text": 4}

      [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, \#
      {"role": "user", "content": "c"}, {"role": "assistant", "content": "d"}]
      """#, to: "x")
    let counted = try DataStatistics(reading: [path], renderer: RenderingFixture.renderer())
    #expect(counted.examples == 3)
    #expect(counted.refused == 1)
    #expect(counted.forms == [.completion: 1, .text: 1, .list: 1])
    #expect(counted.roles == ["user": 3, "assistant": 3])
    #expect(counted.answers == Tally([1, 0, 2]))
    #expect(counted.characters == Tally([8, 4, 4]))
    #expect(counted.tokens.count == 3)
    #expect(counted.trainedTokens == Tally([2, 1, 4]))
    let share = try #require(counted.trainedShare)
    #expect(share > 0 && share < 1)
    let plain = try DataStatistics(reading: [path], renderer: nil)
    #expect(plain.tokens == Tally())
    #expect(plain.examples == 3)
  }
}
