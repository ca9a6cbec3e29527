import Testing

@testable import AdapterStore

@Suite struct TransportPolicyTests {
  @Test(
    arguments: [
      (["https_proxy": "a", "HTTPS_PROXY": "b"], "a", nil),
      (["HTTPS_PROXY": "b", "HTTP_PROXY": "c"], "b", "c"),
      (["ALL_PROXY": "d"], "d", "d"), (["all_proxy": "e", "http_proxy": ""], "e", "e"),
      (["HTTP_PROXY": "c", "REQUEST_METHOD": "GET"], nil, nil), ([:], nil, nil),
    ] as [([String: String], String?, String?)])
  func readsProxies(environment: [String: String], https: String?, http: String?) {
    let policy = TransportPolicy(environment: environment)
    #expect(policy.proxies["https"] == https)
    #expect(policy.proxies["http"] == http)
  }

  @Test(arguments: [
    ("http://me:pass@proxy:1", "http://***@proxy:1"), ("proxy:1", "proxy:1"),
    ("me:p@ss/w@proxy:1", "***@proxy:1"), ("socks5h://u:p@h", "socks5h://***@h"),
  ])
  func masksPasswords(proxy: String, shown: String) throws {
    let policy = TransportPolicy(environment: ["https_proxy": proxy])
    let address = try #require(WebAddress("https://example.com/"))
    #expect(policy.proxyShown(address) == shown)
  }

  @Test func eachSilenceIsToldOfOnce() {
    let start = SuspendingClock.now
    var silence = TransferSilence(limit: 3, start: start)
    // Tenths of a second, and bytes by then.
    let told = [(0, 0), (29, 0), (30, 0), (90, 0), (91, 5), (120, 5), (121, 5), (300, 5), (301, 9)]
      .filter { silence.begins(received: $0.1, now: start + .milliseconds($0.0 * 100)) }
    #expect(told.map(\.0) == [30, 121])
  }

  @Test func lessPatienceIsEnoughForSmallAnswers() {
    var policy = TransportPolicy()
    let small = TransferRequest(url: "https://h/index.json", isSmall: true, limit: 1)
    let file = TransferRequest(url: "https://h/f.gguf", limit: 1)
    #expect(policy.window(small) == 10 && policy.window(file) == 30)
    policy.slowSeconds = 2
    #expect(policy.window(small) == 2 && policy.window(file) == 2)
  }

  @Test func theWindowSlides() {
    let start = SuspendingClock.now
    var pace = TransferPace(speed: 100, window: 8, start: start)
    // 200 bytes a second for 20 s, then nothing.
    var slow: Int?
    for tick in 1...400 {
      let seconds = Double(tick) / 10
      let now = start + .milliseconds(tick * 100)
      if pace.isTooSlow(received: Int(min(seconds, 20) * 200), now: now) {
        slow = tick
        break
      }
    }
    // Less than 800 bytes over 8 s for the first time at 24 s; the step is one second.
    #expect((240...260).contains(slow ?? 0))
  }

  /// As when the thread is busy with what has come, or the process was stopped.
  @Test(arguments: [(received: 1_000_000, isTooSlow: false), (received: 700, isTooSlow: true)])
  func whatComesWhileNobodyLooksCounts(_ received: Int, _ isTooSlow: Bool) {
    let start = SuspendingClock.now
    var pace = TransferPace(speed: 100, window: 8, start: start)
    let looks = [(0, 100), (received, 60_000), (2 * received, 120_000)]
    let found = looks.map { received, milliseconds in
      pace.isTooSlow(received: received, now: start + .milliseconds(milliseconds))
    }
    #expect(found == [false, isTooSlow, isTooSlow])
  }
}
