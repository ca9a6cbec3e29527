import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct RecurringKeysTests {
  /// Files that are too large to keep the keys of each example are read twice.
  @Test(arguments: [1, 2, 3]) func filesThatAreReadTwiceGiveTheSameReport(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func text(_ lines: Int) -> String {
      (0..<lines).map { _ in
        let (prompt, answer, other) = (
          random.next() % 900, random.next() % 30, random.next() % 30
        )
        return random.next() % 3 == 0
          ? #"{"prompt": "\#(prompt)", "chosen": "\#(answer)", "rejected": "\#(other)."}"# + "\n"
          : random.next() % 50 == 0
            ? "{\n"
            : #"{"prompt": "\#(prompt < 300 ? prompt : random.next())", "completion": "\#(answer)"}"#
              + "\n"
      }.joined()
    }
    let folder = try TemporaryDirectory()
    let paths = try [2500, 700].enumerated().map { index, lines in
      try folder.write(text(lines), to: "\(index)")
    }
    for files in [[paths[0]], paths, paths.reversed()] {
      var check = DataCheck()
      let once = try check.run(files)
      check.sizeToReadTwice = 0
      #expect(try check.run(files) == once)
      #expect(Set(once.findings.map(\.rule)).isSuperset(of: ["example.duplicate", "line.json"]))
    }
  }

  @Test func whatComesOnceIsHardlyEverKept() {
    let count = 20_000
    let once = (0..<count).map { ContentKey(Array("once \($0)".utf8)) }
    let twice = (0..<100).map { ContentKey(Array("twice \($0)".utf8)) }
    var keys = RecurringKeys(expecting: count)
    keys.start(0)
    for key in once + twice + twice { keys.note(.init(example: key), mirrored: nil) }
    #expect(twice.allSatisfy(keys.mayRecur))
    #expect(once.count(where: keys.mayRecur) < count / 100)
    #expect(keys.examples == [count + 200])
  }
}
