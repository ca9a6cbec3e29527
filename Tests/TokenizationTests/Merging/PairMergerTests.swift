import TestSupport
import Testing

@testable import Tokenization

@Suite struct PairMergerTests {
  /// The plain rule: look at all pairs, merge the best, start again.
  private func reference(
    _ names: [Int32], _ rule: (Int32, Int32) -> (priority: UInt32, name: Int32)?
  ) -> [Int32] {
    var names = names
    while true {
      var best: (priority: UInt32, index: Int, name: Int32)?
      for index in names.indices.dropLast() {
        guard let merge = rule(names[index], names[index + 1]) else { continue }
        if best.map({ merge.priority < $0.priority }) ?? true {
          best = (merge.priority, index, merge.name)
        }
      }
      guard let best else { return names }
      names.replaceSubrange(best.index...best.index + 1, with: [best.name])
    }
  }

  @Test func equalsPlainMerging() {
    var random = SeededGenerator(seed: 11)
    print("PairMergerTests", random)
    for _ in 0..<200 {
      let kinds = Int32.random(in: 2...4, using: &random)
      var rules: [Int64: (UInt32, Int32)] = [:]
      for name in kinds..<kinds + 12 {
        let key =
          Int64.random(in: 0..<Int64(name), using: &random) << 32
          | Int64.random(in: 0..<Int64(name), using: &random)
        rules[key] = (UInt32.random(in: 0..<8, using: &random), name)
      }
      let rule = { (left: Int32, right: Int32) in rules[Int64(left) << 32 | Int64(right)] }
      let names = (0..<Int.random(in: 0...24, using: &random)).map { _ in
        Int32.random(in: 0..<kinds, using: &random)
      }
      #expect(merged(names) { rule($0, $1) } == reference(names) { rule($0, $1) }, "\(names)")
    }
  }

  private func merged(
    _ names: [Int32], _ rule: (Int32, Int32) -> (priority: UInt32, name: Int32)?
  ) -> [Int32] {
    var merger = PairMerger()
    for (index, name) in names.enumerated() { merger.append(name: name, start: index, length: 1) }
    merger.merge { rule($0.name, $1.name) }
    var result: [Int32] = []
    var end = 0
    merger.forEach { symbol in
      #expect(symbol.start == end)
      end = symbol.end
      result.append(symbol.name)
    }
    #expect(end == names.count)
    return result
  }

  @Test func asksForEachPairAFewTimesOnly() {
    let count = 20_000
    var questions = 0
    var merger = PairMerger()
    for index in 0..<count { merger.append(name: 0, start: index, length: 1) }
    merger.merge { left, right in
      questions += 1
      return left.name == right.name ? (UInt32(left.name), left.name + 1) : nil
    }
    #expect(questions < 4 * count)
  }

  @Test func startsAfreshWhenEmptied() {
    var merger = PairMerger()
    merger.append(name: 1, start: 0, length: 1)
    merger.removeAll()
    merger.append(name: 2, start: 5, length: 3)
    merger.merge { _, _ in nil }
    var symbols: [(Int32, Int, Int)] = []
    merger.forEach { symbols.append(($0.name, $0.start, $0.end)) }
    #expect(symbols.count == 1)
    #expect(symbols[0] == (2, 5, 8))
  }
}
