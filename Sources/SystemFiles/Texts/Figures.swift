/// Numbers in texts as people read them, the same in every locale.
///
/// A size that is weighed stands in one unit; one that is compared with another to the byte, and every other whole number,
/// with its thousands set apart.
package enum Figures {
  /// A size in bytes with a decimal unit, half a tenth rounded up: `999 bytes`, `5.4 MB`.
  package static func size(_ bytes: some BinaryInteger) -> String {
    let bytes = UInt64(clamping: bytes)
    guard bytes >= 1000 else { return self.bytes(bytes) }
    var tenth: UInt64 = 100
    for unit in ["kB", "MB", "GB", "TB", "PB"] {
      let tenths = bytes / tenth + (bytes % tenth >= tenth / 2 ? 1 : 0)
      if tenths < 10_000 { return "\(tenths / 10).\(tenths % 10) \(unit)" }
      tenth *= 1000
    }
    let tenths = bytes / tenth + (bytes % tenth >= tenth / 2 ? 1 : 0)
    return "\(tenths / 10).\(tenths % 10) EB"
  }

  /// A size to the byte: `1 byte`, `133,312,320 bytes`.
  package static func bytes(_ count: some BinaryInteger) -> String {
    "\(grouped(count)) \(count == 1 ? "byte" : "bytes")"
  }

  /// A size that is weighed, then to the byte where that is more: `1.0 TB (1,000,000,000,000 bytes)`.
  package static func exactSize(_ bytes: some BinaryInteger) -> String {
    bytes < 1000 ? self.bytes(bytes) : "\(size(bytes)) (\(self.bytes(bytes)))"
  }

  /// A number that is not negative in `count` hexadecimal digits or more: `00ff`.
  package static func hex(
    _ value: some BinaryInteger, _ count: Int, uppercase: Bool = false
  ) -> String {
    let digits = String(value, radix: 16, uppercase: uppercase)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

  /// A whole number with its thousands set apart: `133,312,320`.
  package static func grouped(_ value: some BinaryInteger) -> String {
    let digits = Array(String(value.magnitude))
    var text = value < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }

  /// A number of things: `1 version`, `2 versions`.
  package static func count(_ count: Int, _ noun: String) -> String {
    "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  /// Seconds to wait, as people say them: `99 s`, `12 min`, `3 h`.
  package static func wait(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded(.up))
    return whole < 100 ? "\(whole) s" : whole < 6000 ? "\(whole / 60) min" : "\(whole / 3600) h"
  }
}
