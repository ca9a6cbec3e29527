import Foundation
import SystemFiles
import TensorFiles
import TestSupport
import Testing

@testable import AdapterTraining

/// Tables and their rows as Python's csv reads them, written by `tools/fixtures/make_table_fixtures.py`.
struct TableCase: Decodable, Sendable, CustomTestStringConvertible {
  let name: String
  let separator: String
  let text: String
  let rows: [[String]]

  var testDescription: String { name }

  static let all: [TableCase] = {
    let data = try? Data(contentsOf: Fixtures.url("AdapterTrainingTests", "tables.json"))
    return data.flatMap { try? JSONDecoder().decode([TableCase].self, from: $0) } ?? []
  }()
}

@Suite struct TableReaderTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func rows(
    _ bytes: [UInt8], separator: UInt8 = UInt8(ascii: ",")
  ) throws -> [TableReader.Row] {
    let path = folder.path("table")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    var reader = TableReader(try ByteCursor(FileReader(path: path)), separator: separator)
    var rows: [TableReader.Row] = []
    while let row = try reader.next() { rows.append(row) }
    return rows
  }

  @Test(arguments: TableCase.all) func rowsAreThoseOfPython(_ sample: TableCase) throws {
    let separator = try #require(sample.separator.utf8.first)
    #expect(try rows(Array(sample.text.utf8), separator: separator).map(\.fields) == sample.rows)
  }

  @Test func thereAreCases() { #expect(TableCase.all.count == 38) }

  /// Every place of a row comes to lie at the end of a piece that is read.
  @Test func piecesAreNoPlacesOfTheirOwn() throws {
    let piece = 256 << 10
    for shift in 0..<12 {
      let filler = String(repeating: "x", count: piece - 4 - shift)
      let text = "\(filler),1\n\"a\"\"b\",2\r\n3,4\n"
      #expect(
        try rows(Array(text.utf8)).map(\.fields) == [[filler, "1"], ["a\"b", "2"], ["3", "4"]])
    }
  }

  @Test func linesAreThoseOfTheFile() throws {
    let text = "\u{FEFF}a,b\r\n\r\n\"x\ny\",2\n3,4\n"
    let rows = try rows(Array(text.utf8))
    #expect(rows.map(\.line) == [1, 3, 5])
    #expect(rows[0].fields == ["a", "b"])
  }

  @Test func whatIsNotTextIsSaid() throws {
    let rows = try rows(Array("a\n".utf8) + [0xFF, 0x0A] + Array("b\n".utf8))
    #expect(rows.map(\.isText) == [true, false, true])
  }

  @Test(arguments: [
    ("a\n\"x\n\n", TableDefect.openQuote, 2), ("\"", .openQuote, 1),
    ("a,b\n\"x\" ,1\n", .textBehindQuote, 2), ("a\n\"x\"\"\"y\n", .textBehindQuote, 2),
  ]) func defects(_ text: String, _ defect: TableDefect, _ line: Int) throws {
    let error = #expect(throws: TableReader.Failure.self) { try rows(Array(text.utf8)) }
    #expect(error?.defect == defect)
    #expect(error?.line == line)
  }

  @Test(arguments: ["a\n\"", "a\n", "a\n1,"]) func endlessFieldsAreBounded(_ start: String) throws {
    let bytes =
      Array(start.utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: TableReader.limit + 2)
    #expect(throws: TableReader.Failure.self) { try rows(bytes) }
  }
}
