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
