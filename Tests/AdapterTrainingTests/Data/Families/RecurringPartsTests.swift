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

  private static func keys(_ line: WordLine, _ parts: RecurringParts) -> Set<UInt64> {
    var keys: Set<UInt64> = []
    TemplateKeys(line).forEach(of: line, parts, common: KeyTable()) { keys.insert($0) }
    return keys
  }

  /// What recurs of each line among all.
  private static func packed(
    _ lines: [WordLine], hasHalves: (WordLine) -> Bool
  ) -> [UInt64] {
    var (field, keys) = (KeyField(room: 1 << 20), [UInt64]())
    for line in lines { RecurringParts.append(line, hasHalves: hasHalves(line), to: &keys) }
    field.insert(keys)
    var isKnown = field.contains(keys)[...]
    return lines.map {
      RecurringParts.packed(
        count: $0.count, hasHalves: hasHalves($0), takingFrom: &isKnown)
    }
  }

  @Test(arguments: [1, 2, 3, 4]) func noKeyThatAnotherHasIsLeftOut(_ words: UInt64) {
    let lines = Self.lines(words, words: words)
    let recurring = Self.packed(lines) { TemplateKeys($0).hasPairs }
    var texts: [UInt64: Int] = [:]
    let all = lines.map { Self.keys($0, RecurringParts(.max, count: $0.count)) }
    for key in all.flatMap(\.self) { texts[key, default: 0] += 1 }
    for ((line, all), packed) in zip(zip(lines, all), recurring) {
      let kept = Self.keys(line, RecurringParts(packed, count: line.count))
      #expect(kept.isSubset(of: all))
      #expect(kept.isSuperset(of: all.filter { texts[$0] ?? 0 > 1 }))
    }
  }

  @Test func textsOfTheirOwnHaveHardlyAnyKeys() {
    let lines = Self.lines(7, words: 1 << 40).filter { $0.count > 7 }
    let kept = zip(lines, Self.packed(lines) { _ in true }).map { line, packed in
      Self.keys(line, RecurringParts(packed, count: line.count)).count
    }
    #expect(kept.count { $0 > 0 } < lines.count / 20)
  }
}
