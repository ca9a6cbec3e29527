import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// Power is lost in the midst of a download: the next one ends with the right bytes, whatever became of the partial one.
@Suite(.waits) struct DownloadPowerLossTests {
  private static let limit = runsAllTests ? Int.max : 60
  private static let file = RemoteFile(url: "http://server/f", path: "package.fmadapter/f")
  private static let old = ScriptedServer.content(3000).map { $0 ^ 0x55 }
  private static let new = ScriptedServer.content(3000)

  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func downloader(
    _ root: String, boot: String = "aaaaaaaa", isDying: Bool = false,
    script: [ScriptedServer.Step] = []
  ) -> Downloader {
    var process = ProcessFacts()
    process.boot = boot
    process.now = { Date(timeIntervalSince1970: 1_800_000_000) }
    if isDying { process.identifier = FilePath.randomName() }
    let object = ScriptedServer.Object(bytes: Self.new, entityTag: "\"new\"")
    let server = ScriptedServer([Self.file.url: object], script: script, pieceSize: 500)
    return Downloader(
      root: root, transport: server, process: process, surroundings: FakeTime().surroundings)
  }

  private func fetch(_ downloader: Downloader, to target: String) async throws {
    _ = try await downloader.download(Self.file, to: target, control: DownloadControl()) { _ in }
  }

  /// What is there before: nothing, or all bytes of a version that the server has no more, by a process that has ended.
  private func begin(hasOld: Bool) throws {
    guard hasOld else { return }
    let dying = downloader(fixture.root, isDying: true)
    let partial = try PartialFile.open(
      Self.file, in: dying.layout, for: fixture.root, dying.process)
    try partial.reset(entityTag: "\"old\"", total: Self.old.count, now: dying.process.now())
    try partial.write(Self.old, at: 0)
    partial.log(received: 0..<Self.old.count)
    partial.log(chunk: 0, digest: SHA256.hex(Self.old))
    partial.release(now: dying.process.now())
  }

  @Test(arguments: [false, true])
  func theNextDownloadEndsWithTheRightBytes(hasOld: Bool) async throws {
    try begin(hasOld: hasOld)
    let target = "\(fixture.root)/target"
    let dying = downloader(
      fixture.root, isDying: true, script: hasOld ? [] : [.cut(after: 1200), .cut(after: 900)])
    let recording = try await FileRecording(of: fixture.directory.path) {
      try await fetch(dying, to: target)
    }
    let model = try PowerLossModel(recording)
    #expect(model.end(in: "") == recording.after, "something is done that is not recorded")
    let memory = try TemporaryDirectory(inMemory: true)
    for crash in model.crashes(in: "store", limit: Self.limit, seed: 45) {
      let root = memory.path("store")
      try crash.tree.write(to: root)
      let found = crash.tree.bytes("target")
      #expect(found == Self.new || found == nil && !crash.isEnd, "\(crash.words)")
      try await fetch(
        downloader(root, boot: crash.isKill ? "aaaaaaaa" : "bbbbbbbb"), to: "\(root)/target")
      #expect(try FileSystem.read("\(root)/target", limit: 10_000) == Self.new, "\(crash.words)")
      try FileSystem.removeTree(root)
    }
  }
}
