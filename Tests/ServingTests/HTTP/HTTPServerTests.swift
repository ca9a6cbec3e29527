import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Serving

@Suite(.waits) struct HTTPServerTests {
  /// What the server on `port` answers to bytes.
  private func answer(_ text: String, _ port: Int) throws -> TestAnswer {
    let connection = try TestConnection(port: port)
    connection.send(text)
    return TestAnswer(connection.receiveAll())
  }

  @Test func whereABodyEndsIsSaidOnce() async throws {
    let post = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    let refused = [
      "Content-Length: 2\r\nTransfer-Encoding: chunked", "Content-Length: 2\r\nContent-Length: 3",
      "Content-Length: 2\r\nContent-Length: 2", "Transfer-Encoding: gzip",
      "Transfer-Encoding: chunked, identity",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
      "Content-Length: +2", "Content-Length: -1", "Content-Length: 0x2",
      "Content-Length: 99999999999999999999", "Host: localhost\r\nContent-Length: 2",
    ]
    try await ServedStore(adapters: []).serving { port in
      for fields in refused {
        let answer = try answer("\(post)\(fields)\r\n\r\n{}", port)
        #expect((400...413).contains(answer.status), "\(fields)")
      }
      let chunked = try answer(
        "\(post)Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", port)
      #expect(chunked.status == 400 && chunked.body.contains("model: this is missing"))
      #expect(try answer("GET /health HTTP/1.1\r\nConnection: close\r\n\r\n", port).status == 400)
      #expect(try answer("GET /health HTTP/1.0\r\n\r\n", port).status == 403)
      #expect(try answer("GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n", port).status == 200)
    }
  }

  @Test(arguments: [
    ("GET", "/nothing", 404), ("POST", "/health", 405), ("GET", "/v1/chat/completions", 405),
    ("GET", "/v1/models%00x", 404), ("GET", "/v1/../v1/models", 404),
    ("GET", "/%76%31/models", 404),
    ("POST", "/v1/embeddings", 404), ("GET", "/health?x=1", 200), ("GET", "/metrics", 200),
  ])
  func routesAreExact(_ method: String, _ path: String, _ status: Int) async throws {
    try await ServedStore(adapters: []).serving { port in
      let answer = try TestAnswer.of(method, path, port: port)
      #expect(answer.status == status)
      if status >= 400 { #expect(answer.json[path: "error.message"]?.string != nil) }
      if status == 405 { #expect(answer.head.contains("Allow: ")) }
    }
  }

  @Test func bodiesHaveALimit() async throws {
    var limits = HTTPLimits()
    limits.bodyBytes = 100
    let post = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    try await ServedStore(adapters: []).serving(limits) { port in
      let announced = try answer("\(post)Content-Length: 1000000000000\r\n\r\n", port)
      #expect(announced.status == 413)
      let chunk = String(repeating: "x", count: 101)
      let chunked = "\(post)Transfer-Encoding: chunked\r\n\r\n65\r\n\(chunk)\r\n0\r\n\r\n"
      let sent = try answer(chunked, port)
      #expect(sent.status == 413)
    }
  }

  /// However it drips.
  @Test func headsHaveToBeWholeInTime() async throws {
    var limits = HTTPLimits()
    limits.headSeconds = 1
    try await ServedStore(adapters: []).serving(limits) { port in
      let connection = try TestConnection(port: port)
      connection.send("GET /health HTTP/1.1\r\nX: ")
      #expect(TestAnswer(connection.receiveAll()).status == 408)
      // Where nothing was asked there is nothing to say.
      #expect(try TestConnection(port: port).receive().isEmpty)
    }
  }

  @Test func connectionsThatWaitGiveWay() async throws {
    var limits = HTTPLimits()
    limits.connections = 3
    try await ServedStore(adapters: []).serving(limits) { port in
      let idle = try (0..<3).map { _ in try TestConnection(port: port) }
      for _ in 0..<2 { #expect(try TestAnswer.of("GET", "/health", port: port).status == 200) }
      #expect(idle[0].receive().isEmpty)
    }
  }

  /// Who finds no place is told so, whatever it still sends, and there is one as soon as an answer has ended.
  @Test func whoFindsNoPlaceIsToldSo() async throws {
    var limits = HTTPLimits()
    limits.connections = 2
    let isFree = Atomic(false)
    let http = HTTPServer(
      limits, check: { _ in nil },
      handler: { _ in
        while !isFree.load(ordering: .relaxed) { usleep(1000) }
        return .text("done")
      }, ended: { _ in })
    let socket = try ListeningSocket(.address("127.0.0.1", port: 0))
    guard case .address(_, let port) = socket.place, http.start(on: [socket]) else {
      throw CancellationError()
    }
    defer { http.stop() }
    var busy = try (0..<2).map { _ in
      let connection = try TestConnection(port: port)
      connection.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      return connection
    }
    // Connections whose requests are not read yet would give way.
    usleep(300_000)
    // More of them than are kept at once.
    for index in 0..<70 {
      let connection = try TestConnection(port: port)
      if index < 10 { usleep(20_000) }
      connection.send(String(repeating: "POST / HTTP/1.1\r\n", count: index < 10 ? 5000 : 1))
      let answer = TestAnswer(connection.receiveAll())
      #expect(answer.status == 503 && answer.head.contains("Connection: close"))
      #expect(answer.head.contains("Retry-After: 1"))
      #expect(answer.json[path: "error.type"]?.string == "unavailable_error")
    }
    isFree.store(true, ordering: .relaxed)
    for connection in busy { #expect(TestAnswer(connection.receiveAll()).body == "done") }
    busy = []
    var status = 0
    for _ in 0..<100 where status != 200 {
      status = try TestAnswer.of("GET", "/", port: port).status
      usleep(20_000)
    }
    #expect(status == 200)
  }

  @Test func aClientThatGoesFreesItsPlace() async throws {
    let served = try await ServedStore(adapters: []) { $0.width = 1 }
    try await served.serving { port in
      let body =
        #"{"model": "afm-9m", "stream": true, "messages": [{"role": "user", "content": "Count to a million, one number on each line."}], "response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "array", "minItems": 200, "items": {"type": "integer"}}}}}"#
      let connection = try TestConnection(port: port)
      connection.send(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      )
      #expect(!connection.receive().isEmpty)
      #expect(served.server.admission.counts.running == 1)
      connection.reset()
      // The only place is free for this one.
      let other = try TestAnswer.of(
        "POST", "/v1/chat/completions",
        #"{"model": "afm-9m", "max_tokens": 2, "messages": [{"role": "user", "content": "Hi"}]}"#,
        port: port)
      #expect(other.status == 200)
    }
  }

  @Test func whatEndsLetsAnswersComeToTheirEnd() async throws {
    let served = try await ServedStore(adapters: [])
    try await served.serving { port in
      served.server.close()
      let answer = try TestAnswer.of(
        "POST", "/v1/chat/completions",
        #"{"model": "afm-9m", "messages": [{"role": "user", "content": "Hi"}]}"#, port: port)
      #expect(answer.status == 503 && answer.head.contains("Retry-After: 1"))
    }
  }

  /// Who takes a little at a time, for ever, loses its place.
  @Test func answersWaitForTheirClientSoLongInAll() async throws {
    var limits = HTTPLimits()
    limits.waitSeconds = 1
    let records = ServedStore.Log()
    let http = HTTPServer(
      limits, check: { _ in nil },
      handler: { _ in HTTPResponse(200, [], .bytes([UInt8](repeating: 65, count: 256 << 20))) },
      ended: records.note)
    let socket = try ListeningSocket(.address("127.0.0.1", port: 0))
    guard case .address(_, let port) = socket.place, http.start(on: [socket]) else {
      throw CancellationError()
    }
    defer { http.stop() }
    let connection = try TestConnection(port: port)
    connection.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    let isOver = Atomic(false)
    let crawling = Task.detached {
      while !isOver.load(ordering: .relaxed), !connection.receive().isEmpty { usleep(100_000) }
    }
    let record = await records.records(1)[0]
    isOver.store(true, ordering: .relaxed)
    await crawling.value
    #expect(record.facts.status == 200 && !record.facts.isWhole)
    #expect(record.facts.whole > .seconds(0.9))
  }

  /// Pieces that come when they may.
  private final class HeldPieces: HTTPStream {
    private let isAsked, goesOn: DispatchSemaphore
    private var pieces = ["one ", "two"]

    init(_ isAsked: DispatchSemaphore, _ goesOn: DispatchSemaphore) {
      (self.isAsked, self.goesOn) = (isAsked, goesOn)
    }

    func next() -> [UInt8]? {
      isAsked.signal()
      goesOn.wait()
      return pieces.isEmpty ? nil : Array(pieces.removeFirst().utf8)
    }
  }

  /// What is made is not yet sent: an answer that has begun is waited for until its last byte is, and so is one to a request that comes over a
  /// connection from before; that one says that it is the last.
  @Test func answersAreSentToTheirEnd() throws {
    let (isAsked, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let http = HTTPServer(
      HTTPLimits(), check: { _ in nil },
      handler: { _ in HTTPResponse(200, [], .stream(HeldPieces(isAsked, goesOn))) },
      ended: { _ in })
    let socket = try ListeningSocket(.address("127.0.0.1", port: 0))
    guard case .address(_, let port) = socket.place, http.start(on: [socket]) else {
      throw CancellationError()
    }
    let connections = try (0..<2).map { _ in try TestConnection(port: port) }
    connections[1].send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    isAsked.wait()
    let isOver = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      http.drain()
      isOver.signal()
    }
    while (try? TestConnection(port: port)) != nil { sched_yield() }
    connections[0].send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    isAsked.wait()
    #expect(isOver.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
    for _ in 0..<6 { goesOn.signal() }
    let answers = connections.map { TestAnswer($0.receiveAll()) }
    #expect(answers.map(\.body) == ["one two", "one two"])
    #expect(answers.map { $0.head.contains("Connection: close") } == [true, false])
    isOver.wait()
    http.stop()
  }
}
