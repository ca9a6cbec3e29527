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

  @Test func nothingBreaksTheChart() {
    #expect(BarChart(values: [], unicode: true).line(columns: 5, scale: 1).isEmpty)
    #expect(BarChart(values: [.nan, 1], unicode: true).line(columns: 5, scale: 0) == "  ")
  }
}
