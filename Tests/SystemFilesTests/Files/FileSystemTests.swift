import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite struct FileSystemTests {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test func listsWithoutFollowingLinks() throws {
    try folder.write("x", to: "b")
    try folder.write("x", to: "sub/inner")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("a"), withDestinationPath: folder.path("sub"))
    #expect(
      try FileSystem.list(folder.path) == [
        .init(name: "a", kind: .symbolicLink), .init(name: "b", kind: .file),
        .init(name: "sub", kind: .directory),
      ])
    #expect(throws: FileError.system(.list, path: folder.path("b"), code: ENOTDIR)) {
      try FileSystem.list(folder.path("b"))
    }
  }

  @Test func createsMissingParents() throws {
    try FileSystem.createDirectory(folder.path("x/y/z"))
    try FileSystem.createDirectory(folder.path("x/y/z"))
    #expect(try FileSystem.info(folder.path("x/y/z"))?.kind == .directory)
    try folder.write("x", to: "file")
    #expect(throws: FileError.self) { try FileSystem.createDirectory(folder.path("file")) }
  }

  @Test(arguments: [false, true])
  func exchangesDirectories(byRenames: Bool) throws {
    try folder.write("1", to: "one/name")
    try folder.write("2", to: "two/name")
    let (one, two) = (folder.path("one"), folder.path("two"))
    if byRenames {
      try FileSystem.exchangeByRenames(one, two)
    } else {
      try FileSystem.exchange(one, two)
    }
    #expect(try FileSystem.read(one + "/name", limit: 9) == Array("2".utf8))
    #expect(try FileSystem.read(two + "/name", limit: 9) == Array("1".utf8))
    #expect(try FileSystem.list(folder.path).map(\.name) == ["one", "two"])
  }

  @Test func exchangeBringsBackTheSecondWhenTheFirstIsMissing() throws {
    try folder.write("2", to: "two/name")
    #expect(throws: FileError.self) {
      try FileSystem.exchangeByRenames(folder.path("one"), folder.path("two"))
    }
    #expect(try FileSystem.list(folder.path).map(\.name) == ["two"])
  }

  @Test func linksOrCopies() throws {
    let source = try folder.write("text", to: "source")
    #expect(try FileSystem.linkOrCopy(source, to: folder.path("link")))
    var copied = 0
    try FileSystem.copyFile(source, to: folder.path("copy")) { copied += $0 }
    #expect(copied == 4)
    #expect(try FileSystem.info(source)?.inode == FileSystem.info(folder.path("link"))?.inode)
    #expect(try FileSystem.info(source)?.inode != FileSystem.info(folder.path("copy"))?.inode)
    #expect(try FileSystem.read(folder.path("copy"), limit: 4) == Array("text".utf8))
    #expect(throws: FileError.system(.create, path: folder.path("copy"), code: EEXIST)) {
      try FileSystem.copyFile(source, to: folder.path("copy"))
    }
    #expect(throws: FileError.notRegular(path: folder.path)) {
      try FileSystem.copyFile(folder.path, to: folder.path("no"))
    }
  }

  @Test func copiesPieceByPiece() throws {
    let source = try FileReader(path: folder.write("text", to: "source"))
    let target = open(folder.path("target"), O_WRONLY | O_CREAT, 0o644)
    try FileSystem.copyPieces(of: source, to: target, target: folder.path("target"))
    close(target)
    #expect(try FileSystem.read(folder.path("target"), limit: 4) == Array("text".utf8))
  }

  @Test func removesReadOnlyTreesButNotWhatLinksPointTo() throws {
    let outside = try folder.write("keep", to: "outside/file")
    try folder.write("x", to: "tree/deep/file")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("tree/link"), withDestinationPath: folder.path("outside"))
    try FileSystem.makeReadOnly(folder.path("tree"))
    #expect(try FileSystem.info(folder.path("tree/deep/file"))?.mode == 0o444)
    #expect(try FileSystem.info(folder.path("tree/deep"))?.mode == 0o555)
    #expect(try FileSystem.info(outside)?.mode == 0o644)
    try FileSystem.removeTree(folder.path("tree"))
    #expect(try FileSystem.info(folder.path("tree")) == nil)
    #expect(try FileSystem.read(outside, limit: 4) == Array("keep".utf8))
    try FileSystem.removeTree(folder.path("tree"))
  }

  @Test func makesTreesWritableAgain() throws {
    try folder.write("x", to: "tree/file")
    try FileSystem.makeReadOnly(folder.path("tree"))
    try FileSystem.makeWritable(folder.path("tree"))
    #expect(try FileSystem.info(folder.path("tree/file"))?.mode == 0o644)
    #expect(try FileSystem.info(folder.path("tree"))?.mode == 0o755)
    try FileSystem.syncTree(folder.path("tree"))
  }

  /// Repaired, the name would be that of another file.
  @Test func whatLeadsThroughANameThatIsNoTextIsNoPath() throws {
    try folder.makeFolder([0xFE])
    let raw = RawPath(folder.path).appending(FileName(bytes: [0xFE]))
    #expect(symlink(raw.characters, folder.path("link")) == 0)
    let real = try FileSystem.resolved(folder.path)
    #expect(throws: FileError.notText(path: real + "/\\xFE")) {
      try FileSystem.resolved(folder.path("link"))
    }
  }

  /// A name is bytes: what is left out of a list can be neither removed nor brought to the disk.
  @Test func namesThatAreNoTextsAreNamesToo() throws {
    let name = FileName(bytes: [0x78, 0xFF])
    try FileSystem.createDirectory(folder.path("tree"))
    try folder.write("1", to: name.bytes, in: "tree")
    try folder.makeFolder([0xFE], in: "tree")
    #expect(
      try FileSystem.list(folder.path("tree")) == [
        .init(name: name, kind: .file), .init(name: FileName(bytes: [0xFE]), kind: .directory),
      ])
    // Another name, which is shown as the first is.
    try folder.write("2", to: "tree/\(name)")
    let inner = RawPath(folder.path("tree")).appending(FileName(bytes: [0xFE]))
    try FileSystem.rename(
      RawPath(folder.path("tree")).appending(name), to: inner.appending(name))
    #expect(try FileSystem.list(inner).map(\.name) == [name])
    #expect(try FileSystem.list(folder.path("tree")).count == 2)
    try FileSystem.syncTree(folder.path("tree"))
    try FileSystem.makeReadOnly(folder.path("tree"))
    #expect(try FileSystem.info(inner.appending(name))?.mode == 0o444)
    try FileSystem.makeWritable(folder.path("tree"))
    #expect(try FileSystem.info(inner.appending(name))?.mode == 0o644)
    #expect(chmod(inner.appending(name).characters, 0) == 0)
    #expect(
      try FileSystem.firstUnreadable(in: folder.path("tree"))
        == folder.path("tree") + "/\\xFE/x\\xFF")
    try FileSystem.makeReadable(folder.path("tree"))
    #expect(try FileSystem.firstUnreadable(in: folder.path("tree")) == nil)
    try FileSystem.removeTree(folder.path("tree"))
    #expect(try FileSystem.list(folder.path) == [])
  }

  /// `/proc` keeps no permissions that others give, as disks of other systems do.
  @Test func protectsAsFarAsTheFileSystemKeepsPermissions() throws {
    let path = try folder.write([1], to: "file")
    try FileSystem.protect(path)
    #expect(try #require(try FileSystem.info(path)).mode & 0o222 == 0)
    let other = "/proc/self/status"
    #expect(throws: FileError.system(.changeMode, path: other, code: EPERM)) {
      try FileSystem.makeReadOnly(other)
    }
    try FileSystem.protect(other)
  }

  @Test func readsUpToALimit() throws {
    let path = try folder.write("12345", to: "file")
    #expect(try FileSystem.read(path, limit: 5).count == 5)
    #expect(throws: FileError.tooLarge(path: path, size: 5, limit: 4)) {
      try FileSystem.read(path, limit: 4)
    }
    #expect(
      FileError.tooLarge(path: "f", size: 5, limit: 4).description
        == "f: the file has 5 bytes, more than the limit of 4; this is not the file that is meant")
  }

  @Test func locksExcludeEachOther() throws {
    let path = folder.path("lock")
    var first = try FileLock(path: path)
    #expect(first != nil)
    #expect(try FileLock(path: path) == nil)
    first = nil
    #expect(try FileLock(path: path) != nil)
  }

  @Test func aLockThatIsGivenUpIsFree() throws {
    let path = folder.path("lock")
    let first = try #require(try FileLock(path: path))
    first.release()
    let second = try FileLock(path: path)
    #expect(second != nil)
    first.release()
    #expect(FileLock.isHeld(path))
    withExtendedLifetime((first, second)) {}
  }

  @Test func aLookAtALockTakesNothing() throws {
    let path = folder.path("lock")
    #expect(FileLock.isTaken(path) == false && FileSystem.kind(of: path) == nil)
    let first = try #require(try FileLock(path: path))
    #expect(FileLock.isTaken(path) == true)
    first.release()
    // As somebody else's look has it for a moment.
    let look = try FileLock(sharing: path)
    #expect(FileLock.isTaken(path) == false)
    try OrdinaryUser.run(owning: folder.path) {
      chmod(path, 0)
      #expect(FileLock.isTaken(path) == nil)
    }
    withExtendedLifetime((first, look)) {}
  }

  @Test func aDirectoryIsLockedWithoutAFileInIt() throws {
    let path = folder.path("directory")
    try FileSystem.createDirectory(path)
    var first = try FileLock(directory: path)
    #expect(first != nil)
    #expect(try FileLock(directory: path) == nil)
    #expect(try FileSystem.list(path) == [])
    first = nil
    #expect(try FileLock(directory: path) != nil)
    let missing = folder.path("missing")
    #expect(throws: FileError.system(.open, path: missing, code: 2)) {
      try FileLock(directory: missing)
    }
  }

  @Test func aTreeIsRemovedWhileOthersAddToItAndRemoveItToo() async throws {
    let folder = try TemporaryDirectory()
    let tree = folder.path("tree")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for round in 0..<4 {
        group.addTask {
          for index in 0..<200 {
            try? FileSystem.createDirectory("\(tree)/\(round)/\(index)")
            try FileSystem.removeTree(tree)
          }
        }
      }
      try await group.waitForAll()
    }
    try FileSystem.removeTree(tree)
    #expect(try FileSystem.info(tree) == nil)
  }

  @Test func lookingForALockMakesNone() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("lock")
    #expect(!FileLock.isHeld(path))
    #expect(try FileSystem.info(path) == nil)
    let shared = try FileLock(sharing: path)
    #expect(FileLock.isHeld(path))
    withExtendedLifetime(shared) {}
  }
}
