import Foundation
import TestSupport
import Testing

@testable import TensorFiles

@Suite struct MappedFileTests {
  @Test func mapsAllBytes() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write([1, 2, 3], to: "a")
    let file = try MappedFile(path: path)
    #expect(file.bytes.array == [1, 2, 3])
    try file.checkUnchanged()
    withExtendedLifetime(folder) {}
  }

  @Test func mapsAnEmptyFile() throws {
    let folder = try TemporaryDirectory()
    #expect(try MappedFile(path: folder.write([], to: "a")).bytes.count == 0)
  }

  @Test func noticesAChange() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write([1, 2, 3], to: "a")
    let file = try MappedFile(path: path)
    // Written in place, as no writer should.
    try "much longer than before".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(throws: TensorFileError.changed(path: path)) { try file.checkUnchanged() }
  }

  @Test func bytesOutliveTheFileValue() throws {
    let folder = try TemporaryDirectory()
    let bytes = try MappedFile(path: folder.write([4, 5, 6], to: "a")).bytes.slice(1..<3)
    #expect(bytes.array == [5, 6])
  }

  @Test func refusesWhatIsNoFile() throws {
    let folder = try TemporaryDirectory()
    #expect(throws: TensorFileError.notRegular(path: folder.path)) {
      try MappedFile(path: folder.path)
    }
    #expect(throws: TensorFileError.system(.open, path: folder.path("none"), code: 2)) {
      try MappedFile(path: folder.path("none"))
    }
    #expect(
      TensorFileError.system(.open, path: "none", code: 2).description
        == "none: cannot open the file: No such file or directory")
  }
}
