import Foundation

/// Numbers as people read them, the same in every locale.
enum Figures {
  /// A size in bytes with a decimal unit: `999 bytes`, `5.4 MB`.
  static func size(_ bytes: Int) -> String {
    guard bytes >= 1000 else { return "\(bytes) bytes" }
    var (value, unit) = (Double(bytes) / 1000, 0)
    let units = ["kB", "MB", "GB", "TB"]
    while value >= 999.95, unit < units.count - 1 {
      value /= 1000
      unit += 1
    }
    return fixed(value, 1) + " " + units[unit]
  }

  /// A whole number with its thousands set apart: `133,312,320`.
  static func grouped(_ value: Int) -> String {
    let digits = Array(String(value.magnitude))
    var text = value < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }

  /// A number of things: `1 version`, `2 versions`.
  static func count(_ count: Int, _ noun: String) -> String {
    "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  /// A point in time, to the minute: `2026-11-21 05:30 UTC`.
  static func time(_ date: Date) -> String {
    let text = date.formatted(.iso8601)
    return text.prefix(10) + " " + text.dropFirst(11).prefix(5) + " UTC"
  }

  /// A number with `digits` digits after the point; `-` when it is not finite.
  static func fixed(_ value: Double, _ digits: Int) -> String {
    value.isFinite ? String(format: "%.\(digits)f", value) : "-"
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

  /// Seconds to wait, as people say them: `99 s`, `12 min`, `3 h`.
  static func wait(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded(.up))
    return whole < 100 ? "\(whole) s" : whole < 6000 ? "\(whole / 60) min" : "\(whole / 3600) h"
  }

  /// Seconds, with more digits where there are few of them.
  static func seconds(_ duration: Duration) -> String {
    let seconds = duration.inSeconds
    return fixed(seconds, seconds < 1 ? 3 : 1) + " s"
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
