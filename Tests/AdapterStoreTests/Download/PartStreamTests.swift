import Foundation
import Synchronization
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct PartStreamTests {
  private static let file = RemoteFile(
    url: "http://server/f.bin", path: "package.fmadapter/f.bin", size: nil, sha256: nil)

  @Test(arguments: [
    (1 << 37, "137.4 GB, and ", true),
    (1 << 39, "549.8 GB (549,755,813,888 bytes)", false),
  ])
  func aSizeOutOfReachIsRefusedBeforeAnyByte(size: Int, words: String, isNoRoom: Bool) async throws
  {
    let fixture = try StoreFixture()
    var head = ResponseHead(status: 200, url: Self.file.url)
    head.contentLength = size
    let partial = try PartialFile.open(
      Self.file, in: StoreLayout(root: fixture.root), for: fixture.root, ProcessFacts())
    let free = try #require(partial.room)
    // This machine's disk has room for neither.
    try #require(free < 1 << 37)
    let expectation = Expectation(url: Self.file.url, largest: DownloadPolicy().largestFile)
    let stream = PartStream(partial, expectation, now: { Date() }) {}
    let error = #expect(throws: AttemptFault.self) { try stream.receive(head) }
    guard case .final(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.description.contains(words))
    #expect((reason.code == .noRoom) == isNoRoom)
    #expect(try FileSystem.info(partial.dataPath)?.size == 0)
    partial.remove()
  }

  /// Whoever tells the time may look at the stream.
  @Test(.timeLimit(.minutes(15))) func theClockIsAskedWithoutALock() throws {
    let fixture = try StoreFixture()
    let partial = try PartialFile.open(
      Self.file, in: StoreLayout(root: fixture.root), for: fixture.root, ProcessFacts())
    let held = Mutex<PartStream?>(nil)
    let asked = Atomic<Int>(0)
    let stream = PartStream(
      partial, Expectation(url: Self.file.url, largest: DownloadPolicy().largestFile),
      now: {
        _ = held.withLock { $0 }?.divisible()
        asked.add(1, ordering: .relaxed)
        return Date()
      }
    ) {}
    held.withLock { $0 = stream }
    try stream.receive(ResponseHead(status: 200, url: Self.file.url))
    let bytes = [UInt8](repeating: 1, count: 10)
    try stream.receive(bytes.span.bytes)
    #expect(stream.finish(nil) == nil)
    #expect(asked.load(ordering: .relaxed) > 1)
    #expect(partial.total == 10 && partial.received == 10)
    held.withLock { $0 = nil }
    partial.remove()
  }
}
