import TensorFiles
import TestSupport
import Testing

@testable import AdapterStore

/// Nothing tells of a bit that was flipped on the way where no digest was promised; then nobody vouches for the bytes, either.
@Suite(.waits) struct UnverifiedBytesTests {
  private static let content = ScriptedServer.content(100_000)

  /// What is known beforehand, who vouches, and the requests that it takes.
  @Test(
    arguments: [
      (nil, nil, [], 1), (content.count, nil, [], 1),
      (content.count, SHA256.hex(content), [.catalog], 2),
    ] as [(Int?, String?, [DigestVoucher], Int)])
  func onlyADigestTells(
    _ size: Int?, _ digest: String?, _ vouchers: [DigestVoucher], _ requests: Int
  ) async throws {
    let fixture = try StoreFixture()
    let url = "http://server/f.bin"
    let server = ScriptedServer([url: .init(bytes: Self.content)], script: [.flip(at: 70_000)])
    let downloader = Downloader(
      root: fixture.root, transport: server, surroundings: FakeTime().surroundings)
    let file = RemoteFile(url: url, path: "package.fmadapter/f.bin", size: size, sha256: digest)
    let target = fixture.directory.path("target")
    let result = try await downloader.download(file, to: target, control: DownloadControl()) { _ in
    }
    var expected = Self.content
    if digest == nil { expected[70_000] &+= 1 }
    #expect(try FileSystem.read(target, limit: 1 << 20) == expected)
    #expect(result.record.sha256 == SHA256.hex(expected) && result.vouchers == vouchers)
    #expect(server.log.count == requests)
  }
}
