import SystemFiles
import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct LineReaderTests {
  private static func lines(_ text: String, limit: Int = 100) throws -> [LineReader.Line] {
    let folder = try TemporaryDirectory()
    let path = try folder.write(text, to: "lines")
    var reader = LineReader(try FileReader(path: path), limit: limit)
    var lines: [LineReader.Line] = []
    while let line = try reader.next() { lines.append(line) }
    #expect(reader.position == text.utf8.count)
    return lines
  }

  @Test(arguments: [
    ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]),
    ("\n\n", ["", ""]), ("a\n\nb\n", ["a", "", "b"]), ("a\rb\n", ["a\rb"]), ("\r\n", [""]),
  ])
  func cutsAtLineFeeds(_ text: String, _ expected: [String]) throws {
    let lines = try Self.lines(text)
    #expect(lines.map { String(decoding: $0.text, as: UTF8.self) } == expected)
    #expect(lines.map(\.number) == Array(1..<lines.count + 1))
    #expect(lines.map(\.length).reduce(0, +) == text.utf8.count)
  }

  @Test func placesAreBytes() throws {
    let lines = try Self.lines("ü\r\n\nxy\n")
    #expect(lines.map(\.offset) == [0, 4, 5])
    #expect(lines.map(\.hasCarriageReturn) == [true, false, false])
  }

  @Test func longLinesAreSkippedAndNotKept() throws {
    let long = String(repeating: "x", count: 600_000)
    let lines = try Self.lines("abcde\nabcdef\n\(long)\nabcde", limit: 5)
    #expect(lines.map(\.isTooLong) == [false, true, true, false])
    #expect(lines.map(\.text.count) == [5, 0, 0, 5])
    #expect(lines.map(\.length) == [6, 7, 600_001, 5])
  }

  @Test(arguments: [262_143, 262_144, 262_145]) func linesReachAcrossPieces(_ count: Int) throws {
    let text = String(repeating: "y", count: count)
    let lines = try Self.lines("\(text)\nend\n", limit: 1 << 20)
    #expect(lines.map(\.text.count) == [count, 3])
    #expect(lines.map(\.offset) == [0, count + 1])
  }
}
