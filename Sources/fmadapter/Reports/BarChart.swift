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

  private func bar(_ value: Double, _ scale: Double) -> Character {
    guard value > 0, scale > 0 else { return " " }
    let marks = unicode ? Self.blocks : Self.letters
    let step = Int((value / scale * Double(marks.count)).rounded(.up)) - 1
    return marks[min(max(step, 0), marks.count - 1)]
  }
}
