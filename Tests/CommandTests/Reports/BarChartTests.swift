import Testing

@testable import fmadapter

@Suite struct BarChartTests {
  @Test func barsAreSharesOfTheScale() {
    let chart = BarChart(values: [0, 1, 4, 8], unicode: true)
    #expect(chart.line(columns: 10, scale: 8) == " ▁▄█")
    #expect(BarChart(values: [0, 1, 4, 8], unicode: false).line(columns: 10, scale: 8) == " .=@")
  }

  @Test func neighboursShareABarWhereTheTerminalIsNarrow() {
    let chart = BarChart(values: [1, 8, 2, 4, 8], unicode: true)
    #expect(chart.line(columns: 3, scale: 8) == "█▄█")
  }

  /// The names of some projections are long.
  @Test(arguments: ["attn_q", "shortconv.out_proj"]) func barsStandBelowEachOther(_ name: String) {
    let rows = [name, "all"].map {
      BarChart.Row(name: $0, values: [1, 2], scale: 2, range: "1.000 to 2.000")
    }
    let lines = BarChart.lines(rows, columns: 80, unicode: false).map(\.text)
    let width = max(name.count, 11)
    #expect(
      lines.map { $0.prefix(width + 4).count { $0 == " " } } == [width + 4 - name.count, width + 1])
    #expect(lines.allSatisfy { $0.dropFirst(width + 4) == "=@  1.000 to 2.000" }, "\(lines)")
  }

  @Test func nothingBreaksTheChart() {
    #expect(BarChart(values: [], unicode: true).line(columns: 5, scale: 1).isEmpty)
    #expect(BarChart(values: [.nan, 1], unicode: true).line(columns: 5, scale: 0) == "  ")
  }
}
