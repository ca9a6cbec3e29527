import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite struct FileReaderTests {
  @Test(arguments: [0..<0, 0..<1, 0..<700_000, 1..<262_145, 262_144..<699_999, 700_000..<700_000])
  func aRangeHasTheDigestOfItsBytes(_ range: Range<Int>) throws {
    let directory = try TemporaryDirectory()
    var random = SeededGenerator(seed: 1)
    let bytes = random.bytes(700_000)
    let reader = try FileReader(path: directory.write(bytes, to: "file"))
    #expect(reader.size == bytes.count)
    #expect(try reader.read(range) == Array(bytes[range]))
    #expect(try reader.sha256(range) == SHA256.hex(Array(bytes[range])))
    try reader.checkUnchanged()
  }

  @Test func aFileThatWasCutIsAnErrorAndNotTheEnd() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write([UInt8](repeating: 7, count: 1000), to: "file")
    let reader = try FileReader(path: path)
    try directory.write([7], to: "file")
    #expect(throws: FileError.changed(path: path)) { try reader.sha256(0..<1000) }
    #expect(throws: FileError.changed(path: path)) { try reader.checkUnchanged() }
  }

  /// No room is made for it first, which there is none of.
  @Test func aRangeBeyondTheFileIsAnError() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write([UInt8](repeating: 7, count: 1000), to: "file")
    let reader = try FileReader(path: path)
    #expect(throws: FileError.changed(path: path)) { try reader.read(999..<1 << 50) }
  }

  @Test func cancellingEndsItBetweenPieces() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write([UInt8](repeating: 7, count: 1 << 20), to: "file")
    var pieces = 0
    let digest = try FileReader(path: path).sha256(0..<(1 << 20)) {
      pieces += 1
      return pieces == 3
    }
    #expect(digest == nil && pieces == 3)
  }

  /// What was written is in memory still, and says nothing of the disk.
  @Test(.enabled(if: ThreadReads.seesDisk, "reads of a disk cannot be seen here"))
  func whatIsForgottenIsReadFromTheDisk() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write([UInt8](repeating: 7, count: 1 << 20), to: "file")
    try FileSystem.syncFile(path)
    let reader = try FileReader(path: path)
    // The program itself may come from the disk, too, the first time.
    _ = try reader.sha256(0..<reader.size)
    #expect(try ThreadReads.fromDisk.count { _ = try reader.sha256(0..<reader.size) } == 0)
    reader.forget()
    let count = try ThreadReads.fromDisk.count { _ = try reader.sha256(0..<reader.size) }
    #expect(count >= reader.size)
  }

  @Test func onlyRegularFilesAreRead() throws {
    let directory = try TemporaryDirectory()
    #expect(throws: FileError.notRegular(path: directory.path)) {
      try FileReader(path: directory.path)
    }
    let missing = directory.path("none")
    #expect(throws: FileError.system(.open, path: missing, code: ENOENT)) {
      try FileReader(path: missing)
    }
  }

  /// What a clone has without Git LFS, and what only looks like it.
  @Test(arguments: [
    ("version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 9\n", true),
    ("version https://git-lfs.github.com/spec/v1\n" + String(repeating: " ", count: 1000), false),
    ("version https://git-lfs.github.com/", false),
    ("a version https://git-lfs.github.com/spec/v1", false),
  ])
  func pointersOfGitAreNamed(_ text: String, _ isPointer: Bool) throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(Array(text.utf8), to: "file")
    let opens: [() throws -> Void] = [
      { _ = try FileReader(path: path) },
      { _ = try MappedFile(path: path) },
      { _ = try FileSystem.read(path, limit: 2000) },
    ]
    for open in opens {
      guard isPointer else {
        try open()
        continue
      }
      let error = #expect(throws: FileError.self) { try open() }
      #expect(error == .isPointer(path: path))
      #expect(
        error?.description
          == "\(path): this is a pointer of Git LFS: the file itself was never downloaded; fetch it with 'git lfs pull'"
      )
    }
  }

  @Test func aFileSystemHasSpace() throws {
    let space = try FileSystem.space(at: "/")
    #expect(space.free >= 0 && space.capacity > space.free)
    #expect(throws: FileError.self) { try FileSystem.space(at: "/nowhere/at/all") }
  }
}
