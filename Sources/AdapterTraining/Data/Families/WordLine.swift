/// A row of words whose parts have hashes at once.
struct WordLine {
  private var words: [UInt64] = []
  private var hashes: [UInt64] = []
  private var powers: [UInt64] = [1]
  private var fixedBefore: [Int] = []

  /// Takes other words, in the room of those before.
  mutating func take(_ parts: (_ append: (ArraySlice<UInt64>) -> Void) -> Void) {
    words.removeAll(keepingCapacity: true)
    parts { words += $0 }
    hashes.removeAll(keepingCapacity: true)
    fixedBefore.removeAll(keepingCapacity: true)
    var (hash, fixed): (UInt64, Int) = (0, 0)
    hashes.append(hash)
    fixedBefore.append(fixed)
    for word in words {
      hash = WordHash.joined(hash, word)
      fixed += word == WordHash.number ? 0 : 1
      hashes.append(hash)
      fixedBefore.append(fixed)
    }
    while powers.count < hashes.count { powers.append(powers[powers.count - 1] &* WordHash.base) }
  }

  var count: Int { words.count }
  func count(_ isCounted: (UInt64) -> Bool) -> Int { words.count(where: isCounted) }
  subscript(_ place: Int) -> UInt64 { words[place] }
  func isFixed(_ place: Int) -> Bool { self[place] != WordHash.number }
  /// How many words of a part are no numbers.
  func fixed(_ start: Int, _ end: Int) -> Int { fixedBefore[end] - fixedBefore[start] }

  private func part(_ start: Int, _ end: Int) -> UInt64 {
    hashes[end] &- hashes[start] &* powers[end - start]
  }

  func key(without gap: Range<Int>, _ kind: UInt64) -> UInt64 {
    let before = WordHash.mixed(hashes[gap.lowerBound] &+ kind)
    return WordHash.mixed(before &+ part(gap.upperBound, count))
  }

  func key(without first: Int, and second: Int) -> UInt64 {
    let before = WordHash.mixed(hashes[first] &+ 3) &+ part(first + 1, second)
    return WordHash.mixed(WordHash.mixed(before) &+ part(second + 1, count))
  }
}

/// Which keys came before, and now and then one that only seems to have.
struct KeyField {
  private var words: [UInt64]
  private let shift: Int

  /// A number of bits, for keys of so many texts: 16 for each, and at least 2 MiB.
  static func bits(texts: Int) -> Int {
    var bits = 1 << 24
    while bits < 16 * texts { bits *= 2 }
    return bits
  }

  init(_ bits: Int) {
    words = [UInt64](repeating: 0, count: bits / 64)
    shift = 64 - (bits / 64).trailingZeroBitCount
  }

  /// Whether the key was there.
  @discardableResult mutating func insert(_ key: UInt64) -> Bool {
    let (word, bit) = (Int(key >> UInt64(shift)), UInt64(1) << (key & 63))
    defer { words[word] |= bit }
    return words[word] & bit != 0
  }

  func contains(_ key: UInt64) -> Bool { words[Int(key >> UInt64(shift))] & (1 << (key & 63)) != 0 }
}
