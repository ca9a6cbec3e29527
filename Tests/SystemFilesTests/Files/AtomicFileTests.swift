import Glibc
import TestSupport
import Testing

@testable import SystemFiles

@Suite struct AtomicFileTests {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test func appearsOnlyWhenCommitted() throws {
    let path = folder.path("file")
    var file = try AtomicFile(path: path)
    try file.write([1, 2, 3])
    try file.pad(to: 8)
    try file.write([UInt8](repeating: 9, count: 5000))
    #expect(file.count == 5008)
    #expect(try FileSystem.info(path) == nil)
    try file.commit()
    let expected = [1, 2, 3, 0, 0, 0, 0, 0] + [UInt8](repeating: 9, count: 5000)
    #expect(try FileSystem.read(path, limit: 10_000) == expected)
    #expect(try FileSystem.list(folder.path).count == 1)
  }

  @Test func leavesNothingWhenAbandoned() throws {
    let path = try folder.write([7], to: "file")
    do {
      var file = try AtomicFile(path: path)
      try file.write([1, 2, 3])
    }
    #expect(try FileSystem.read(path, limit: 9) == [7])
    #expect(try FileSystem.list(folder.path).count == 1)
  }

  /// Nothing takes the place of a device or a pipe, which others have open.
  @Test func leavesPipesAlone() throws {
    let path = folder.path("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    #expect(throws: FileError.notRegular(path: path)) {
      try AtomicFile.write([8, 9], to: path)
    }
    #expect(FileSystem.kind(of: path) == .other)
    #expect(try FileSystem.list(folder.path).count == 1)
  }

  @Test func replacesAnOldFile() throws {
    let path = try folder.write([7], to: "file")
    try AtomicFile.write([8, 9], to: path)
    #expect(try FileSystem.read(path, limit: 9) == [8, 9])
  }

  /// The folder may be changed, and not be opened to be brought to the disk.
  @Test func saysThatTheDiskDidNotConfirmTheName() throws {
    let path = try folder.write([7], to: "file")
    try OrdinaryUser.run(owning: folder.path) { () throws in
      chmod(folder.path, 0o300)
      defer { chmod(folder.path, 0o700) }
      #expect(throws: FileError.system(.confirm, path: path, code: EACCES)) {
        try AtomicFile.write([8, 9], to: path)
      }
      #expect(try FileSystem.read(path, limit: 9) == [8, 9])
    }
    #expect(try FileSystem.list(folder.path).count == 1)
  }

  @Test func namesTheFileThatCannotBeMade() throws {
    let path = folder.path("missing/file")
    #expect(throws: FileError.system(.create, path: path, code: 2)) {
      try AtomicFile.write([], to: path)
    }
  }
}
