import SystemFiles
import TestSupport
import Testing

@testable import TensorFiles

@Suite struct SafetensorsWriterTests {
  @Test func readsBackWhatItWrote() throws {
    let folder = try TemporaryDirectory()
    var writer = SafetensorsWriter()
    writer.metadata = ["format": "pt", "say \"\\": "line\nbreak\u{1}é"]
    writer.append("a", .float16, shape: [2, 1], TensorBytes([1, 2, 3, 4]))
    writer.append("quote\"", .uint8, shape: [], TensorBytes([5]))
    writer.append("none", .float32, shape: [0], TensorBytes([]))
    try writer.write(to: folder.path("m"))
    let file = try SafetensorsFile(path: folder.path("m"))
    #expect(file.metadata == writer.metadata)
    #expect(file.tensor(named: "a")?.shape == [2, 1])
    #expect(file.tensor(named: "a")?.bytes.array == [1, 2, 3, 4])
    #expect(file.tensor(named: "quote\"")?.bytes.array == [5])
    #expect(file.tensor(named: "none")?.count == 0)
  }

  /// For people two ways to write one letter, for files two names.
  @Test func namesAreTheirBytes() throws {
    let folder = try TemporaryDirectory()
    var writer = SafetensorsWriter()
    writer.append("\u{E9}", .uint8, shape: [], TensorBytes([1]))
    writer.append("e\u{301}", .uint8, shape: [], TensorBytes([2]))
    try writer.write(to: folder.path("m"))
    let file = try SafetensorsFile(path: folder.path("m"))
    #expect(file.tensor(named: "\u{E9}")?.bytes.array == [1])
    #expect(file.tensor(named: "e\u{301}")?.bytes.array == [2])
  }
}
