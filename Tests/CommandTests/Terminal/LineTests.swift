import Testing

@testable import fmadapter

@Suite struct LineTests {
  @Test(arguments: [
    ("plain ü 語 👍", "plain ü 語 👍"), ("a\u{1B}[2Jb", "a\\u{1b}[2Jb"), ("x\r\n\ty", "x\\r\\n\\ty"),
    ("\u{202E}evil", "\\u{202e}evil"), ("\u{9B}31m", "\\u{9b}31m"), ("\u{7F}", "\\u{7f}"),
    ("a\u{200B}b\u{FEFF}", "a\\u{200b}b\\u{feff}"), ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"),
    ("\u{2066}\u{2069}\u{61C}", "\\u{2066}\\u{2069}\\u{61c}"), ("\u{E0041}", "\\u{e0041}"),
    ("می\u{200C}روم क्\u{200D}ष", "می\u{200C}روم क्\u{200D}ष"),
    ("a\u{200C}b\u{200D}", "a\\u{200c}b\\u{200d}"),
    ("👩\u{200D}🔬 ❤\u{FE0F}\u{200D}🔥 1\u{FE0F}", "👩\u{200D}🔬 ❤\u{FE0F}\u{200D}🔥 1\\u{fe0f}"),
    ("م\u{202E}\u{200C}", "م\\u{202e}\\u{200c}"),
    ("👩\u{200D}\u{200D}🔬❤\u{FE0F}\u{FE0E}", "👩\u{200D}\\u{200d}🔬❤\u{FE0F}\\u{fe0e}"),
    ("x\u{FE0F}\u{3164}\u{AD}", "x\\u{fe0f}\\u{3164}\\u{ad}"),
  ])
  func whatIsUnseenIsSpelledOut(_ text: String, _ expected: String) {
    #expect(text.printable == expected)
    #expect(expected.printable == expected)
    #expect(Line(text).text == expected)
    #expect(("\(text, .bold)" as Line).encoded(colored: true) == "\u{1B}[1m\(expected)\u{1B}[0m")
    #expect(("\(text, .bold)" as Line).encoded(colored: false) == expected)
  }

  @Test func generatedTextKeepsItsLinesAndJoiners() {
    #expect("a\n\tb\u{1B}]0;title\u{07}".streamable == "a\n\tb\\u{1b}]0;title\\u{7}")
    #expect("👩\u{200D}🔬 ❤\u{FE0F}".streamable == "👩\u{200D}🔬 ❤\u{FE0F}")
  }

  @Test(arguments: [
    ("a\nb\t", "a↵b\\t"), ("👩\u{200D}🔬 ❤\u{FE0F}", "👩\u{200D}🔬 ❤\u{FE0F}"),
    ("a\u{200D}b \u{FE0F}", "a\\u{200d}b \\u{fe0f}"), ("👩\u{1B}[2J", "👩\\u{1b}[2J"),
    ("👩\u{E0041}", "👩\\u{e0041}"),
  ])
  func typedTextKeepsItsEmoji(_ text: String, _ expected: String) {
    #expect(Line(typed: text, unicode: true).text == expected)
    #expect(Line(typed: text, unicode: false).text == text.printable)
  }

  @Test func jsonKeepsItsMeaning() {
    #expect(
      "{\n\"a\u{9B}\u{202E}\u{E0041}ü\"}".printableJSON
        == "{\n\"a\\u009b\\u202e\\udb40\\udc41ü\"}")
  }

  @Test func emphasisSurvivesWrapping() {
    let line: Line = "\("one two", .red) three"
    #expect(
      line.wrapped(columns: 7).map { $0.encoded(colored: true) } == [
        "\u{1B}[31mone two\u{1B}[0m", "three",
      ])
    #expect(line.wrapped(columns: 13) == [line])
    #expect(Line("  a bb ccc").wrapped(columns: 6).map(\.text) == ["  a bb", "  ccc"])
    #expect(Line("").wrapped(columns: 6).isEmpty)
  }
}
