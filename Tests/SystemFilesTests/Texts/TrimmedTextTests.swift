import Testing

@Suite struct TrimmedTextTests {
  @Test(arguments: [(" a b\t", "a b"), ("\r\n", ""), ("", ""), ("a", "a"), ("\u{A0}ü ", "ü")])
  func whiteSpaceGoesAtBothEnds(text: String, rest: String) { #expect(text.trimmed == rest) }
}
