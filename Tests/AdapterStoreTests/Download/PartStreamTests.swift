import Foundation
import TensorFiles
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
    #expect(reason.exitCode == (isNoRoom ? 8 : 5))
    #expect(try FileSystem.info(partial.dataPath)?.size == 0)
    partial.remove()
  }
}
