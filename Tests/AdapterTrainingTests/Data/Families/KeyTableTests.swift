import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct KeyTableTests {
  @Test func aTableHasWhatADictionaryHas() {
    var random = SeededGenerator(seed: 3)
    var (table, expected) = (KeyTable(), [UInt64: Int32]())
    for number in 0..<20_000 as Range<Int32> {
      let key: UInt64 = random.next() % 5_000 + (number % 2 == 0 ? 1 : UInt64.max - 5_000)
      table[key] = number
      expected[key] = number
    }
    #expect(table.count == expected.count)
    #expect(expected.allSatisfy { table[$0.key] == $0.value })
    #expect(table[7_000_000] == nil && !KeyTable().contains(1))
    var all: [UInt64: Int32] = [:]
    table.forEach { all[$0] = $1 }
    #expect(all == expected)
    let even = table.compactMapValues { $0 % 2 == 0 ? $0 / 2 : nil }
    #expect(even.count == expected.values.count { $0 % 2 == 0 })
    table.removeAll()
    #expect(table.count == 0 && expected.allSatisfy { table[$0.key] == nil })
  }

  /// The outlines of two sketches never say that they are not alike where they are.
  @Test func outlinesOfSketchesThatAreAlikeAreAlike() {
    var random = SeededGenerator(seed: 4)
    var (alike, told) = (0, 0)
    for _ in 0..<20_000 {
      let size = 4 + Int(random.next() % 60)
      var sketches = [Set<UInt32>](repeating: [], count: 2)
      while sketches[0].count < size {
        let hash = UInt32(truncatingIfNeeded: random.next())
        sketches[0].insert(hash)
        sketches[1].insert(random.next() % 10 < 7 ? hash : hash &* 3)
      }
      let (a, b) = (sketches[0].sorted(), sketches[1].sorted())
      let mayBe = SketchOutline(a).mayBeAlike(SketchOutline(b))
      if TextWords.areAlike(a, b) {
        alike += 1
        #expect(mayBe)
      } else if !mayBe {
        told += 1
      }
    }
    #expect(alike > 1_000 && told > 1_000)
  }
}
