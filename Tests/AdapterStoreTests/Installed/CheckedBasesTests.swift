import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct CheckedBasesTests {
  private let fixture: StoreFixture
  private static let size = 1 << 20
  private let start = Date()

  init() throws { fixture = try StoreFixture() }

  /// A store whose base is any file, some time after all that the test does, or before.
  private func store(seconds: Double = 86400) -> AdapterStore {
    var process = ProcessFacts()
    process.now = { [start] in start + seconds }
    return AdapterStore(root: fixture.root, tool: "tests", process: process) { _ in
      StoreFixture.contract(StoreFixture.first)
    }
  }

  private func source() throws -> String {
    try fixture.directory.write(StoreFixture.bytes(Self.size), to: "sources/a.gguf")
  }

  /// Writes over the file in place, whose size, inode and time of modification stay.
  private func overwrite(_ path: String, _ bytes: [UInt8]) throws {
    let time = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
    try FileSystem.makeWritable(path)
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
    try FileManager.default.setAttributes(
      [.modificationDate: try #require(time)], ofItemAtPath: path)
  }

  private func read(_ store: AdapterStore, _ path: String) throws -> Int {
    try ThreadReads.all.count { try store.checkBase(at: path) }
  }

  @Test(arguments: [BaseTransfer.copy, .link])
  func whatWasWrittenOverIsNotOpened(_ transfer: BaseTransfer) async throws {
    let (store, source) = (store(), try source())
    let base = try await store.installBase(.path(source, transfer)).base
    try store.checkBase(at: base.path)
    let file = transfer == .link ? source : base.path
    try overwrite(file, StoreFixture.bytes(Self.size, seed: 2))
    let error = #expect(throws: StoreError.self) { try store.checkBase(at: base.path) }
    #expect(
      error?.description
        == "\(base.path): the file has changed since the base was installed; install it again")
    #expect(throws: StoreError.self) { try store.checkBase(at: base.path) }
    try overwrite(file, StoreFixture.bytes(Self.size))
    try store.checkBase(at: base.path)
    // What is longer is not read at all.
    try overwrite(file, StoreFixture.bytes(2 * Self.size))
    let longer = try ThreadReads.all.count {
      #expect(throws: StoreError.self) { try store.checkBase(at: base.path) }
    }
    #expect(longer < Self.size)
  }

  /// A copy has been read as it came, and what looks as it did then is not read again.
  @Test func bytesAreReadWhereTheFileLooksOtherwise() async throws {
    let (store, source) = (store(), try source())
    let base = try await store.installBase(.path(source, .copy)).base
    #expect(try read(store, base.path) < Self.size)
    try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: base.path)
    #expect(try read(store, base.path) >= Self.size)
    #expect(try read(store, base.path) < Self.size)
    let mark = "\(fixture.root)/checked/\(base.signature)"
    try AtomicFile.write(Array("{".utf8), to: mark)
    #expect(try read(store, base.path) >= Self.size)
    #expect(try read(store, base.path) < Self.size)
    // Whatever was noted of other bytes says nothing of these.
    let text = try String(contentsOfFile: mark, encoding: .utf8)
    let digest = base.receipt.files[0].sha256
    let other = text.replacing(digest, with: String(repeating: "0", count: 64))
    try AtomicFile.write(Array(other.utf8), to: mark)
    #expect(other != text)
    #expect(try read(store, base.path) >= Self.size)
  }

  /// A time that is a moment old can be that of two contents.
  @Test func whatHasJustChangedIsReadAgain() async throws {
    let now = store(seconds: 0)
    let base = try await now.installBase(.path(source(), .link)).base
    for _ in 0..<2 { #expect(try read(now, base.path) >= Self.size) }
    #expect(try fixture.names("checked") == [])
    #expect(try read(store(), base.path) >= Self.size)
    #expect(try read(now, base.path) < Self.size)
  }

  @Test func whatIsNotInstalledIsNotHeldAgainstAnything() async throws {
    let (store, source) = (store(), try source())
    try store.checkBase(at: source)
    try store.checkBase(at: fixture.directory.path("none"))
    let base = try await store.installBase(.path(source)).base
    try overwrite(source, [1])
    try store.checkBase(at: source)
    try store.checkBase(at: base.path)
    let area = fixture.directory.path("elsewhere")
    try FileSystem.rename("\(fixture.root)/bases", to: area)
    try FileManager.default.createSymbolicLink(
      atPath: "\(fixture.root)/bases", withDestinationPath: area)
    let place = "\(area)/\(base.signature)/base.gguf"
    try overwrite(place, [1])
    for path in [place, base.path] {
      #expect(throws: StoreError.self) { try store.checkBase(at: path) }
    }
  }

  @Test func whatWasNotedOfABaseGoesAfterIt() async throws {
    let store = store()
    let base = try await store.installBase(.path(source())).base
    try store.prune([])
    #expect(try fixture.names("checked") == [base.signature])
    try store.removeBase(base.signature)
    try store.prune([])
    #expect(try fixture.names("checked") == [])
  }

  /// What is installed is what the disk has, and not what was meant to be written there.
  @Test(.enabled(if: ThreadReads.seesDisk, "reads of a disk cannot be seen here"))
  func whatIsDigestedIsReadFromTheDisk() throws {
    let path = try source()
    try FileSystem.syncFile(path)
    let count = try ThreadReads.fromDisk.count {
      _ = try store().digest(fixture.sources, ["a.gguf"])
    }
    #expect(count >= Self.size)
    let again = try ThreadReads.fromDisk.count { _ = try FileRecord(path: "a", file: path) }
    #expect(again < Self.size)
  }
}
