import Testing

@testable import AdapterStore

@Suite struct TypedNameTests {
  private static let names = ["Tagging", "tagging", "SmolLM2-135M.Q4_1", "echo"]

  @Test(
    arguments: [
      ("tagging", ["tagging"]), ("Tagging", ["Tagging"]), ("TAGGING", ["Tagging", "tagging"]),
      ("smollm2-135m.q4_1", ["SmolLM2-135M.Q4_1"]), ("ECHO", ["echo"]), ("ech", []), ("", []),
    ] as [(String, [String])])
  func capitalsMatterOnlyBetweenNamesThatDifferInNothingElse(_ text: String, _ found: [String]) {
    #expect(TypedName(text).matches(Self.names) { [$0] } == found)
  }

  @Test func anyOfItsNamesIsAnEntrys() {
    let entries = [["a", "one"], ["b", "two"]]
    #expect(TypedName("Two").matches(entries) { $0 } == [["b", "two"]])
  }

  @Test(arguments: [
    ("0123", true), ("0123ABC", true), ("012", false), ("1234", false), ("0123abcd", false),
  ])
  func aSignatureGoesByItsFirstDigits(_ text: String, _ begins: Bool) {
    #expect(TypedName(text).begins("0123abc") == begins)
  }

  @Test(
    arguments: [
      ("taging", "Tagging"), ("SmolLM2", "SmolLM2-135M.Q4_1"),
      ("smollm2-135M.Q4_0", "SmolLM2-135M.Q4_1"),
      ("zebra", nil), ("x", nil), ("ec", nil),
    ] as [(String, String?)])
  func whatIsNearIsOffered(_ text: String, _ near: String?) {
    #expect(TypedName(text).nearest(among: Self.names) == near)
  }
}
