import Foundation
import TestSupport
import Testing

@testable import AdapterStore

/// Downloads in several streams.
@Suite(.waits) struct ParallelTests {
  private static let url = "http://server/large.bin"
  private static let content = ScriptedServer.content((40 << 20) + 3)

  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func run(_ server: ScriptedServer, streams: Int = 4) async throws {
    var policy = DownloadPolicy()
    policy.parallelDelay = 0
    policy.streams = streams
    let downloader = Downloader(
      root: fixture.root, transport: server, policy: policy, surroundings: FakeTime().surroundings)
    let target = fixture.directory.path("target")
    let file = RemoteFile(url: Self.url, path: "base.gguf")
    let result = try await downloader.download(
      file, to: target, control: DownloadControl()
    ) { _ in }
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data(Self.content))
    #expect(result.record == (try FileRecord(path: file.path, file: target)))
    #expect(try fixture.names("ingest") == [])
  }

  private func server(
    _ script: [ScriptedServer.Step] = [], usual: ScriptedServer.Step = .serve,
    tag: String? = "\"v1\"", pieceSize: Int = 100_000
  ) -> ScriptedServer {
    ScriptedServer(
      [Self.url: .init(bytes: Self.content, entityTag: tag)], script: script, usual: usual,
      pieceSize: pieceSize)
  }

  @Test func aLongDownloadIsDivided() async throws {
    let server = server()
    try await run(server)
    #expect(server.log.count == 4)
    #expect(
      server.log.dropFirst().allSatisfy { $0.range?.lowerBound.isMultiple(of: 8 << 20) == true })
    #expect(server.sentCount - Self.content.count <= 1 << 20, "little came twice")
  }

  @Test(arguments: ["W/\"1\"", nil])
  func withoutAStrongValidatorThereIsOneStream(_ tag: String?) async throws {
    let server = server(tag: tag)
    try await run(server)
    #expect(server.log.count == 1)
  }

  @Test(
    arguments: [
      [.serve, .ignoreRange], [.serve, .status(429)], [.serve, .serve, .status(503)],
      [.serve, .shiftedRange(by: 4)], [.serve, .serve, .noContentRange, .status(403)],
      [.serve, .cut(after: 100_000), .cut(after: 0)],
    ] as [[ScriptedServer.Step]])
  func anyDifficultyEndsInOneStream(_ script: [ScriptedServer.Step]) async throws {
    let server = server(script)
    try await run(server)
    #expect(server.log.count >= 5)
  }

  @Test func aChangeWhileItIsDividedIsNeverSpliced() async throws {
    var old = Self.content
    for index in stride(from: 0, to: old.count, by: 1000) { old[index] ^= 1 }
    let server = ScriptedServer(
      [Self.url: .init(bytes: old, entityTag: "\"old\"")],
      script: [.serve, .change(to: .init(bytes: Self.content, entityTag: "\"new\""))])
    try await run(server)
  }

  @Test func partsAreCutIntoChunks() {
    let chunk = FileRecord.chunkSize
    let parts = Downloader.parts(of: 5..<(chunk * 8), count: 4)
    #expect(parts.map(\.upperBound) == [chunk * 2, chunk * 4, chunk * 6, chunk * 8])
    #expect(Downloader.parts(of: 5..<chunk, count: 4) == [5..<chunk])
    #expect(Downloader.parts(of: 0..<chunk + 1, count: 4).map(\.count) == [chunk, 1])
  }
}
