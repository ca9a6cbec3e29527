import ChatTemplates
import FoundationEssentials
import SystemFiles

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

  /// A learning rate: as it is where that takes four digits at most, and otherwise to two.
  static func rate(_ value: Double) -> String {
    let text = significant(value)
    return Double(text) == value ? text : significant(value, digits: 2)
  }

  /// A number to so many digits, without zeros at its end: `0.00148`, `0.5492`, `64`.
  static func significant(_ value: Double, digits count: Int = 4) -> String {
    guard value.isFinite, value != 0 else { return short(value) }
    var (digits, size) = (count - 1, value.magnitude)
    while size < 1, digits < 15 { (digits, size) = (digits + 1, size * 10) }
    while size >= 10, digits > 0 { (digits, size) = (digits - 1, size / 10) }
    let text = fixed(value, digits)
    guard text.contains(".") else { return text }
    let kept = text.reversed().drop { $0 == "0" }.drop { $0 == "." }
    return String(kept.reversed())
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
