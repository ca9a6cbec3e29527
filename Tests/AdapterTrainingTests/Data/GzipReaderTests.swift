import SystemFiles
import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct GzipReaderTests {
  /// What `gzip -n` of gzip 1.12 makes of "a\nb\r\n\n" and, behind it, of "cd\n".
  private static let packed: [UInt8] = [
    0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x4B, 0xE4, 0x4A, 0xE2,
    0xE5, 0xE2, 0x02, 0x00, 0xB2, 0xC8, 0x17, 0xBB, 0x06, 0x00, 0x00, 0x00, 0x1F, 0x8B,
    0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x4B, 0x4E, 0xE1, 0x02, 0x00, 0xD6,
    0xEB, 0x94, 0x54, 0x03, 0x00, 0x00, 0x00,
  ]
  private static let text = "a\nb\r\n\ncd\n"

  private static func lines(_ bytes: [UInt8]) throws -> [LineReader.Line] {
    let folder = try TemporaryDirectory()
    let file = try FileReader(path: folder.write(bytes, to: "lines.gz"))
    var reader = LineReader(file, limit: 100)
    var lines: [LineReader.Line] = []
    while let line = try reader.next() { lines.append(line) }
    #expect(reader.position == text.utf8.count)
    #expect(reader.filePosition == bytes.count)
    return lines
  }

  @Test func linesAreThoseOfTheText() throws {
    let lines = try Self.lines(Self.packed)
    #expect(lines.flatMap(\.bytes) == Array(Self.text.utf8))
    #expect(lines.map(\.offset) == [0, 2, 5, 6])
    #expect(lines.map(\.hasCarriageReturn) == [false, true, false, false])
  }

  @Test(arguments: [1, 2, 3, 6, 100]) func piecesAreOfAnySize(_ size: Int) throws {
    let folder = try TemporaryDirectory()
    let reader = try GzipReader(FileReader(path: folder.write(Self.packed, to: "lines.gz")))
    var text: [UInt8] = []
    while case let piece = try reader.read(size), !piece.isEmpty {
      #expect(piece.count <= size)
      text += piece
    }
    #expect(text == Array(Self.text.utf8))
  }

  /// As values do: each copy reads from where it was made.
  @Test func copiesGoOnByThemselves() throws {
    let folder = try TemporaryDirectory()
    var first = TextReader(try FileReader(path: folder.write(Self.packed, to: "lines.gz")))
    #expect(try first.read(3) == Array("a\nb".utf8))
    var second = first
    #expect(try first.read(5) == Array("\r\n\ncd".utf8))
    #expect(try second.read(5) == Array("\r\n\ncd".utf8))
    #expect(try first.read(5) == Array("\n".utf8))
    #expect(try second.read(5) == Array("\n".utf8))
    #expect(try (first.read(5) + second.read(5)).isEmpty)
    #expect(first.position == Self.packed.count)
  }

  @Test(arguments: [3, 12, 20, 30, 45]) func cutFilesAreNamed(_ length: Int) throws {
    #expect(try Self.defect(Array(Self.packed.prefix(length))) == .cut)
  }

  /// In the data, the checksum, the length, and behind all of it.
  @Test(arguments: [10, 20, 24, packed.count]) func damagedFilesAreNamed(_ place: Int) throws {
    var bytes = Self.packed
    if place == bytes.count { bytes += [7, 7] } else { bytes[place] ^= 0xFF }
    #expect(try Self.defect(bytes) == .damaged)
  }

  /// Lines without an example are named by themselves, as those of a plain file.
  @Test func badLinesAreFoundInTheText() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(Self.packed, to: "lines.gz")
    let plain = try folder.write(Self.text, to: "lines")
    func findings(_ path: String) throws -> [String] {
      try DataCheck().run([path]).findings.map {
        "\($0.rule) \($0.place.line ?? 0)@\($0.place.offset ?? 0)"
      }
    }
    #expect(try findings(path) == findings(plain))
    #expect(try findings(path).contains("line.json 4@6"))
  }

  private static func defect(_ bytes: [UInt8]) throws -> GzipDefect? {
    let error = #expect(throws: FileError.self) { _ = try lines(bytes) }
    guard case .malformed(let defect, _, _)? = error else { return nil }
    return defect.defect as? GzipDefect
  }
}
