import SystemFiles
import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct ZstdReaderTests {
  private static let text = "a\nb\r\n\ncd\n"
  /// What is to be skipped.
  private static let note: [UInt8] = [0x52, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 7, 8, 9]

  /// What `zstd` 1.5.4 makes of "a\nb\r\n\n" and, behind it, of "cd\n", with notes before, between and behind them.
  private static let first: [UInt8] = [
    0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x58, 0x31, 0x00, 0x00, 0x61, 0x0A, 0x62, 0x0D, 0x0A, 0x0A, 0x05,
    0x8E, 0xD6, 0x45,
  ]
  private static let second: [UInt8] = [
    0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x58, 0x19, 0x00, 0x00, 0x63, 0x64, 0x0A, 0x68, 0xE8, 0xBC, 0x0C,
  ]
  private static let packed: [UInt8] = note + first + note + second + note

  private static func read(_ bytes: [UInt8], _ size: Int = 1000) throws -> [UInt8] {
    let folder = try TemporaryDirectory()
    let reader = try ZstdReader(FileReader(path: folder.write(bytes, to: "lines.zst")))
    var text: [UInt8] = []
    while case let piece = try reader.read(size), !piece.isEmpty {
      #expect(piece.count <= size)
      text += piece
    }
    #expect(reader.position == bytes.count && reader.made == text.count)
    return text
  }

  @Test(arguments: [1, 2, 3, 6, 100]) func piecesAreOfAnySize(_ size: Int) throws {
    #expect(try Self.read(Self.packed, size) == Array(Self.text.utf8))
  }

  @Test func linesAreThoseOfTheText() throws {
    let folder = try TemporaryDirectory()
    for bytes in [Self.packed, Array(Self.packed[Self.note.count...])] {
      var reader = LineReader(
        try FileReader(path: folder.write(bytes, to: "lines.zst")), limit: 100)
      var lines: [LineReader.Line] = []
      while let line = try reader.next() { lines.append(line) }
      #expect(lines.flatMap(\.bytes) == Array(Self.text.utf8))
      #expect(lines.map(\.offset) == [0, 2, 5, 6] && reader.filePosition == bytes.count)
    }
  }

  /// Texts of all sizes around those of blocks and pieces, at once and in streams, with and without checksums.
  @Test(arguments: [0, 1, 65_535, 65_536, 131_072, 131_073, 1_000_000], ["-1", "-19 --no-check"])
  func whatTheToolMakesIsRead(_ size: Int, _ level: String) throws {
    let folder = try TemporaryDirectory()
    var random = SeededGenerator(seed: UInt64(size))
    let text = (0..<size).map { _ in UInt8.random(in: 97...99, using: &random) }
    try folder.write(text, to: "text")
    let command = "zstd -q \(level) text -o packed.zst && zstd -q \(level) < text >> packed.zst"
    let made = try Subprocess.run(
      "/bin/sh", ["-c", command], environment: ["PATH": "/usr/bin:/bin"],
      directory: folder.path(""))
    #expect(made.status == 0, "\(made.errorText)")
    let packed = try FileSystem.read(folder.path("packed.zst"), limit: 10_000_000)
    #expect(try Self.read(packed, 4096) == text + text)
  }

  @Test func cutFilesAreNamed() throws {
    // Where a frame ends, nothing is missing.
    let ends = [
      0, Self.note.count, Self.note.count + Self.first.count,
      2 * Self.note.count + Self.first.count,
      2 * Self.note.count + Self.first.count + Self.second.count,
    ]
    for length in Self.packed.indices where !ends.contains(length) {
      #expect(try Self.defect(Array(Self.packed[..<length])) == .cut, "\(length)")
    }
  }

  /// In the head, the data, the checksum, and behind all of it.
  @Test(arguments: [4, 8, 12, 17, 27]) func damagedFilesAreNamed(_ place: Int) throws {
    var bytes = Self.first
    if place < bytes.count { bytes[place] ^= 0xFF } else { bytes += [7, 7, 7, 7] }
    let found = try Self.defect(bytes)
    #expect(found == .damaged || found == .cut || found == .window)
  }

  /// Nobody's file decides how much memory is taken.
  @Test func windowsAreBounded() throws {
    // A head that asks for a window of 2 GiB.
    #expect(try Self.defect([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xA8] + [1, 0, 0]) == .window)
  }

  private static func defect(_ bytes: [UInt8]) throws -> ZstdDefect? {
    let error = #expect(throws: FileError.self) { _ = try read(bytes) }
    guard case .malformed(let defect, _, _)? = error else { return nil }
    return defect.defect as? ZstdDefect
  }
}
