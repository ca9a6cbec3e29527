/// What the pre-tokenizers may ask about a Unicode scalar, as a set of bits.
///
/// Letters, marks, numbers, punctuation and symbols are the general categories L, M, N, P and S of Unicode 15.1;
/// white space is the property White_Space. The other bits stand for the explicit ranges of single patterns.
struct ScalarTraits: OptionSet, Sendable {
  let rawValue: UInt32

  /// Categories Lu and Lt.
  static let upper = ScalarTraits(rawValue: 1 << 0)
  /// Category Ll.
  static let lower = ScalarTraits(rawValue: 1 << 1)
  /// Categories Lm and Lo.
  static let otherLetter = ScalarTraits(rawValue: 1 << 2)
  static let mark = ScalarTraits(rawValue: 1 << 3)
  static let number = ScalarTraits(rawValue: 1 << 4)
  static let punctuation = ScalarTraits(rawValue: 1 << 5)
  static let symbol = ScalarTraits(rawValue: 1 << 6)
  static let whitespace = ScalarTraits(rawValue: 1 << 7)
  /// Carriage return and line feed.
  static let newline = ScalarTraits(rawValue: 1 << 8)
  /// U+0020 alone.
  static let space = ScalarTraits(rawValue: 1 << 9)
  static let slash = ScalarTraits(rawValue: 1 << 10)
  static let asciiLetter = ScalarTraits(rawValue: 1 << 11)
  static let asciiDigit = ScalarTraits(rawValue: 1 << 12)
  /// All 32 printing ASCII characters that are neither letters nor digits.
  static let asciiPunctuation = ScalarTraits(rawValue: 1 << 13)
  /// Any of `$+<=>^|~`.
  static let asciiSymbol = ScalarTraits(rawValue: 1 << 14)
  static let backtick = ScalarTraits(rawValue: 1 << 15)
  /// The letters that deepseek-llm spells out: Latin, Greek, Cyrillic, Armenian, Georgian, Cherokee and a few more.
  static let casedLetter = ScalarTraits(rawValue: 1 << 16)
  /// The punctuation that deepseek-llm spells out.
  static let widePunctuation = ScalarTraits(rawValue: 1 << 17)
  /// `[一-龥ࠀ-一가-퟿]` of the older DeepSeek patterns: nearly all of U+0800 to U+D7FF.
  static let eastAsian = ScalarTraits(rawValue: 1 << 18)
  /// `[一-龥぀-ゟ゠-ヿ]` of deepseek-v3.
  static let hanOrKana = ScalarTraits(rawValue: 1 << 19)
  /// `(|.,!?…。，、।۔،)`, which end a piece in the pattern of bloom.
  static let sentenceStop = ScalarTraits(rawValue: 1 << 20)

  /// Category L.
  static let letter: ScalarTraits = [.upper, .lower, .otherLetter]

  /// The traits that stand for a kind of run in `unicodeRanges`.
  fileprivate static let kinds: [ScalarTraits] = [
    [], .upper, .lower, .otherLetter, .mark, .number, .punctuation, .symbol,
  ]
}

/// Traits of all scalars, in blocks of 256 of which equal ones are stored once.
struct ScalarTraitsTable: Sendable {
  /// Built on first use, in about a millisecond.
  static let shared = ScalarTraitsTable()

  private let blockOfPage: [UInt16]
  private let blocks: [UInt32]

  /// Traits of any 32-bit value; none above U+10FFFF.
  @inline(__always)
  subscript(scalar: UInt32) -> ScalarTraits {
    guard scalar < 0x110000 else { return [] }
    let block = Int(blockOfPage[Int(scalar >> 8)])
    return ScalarTraits(rawValue: blocks[block << 8 | Int(scalar & 0xFF)])
  }

  private init() {
    var blockOfPage: [UInt16] = []
    var blocks: [UInt32] = []
    var known: [[UInt32]: UInt16] = [:]
    var run = 0
    for page in UInt32(0)..<0x1100 {
      let block = Self.block(page: page, run: &run)
      let next = UInt16(blocks.count >> 8)
      let number = known[block] ?? next
      if number == next {
        known[block] = number
        blocks += block
      }
      blockOfPage.append(number)
    }
    self.blockOfPage = blockOfPage
    self.blocks = blocks
  }

  /// The traits of the 256 scalars of `page`; `run` is the run that holds its first scalar, and moves on.
  private static func block(page: UInt32, run: inout Int) -> [UInt32] {
    var block = [UInt32](repeating: 0, count: 256)
    let first = page << 8
    var scalar = first
    while scalar < first + 256 {
      let end = run + 1 < unicodeRanges.count ? unicodeRanges[run + 1] >> 8 : 0x110000
      let start = unicodeRanges[run] >> 8
      let kind = Int(unicodeRanges[run] & 0xFF)
      while scalar < min(end, first + 256) {
        let turned = kind == 8 ? 1 + Int(scalar - start) % 2 : 2 - Int(scalar - start) % 2
        block[Int(scalar - first)] = ScalarTraits.kinds[kind < 8 ? kind : turned].rawValue
        scalar += 1
      }
      if scalar == end { run += 1 }
    }
    for (range, trait) in namedRanges where range.overlaps(first...first + 255) {
      for scalar in range.clamped(to: first...first + 255) {
        block[Int(scalar - first)] |= trait.rawValue
      }
    }
    return block
  }
}
