import Testing

@testable import fmadapter

@Suite struct PrintableTextTests {
  @Test(arguments: [
    ("plain ü 語", "plain ü 語"), ("a\u{1B}[2Jb", "a\\u{1b}[2Jb"), ("x\ny", "x\\ny"),
    ("\u{202E}evil", "\\u{202e}evil"), ("\u{9B}31m", "\\u{9b}31m"), ("\u{7F}", "\\u{7f}"),
  ])
  func controlsAreSpelledOut(_ text: String, _ expected: String) {
    #expect(text.printable == expected)
  }

  @Test func generatedTextKeepsItsLines() {
    #expect("a\n\tb\u{1B}]0;title\u{07}".withoutControls == "a\n\tb]0;title")
  }
}
