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

/// The ranges that patterns spell out scalar by scalar, and the trait that stands for each.
let namedRanges: [(ClosedRange<UInt32>, ScalarTraits)] =
  single("\r\n", .newline) + single(" ", .space) + single("/", .slash) + single("`", .backtick)
  + single("$+<=>^|~", .asciiSymbol) + single("(|.,!?…。，、।۔)،", .sentenceStop)
  + ranges([0x41...0x5A, 0x61...0x7A], .asciiLetter) + ranges([0x30...0x39], .asciiDigit)
  + ranges([0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E], .asciiPunctuation)
  + ranges(whitespace, .whitespace) + ranges(casedLetters, .casedLetter)
  + ranges(widePunctuation, .widePunctuation)
  + ranges([0x0800...0x9FA5, 0xAC00...0xD7FF], .eastAsian)
  + ranges([0x3040...0x30FF, 0x4E00...0x9FA5], .hanOrKana)

private func single(
  _ text: String, _ trait: ScalarTraits
) -> [(ClosedRange<UInt32>, ScalarTraits)] {
  text.unicodeScalars.map { ($0.value...$0.value, trait) }
}

private func ranges(
  _ ranges: [ClosedRange<UInt32>], _ trait: ScalarTraits
) -> [(ClosedRange<UInt32>, ScalarTraits)] {
  ranges.map { ($0, trait) }
}

/// The property White_Space.
private let whitespace: [ClosedRange<UInt32>] = [
  0x09...0x0D, 0x20...0x20, 0x85...0x85, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A,
  0x2028...0x2029, 0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000,
]

/// `[!-/:-~！-／：-～‘-‟　-。]`; note that `:-~` holds the ASCII letters too.
private let widePunctuation: [ClosedRange<UInt32>] = [
  0x21...0x2F, 0x3A...0x7E, 0xFF01...0xFF0F, 0xFF1A...0xFF5E, 0x2018...0x201F, 0x3000...0x3002,
]

/// The letters with case, mostly, that deepseek-llm spells out.
private let casedLetters: [ClosedRange<UInt32>] = [
  0x41...0x5A, 0x61...0x7A, 0xB5...0xB5, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x1BA, 0x1BC...0x1BF,
  0x1C4...0x293, 0x295...0x2AF, 0x370...0x373, 0x376...0x376, 0x377...0x377, 0x37B...0x37D,
  0x37F...0x37F, 0x386...0x386, 0x388...0x38A, 0x38C...0x38C, 0x38E...0x3A1, 0x3A3...0x3F5,
  0x3F7...0x481, 0x48A...0x52F, 0x531...0x556, 0x10A0...0x10C5, 0x13A0...0x13F5, 0x13F8...0x13FD,
  0x1C90...0x1CBA, 0x1CBD...0x1CBF, 0x1D00...0x1D2B, 0x1D6B...0x1D77, 0x1D79...0x1D9A,
  0x1E00...0x1F15, 0x1F18...0x1F1D, 0x1F20...0x1F45, 0x1F48...0x1F4D, 0x1F50...0x1F57,
  0x1F59...0x1F59, 0x1F5B...0x1F5B, 0x1F5D...0x1F5D, 0x1F5F...0x1F7D, 0x1F80...0x1FB4,
  0x1FB6...0x1FBC, 0x1FBE...0x1FBE, 0x1FC2...0x1FC4, 0x1FC6...0x1FCC, 0x1FD0...0x1FD3,
  0x1FD6...0x1FDB, 0x1FE0...0x1FEC, 0x1FF2...0x1FF4, 0x1FF6...0x1FFC, 0x2102...0x2102,
  0x2107...0x2107, 0x210A...0x2113, 0x2115...0x2115, 0x2119...0x211D, 0x2124...0x2124,
  0x2126...0x2126, 0x2128...0x2128, 0x212A...0x212D, 0x212F...0x2134, 0x2139...0x2139,
  0x213C...0x213F, 0x2145...0x2149, 0x214E...0x214E, 0x2183...0x2183, 0x2184...0x2184,
  0x2C00...0x2C7B, 0x2C7E...0x2CE4, 0x2CEB...0x2CEE, 0x2CF2...0x2CF2, 0x2CF3...0x2CF3,
  0xA640...0xA66D, 0xA680...0xA69B, 0xA722...0xA76F, 0xA771...0xA787, 0xA78B...0xA78E,
  0xAB70...0xABBF, 0xFB00...0xFB06, 0xFB13...0xFB17, 0xFF21...0xFF3A, 0xFF41...0xFF5A,
  0x10400...0x1044F, 0x104B0...0x104D3, 0x104D8...0x104FB, 0x10C80...0x10CB2, 0x10CC0...0x10CF2,
  0x118A0...0x118DF, 0x1E900...0x1E943,
]
