import SystemFiles
import TestSupport
import Testing

@testable import AdapterTraining

/// Lists that have no room in memory are what those that have are.
@Suite struct PairSorterTests {
  @Test func listsAreReadFromFiles() throws {
    let folder = try TemporaryDirectory()
    var list = NumberList(in: folder.path(""))
    for number in 0..<100_000 as Range<UInt64> { try list.append(number * number) }
    #expect(list.count == 100_000)
    #expect(try list.read(65_530..<65_540) == (65_530..<65_540).map { UInt64($0 * $0) })
    #expect(try list.read(99_999..<100_000) == [99_999 * 99_999])
    var reader = list.reader()
    var next: UInt64 = 0
    while let number = try reader.next() {
      #expect(number == next * next)
      next += 1
      guard next.isMultiple(of: 997) else { continue }
      for more in try reader.next(31) {
        #expect(more == next * next)
        next += 1
      }
    }
    #expect(next == 100_000 && reader.position == 100_000)
    // Nothing has a name there.
    #expect(try FileSystem.list(folder.path("")).isEmpty)
  }

  @Test(arguments: [1_000, UInt64.max]) func pairsInFilesAreSorted(_ limit: UInt64) throws {
    let folder = try TemporaryDirectory()
    var random = SeededGenerator(seed: 5)
    var (sorter, expected) = (PairSorter(in: folder.path("")), [(UInt64, UInt64)]())
    for number in 0..<2_200_000 as Range<UInt64> {
      let first = UInt64(random.next()) % limit
      try sorter.add(first, number)
      expected.append((first, number))
    }
    expected.sort { $0 < $1 }
    var (count, isSame) = (0, true)
    try sorter.forEach { first, second in
      isSame = isSame && expected[count] == (first, second)
      count += 1
    }
    #expect(isSame && count == expected.count)
  }

  @Test func keysInFilesAreJoined() throws {
    let folder = try TemporaryDirectory()
    let count = 1_500_000
    var (sets, same) = (DisjointSets(count), DisjointSets(count))
    var (joiner, other) = (KeyJoiner(in: folder.path("")), KeyJoiner(in: nil))
    var random = SeededGenerator(seed: 6)
    for number in 0..<count {
      let key = WordHash.mixed(random.next() % 1_400_000)
      try joiner.add(key, number, &sets)
      try other.add(key, number, &same)
    }
    try joiner.finish(&sets)
    try other.finish(&same)
    #expect(sets.firsts() == same.firsts())
  }
}
