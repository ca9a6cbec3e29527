import SystemFiles

/// Of a short text what others may have too: how much of its start and of its end, and which halves of its words.
///
/// Whatever two texts have in common when a place or two words are left out is in such parts. So a text without them has no key
/// that another has, and of most texts few keys are left to be compared.
struct RecurringParts {
  /// Most words from the start that another text may begin with.
  let start: Int
  /// Most words at the end that another text may end with.
  let end: Int
  /// A bit for each pair of quarters.
  private let halves: UInt64

  /// Lengths of starts and ends that are noted: what has a longer one has a shorter one too.
  private static let lengths = [3, 5, 8, 12, 18, 26]
  private static let quarters = 4

  /// As `packed` gave it, of a text of so many words.
  init(_ packed: UInt64, count: Int) {
    func most(_ steps: UInt64) -> Int {
      let step = Int(steps & 0xF)
      return min(count, step < Self.lengths.count ? Self.lengths[step] - 1 : count)
    }
    (start, end, halves) = (most(packed), most(packed >> 4), packed >> 8)
  }

  /// Whether another text may have half of the words where they stand.
  var hasHalves: Bool { halves != 0 }

  /// Whether all halves without two words, of `count`, may be those of another text.
  func mayRecur(without first: Int, and second: Int, of count: Int) -> Bool {
    let (one, other) = (Self.quarter(of: first, count), Self.quarter(of: second, count))
    var isMet = true
    Self.forEachHalf { bit, low, high in
      let isWhole = low != one && low != other && high != one && high != other
      if isWhole, halves & bit == 0 { isMet = false }
    }
    return isMet
  }

  /// Appends the keys of all such parts of a text: of starts, of ends, of halves.
  static func append(_ line: borrowing WordLine, hasHalves: Bool, to keys: inout [UInt64]) {
    let known = known(line.count)
    for length in known { keys.append(line.start(length)) }
    for length in known { keys.append(line.end(length)) }
    guard hasHalves else { return }
    forEachHalf { _, low, high in keys.append(half(of: line, low, high)) }
  }

  /// The parts of a text of `count` words that seem to have come again, in a number; takes what is known of its keys from the
  /// front of `isKnown`.
  static func packed(
    count: Int, hasHalves: Bool, takingFrom isKnown: inout ArraySlice<Bool>
  ) -> UInt64 {
    let lengths = known(count).count
    func steps() -> UInt64 {
      defer { isKnown = isKnown.dropFirst(lengths) }
      return UInt64(isKnown.prefix(lengths).prefix(while: \.self).count)
    }
    let (start, end) = (steps(), steps())
    var halves: UInt64 = 0
    if hasHalves {
      forEachHalf { bit, _, _ in
        if isKnown.removeFirst() { halves |= bit }
      }
    }
    return start | end << 4 | halves << 8
  }

  private static func known(_ count: Int) -> ArraySlice<Int> { lengths.prefix { $0 <= count } }

  private static func forEachHalf(_ body: (_ bit: UInt64, _ low: Int, _ high: Int) -> Void) {
    var bit: UInt64 = 1
    for low in 0..<quarters - 1 {
      for high in low + 1..<quarters {
        body(bit, low, high)
        bit <<= 1
      }
    }
  }

  /// Where each quarter of so many words begins.
  private static func bound(_ quarter: Int, _ count: Int) -> Int { quarter * count / quarters }

  private static func quarter(of place: Int, _ count: Int) -> Int {
    (0..<quarters).last { bound($0, count) <= place } ?? 0
  }

  private static func half(of line: borrowing WordLine, _ low: Int, _ high: Int) -> UInt64 {
    let count = line.count
    return line.key(
      of: bound(low, count)..<bound(low + 1, count),
      and: bound(high, count)..<bound(high + 1, count)
    )
  }
}

/// Which keys came again, and now and then one that only seems to have; after Bloom 1970, all bits of a key in one word.
struct KeyField {
  /// In the lower 48 bits three of each key that came, in the upper 16 two of each that came again.
  private var words: [UInt64]

  /// With room for as many keys as there is memory for with so many texts: 32 for each, in 8 bytes.
  static func room(texts: Int) -> Int { max(1 << 20, 32 * texts) }

  init(room: Int) { words = [UInt64](repeating: 0, count: room / 32) }

  // Places are far apart in memory: only of many at once several are fetched at a time.
  mutating func insert(_ keys: [UInt64]) {
    for key in keys {
      let (word, bits) = (place(key), Self.bits(key))
      let known = words[word]
      words[word] = known | bits | (known & bits == bits ? Self.again(key) : 0)
    }
  }

  /// Whether each of `keys` came again.
  func contains(_ keys: [UInt64]) -> [Bool] {
    keys.map { key in
      let again = Self.again(key)
      return words[place(key)] & again == again
    }
  }

  // The highest bits of a key.
  private func place(_ key: UInt64) -> Int {
    Int(key.multipliedFullWidth(by: UInt64(words.count)).high)
  }

  private static func bits(_ key: UInt64) -> UInt64 {
    func bit(_ shift: UInt64) -> UInt64 { 1 << (((key >> shift & 0xFF) * 48) >> 8) }
    return bit(0) | bit(24) | bit(32)
  }

  private static func again(_ key: UInt64) -> UInt64 {
    1 << (48 + (key & 0xF)) | 1 << (48 + (key >> 28 & 0xF))
  }
}
