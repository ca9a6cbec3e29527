import Testing

@testable import AdapterTraining

@Suite struct HeldOutChoiceTests {
  private static func key(_ number: Int) -> ContentKey { ContentKey(Array("\(number)".utf8)) }

  private static func lot(_ number: Int, size: Int, _ classes: some Sequence<Int>)
    -> HeldOutChoice.Lot
  {
    .init(
      value: UInt64(number * 7 % 5), key: key(number), size: size, classes: Set(classes.map(key)))
  }

  @Test func theOrderOfGroupsDoesNotMatter() {
    let lots = (0..<40).map { Self.lot($0, size: 1 + $0 * 3 % 11, [$0 % 7, $0 % 3]) }
    func chosen(_ lots: [HeldOutChoice.Lot]) -> Set<ContentKey> {
      let count = lots.reduce(0) { $0 + $1.size }
      return Set(HeldOutChoice(of: lots, target: 60, count: count).groups.map { lots[$0].key })
    }
    let expected = chosen(lots)
    #expect(expected.count > 1)
    for _ in 0..<10 { #expect(chosen(lots.shuffled()) == expected) }
  }

  @Test func theLastGroupOfAClassIsNeeded() {
    let lots = [
      Self.lot(0, size: 1, [0, 1]), Self.lot(1, size: 1, [1]), Self.lot(2, size: 3, [2]),
      Self.lot(3, size: 9, [2]),
    ]
    let choice = HeldOutChoice(of: lots, target: 4, count: 14)
    #expect(choice.groups == [1, 2] && choice.needed == [0, 3] && choice.size == 4)
  }

  /// As of sums by three templates: each answer is in each of them, and none of them fits.
  @Test(.timeLimit(.minutes(15))) func manyClassesTakeNoTime() {
    let lots = (0..<3).map { Self.lot($0, size: 40_000, 0..<24_000) }
    let choice = HeldOutChoice(of: lots, target: 12_000, count: 120_000)
    #expect(choice.groups.count == 1)
  }
}
