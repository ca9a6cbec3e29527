import Adapters

/// How characters are written in the strings that a grammar fixes.
enum JSONText {
  /// Scalars that are written as they are.
  static let plain = CharacterRanges.all.subtracting(
    CharacterRanges([0...0x1F, 0x22...0x22, 0x5C...0x5C]))

  /// The string in quotes, with escapes only where they are needed.
  static func quoted(_ string: String) -> [UInt8] { Array(JSONValue.string(string).text.utf8) }

  /// The escape of a scalar that is not plain.
  static func escaped(_ scalar: UnicodeScalar) -> [UInt8] {
    Array(quoted(String(Character(scalar))).dropFirst().dropLast())
  }
}
