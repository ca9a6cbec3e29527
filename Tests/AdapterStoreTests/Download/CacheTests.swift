import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// What a cache on the way hands out is passed by once when it is not what was promised.
@Suite(.waits) struct CacheTests {
  private static let url = "http://server/f.bin"
  private static let content = ScriptedServer.content(100_000)
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  /// Brings the file, with what comes first and then without; whether each request asked for what is fresh.
  private func requests(first: ScriptedServer.Step) async throws -> [Bool] {
    let current = ScriptedServer.Object(bytes: Self.content)
    let server = ScriptedServer([Self.url: current], script: [first, .change(to: current)])
    let downloader = Downloader(
      root: fixture.root, transport: server, surroundings: FakeTime().surroundings)
    let target = fixture.directory.path("target")
    let file = RemoteFile(
      url: Self.url, path: "package.fmadapter/f.bin", size: Self.content.count,
      sha256: SHA256.hex(Self.content))
    _ = try await downloader.download(file, to: target, control: DownloadControl()) { _ in }
    #expect(try FileSystem.read(target, limit: 1 << 20) == Self.content)
    #expect(try fixture.names("ingest") == [])
    return server.log.map(\.isFresh)
  }

  @Test func ofAnEarlierVersion() async throws {
    let old = ScriptedServer.Object(bytes: Array(Self.content.dropLast()))
    #expect(try await requests(first: .change(to: old)) == [false, true])
  }

  @Test func thatItHasDamaged() async throws {
    #expect(try await requests(first: .flip(at: 5)) == [false, true])
  }

  @Test func thatIsRight() async throws {
    #expect(try await requests(first: .serve) == [false])
  }
}
