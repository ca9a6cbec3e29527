import Testing

@testable import fmadapter

@Suite struct FactListTests {
  private var list: FactList {
    var list = FactList()
    list.add("rank", "32")
    list.add("author", nil)
    list.add("licence", "")
    list.add("description", "one two three\u{1B}")
    return list
  }

  @Test func valuesStandInOneColumn() {
    #expect(list.lines(columns: 40) == ["rank         32", "description  one two three\\u{1b}"])
  }

  @Test func narrowTerminalsGetValuesBelow() {
    #expect(
      list.lines(columns: 20) == [
        "rank", "    32", "description", "    one two", "    three\\u{1b}",
      ])
  }
}
