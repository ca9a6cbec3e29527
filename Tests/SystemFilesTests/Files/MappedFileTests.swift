import Foundation
import TestSupport
import Testing

@testable import SystemFiles

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
    #expect(throws: FileError.changed(path: path)) { try file.checkUnchanged() }
  }

  @Test func bytesOfAFileThatWasCutReadAsZerosAndAreKnownToBeLost() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write([UInt8](repeating: 7, count: 40 * 4096), to: "cut")
    let other = try MappedFile(path: folder.write([UInt8](repeating: 8, count: 4096), to: "b"))
    let file = try MappedFile(path: path)
    try file.checkUnchanged()
    truncate(path, 3 * 4096)
    #expect(file.bytes.slice(4096..<8192).array.allSatisfy { $0 == 7 })
    #expect(file.bytes.slice(20 * 4096..<21 * 4096).array.allSatisfy { $0 == 0 })
    #expect(file.bytes.slice(30 * 4096..<40 * 4096).array.allSatisfy { $0 == 0 })
    // The file is whole again, but what was read of it was not.
    try [UInt8](repeating: 7, count: 40 * 4096).withUnsafeBytes {
      try Data($0).write(to: URL(fileURLWithPath: path))
    }
    #expect(throws: FileError.changed(path: path)) { try file.checkUnchanged() }
    #expect(MappedFile.firstCut != nil)
    try other.checkUnchanged()
    #expect(other.bytes.array.allSatisfy { $0 == 8 })
  }

  @Test func writingLostBytesIsNoErrorOfTheTarget() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write([UInt8](repeating: 7, count: 1 << 20), to: "cut")
    let file = try MappedFile(path: path)
    truncate(path, 0)
    var copy = try AtomicFile(path: folder.path("copy"))
    try copy.write(file.bytes)
    #expect(copy.count == 1 << 20)
    #expect(throws: FileError.changed(path: path)) { try file.checkUnchanged() }
  }

  @Test func whatWasReadOfAFileThatChangedDoesNotCount() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write([UInt8](repeating: 7, count: 1 << 20), to: "cut")
    for isWrong in [false, true] {
      let file = try MappedFile(path: path)
      #expect(throws: FileError.changed(path: path)) {
        try file.reading { bytes throws(FileError) in
          truncate(path, 5 + (isWrong ? 1 : 0))
          if isWrong { throw FileError.notRegular(path: "x") }
        }
      }
    }
  }

  // The handler is there from the first mapping on, and must not swallow what is not its own.
  @Test func faultsElsewhereStillEndTheProcess() async {
    await #expect(processExitsWith: .signal(SIGBUS)) {
      let path = FileManager.default.temporaryDirectory.appendingPathComponent(
        "fmadapter-test-\(UUID().uuidString)"
      ).path
      try Data(count: 8192).write(to: URL(fileURLWithPath: path))
      let mapped = try MappedFile(path: path)
      let file = open(path, O_RDWR)
      let pages = mmap(nil, 8192, PROT_READ, MAP_SHARED, file, 0)
      truncate(path, 0)
      unlink(path)
      let zero = mapped.bytes.slice(0..<1).array
      guard zero == [0] else { return }
      print(pages!.load(fromByteOffset: 4096, as: UInt8.self))
    }
  }

  @Test func bytesOutliveTheFileValue() throws {
    let folder = try TemporaryDirectory()
    let bytes = try MappedFile(path: folder.write([4, 5, 6], to: "a")).bytes.slice(1..<3)
    #expect(bytes.array == [5, 6])
  }

  @Test func refusesWhatIsNoFile() throws {
    let folder = try TemporaryDirectory()
    #expect(throws: FileError.notRegular(path: folder.path)) {
      try MappedFile(path: folder.path)
    }
    #expect(throws: FileError.system(.open, path: folder.path("none"), code: 2)) {
      try MappedFile(path: folder.path("none"))
    }
    #expect(
      FileError.system(.open, path: "none", code: 2).description
        == "none: cannot open the file: No such file or directory")
    #expect(
      FileError.system(.open, path: "-", code: 2).description
        == "-: cannot open the file: No such file or directory; standard input cannot be read here: "
        + "write it to a file, and give that")
  }
}
