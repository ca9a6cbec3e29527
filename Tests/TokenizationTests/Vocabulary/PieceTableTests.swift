import TestSupport
import Testing

@testable import Tokenization

@Suite struct PieceTableTests {
  @Test func findsWhatWasAdded() {
    var random = SeededGenerator(seed: 3)
    print("PieceTableTests", random)
    var table = PieceTable(minimumCapacity: 4)
    var numbers: [[UInt8]: Int] = [:]
    for number in 0..<2000 {
      let piece = random.bytes(Int.random(in: 0...4, using: &random))
      table.append(piece.span)
      if numbers[piece] == nil { numbers[piece] = number }
      #expect(Array(table[number]) == piece)
    }
    #expect(table.count == 2000)
    for (piece, number) in numbers { #expect(table.find(piece.span) == number) }
    #expect(table.find(Array("no such piece".utf8).span) == nil)
  }

  @Test func hidesWhatMustNotBeFound() {
    var table = PieceTable(minimumCapacity: 0)
    table.append(Array("a".utf8).span, isHidden: true)
    #expect(table.find(Array("a".utf8).span) == nil)
    table.append(Array("a".utf8).span)
    #expect(table.find(Array("a".utf8).span) == 1)
    #expect(table.byteCount == 2)
  }

  @Test func keepsCanonicallyEquivalentPiecesApart() {
    var table = PieceTable(minimumCapacity: 2)
    table.append(Array("\u{E9}".utf8).span)
    table.append(Array("e\u{301}".utf8).span)
    #expect(table.find(Array("\u{E9}".utf8).span) == 0)
    #expect(table.find(Array("e\u{301}".utf8).span) == 1)
  }
}

@Suite struct MergeTableTests {
  @Test func findsWhatWasAdded() {
    var table = MergeTable(capacity: 900)
    for index in 0..<900 {
      table.insert(left: index, right: index * 7 % 50, rank: index, result: index + 1000)
    }
    for index in 0..<900 {
      let merge = table.merge(left: Int32(index), right: Int32(index * 7 % 50))
      #expect(merge?.rank == UInt32(index))
      #expect(merge?.result == Int32(index + 1000))
    }
    #expect(table.merge(left: 900, right: 0) == nil)
    #expect(table.merge(left: 0, right: 1) == nil)
  }

  @Test func keepsTheEarliestRank() {
    var table = MergeTable(capacity: 2)
    table.insert(left: 0, right: 0, rank: 4, result: 5)
    table.insert(left: 0, right: 0, rank: 6, result: 7)
    #expect(table.merge(left: 0, right: 0)?.rank == 4)
    #expect(MergeTable(capacity: 0).merge(left: 0, right: 0) == nil)
  }
}
