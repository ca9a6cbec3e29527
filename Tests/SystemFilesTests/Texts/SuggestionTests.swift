import Testing

@testable import SystemFiles

@Suite struct SuggestionTests {
  @Test(arguments: [
    ("", "", 0), ("list", "list", 0), ("lst", "list", 1), ("lsit", "list", 1), ("list", "", 4),
    ("install", "instal", 1), ("kitten", "sitting", 3), ("RUN", "run", 0),
  ])
  func countsChanges(_ a: String, _ b: String, _ expected: Int) {
    #expect(Suggestion.distance(a, b) == expected)
    #expect(Suggestion.distance(b, a) == expected)
  }

  @Test func nothingFarIsSuggested() {
    #expect(Suggestion.nearest(to: "zebra", among: ["list", "run"]) == nil)
    #expect(Suggestion.nearest(to: "rnu", among: ["list", "run"]) == "run")
    #expect(Suggestion.allNearest(to: "dif", among: ["run", "diff", "df"]) == ["diff", "df"])
    #expect(Suggestion.nearest(to: "x", among: []) == nil)
    let long = String(repeating: "x", count: 8 << 20)
    #expect(Suggestion.nearest(to: long, among: ["list", "run"]) == nil)
  }
}
