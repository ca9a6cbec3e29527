import Foundation
import Synchronization
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// Downloads from a scripted server, without waiting.
@Suite(.waits) struct DownloaderTests {
  private typealias Step = ScriptedServer.Step
  static let url = "http://server/f.bin"
  private static let content = ScriptedServer.content(1_500_000)
  private static let digest = SHA256.hex(content)
  private static let flippedDigest: String = {
    var bytes = content
    bytes[5] &+= 1
    return SHA256.hex(bytes)
  }()

  private let fixture: StoreFixture
  private let time = FakeTime()

  init() throws { fixture = try StoreFixture() }

  private func downloader(
    _ server: ScriptedServer, _ change: (inout DownloadPolicy) -> Void = { _ in }
  ) -> Downloader {
    var policy = DownloadPolicy()
    policy.parallelDelay = 0
    change(&policy)
    return Downloader(
      root: fixture.root, transport: server, policy: policy, surroundings: time.surroundings)
  }

  /// What is known beforehand.
  enum Knowledge: String, Sendable, CaseIterable { case nothing, size, digest }

  private func file(_ knowledge: Knowledge = .nothing) -> RemoteFile {
    RemoteFile(
      url: Self.url, path: "package.fmadapter/f.bin",
      size: knowledge == .nothing ? nil : Self.content.count,
      sha256: knowledge == .digest ? Self.digest : nil)
  }

  private func run(
    _ server: ScriptedServer, _ file: RemoteFile, control: DownloadControl = DownloadControl()
  ) async throws -> DownloadedFile {
    let target = fixture.directory.path("target")
    let result = try await downloader(server).download(file, to: target, control: control) { _ in }
    #expect(try FileSystem.read(target, limit: 1 << 30) == Self.content)
    #expect(result.record == (try FileRecord(path: file.path, file: target)))
    #expect(try fixture.names("ingest") == [], "nothing is left behind")
    return result
  }

  private func server(_ script: [Step], usual: Step = .serve, tag: String? = "\"v1\"")
    -> ScriptedServer
  {
    ScriptedServer(
      [Self.url: .init(bytes: Self.content, entityTag: tag)], script: script, usual: usual)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let script: [ScriptedServer.Step]
    /// Most bytes that may be sent a second time.
    var again = 0
    var knowledge = Knowledge.allCases
  }

  static let healing = [
    Case(testDescription: "nothing wrong", script: []),
    Case(testDescription: "cut", script: [.cut(after: 700_001)]),
    Case(testDescription: "cut before the first byte", script: [.cut(after: 0)]),
    Case(testDescription: "cut after the last byte", script: [.cut(after: 1_500_000)]),
    Case(
      testDescription: "cut many times",
      script: (1...12).map { _ in .cut(after: 100_000) }),
    Case(testDescription: "ended early", script: [.end(after: 700_001)]),
    Case(
      testDescription: "unreachable at first",
      script: [.fault(.unreachable(host: "h", reason: "r"))]),
    Case(
      testDescription: "stall",
      script: [.cut(after: 600_000), .fault(.slow(host: "h", seconds: 9))]),
    Case(
      testDescription: "range ignored", script: [.cut(after: 700_000), .ignoreRange], again: 700_000
    ),
    Case(
      testDescription: "wrong Content-Range", script: [.cut(after: 700_000), .shiftedRange(by: 1)],
      again: 1_500_000),
    Case(
      testDescription: "no Content-Range", script: [.cut(after: 700_000), .noContentRange],
      again: 1_500_000),
    Case(
      testDescription: "wrong Content-Range for ever",
      script: [
        .cut(after: 700_000), .shiftedRange(by: -1), .cut(after: 900_000), .shiftedRange(by: 5),
      ],
      again: 3_100_000),
    Case(testDescription: "busy twice", script: [.status(503), .status(429)]),
    Case(
      testDescription: "signed address expired",
      script: [.cut(after: 700_000), .redirected(403), .redirected(410)]),
    Case(
      testDescription: "beyond the end", script: [.cut(after: 700_000), .status(416)],
      again: 700_000),
    Case(
      testDescription: "one flipped bit", script: [.flip(at: 1_000_000)], again: 1_500_000,
      knowledge: [.digest]),
    Case(testDescription: "a file by the name of a page", script: [.media("text/html")]),
    Case(
      testDescription: "parts by the name of a page",
      script: [.cut(after: 700_000), .media("text/html")]),
    Case(
      testDescription: "more than announced", script: [.cut(after: 700_000), .surplus(1000)],
      again: 1_501_000),
  ]

  @Test(arguments: healing.flatMap { test in test.knowledge.map { (test, $0) } })
  func faultsHeal(_ test: Case, _ knowledge: Knowledge) async throws {
    let server = server(test.script)
    let result = try await run(server, file(knowledge))
    #expect(result.entityTag == "\"v1\"")
    #expect(result.vouchers == (knowledge == .digest ? [.catalog] : []))
    #expect(server.sentCount - Self.content.count <= test.again)
  }

  @Test(arguments: Knowledge.allCases)
  func withoutAValidatorOnlyADigestAllowsToGoOn(_ knowledge: Knowledge) async throws {
    let server = server([.cut(after: 700_000)], tag: "W/\"weak\"")
    let result = try await run(server, file(knowledge))
    #expect(result.entityTag == nil)
    let again = server.sentCount - Self.content.count
    #expect(again == (knowledge == .digest ? 0 : 700_000))
  }

  struct Failure: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let usual: ScriptedServer.Step
    var knowledge = DownloaderTests.Knowledge.nothing
    let error: StoreError
    var requests = 1
  }

  static let failures = [
    Failure(
      testDescription: "login page", usual: .page,
      error: .network(
        url: url,
        reason:
          "this looks like a web page, not a file"
          + "\(remedy: "it may be a login page: check the address, and whether a token is needed")")
    ),
    Failure(
      testDescription: "not found", usual: .status(404), error: .notOnServer(url: url, status: 404)),
    Failure(
      testDescription: "gone", usual: .status(410), error: .notOnServer(url: url, status: 410)),
    Failure(
      testDescription: "unauthorized", usual: .status(401),
      error: .network(
        url: url,
        reason: "the server wants to know who asks (401)"
          + "\(remedy: "use an address with https: a token is not sent by plain http")")),
    Failure(
      testDescription: "forbidden", usual: .status(403),
      error: .network(
        url: url,
        reason: "the server does not allow it (403)"
          + "\(remedy: "use an address with https: a token is not sent by plain http")")),
    Failure(
      testDescription: "teapot", usual: .status(418),
      error: .network(url: url, reason: "the server answers 418, which is of no use")),
    Failure(
      testDescription: "packed", usual: .gzip,
      error: .network(
        url: url,
        reason: "the server sends the file packed as gzip, which it was not asked for")),
    Failure(
      testDescription: "500 for ever", usual: .status(500),
      error: .network(
        url: url,
        reason: "the server fails (500); gave up after 6 attempts without progress"
          + "\(remedy: "the next installation goes on from here")"), requests: 6),
    Failure(
      testDescription: "flipped for ever", usual: .flip(at: 5), knowledge: .digest,
      error: .corrupted(
        url: url,
        reason: "package.fmadapter/f.bin has SHA-256 \(flippedDigest) "
          + "where \(digest) was promised by the catalog"), requests: 2),
    Failure(
      testDescription: "expired for ever", usual: .redirected(403),
      error: .network(
        url: url,
        reason: "the address that it redirects to is not valid any more (403); gave up after 6 "
          + "attempts without progress\(remedy: "the next installation goes on from here")"),
      requests: 6),
  ]

  @Test(arguments: failures)
  func whatCannotHealIsNamed(_ test: Failure) async throws {
    let server = server([], usual: test.usual)
    await #expect(throws: test.error) { try await run(server, file(test.knowledge)) }
    #expect(server.log.count == test.requests)
    #expect(try fixture.names("ingest") == [], "nothing came that could be used")
    #expect(try FileSystem.info(fixture.directory.path("target")) == nil)
  }

  @Test func aLoginPageCostsNothingOfWhatHasCome() async throws {
    let server = server([.cut(after: 700_000), .page])
    await #expect(throws: StoreError.self) { try await run(server, file()) }
    _ = try await run(server, file())
    #expect(server.sentCount == Self.content.count + "<html>log in</html>".utf8.count)
  }

  @Test func anotherSizeThanPromisedIsRefused() async throws {
    let server = server([])
    var file = file()
    file.size = 1_400_000
    let error = StoreError.corrupted(
      url: Self.url, reason: "the server offers 1,500,000 bytes where 1,400,000 were promised")
    await #expect(throws: error) { try await run(server, file) }
    #expect(server.sentCount == 0)
  }

  @Test func whatNobodyAnnouncesHasAnEnd() async throws {
    let object = ScriptedServer.Object(
      bytes: [UInt8](repeating: 1, count: 4_000_000), entityTag: nil, statesLength: false)
    let server = ScriptedServer([Self.url: object])
    let downloader = downloader(server) { $0.largestUnannounced = 1_000_000 }
    let error = StoreError.corrupted(
      url: Self.url,
      reason: "the server announces no length, and sends more than 1.0 MB")
    await #expect(throws: error) {
      _ = try await downloader.download(
        file(), to: fixture.directory.path("target"), control: DownloadControl()
      ) { _ in }
    }
    #expect(server.sentCount <= 1_100_000)
    #expect(try fixture.names("ingest") == [])
  }

  @Test func whatCannotBeGoneOnWithIsNotKept() async throws {
    let object = ScriptedServer.Object(bytes: Self.content, entityTag: nil, statesLength: false)
    let server = ScriptedServer(
      [Self.url: object], script: [.cut(after: 700_000)], usual: .status(404))
    await #expect(throws: StoreError.notOnServer(url: Self.url, status: 404)) {
      try await run(server, file())
    }
    #expect(try fixture.names("ingest") == [])
  }

  @Test(arguments: [true, false])
  func aPortThatNobodyListensOnIsGivenUpSoon(isDocument: Bool) async throws {
    let server = server([], usual: .fault(.nobody(place: "127.0.0.1:9")))
    let error = await #expect(throws: StoreError.self) {
      if isDocument {
        _ = try await downloader(server).document(Self.url, limit: 10)
      } else {
        _ = try await run(server, file())
      }
    }
    let words = "nothing listens at 127.0.0.1:9 on this machine; gave up after 3 attempts"
    #expect(error?.text.problem.hasPrefix("\(Self.url): \(words)") == true)
    #expect(error?.remedy?.hasPrefix("start the server, or check the port") == true)
    #expect(time.waits.reduce(0, +) < 1)
  }

  @Test func aSilentServerIsNamedWhileItIsWaitedFor() async throws {
    let waits = Mutex<[String]>([])
    let server = server([.silence, .cut(after: 700_000), .silence])
    _ = try await downloader(server).download(
      file(), to: fixture.directory.path("target"), control: DownloadControl()
    ) { progress in
      waits.withLock { if let words = progress.waiting, words != $0.last { $0.append(words) } }
    }
    let silence = "server has sent almost nothing for 30 s"
    #expect(
      waits.withLock { $0 } == [
        "connecting to server", "waiting for server", "\(silence), again in 1 s",
        "server closed the connection after 700.0 kB, again in 1 s", "waiting for server",
        "\(silence), again in 1 s",
      ])
  }

  @Test(arguments: [0, 1, 499_999])
  func aBodyWithoutEndIsCutAtThePromisedSize(_ surplus: Int) async throws {
    let object = ScriptedServer.Object(
      bytes: [UInt8](repeating: 1, count: 4_000_000), statesLength: false)
    let server = ScriptedServer([Self.url: object])
    var file = file(.size)
    file.size = 1_000_000 + surplus
    let error = StoreError.corrupted(
      url: Self.url,
      reason: "server sends more than the \(Figures.bytes(1_000_000 + surplus)) that were expected"
    )
    await #expect(throws: error) { try await run(server, file) }
    #expect(server.sentCount <= 1_000_000 + surplus + 65_536)
  }

  @Test func withoutAnyLengthTheEndIsTheEnd() async throws {
    let object = ScriptedServer.Object(bytes: Self.content, statesLength: false)
    let server = ScriptedServer([Self.url: object], script: [.cut(after: 500_000)])
    _ = try await run(server, file())
    #expect(server.sentCount == Self.content.count, "it went on by the tag")
  }

  @Test(arguments: [Knowledge.size, .digest])
  func anEarlyEndWithoutLengthIsSeenByThePromise(_ knowledge: Knowledge) async throws {
    let object = ScriptedServer.Object(bytes: Self.content, statesLength: false)
    let server = ScriptedServer([Self.url: object], script: [.end(after: 500_000)])
    _ = try await run(server, file(knowledge))
    #expect(server.sentCount == Self.content.count)
  }

  @Test(arguments: Knowledge.allCases)
  func aChangedFileIsNeverSpliced(_ knowledge: Knowledge) async throws {
    var old = Self.content
    for index in old.indices { old[index] ^= 0x55 }
    let server = ScriptedServer(
      [Self.url: .init(bytes: old, entityTag: "\"old\"")],
      script: [.cut(after: 700_000), .change(to: .init(bytes: Self.content, entityTag: "\"new\""))])
    let result = try await run(server, file(knowledge))
    #expect(result.entityTag == "\"new\"")
  }

  @Test func aChangeThatTheServerHidesIsSeenByItsTag() async throws {
    // It answers 206 of another version, against the rules of If-Range.
    let server = server([.cut(after: 700_000)])
    let liar = LyingServer(honest: server, tag: "\"other\"")
    let target = fixture.directory.path("target")
    let downloader = Downloader(
      root: fixture.root, transport: liar, surroundings: time.surroundings)
    _ = try await downloader.download(
      file(), to: target, control: DownloadControl()
    ) { _ in }
    #expect(try FileSystem.read(target, limit: 1 << 30) == Self.content)
    #expect(server.log.last?.range == nil, "it asked for all bytes in the end")
  }

  @Test func everyAttemptBringsALittle() async throws {
    let server = server([], usual: .cut(after: 65_536))
    _ = try await run(server, file())
    #expect(server.sentCount == Self.content.count)
  }

  @Test func tooLittleProgressEnds() async throws {
    let server = server([], usual: .cut(after: 10_000))
    await #expect(throws: StoreError.self) { try await run(server, file()) }
    // 60,000 bytes in six attempts are not enough to count anew.
    #expect(server.log.count == 6)
    #expect(try fixture.store().partials().map(\.received) == [60_000])
  }

  @Test func waitsAreWhatTheServerAsksForWithinBounds() async throws {
    let server = server([
      .status(503, retryAfter: 7), .status(429, retryAfter: 10_000), .status(503, retryAfter: -5),
      .status(500),
    ])
    _ = try await run(server, file())
    let total: Double = time.waits.reduce(0, +)
    #expect(total == 310)
  }

  @Test func theNextDownloadGoesOn() async throws {
    let server = server([.cut(after: 700_000)], usual: .status(500))
    await #expect(throws: StoreError.self) { try await run(server, file()) }
    let partials = try fixture.store().partials()
    #expect(partials.map(\.received) == [700_000])
    #expect(partials.map(\.isActive) == [false])
    let next = self.server([])
    _ = try await run(next, file())
    #expect(next.sentCount == 800_000)
  }

  @Test func aCompletePartialIsUsedOnlyIfTheServerHasTheSame() async throws {
    for (tag, expected) in [("\"v1\"", 1), ("\"v2\"", 1_500_000)] {
      let partial = try PartialFile.open(
        file(), in: StoreLayout(root: fixture.root), for: fixture.root, ProcessFacts())
      try partial.reset(entityTag: "\"v1\"", total: Self.content.count, now: Date())
      try partial.write(Self.content, at: 0)
      partial.log(received: 0..<Self.content.count)
      partial.log(chunk: 0, digest: Self.digest)
      partial.release(now: Date())
      let server = server([], tag: tag)
      _ = try await run(server, file())
      // To ask whether it is the same may cost a byte.
      #expect((expected...expected + 1).contains(server.sentCount), "\(tag)")
      try FileSystem.removeTree(fixture.directory.path("target"))
    }
  }
}
