import Testing

@testable import Serving

@Suite struct StopTextsTests {
  @Test(
    arguments: [
      (["DEFGHIJ"], ["abc", "DEF", "G", "HI", "J", "k"], "abc", "DEFGHIJ"),
      (["xyz"], ["a xy", " ", "xy"], "a xy xy", nil), (["b", "abc"], ["a", "b", "c"], "a", "b"),
      (["aab"], ["aa", "ab"], "a", "aab"), ([], ["a", "b"], "ab", nil), ([""], ["a"], "a", nil),
      (["é"], ["caf\u{e9}"], "caf", "é"),
    ] as [([String], [String], String, String?)])
  func nothingOfAStopIsHandedOut(
    _ stops: [String], _ pieces: [String], _ text: String, _ found: String?
  ) {
    var stops = StopTexts(stops)
    var all = pieces.map { stops.append($0) }.joined()
    all += stops.finish()
    #expect(all == text)
    #expect(stops.found == found)
  }
}
