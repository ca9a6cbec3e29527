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
