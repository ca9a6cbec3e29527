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
