import Testing

@testable import fmadapter

@Suite struct TextTableTests {
  @Test func wrapsAtSpaces() {
    #expect(TextLayout.wrap("one two three", columns: 7) == ["one two", "three"])
    #expect(TextLayout.wrap("", columns: 7).isEmpty)
    #expect(TextLayout.wrap("extraordinary", columns: 4) == ["extraordinary"])
  }

  @Test func cutsWithAMark() {
    #expect(TextLayout.cut("abcdef", 4) == "abc…")
    #expect(TextLayout.cut("abcd", 4) == "abcd")
    #expect(TextLayout.cut("日本語", 5) == "日本…")
  }

  @Test(arguments: [
    ("a", 1), ("é", 1), ("e\u{301}", 1), ("語", 2), ("😀", 2), ("\u{200B}", 0), ("한", 2),
    ("\u{1112}\u{1161}\u{11AB}", 2), ("ทำงาน", 5), ("น้ำ", 2), ("की", 2), ("שָׁ", 1), ("❤\u{FE0F}", 2),
    ("❤", 1),
    ("👩\u{200D}🔬", 2), ("🇩🇪", 2), ("🌡", 1), ("︙", 2), ("ꥠ", 2), ("می\u{200C}روم", 5),
  ])
  func measuresCells(_ text: String, _ cells: Int) {
    #expect(text.cellWidth == cells)
  }

  @Test func aTableThatFitsIsATable() {
    let table = TextTable(
      headings: ["NAME", "SIZE"], rows: [["a", "10"], ["longer", "5"]], rightAligned: [1])
    #expect(
      table.lines(columns: 40).map(\.text) == ["NAME    SIZE", "a         10", "longer     5"])
  }

  @Test func aTableThatDoesNotFitIsAList() {
    let table = TextTable(headings: ["NAME", "SIZE"], rows: [["a", "10"], ["longer", ""]])
    #expect(table.lines(columns: 8).map(\.text) == ["name: a", "size: 10", "", "name:", "longer"])
  }

  @Test func someColumnsMayBeKept() {
    let table = TextTable(
      headings: ["NAME", "KIND", "SIZE"], rows: [["a", "b", "10"]], rightAligned: [2])
    #expect(table.width == 16)
    #expect(
      table.keeping(["NAME", "SIZE"]).lines(columns: 10).map(\.text)
        == ["NAME  SIZE", "a       10"])
  }
}
