/// A set of Unicode scalars as ranges, sorted and apart.
struct CharacterRanges: Equatable, Sendable {
  private(set) var ranges: [ClosedRange<UInt32>]

  init(_ ranges: [ClosedRange<UInt32>]) {
    self.ranges = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = self.ranges.last, range.lowerBound <= last.upperBound + 1 {
        let upper = max(last.upperBound, range.upperBound)
        self.ranges[self.ranges.count - 1] = last.lowerBound...upper
      } else {
        self.ranges.append(range)
      }
    }
  }

  init(_ scalar: UnicodeScalar) {
    ranges = [scalar.value...scalar.value]
  }

  var isEmpty: Bool { ranges.isEmpty }

  func union(_ other: CharacterRanges) -> CharacterRanges { CharacterRanges(ranges + other.ranges) }

  func intersection(_ other: CharacterRanges) -> CharacterRanges {
    var result: [ClosedRange<UInt32>] = []
    for first in ranges {
      for second in other.ranges where first.overlaps(second) {
        result.append(first.clamped(to: second))
      }
    }
    return CharacterRanges(result)
  }

  func subtracting(_ other: CharacterRanges) -> CharacterRanges {
    var rest = ranges
    for removed in other.ranges {
      rest = rest.flatMap { range -> [ClosedRange<UInt32>] in
        guard range.overlaps(removed) else { return [range] }
        var parts: [ClosedRange<UInt32>] = []
        if range.lowerBound < removed.lowerBound {
          parts.append(range.lowerBound...removed.lowerBound - 1)
        }
        if range.upperBound > removed.upperBound {
          parts.append(removed.upperBound + 1...range.upperBound)
        }
        return parts
      }
    }
    return CharacterRanges(rest)
  }

  static let digits = CharacterRanges([0x30...0x39])
  static let wordParts = CharacterRanges([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  // Not U+000D: with a line feed behind it, it would be one character instead of two.
  static let spaces = CharacterRanges([0x09...0x0A, 0x20...0x20])

  static let newlines = CharacterRanges([0x0A...0x0D, 0x85...0x85, 0x2028...0x2029])

  /// All scalars that are on a line: neither controls nor ends of lines.
  static let inLine = CharacterRanges([
    0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0x10FFFF,
  ])

  /// All scalars.
  static let all = CharacterRanges([0...0xD7FF, 0xE000...0x10FFFF])

  func contains(_ scalar: UnicodeScalar) -> Bool { ranges.contains { $0.contains(scalar.value) } }
}

/// Sequences of byte ranges that are the UTF-8 of ranges of scalars.
///
/// The method is that of <https://github.com/rust-lang/regex> (utf8-ranges) and of Russ Cox's RE2.
enum UTF8Ranges {
  /// The sequences for `range`, which has no surrogates.
  static func sequences(_ range: ClosedRange<UInt32>) -> [[ClosedRange<UInt8>]] {
    let (low, high) = (range.lowerBound, range.upperBound)
    for limit: UInt32 in [0x7F, 0x7FF, 0xFFFF] where low <= limit && limit < high {
      return split(low, limit, high)
    }
    guard high > 0x7F else { return [[UInt8(low)...UInt8(high)]] }
    for bits: UInt32 in [6, 12, 18] {
      let mask: UInt32 = (1 << bits) - 1
      guard low & ~mask != high & ~mask else { break }
      if low & mask != 0 { return split(low, low | mask, high) }
      if high & mask != mask { return split(low, (high & ~mask) - 1, high) }
    }
    return [zip(encoded(low), encoded(high)).map { $0...$1 }]
  }

  private static func split(
    _ low: UInt32, _ middle: UInt32, _ high: UInt32
  ) -> [[ClosedRange<UInt8>]] {
    sequences(low...middle) + sequences(middle + 1...high)
  }

  /// The bytes of a scalar.
  static func encoded(_ scalar: UInt32) -> [UInt8] {
    UnicodeScalar(scalar).map { Array(String(Character($0)).utf8) } ?? []
  }
}
