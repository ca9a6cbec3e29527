import SystemFiles
import TestSupport
import Testing

@testable import TensorFiles

@Suite struct GGUFWriterTests {
  @Test(arguments: [8, 32, 4096])
  func readsBackWhatItWrote(alignment: Int) throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("m.gguf")
    var writer = GGUFWriter(alignment: alignment)
    let values: [GGUFValue] = [
      .uint8(1), .int8(-1), .uint16(2), .int16(-2), .uint32(3), .int32(-3), .uint64(4),
      .int64(-4), .float32(0.5), .float64(0.25), .bool(true), .text("é"),
      .strings([[1], [], [2, 3]]), .floats([1, 2]), .integers([3, -4]),
    ]
    for (index, value) in values.enumerated() { writer.set("key.\(index)", value) }
    writer.set("key.0", .uint8(9))
    writer.append(.init(name: "a", type: .f32, dimensions: [3]))
    writer.append(.init(name: "b", type: .q8_0, dimensions: [32, 2]))
    var stream = try GGUFStream(writer, path: path)
    try stream.write(TensorBytes([UInt8](repeating: 1, count: 12)))
    try stream.write([UInt8](repeating: 2, count: 34))
    try stream.write([UInt8](repeating: 3, count: 34))
    try stream.commit()

    let file = try GGUFFile(path: path)
    #expect(file.alignment == alignment)
    #expect(try file.metadata.integer("key.0") == 9)
    #expect(try file.metadata.integer("key.7") == -4)
    #expect(try file.metadata.float("key.9") == 0.25)
    #expect(try file.metadata.string("key.11") == "é")
    #expect(try file.metadata.strings("key.12").map(Array.init) == [[1], [], [2, 3]])
    #expect(try file.metadata.integers("key.14") == [3, -4])
    for (index, value) in values.enumerated() {
      #expect(file.metadata["key.\(index)"]?.type == value.type)
    }
    #expect(file.tensor(named: "a")?.bytes.array == [UInt8](repeating: 1, count: 12))
    #expect(file.tensor(named: "b")?.rows == 2)
    #expect(file.tensors.allSatisfy { $0.fileOffset.isMultiple(of: alignment) })
    #expect(file.size.isMultiple(of: alignment))
  }

  /// For people two ways to write one letter, for files two names.
  @Test func namesAreTheirBytes() throws {
    let folder = try TemporaryDirectory()
    var writer = GGUFWriter()
    for (index, name) in ["\u{E9}", "e\u{301}"].enumerated() {
      writer.set(name, .uint8(UInt8(index)))
      writer.append(.init(name: name, type: .f32, dimensions: [1]))
    }
    var stream = try GGUFStream(writer, path: folder.path("m.gguf"))
    for byte in [1, 2] as [UInt8] { try stream.write([UInt8](repeating: byte, count: 4)) }
    try stream.commit()
    let file = try GGUFFile(path: folder.path("m.gguf"))
    #expect(file.tensor(named: "\u{E9}")?.bytes.array == [1, 1, 1, 1])
    #expect(file.tensor(named: "e\u{301}")?.bytes.array == [2, 2, 2, 2])
    #expect(try file.metadata.integer("\u{E9}") == 0)
    #expect(try file.metadata.integer("e\u{301}") == 1)
  }

  /// Compared one by one, as many keys as a file may have would take a minute.
  @Test func asManyKeysAreWrittenAsAFileMayHave() throws {
    var writer = GGUFWriter()
    for index in 0..<GGUFLimits.keys { writer.set("k\(index)", .bool(false)) }
    for index in 0..<GGUFLimits.keys { writer.set("k\(index)", .bool(true)) }
    let metadata = try GGUFFile(bytes: TensorBytes(writer.head()), path: "m.gguf").metadata
    #expect(metadata.keys == (0..<GGUFLimits.keys).map { "k\($0)" })
    #expect(try metadata.bool("k0") == true)
  }

  /// Whoever takes over all keys of a file has that of its alignment among them.
  @Test func tensorsAreWhereTheAlignmentSays() throws {
    let folder = try TemporaryDirectory()
    var writer = GGUFWriter()
    writer.set("general.alignment", .uint32(64))
    // A file of this name would be taken for one of several.
    writer.set("split.count", .uint16(3))
    for name in ["a", "b"] { writer.append(.init(name: name, type: .f32, dimensions: [3])) }
    var stream = try GGUFStream(writer, path: folder.path("m.gguf"))
    for byte in [1, 2] as [UInt8] { try stream.write([UInt8](repeating: byte, count: 12)) }
    try stream.commit()
    let file = try GGUFFile(path: folder.path("m.gguf"))
    #expect(file.alignment == 32)
    #expect(file.tensor(named: "b")?.bytes.array == [UInt8](repeating: 2, count: 12))
  }

  @Test func copiesArraysByteForByte() throws {
    let folder = try TemporaryDirectory()
    var writer = GGUFWriter()
    writer.set("words", .strings([[0xFF], [], [2, 3]]))
    try GGUFStream(writer, path: folder.path("1")).commit()
    let first = try GGUFFile(path: folder.path("1"))
    var copy = GGUFWriter()
    for key in first.metadata.keys {
      if let value = first.metadata[key] { copy.set(key, value) }
    }
    try GGUFStream(copy, path: folder.path("2")).commit()
    #expect(
      try FileSystem.read(folder.path("1"), limit: 999)
        == FileSystem.read(folder.path("2"), limit: 999))
  }
}
