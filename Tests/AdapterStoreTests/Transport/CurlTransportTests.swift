import Foundation
import Synchronization
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite(.waits) struct CurlTransportTests {
  private let server: FaultServer

  init() throws { server = try FaultServer.shared.get() }

  @Test(arguments: ["", ";chunked", ";lengthless"])
  func bringsTheWholeBody(form: String) async {
    let object = MadeObject(seed: 3, size: 300_000)
    let transfer = await Transfer.run(server.url(object.fault + form))
    #expect(transfer.faultText == "none")
    #expect(transfer.body == object.bytes)
    #expect(transfer.heads == 1)
    #expect(transfer.head?.status == 200)
    #expect(transfer.head?.contentLength == (form.isEmpty ? 300_000 : nil))
    #expect(transfer.head?.strongTag == "\"3-300000\"")
    #expect(transfer.head?.mediaType == "application/octet-stream")
    #expect(transfer.head?.acceptsRanges == true)
  }

  @Test(arguments: [
    ("the same version", "\"3-1000\"", 206, 100..<200),
    ("another version", "\"4-1000\"", 200, 0..<1000),
    ("no condition", nil, 206, 100..<200),
  ])
  func asksForARange(of version: String, tag: String?, status: Int, brought: Range<Int>) async {
    let object = MadeObject(seed: 3, size: 1000)
    let transfer = await Transfer.run(server.url(object.fault), range: 100..<200, ifRange: tag)
    #expect(transfer.faultText == "none")
    #expect(transfer.head?.status == status)
    #expect(transfer.body == object.bytes(brought))
    if status == 206 {
      #expect(transfer.head?.contentRange == ContentRange(bytes: brought, total: 1000))
    }
  }

  /// A cache answers by itself what nobody asks to be fresh.
  @Test(arguments: [(false, false), (true, false), (false, true)])
  func cachesAreAskedToLookForWhatIsNew(isSmall: Bool, isFresh: Bool) async throws {
    let url = server.url("size=5")
    var request = TransferRequest(url: url, isSmall: isSmall, limit: 10)
    request.isFresh = request.isFresh || isFresh
    let transfer = await Transfer.run(request, with: CurlTransport(policy: TransportPolicy()))
    #expect(transfer.faultText == "none")
    let asks = try server.requests(of: url).map { $0.headers["cache-control"] == "no-cache" }
    #expect(asks == [isSmall || isFresh])
  }

  @Test func aStatusIsTheReceiversMatter() async {
    let gone = await Transfer.run(server.url("size=5;status=410"))
    let busy = await Transfer.run(server.url("size=5;status=503;retry-after=7"))
    let dated = await Transfer.run(server.url("size=5;status=429;retry-date=100"))
    #expect(gone.head?.status == 410 && gone.faultText == "none")
    #expect(busy.head?.retryAfter == 7)
    #expect((95...100).contains(dated.head?.retryAfter ?? 0))
  }

  @Test(arguments: ["fin", "rst"], ["", ";chunked"])
  func namesACutConnection(kind: String, form: String) async {
    let object = MadeObject(seed: 1, size: 500_000)
    let transfer = await Transfer.run(
      server.url("\(object.fault);cut=\(kind);at=200000" + form))
    guard case .cut("127.0.0.1", let received) = transfer.fault else {
      Issue.record("\(transfer.faultText)")
      return
    }
    #expect(received == transfer.body.count)
    #expect(transfer.body == object.bytes(0..<received))
    if kind == "fin" { #expect(received == 200_000) }
  }

  @Test(arguments: ["stall;at=30000", "trickle;at=30000", "slow-start=60"])
  func endsWhatIsTooSlow(fault: String) async {
    let transfer = await Transfer.run(server.url("size=100000;" + fault), policy: .quick)
    guard case .slow("127.0.0.1", 2) = transfer.fault else {
      Issue.record("\(transfer.faultText)")
      return
    }
    #expect(transfer.duration < soon + .seconds(10))
  }

  /// What a server does that takes the request, and hosts that are told of meanwhile.
  @Test(arguments: [
    ("size=100000;slow-start=60", true, ["127.0.0.1"]),
    ("size=100000;stall;at=0", true, ["127.0.0.1"]),
    ("size=100000;stall;at=0", false, ["127.0.0.1"]), ("size=100000", true, []),
  ])
  func aSilenceIsToldOfAndASmallAnswerWaitedForLess(
    _ fault: String, _ isSmall: Bool, _ waits: [String]
  ) async {
    var policy = TransportPolicy()
    policy.leastSpeed = 1000
    // A server that says nothing because it is busy is waited for.
    let (least, most) = (waits.isEmpty ? 60.0 : 1, 60.0)
    (policy.slowSeconds, policy.smallSlowSeconds) = isSmall ? (most, least) : (least, most)
    policy.silenceSeconds = 0.2
    let transfer = await Transfer.run(
      TransferRequest(url: server.url(fault), isSmall: isSmall, limit: 1 << 20),
      with: CurlTransport(policy: policy))
    // It may be silent before its header, too.
    #expect(waits.isEmpty || Set(transfer.waits) == Set(waits))
    switch transfer.fault {
    case .slow("127.0.0.1", 1) where !waits.isEmpty: break
    case nil where waits.isEmpty: break
    default: Issue.record("\(transfer.faultText)")
    }
  }

  @Test(arguments: [0, 1, 65_536, 1_000_000])
  func stopsAnEndlessBodyAtTheLimit(limit: Int) async {
    let transfer = await Transfer.run(server.url("size=1;endless"), limit: limit)
    guard case .tooLong("127.0.0.1", limit) = transfer.fault else {
      Issue.record("\(transfer.faultText)")
      return
    }
    #expect(transfer.body.count == limit)
  }

  @Test func aBodyOfExactlyTheLimitIsWhole() async {
    let transfer = await Transfer.run(server.url("size=70000"), limit: 70_000)
    #expect(transfer.faultText == "none" && transfer.body.count == 70_000)
  }

  @Test func refusesACompressedBody() async throws {
    let url = server.url("size=1;bomb")
    let transfer = await Transfer.run(url)
    #expect(
      transfer.faultText
        == "\(TransferFault.other(host: "127.0.0.1", reason: "it sends the bytes as gzip, unasked"))"
    )
    #expect(transfer.body.isEmpty)
    #expect(try server.requests(of: url).first?.headers["accept-encoding"] == "identity")
  }

  @Test func theReceiverCanEndIt() async {
    let transfer = await Transfer.run(server.url("size=1;endless"), stopAfter: 100_000)
    guard case .refused(let error) = transfer.fault else {
      Issue.record("\(transfer.faultText)")
      return
    }
    #expect(error is Recorder.Enough)
    #expect(transfer.body.count < 100_000 + (64 << 10))
  }

  @Test(arguments: ["size=100000;stall;at=3", "size=1;endless", "size=5;slow-start=60"])
  func cancelsWithinHalfASecond(_ fault: String) async throws {
    var policy = TransportPolicy()
    policy.slowSeconds = 60
    let transport = CurlTransport(policy: policy)
    let url = server.url(fault)
    let recorder = Recorder()
    // On threads of their own: the pool's may all be busy with what other tests wait for.
    let (text, duration) = try await withTaskExecutorPreference(QueueExecutor()) {
      let task = Task(executorPreference: QueueExecutor()) {
        do throws(TransferFault) {
          try await transport.perform(TransferRequest(url: url, limit: .max), recorder)
          return ("none", ContinuousClock.now)
        } catch {
          return ("\(error)", ContinuousClock.now)
        }
      }
      if fault.contains("slow-start") {
        while try server.requests(of: url).isEmpty { await Task.yield() }
      } else {
        for await _ in recorder.began {}
      }
      let start = ContinuousClock.now
      task.cancel()
      let (text, end) = await task.value
      return (text, end - start)
    }
    #expect(text == "cancelled")
    #expect(duration < soon)
  }

  /// Libcurl reads a local file, or a server that is faster than the receiver, without looking up.
  @Test func nothingComesAfterItWasCancelled() async throws {
    let folder = try TemporaryDirectory()
    try folder.write([UInt8](repeating: 1, count: 4 << 20), to: "file")
    var policy = TransportPolicy()
    policy.allowsFiles = true
    let (transport, receiver) = (CurlTransport(policy: policy), Canceller())
    let url = "file://\(folder.path("file"))"
    let task = Task(executorPreference: QueueExecutor()) { () -> TransferFault? in
      do throws(TransferFault) {
        try await transport.perform(TransferRequest(url: url, limit: .max), receiver)
        return nil
      } catch {
        return error
      }
    }
    receiver.task.withLock { $0 = task }
    receiver.isReady.signal()
    #expect(await task.value.map { "\($0)" } == "cancelled")
    #expect(receiver.pieces.withLock { $0 } == 1)
  }

  /// Cancels the task of its transfer with the first bytes.
  private final class Canceller: TransferReceiver {
    let task = Mutex<Task<TransferFault?, Never>?>(nil)
    let isReady = DispatchSemaphore(value: 0)
    let pieces = Mutex(0)

    func receive(_ head: ResponseHead) { isReady.wait() }

    func receive(_ bytes: RawSpan) {
      pieces.withLock { $0 += 1 }
      task.withLock { $0 }?.cancel()
    }
  }

  @Test func aTaskThatIsCancelledAlreadyEnds() async {
    let url = server.url("size=1;endless")
    for _ in 0..<50 {
      let task = Task { await Transfer.run(url, limit: 1 << 30) }
      task.cancel()
      #expect(await task.value.faultText == "cancelled")
    }
  }

  @Test func manyAtOnceShareConnections() async throws {
    let transport = CurlTransport(policy: TransportPolicy())
    let object = MadeObject(seed: 9, size: 100_000)
    let url = server.url(object.fault)
    for _ in 0..<3 {
      await withTaskGroup { group in
        for _ in 0..<8 {
          group.addTask {
            await Transfer.run(TransferRequest(url: url, limit: 100_000), with: transport)
          }
        }
        for await transfer in group { #expect(transfer.body == object.bytes) }
      }
    }
    let connections = Set(try server.requests(of: url).map(\.connection))
    #expect(connections.count < 24)
  }

  @Test(arguments: ["127.0.0.1", "localhost", "[::1]"])
  func namesARefusedConnection(host: String) async throws {
    let port = try Loopback.freePort()
    let transfer = await Transfer.run("http://\(host):\(port)/x")
    #expect(transfer.faultText == "\(TransferFault.nobody(place: "\(host):\(port)"))")
  }

  @Test(arguments: ["220 mail.example ESMTP\r\n", "\u{0}\u{1}binary", "<html>"])
  func namesWhatIsNoWebServer(_ answer: String) async throws {
    let port = try Loopback.answer(Array(answer.utf8))
    let transfer = await Transfer.run("http://127.0.0.1:\(port)/x")
    #expect(transfer.faultText == "\(TransferFault.noWebServer(host: "127.0.0.1"))")
    let sentence: ErrorText =
      "127.0.0.1 does not answer as a web server does\(remedy: "check the address and its port")"
    #expect(transfer.fault?.sentence == sentence)
    #expect(transfer.fault?.isTransient == false)
  }

  @Test func namesAHostWithoutAddress() async {
    let transfer = await Transfer.run("https://nowhere.invalid/x")
    guard case .unreachable("nowhere.invalid", _) = transfer.fault else {
      Issue.record("\(transfer.faultText)")
      return
    }
  }

  @Test func readsAFileThatTheUserTyped() async throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write("twelve bytes", to: "a file.txt")
    let url = URL(fileURLWithPath: path).absoluteString
    var policy = TransportPolicy()
    let refused = await Transfer.run(url)
    policy.allowsFiles = true
    let read = await Transfer.run(url, policy: policy)
    let missing = await Transfer.run(url + ".no", policy: policy)
    guard case .address = refused.fault else {
      Issue.record("\(refused.faultText)")
      return
    }
    #expect(String(decoding: read.body, as: UTF8.self) == "twelve bytes")
    #expect(read.head?.status == 200 && missing.head?.status == 404)
  }

  @Test func aFieldCannotHaveALineBreak() async throws {
    let url = server.url("size=1000")
    let transfer = await Transfer.run(url, range: 1..<2, ifRange: "\"a\"\r\nX-Canary: 1")
    guard case .address = transfer.fault else {
      Issue.record("\(transfer.faultText)")
      return
    }
    #expect(try server.requests(of: url).isEmpty)
  }
}
