/// Keys of a short text that another of its template has too: without one place of up to three words, and without two words.
struct TemplateKeys {
  /// Longest place that may differ, in words.
  private static let gap = 3
  /// Longest text of which two words may differ.
  private static let pairLimit = 16
  /// Fewest letters of a template in scripts without spaces.
  private static let letters = 8

  /// Whether there are keys without two words.
  let hasPairs: Bool
  private let least: Int
  private let gap: Int

  init(_ line: borrowing WordLine) {
    // A word is of several letters or signs in scripts without spaces.
    let (count, letters, signs) = (
      line.count, line.count(WordHash.isLetter), line.count(WordHash.isSign)
    )
    least = letters * 2 > count ? Self.letters : 3
    gap = (letters + signs) * 2 > count ? count / 4 : Self.gap
    hasPairs =
      count > 3 && count <= Self.pairLimit
      && Self.areTemplate(fixed: line.fixed(0, count) - 2, of: count, least: least)
  }

  /// Whether what two texts have in common, `fixed` words of `count`, is enough to be their template.
  static func areTemplate(fixed: Int, of count: Int, least: Int = 3) -> Bool {
    fixed >= least && fixed * 4 >= count * 3
  }

  /// Hands out the keys that others may have by `parts`; words that are `common` hold a template together.
  func forEach(
    of line: borrowing WordLine, _ parts: RecurringParts, common: KeyTable,
    _ take: (UInt64) -> Void
  ) {
    let count = line.count
    guard count > 0 else { return }
    if parts.start == count { take(line.key(without: count..<count, 1)) }
    guard count > 3 else { return }
    forEachGap(of: line, parts, take)
    guard hasPairs, parts.hasHalves else { return }
    let rare = (0..<count).filter { line.isFixed($0) && !common.contains(line[$0]) }
    for (number, first) in rare.enumerated() {
      for second in rare[(number + 1)...] where second > first + 1 {
        guard parts.mayRecur(without: first, and: second, of: count) else { continue }
        take(line.key(without: first, and: second))
      }
    }
  }

  private func forEachGap(
    of line: borrowing WordLine, _ parts: RecurringParts,
    _ take: (UInt64) -> Void
  ) {
    let (count, fixed) = (line.count, line.fixed(0, line.count))
    for length in 0...gap {
      var place = max(0, count - length - parts.end)
      let last = min(parts.start, count - length)
      while place <= last {
        let left = fixed - line.fixed(place, place + length)
        if Self.areTemplate(fixed: left, of: max(count, left + 1), least: least) {
          take(line.key(without: place..<place + length, 2))
        }
        place += 1
      }
    }
  }
}
