import Foundation
import Synchronization
import SystemFiles
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

  /// What comes under which name, and whether it is taken for a web page.
  @Test(arguments: [
    ("text/html", "{}", false), ("application/xhtml+xml", "\n [1]", false),
    ("text/html", "<!DOCTYPE html><p>log in</p>", true), ("text/html", "\u{FEFF}\n<p>", true),
    ("application/json", "<!doctype HTML>", true), ("text/plain", "\n<html lang=en>", true),
    ("text/plain", "<?xml version='1.0'?>", false), ("application/octet-stream", "", false),
  ])
  func aPageIsKnownByWhatItIs(_ type: String, _ text: String, _ isPage: Bool) async throws {
    let server = ScriptedServer(
      [Self.url: .init(bytes: Array(text.utf8))], script: [.media(type)], pieceSize: 40)
    let downloader = Downloader(
      root: fixture.root, transport: server, surroundings: FakeTime().surroundings)
    do throws(StoreError) {
      let bytes = try await downloader.document(Self.url, limit: 100).bytes
      #expect(bytes == Array(text.utf8) && !isPage)
    } catch {
      #expect(isPage && "\(error)".contains("this looks like a web page, not a file"), "\(error)")
    }
  }

  @Test(arguments: ["https://", "https:///f.bin", "nothing"])
  func whatIsNoAddressIsAskedNobody(_ address: String) async throws {
    let server = server([])
    let store = fixture.store(over: server)
    let error = StoreError.network(
      url: address, reason: "it is no address\(remedy: "write https://host/path")")
    await #expect(throws: error) { try await store.installBase(.url(address)) }
    await #expect(throws: error) { try await store.installAdapter(.url(address)) }
    #expect(server.log == [])
  }

  /// Some programs write digests in capitals; what is none stops nobody's process, and is asked nobody.
  @Test func aGivenDigestMayHaveCapitals() async throws {
    #expect(
      try DigestClaim(given: String(repeating: "0aF", count: 21) + "B")
        == DigestClaim(.user, String(repeating: "0af", count: 21) + "b"))
    let server = server([])
    let store = fixture.store(over: server)
    await #expect(throws: StoreError.badDigest("530ba4")) {
      try await store.installBase(.url(Self.url), sha256: "530ba4")
    }
    #expect(server.log == [])
    #expect(
      "\(StoreError.badDigest("530ba4"))"
        == "'530ba4' is no SHA-256; give all of its 64 hexadecimal digits")
  }
}
