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

  /// Of the first words alone.
  func start(_ length: Int) -> UInt64 { WordHash.mixed(hashes[length] &+ 4) }

  /// Of the last words alone.
  func end(_ length: Int) -> UInt64 { WordHash.mixed(part(count - length, count) &+ 5) }

  /// Of two parts, where they stand in a text of as many words.
  func key(of first: Range<Int>, and second: Range<Int>) -> UInt64 {
    let place = UInt64((count << 8 | first.lowerBound) << 8 | second.lowerBound) << 3 | 6
    let before = WordHash.mixed(part(first.lowerBound, first.upperBound) &+ place)
    return WordHash.mixed(before &+ part(second.lowerBound, second.upperBound))
  }
}
