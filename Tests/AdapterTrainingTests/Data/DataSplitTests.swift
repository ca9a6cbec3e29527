import SystemFiles
import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct DataSplitTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func split(
    _ text: String, share: Double = 0.25, seed: UInt64 = 1, to name: String = "out"
  ) throws -> (train: [String], valid: [String]) {
    let input = try folder.write(text, to: "input.jsonl")
    let result = try DataSplit(share: share, seed: seed).write([input], into: folder.path(name))
    let files = try [result.training, result.heldOut].map { path in
      try FileSystem.read(path, limit: 1 << 20).split(separator: 0x0A).map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    #expect(files.map(\.count) == [result.trainingCount, result.heldOutCount])
    return (files[0], files[1])
  }

  private static func lines(_ numbers: some Sequence<Int>) -> [String] {
    numbers.map { #"{"prompt": "Question \#($0)",  "completion": "\#($0)"}"# }
  }

  private static func text(_ lines: [String]) -> String {
    lines.map { $0 + "\n" }.joined()
  }

  @Test func everyLineIsInOneFileAsItWas() throws {
    let lines = Self.lines(0..<40)
    let (train, valid) = try split(Self.text(lines))
    #expect(valid.count == 10)
    #expect(train == lines.filter(train.contains))
    #expect(valid == lines.filter { !train.contains($0) })
  }

  @Test func contentDecidesAndNotTheLine() throws {
    let lines = Self.lines(0..<40)
    let first = try split(Self.text(lines), to: "a")
    let turned = try split(Self.text(lines.reversed()), to: "b")
    #expect(Set(first.valid) == Set(turned.valid))
    let other = try split(Self.text(lines), seed: 2, to: "c")
    #expect(Set(first.valid) != Set(other.valid))
  }

  @Test func equalExamplesStayTogether() throws {
    let lines = Self.lines((0..<60).map { $0 % 6 })
    let (train, valid) = try split(Self.text(lines), share: 0.5)
    #expect(Set(train).isDisjoint(with: valid))
    #expect((train.count, valid.count) == (30, 30))
  }

  @Test func bytesAreKept() throws {
    let text =
      "{\"text\": \"\\u00e9\"}\r\n\n{\"text\":   \"é\"}\r\n{ \"text\": \"b\" }\n{\"text\":\"c\"}"
    let input = try folder.write(text, to: "input.jsonl")
    let result = try DataSplit(share: 0.3, seed: 5).write([input], into: folder.path("out"))
    let all =
      try FileSystem.read(result.training, limit: 100)
      + FileSystem.read(result.heldOut, limit: 100)
    let lines = [
      "{\"text\": \"\\u00e9\"}\r\n", "{\"text\":   \"é\"}\r\n", "{ \"text\": \"b\" }\n",
      "{\"text\":\"c\"}",
    ]
    #expect(all.count == lines.map(\.utf8.count).reduce(0, +))
    let joined = String(decoding: all, as: UTF8.self)
    for line in lines { #expect(joined.contains(line)) }
    #expect((result.trainingCount, result.heldOutCount) == (3, 1) || result.heldOutCount == 2)
  }

  @Test(arguments: [(0.001, 1), (0.999, 39)]) func neitherFileIsEmpty(
    _ share: Double, _ count: Int
  ) throws {
    #expect(try split(Self.text(Self.lines(0..<40)), share: share).valid.count == count)
  }

  @Test func whatStandsThereIsKept() throws {
    let text = Self.text(Self.lines(0..<4))
    _ = try split(text)
    #expect(throws: DataSetError.exists(path: folder.path("out/train.jsonl"))) { try split(text) }
    var again = DataSplit(share: 0.5, seed: 1)
    again.replaces = true
    let input = folder.path("input.jsonl")
    #expect(try again.write([input], into: folder.path("out")).heldOutCount == 2)
    let own = folder.path("out/train.jsonl")
    #expect(throws: DataSetError.overwritesInput(path: own)) {
      try again.write([own], into: folder.path("out"))
    }
  }

  private func written(_ result: DataSplit.Result) throws -> [[ArraySlice<UInt8>]] {
    try [result.training, result.heldOut].map { path in
      try FileSystem.read(path, limit: 1 << 20).split(separator: 0x0A)
    }
  }

  /// Parts are split as one file that has all their lines, whatever ends they have.
  @Test func partsAreOneSet() throws {
    let lines = Self.lines((0..<60).map { $0 % 50 })
    let whole = try folder.write(Self.text(lines), to: "whole.jsonl")
    let texts = [
      Self.text(Array(lines[..<20])), Self.text(Array(lines[20..<35])) + "\n",
      lines[35..<60].joined(separator: "\n"),
    ]
    let order = [texts[2], texts[0], texts[1]]
    let turned = try folder.write(
      Self.text(Array(lines[35...]) + Array(lines[..<35])), to: "turned.jsonl")
    for (name, set, texts) in [("a", whole, texts), ("b", turned, order)] {
      let parts = try texts.enumerated().map { try folder.write($1, to: "\(name)\($0).jsonl") }
      let split = DataSplit(share: 0.2, seed: 3)
      let one = try split.write([set], into: folder.path(name + "1"))
      let several = try split.write(parts, into: folder.path(name + "2"))
      #expect(try written(one) == written(several))
      #expect(one.families.examples == several.families.examples)
      #expect(one.parts.path(of: 0) == nil && several.parts.path(of: 59) == parts[2])
    }
  }

  @Test func allPartsAreRefusedAtOnceAndNoneIsOverwritten() throws {
    let text = Self.text(Self.lines(0..<4))
    let good = try folder.write(text, to: "out/valid.jsonl")
    let bad = try ["a", "b"].map { try folder.write(text + "{\n", to: $0) }
    var split = DataSplit(share: 0.5, seed: 1)
    let error = #expect(throws: DataSetError.self) {
      try split.write(bad, into: folder.path("none"))
    }
    guard case .refused(let report)? = error else { throw try #require(error) }
    #expect(report.errors.map(\.place.file) == bad && report.errors.map(\.place.line) == [5, 5])
    split.replaces = true
    #expect(throws: DataSetError.overwritesInput(path: good)) {
      try split.write([bad[0], good], into: folder.path("out"))
    }
  }

  @Test func nothingIsWrittenForBadInput() throws {
    #expect(throws: DataSetError.tooFew(path: folder.path("input.jsonl"), count: 1)) {
      try split(Self.text(Self.lines([1, 1])))
    }
    #expect(throws: DataSetError.self) { try split(Self.text(Self.lines(0..<4)) + "{\n") }
    let input = try folder.write(Self.text(Self.lines(0..<4)), to: "input.jsonl")
    #expect(throws: DataSetError.cancelled) {
      try DataSplit(share: 0.5, seed: 1).write(
        [input], into: folder.path("out"), isCancelled: { true })
    }
    #expect(try FileSystem.info(folder.path("out")) == nil)
  }

  @Test func nothingIsLeftWhenCancelledWhileWriting() throws {
    let input = try folder.write(Self.text(Self.lines(0..<4)), to: "input.jsonl")
    var calls = 0
    #expect(throws: DataSetError.cancelled) {
      try DataSplit(share: 0.5, seed: 1).write([input], into: folder.path("out")) {
        calls += 1
        return calls > 6
      }
    }
    #expect(try FileSystem.list(folder.path("out")).isEmpty)
  }
}
