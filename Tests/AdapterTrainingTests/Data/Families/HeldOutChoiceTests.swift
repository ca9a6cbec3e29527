import Testing

@testable import AdapterTraining

@Suite struct HeldOutChoiceTests {
  private struct Lot {
    let value: Int
    let size: Int
    let classes: [Int]
  }

  private static func lot(_ number: Int, size: Int, _ classes: some Sequence<Int>) -> Lot {
    Lot(value: number * 7 % 5 * 1000 + number, size: size, classes: Array(classes))
  }

  /// What is chosen of `lots`, by their places.
  private static func choice(
    of lots: [Lot], target: Int, count: Int
  ) throws -> (held: Set<Int>, needed: Set<Int>, size: Int) {
    let order = lots.indices.sorted { lots[$0].value < lots[$1].value }
    var (members, classes) = (PairSorter(in: nil), PairSorter(in: nil))
    for (place, lot) in order.enumerated() {
      for name in lots[lot].classes {
        try members.add(UInt64(name), UInt64(place))
        try classes.add(UInt64(place), UInt64(name))
      }
    }
    let names = lots.flatMap(\.classes).max() ?? -1
    let groups = DrawnGroups(
      sizes: order.map { Int32(lots[$0].size) }, members: try NumberRows(names + 1, members),
      classes: try NumberRows(lots.count, classes))
    let choice = HeldOutChoice(of: groups, target: target, count: count)
    func places(_ holds: [Bool]) -> Set<Int> {
      Set(holds.indices.filter { holds[$0] }.map { order[$0] })
    }
    return (places(choice.isHeld), places(choice.isNeeded), choice.size)
  }

  @Test func theOrderOfGroupsDoesNotMatter() throws {
    let lots = (0..<40).map { Self.lot($0, size: 1 + $0 * 3 % 11, [$0 % 7, $0 % 3]) }
    func chosen(_ lots: [Lot]) throws -> Set<Int> {
      let count = lots.reduce(0) { $0 + $1.size }
      return Set(try Self.choice(of: lots, target: 60, count: count).held.map { lots[$0].value })
    }
    let expected = try chosen(lots)
    #expect(expected.count > 1)
    for _ in 0..<10 { #expect(try chosen(lots.shuffled()) == expected) }
  }

  @Test func theLastGroupOfAClassIsNeeded() throws {
    let lots = [
      Self.lot(0, size: 1, [0, 1]), Self.lot(1, size: 1, [1]), Self.lot(2, size: 3, [2]),
      Self.lot(3, size: 9, [2]),
    ]
    let choice = try Self.choice(of: lots, target: 4, count: 14)
    #expect(choice.held == [1, 2] && choice.needed == [0, 3] && choice.size == 4)
  }

  /// As of sums by three templates: each answer is in each of them, and none of them fits.
  @Test(.timeLimit(.minutes(15))) func manyClassesTakeNoTime() throws {
    let lots = (0..<3).map { Self.lot($0, size: 40_000, 0..<24_000) }
    #expect(try Self.choice(of: lots, target: 12_000, count: 120_000).held.count == 1)
  }
}
