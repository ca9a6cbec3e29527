/// A row of bars, one per value, each as high as its share of the largest.
struct BarChart {
  let values: [Double]
  /// False for terminals that show ASCII only.
  let unicode: Bool

  private static let blocks = Array("▁▂▃▄▅▆▇█")
  private static let letters = Array(".:-=+*#@")

  /// The bars on one line of at most `columns` cells; neighbours share a bar, the higher of theirs, where there are more.
  ///
  /// `scale` is the value of the highest bar. A value that is missing or zero is a space.
  func line(columns: Int, scale: Double) -> String {
    let group = max(1, (values.count + columns - 1) / max(columns, 1))
    return stride(from: 0, to: values.count, by: group).reduce(into: "") { line, start in
      let part = values[start..<min(start + group, values.count)]
      line.append(bar(part.max() ?? 0, scale))
    }
  }

  /// A line of a chart: what its bars are of, the value of the highest one, and the range of all.
  struct Row {
    let name: String
    let values: [Double]
    let scale: Double
    let range: String
  }

  /// The lines of a chart, with the bars in what `columns` leave.
  static func lines(_ rows: [Row], columns: Int, unicode: Bool) -> [Line] {
    let names = max(rows.map(\.name.cellWidth).max() ?? 0, 11)
    let ranges = 17
    return rows.map { row in
      let width = max(min(row.values.count, columns - names - ranges - 6), 1)
      let bars = BarChart(values: row.values, unicode: unicode)
        .line(columns: width, scale: row.scale)
      return
        "  \(TextLayout.pad(row.name, names))  \(TextLayout.pad(bars, width))  \(row.range)"
    }
  }

  /// A bar of `width` cells, as full as `fraction` says.
  static func progress(_ fraction: Double, width: Int, unicode: Bool) -> String {
    let full = Int(min(1, max(0, fraction)) * Double(width))
    let (on, off) = unicode ? ("█", "░") : ("#", "-")
    return String(repeating: on, count: full) + String(repeating: off, count: width - full)
  }

  private func bar(_ value: Double, _ scale: Double) -> Character {
    guard value > 0, scale > 0 else { return " " }
    let marks = unicode ? Self.blocks : Self.letters
    let step = Int((value / scale * Double(marks.count)).rounded(.up)) - 1
    return marks[min(max(step, 0), marks.count - 1)]
  }
}
