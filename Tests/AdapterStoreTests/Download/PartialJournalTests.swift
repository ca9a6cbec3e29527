import Testing

@testable import AdapterStore

@Suite struct PartialJournalTests {
  static let digest = String(repeating: "0a", count: 32)

  @Test func linesAddUp() {
    let text =
      PartialJournal.line(received: 0..<100) + PartialJournal.line(received: 100..<200)
      + PartialJournal.line(chunk: 3, Self.digest)
    let journal = PartialJournal(reading: Array(text.utf8))
    #expect(journal.received.ranges == [0..<200])
    #expect(journal.chunks == [3: Self.digest])
    #expect(PartialJournal(reading: Array(journal.text.utf8)) == journal)
  }

  @Test(arguments: [
    "+ 0 10\n+ 10 2", "+ 0 10\n+ 10", "+ 0 10\nx 10 20\n+ 20 30\n", "+ 0 10\n+ -5 20\n",
    "+ 0 10\n+ 20 19\n", "+ 0 10\n= 1 abc\n+ 20 30\n", "+ 0 10\n+ 1 99999999999999999999\n",
    "+ 0 10\n\u{0}\u{0}\n", "+ 0 10\n= 99999999999 \(digest)\n",
  ])
  func whatCannotBeReadEndsIt(_ text: String) {
    #expect(PartialJournal(reading: Array(text.utf8)).received.ranges == [0..<10])
  }
}

@Suite struct ByteRangesTests {
  @Test func manyRangesAreTakenAtOnce() {
    var set = ByteRanges()
    for start in stride(from: 0, to: 1_000_000, by: 10) { set.insert(start..<start + 5) }
    #expect(set.ranges.count == 100_000 && set.count == 500_000)
    set.insert(3..<999_993)
    #expect(set.ranges == [0..<999_995])
  }

  @Test(
    arguments: [
      ([], []),
      ([0..<4, 4..<8], [0..<8]),
      ([8..<10, 0..<4], [0..<4, 8..<10]),
      ([0..<4, 8..<10, 3..<9], [0..<10]),
      ([5..<5], []),
      ([0..<2, 4..<6, 8..<9, 2..<4], [0..<6, 8..<9]),
    ] as [([Range<Int>], [Range<Int>])])
  func rangesJoin(_ added: [Range<Int>], _ expected: [Range<Int>]) {
    var set = ByteRanges()
    added.forEach { set.insert($0) }
    #expect(set.ranges == expected)
    #expect(set.count == expected.reduce(0) { $0 + $1.count })
  }

  @Test func whatIsMissingIsTheRest() {
    var set = ByteRanges()
    #expect(set.missing(in: 0..<10) == [0..<10])
    set.insert(2..<4)
    set.insert(6..<20)
    #expect(set.missing(in: 0..<10) == [0..<2, 4..<6])
    #expect(set.missing(in: 2..<4) == [])
    #expect(set.contains(7..<20))
    #expect(!set.contains(1..<3))
    #expect(set.end(from: 2) == 4)
    #expect(set.end(from: 4) == 4)
  }

  @Test func aNaiveSetAgrees() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var (set, naive) = (ByteRanges(), Set<Int>())
      for _ in 0..<12 {
        let lower = Int.random(in: 0..<60, using: &random)
        let range = lower..<Int.random(in: lower...64, using: &random)
        set.insert(range)
        naive.formUnion(range)
        #expect(set.count == naive.count)
        #expect(Set(set.missing(in: 0..<64).joined()) == Set(0..<64).subtracting(naive))
      }
    }
  }
}
