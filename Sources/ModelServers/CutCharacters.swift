/// Characters that a server has cut: some divide what a model writes between two UTF-16 units of a character, or between two of its bytes.
struct CutCharacters {
  /// The escape that the last event had at the end of a text: the first half of a character.
  private var half: [UInt8] = []

  /// Tells that an event without such characters has come.
  mutating func pass() { half = [] }

  /// The JSON of `event` with halves put together, also with the one of the event before, and U+FFFD in the place of others.
  ///
  /// The first half of a character at the end of a text waits for the next event.
  mutating func mend(_ event: [UInt8]) -> [UInt8] {
    let bytes = Array(String(decoding: event, as: UTF8.self).utf8)
    let waiting = half
    half = []
    var mended: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let escape = bytes[index..<min(index + 6, bytes.count)]
      guard let unit = Self.unit(escape), Self.isHalf(unit) else {
        // The byte behind a backslash begins no escape.
        let count = bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        mended += escape.prefix(count)
        index += count
        continue
      }
      index += 6
      let isFirst = UTF16.isLeadSurrogate(unit)
      let next = bytes[index..<min(index + 6, bytes.count)]
      if isFirst, let other = Self.unit(next), UTF16.isTrailSurrogate(other) {
        mended += escape + next
        index += 6
      } else if isFirst, next.first == UInt8(ascii: "\"") {
        half = Array(escape)
      } else if !isFirst, !waiting.isEmpty, mended.last == UInt8(ascii: "\"") {
        mended += waiting + escape
      } else {
        mended += Array("\u{FFFD}".utf8)
      }
    }
    return mended
  }

  private static func isHalf(_ unit: UInt16) -> Bool {
    UTF16.isLeadSurrogate(unit) || UTF16.isTrailSurrogate(unit)
  }

  /// The unit that an escape like `\uD83D` stands for.
  private static func unit(_ escape: ArraySlice<UInt8>) -> UInt16? {
    guard escape.starts(with: #"\u"#.utf8), escape.count == 6 else { return nil }
    return UInt16(String(decoding: escape.dropFirst(2), as: UTF8.self), radix: 16)
  }
}
