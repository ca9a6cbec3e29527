import SystemFiles
import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct RecurringPartsTests {
  /// Texts of so few words that many have keys in common.
  private static func lines(_ seed: UInt64, words: UInt64) -> [WordLine] {
    var random = SeededGenerator(seed: seed)
    return (0..<300).map { _ in
      var line = WordLine()
      let count = Int(random.next() % 20)
      line.take { append in
        append((0..<count).map { _ in WordHash.word(1 + random.next() % words, .word) }[...])
      }
      return line
    }
  }

  private static func keys(_ line: WordLine, _ parts: RecurringParts) throws -> Set<UInt64> {
    var keys: Set<UInt64> = []
    try TemplateKeys(line).forEach(of: line, parts, common: []) { keys.insert($0) }
    return keys
  }

  @Test(arguments: [1, 2, 3, 4]) func noKeyThatAnotherHasIsLeftOut(_ words: UInt64) throws {
    let lines = Self.lines(words, words: words)
    var field = KeyField(room: 1 << 20)
    for line in lines {
      RecurringParts.note(line, hasHalves: TemplateKeys(line).hasPairs, in: &field)
    }
    var texts: [UInt64: Int] = [:]
    let all = try lines.map { try Self.keys($0, RecurringParts(.max, count: $0.count)) }
    for key in all.flatMap(\.self) { texts[key, default: 0] += 1 }
    for (line, all) in zip(lines, all) {
      let packed = RecurringParts.packed(
        line, hasHalves: TemplateKeys(line).hasPairs, by: field)
      let kept = try Self.keys(line, RecurringParts(packed, count: line.count))
      #expect(kept.isSubset(of: all))
      #expect(kept.isSuperset(of: all.filter { texts[$0] ?? 0 > 1 }))
    }
  }

  @Test func textsOfTheirOwnHaveHardlyAnyKeys() throws {
    let lines = Self.lines(7, words: 1 << 40).filter { $0.count > 7 }
    var field = KeyField(room: 1 << 20)
    for line in lines { RecurringParts.note(line, hasHalves: true, in: &field) }
    let kept = try lines.map { line in
      let packed = RecurringParts.packed(line, hasHalves: true, by: field)
      return try Self.keys(line, RecurringParts(packed, count: line.count)).count
    }
    #expect(kept.count { $0 > 0 } < lines.count / 20)
  }
}
