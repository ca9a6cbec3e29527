import Foundation

/// Text that tries to steer a terminal, and what finds it in bytes that were printed.
enum Hostile {
  /// Clears the screen, colours, rings, reorders, hides, and starts lines of its own.
  static let text =
    "\u{1B}[2J\u{9B}31m\u{1B}]0;owned\u{7}\r\n\u{85}\u{2028}fmadapter: all is well\u{8}\u{7F}"
    + "\u{202E}\u{2066}\u{200F}\u{61C}\u{200B}\u{200D}\u{FEFF}\u{AD}\u{34F}\u{FE0F}\u{3164}\u{E0041}"

  /// Independent of the rules of the program: blocks of Unicode that hold nothing to be seen, or that give orders.
  private static let raw: [ClosedRange<UInt32>] = [
    0...0x09, 0x0B...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x34F...0x34F, 0x61C...0x61C, 0x115F...0x1160,
    0x17B4...0x17B5, 0x180B...0x180F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
    0x3164...0x3164, 0xFE00...0xFE0F, 0xFEFF...0xFEFF, 0xFFA0...0xFFA0, 0xFFF0...0xFFFB,
    0xE0000...0xE0FFF,
  ]

  /// The scalars in `bytes` that must not be there; nil when they are not even UTF-8.
  static func found(in bytes: [UInt8]) -> [String]? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return text.unicodeScalars.filter { scalar in raw.contains { $0.contains(scalar.value) } }
      .map { String($0.value, radix: 16) }
  }

  /// The screen of a terminal without the sequences that the program itself sends: emphasis, and what moves the cursor.
  static func withoutOwnSequences(_ screen: String) -> [UInt8] {
    let own = try? NSRegularExpression(
      pattern: "\u{1B}\\[(0|1|2|31|32|33)m|\u{1B}\\[[0-9]*[ACKJ]|\r")
    let range = NSRange(screen.startIndex..., in: screen)
    return Array(
      (own?.stringByReplacingMatches(in: screen, range: range, withTemplate: "") ?? screen).utf8)
  }
}
