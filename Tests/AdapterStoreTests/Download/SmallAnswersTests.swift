import Foundation
import Synchronization
import TensorFiles
import TestSupport
import Testing

@testable import AdapterStore

/// Catalogs and other answers that are taken into memory, from a scripted server.
@Suite struct SmallAnswersTests {
  private static let url = "http://server/index.json"
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func server(_ script: [ScriptedServer.Step]) -> ScriptedServer {
    ScriptedServer([Self.url: .init(bytes: [1, 2, 3])], script: script)
  }

  @Test func aLongWaitIsToldOfAndShortOnesAreNot() async throws {
    let told = Mutex<[String]>([])
    let time = FakeTime()
    var surroundings = time.surroundings
    surroundings.tell = { url, words in told.withLock { $0.append("\(url): \(words)") } }
    let downloader = Downloader(
      root: fixture.root,
      transport: server([.cut(after: 0), .status(503, retryAfter: 300), .status(503)]),
      surroundings: surroundings)
    #expect(try await downloader.document(Self.url, limit: 100).bytes == [1, 2, 3])
    #expect(told.withLock { $0 } == ["\(Self.url): the server is busy (503), again in 5 min"])
    #expect(time.waits.count == 3)
  }

  @Test(arguments: [
    ([ScriptedServer.Step.silence], 2, true), ([.silence, .silence], 3, true),
    ([.silence, .silence, .silence], 3, false),
    ([.silence, .silence, .silence, .silence], 3, false),
  ])
  func aSilentServerIsToldOfAndSoonGivenUp(
    _ script: [ScriptedServer.Step], _ requests: Int, _ comes: Bool
  ) async throws {
    let told = Mutex<[String]>([])
    var surroundings = FakeTime().surroundings
    surroundings.tell = { url, words in told.withLock { $0.append("\(url): \(words)") } }
    let server = server(script)
    let downloader = Downloader(
      root: fixture.root, transport: server, surroundings: surroundings)
    do throws(StoreError) {
      #expect(try await downloader.document(Self.url, limit: 100).bytes == [1, 2, 3] && comes)
    } catch {
      #expect(
        error
          == .network(
            url: Self.url,
            reason: "server has sent almost nothing for 10 s; gave up after 3 attempts"))
    }
    #expect(told.withLock { $0 } == ["\(Self.url): waiting for server"])
    #expect(server.log.count == requests)
  }

  @Test(arguments: ["https://", "https:///f.bin", "nothing"])
  func whatIsNoAddressIsAskedNobody(_ address: String) async throws {
    let server = server([])
    let store = AdapterStore(
      root: fixture.root, tool: "tests", process: ProcessFacts(),
      downloader: Downloader(
        root: fixture.root, transport: server, surroundings: FakeTime().surroundings),
      readBase: StoreFixture.readBase)
    let error = StoreError.network(
      url: address, reason: "it is no address\(remedy: "write https://host/path")")
    await #expect(throws: error) { try await store.installBase(from: address) }
    await #expect(throws: error) { try await store.installAdapter(from: address) }
    #expect(server.log == [])
  }
}
