import ChatTemplates
import FoundationEssentials
import TensorFiles

extension Figures {
  /// A point in time, to the minute: `2026-11-21 05:30 UTC`.
  static func time(_ date: Date) -> String {
    let text = date.formatted(.iso8601)
    return text.prefix(10) + " " + text.dropFirst(11).prefix(5) + " UTC"
  }

  /// A number with `digits` digits after the point; `-` when it is not finite.
  static func fixed(_ value: Double, _ digits: Int) -> String {
    value.isFinite ? value.fixed(digits) : "-"
  }

  /// A number without a fraction of zero: `16`, not `16.0`.
  static func short(_ value: Double) -> String {
    value == value.rounded() && value.magnitude < 1e15 ? String(Int(value)) : "\(value)"
  }

  /// Seconds since something happened, as people say it: `3 h`; `0 s` for what is yet to come.
  static func age(_ seconds: Double) -> String {
    let units: [(Double, String)] = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")]
    let (size, unit) = units.first { seconds >= $0.0 } ?? (1, "s")
    return "\(Int(max(0, seconds / size))) \(unit)"
  }

  /// How long something took, with more digits where there are few seconds: `0.012 s`, `12.3 s`, `3 min 20 s`, `2 h 5 min`.
  static func duration(_ seconds: Double) -> String {
    guard seconds >= 99.95 else { return fixed(seconds, seconds < 1 ? 3 : 1) + " s" }
    let whole = Int(seconds.rounded())
    return whole < 6000
      ? "\(whole / 60) min \(whole % 60) s" : "\(whole / 3600) h \(whole % 3600 / 60) min"
  }
}

extension Duration {
  /// The duration as a number of seconds.
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}

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
