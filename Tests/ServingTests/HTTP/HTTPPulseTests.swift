import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Serving

@Suite(.waits) struct HTTPPulseTests {
  /// Each answer lets wait for itself.
  private static let routes = [
    ("/v1/chat/completions", #""messages": [{"role": "user", "content": "a"}], "stream": true"#),
    ("/v1/completions", #""prompt": "a", "stream": true"#),
    ("/v1/responses", #""input": "a", "max_output_tokens": 4, "stream": true"#),
    ("/v1/messages", #""messages": [{"role": "user", "content": "a"}], "stream": true"#),
    (
      "/api/chat",
      #""messages": [{"role": "user", "content": "a"}], "options": {"num_predict": 4}"#
    ),
  ]

  private func answer(_ path: String, _ fields: String, pings seconds: Double) async throws
    -> String
  {
    var limits = HTTPLimits()
    limits.pingSeconds = seconds
    return try await ServedStore(adapters: []).serving(limits) { port in
      let answer = try TestAnswer.of("POST", path, Self.body(path, fields), port: port)
      #expect(answer.status == 200, "\(answer.body)")
      return answer.body
    }
  }

  private static func body(_ path: String, _ fields: String) -> String {
    let limit = ["/v1/responses", "/api/chat"].contains(path) ? "" : #""max_tokens": 4, "#
    return #"{"model": "\#(ServedStore.baseName)", \#(limit)\#(fields)}"#
  }

  private static func ping(_ path: String) -> String {
    switch path {
    case "/v1/messages": "event: ping\ndata: {\"type\": \"ping\"}\n\n"
    case "/api/chat": ""
    default: ":\n\n"
    }
  }

  private func events(_ text: String) -> [Substring] {
    text.components(separatedBy: "\n\n").map { $0.prefix(10) }
  }

  /// The answer to a request that waits for the only place until `end`; where there are pings, until one has come.
  private func queued(
    _ path: String, _ fields: String, pings seconds: Double,
    end: (InferenceServer, inout Admission.Place?) -> Void
  ) async throws -> TestAnswer {
    var limits = HTTPLimits()
    limits.pingSeconds = seconds
    let served = try await ServedStore(adapters: []) { $0.width = 1 }
    return try await served.serving(limits) { port in
      let admission = served.server.admission
      var place = try admission.enter(client: "a", model: "m", bytes: 1, isGone: { false })
      let connection = try TestConnection(port: port)
      connection.send(
        TestAnswer.request(
          "POST", path, Self.body(path, fields), fields: ["Connection: close"]))
      while admission.counts.waiting == 0 { sched_yield() }
      let ping = Self.ping(path)
      var begun = ""
      while seconds == 0, !ping.isEmpty, !begun.contains(ping) {
        begun += String(decoding: connection.receive(), as: UTF8.self)
      }
      end(served.server, &place)
      return TestAnswer(begun + connection.receiveAll())
    }
  }

  @Test(arguments: routes)
  func whoWaitsForAPlaceHearsOfIt(_ path: String, _ fields: String) async throws {
    let answer = try await queued(path, fields, pings: 0) { $1 = nil }
    #expect(answer.status == 200 && answer.head.contains("X-Accel-Buffering: no"))
    let usual = try await self.answer(path, fields, pings: 1000)
    if path != "/api/chat" {
      #expect(events(answer.body.replacing(Self.ping(path), with: "")) == events(usual))
    }
  }

  /// Why nothing comes is an event once the head is sent, and a status before that.
  @Test(arguments: routes)
  func whoWaitsForAPlaceHearsWhyThereIsNone(_ path: String, _ fields: String) async throws {
    let early = try await queued(path, fields, pings: 1000) { server, _ in server.close() }
    #expect(early.status == 503 && early.head.contains("Retry-After: 1"))
    let late = try await queued(path, fields, pings: 0) { server, _ in server.close() }
    guard path != "/api/chat" else {
      #expect(late.status == 503)
      return
    }
    #expect(late.status == 200)
    let told = late.body.replacing(Self.ping(path), with: "")
    #expect(told.contains("The server is about to end."))
    switch path {
    case "/v1/responses": #expect(told.hasPrefix("event: error\ndata: {\"type\": \"error\", \"seq"))
    case "/v1/messages": #expect(told.hasPrefix("event: error\ndata: {\"type\": \"error\", \"err"))
    default: #expect(told.hasPrefix("data: {\"error\": ") && told.hasSuffix("data: [DONE]\n\n"))
    }
  }

  @Test func anotherRequestFollowsAStream() async throws {
    var limits = HTTPLimits()
    limits.pingSeconds = 0
    try await ServedStore(adapters: []).serving(limits) { port in
      let connection = try TestConnection(port: port)
      let (path, fields) = Self.routes[0]
      connection.send(TestAnswer.request("POST", path, Self.body(path, fields)))
      connection.send(TestAnswer.request("POST", path, #"{"model": "nobody", \#(fields)}"#))
      connection.send(TestAnswer.request("GET", "/nothing"))
      let answers = connection.receiveAll().components(separatedBy: "HTTP/1.1 ").dropFirst()
      #expect(answers.map { $0.prefix(3) } == ["200", "404", "404"])
    }
  }

  @Test(arguments: routes)
  func whatSaysNothingChangesNothing(_ path: String, _ fields: String) async throws {
    let ping = Self.ping(path)
    let (usual, often) = (
      try await answer(path, fields, pings: 1000), try await answer(path, fields, pings: 0)
    )
    guard !ping.isEmpty else {
      #expect(often.split(separator: "\n").count == usual.split(separator: "\n").count)
      #expect(often.split(separator: "\n").allSatisfy { $0.hasPrefix("{") })
      return
    }
    #expect(often.contains(ping) && !usual.contains(ping))
    #expect(events(often.replacing(ping, with: "")) == events(usual))
  }

  /// A client that takes nothing any more is one that has gone.
  @Test func whoTakesNothingHasGone() throws {
    var sockets: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
    var limits = HTTPLimits()
    limits.pingSeconds = 0
    let pulse = HTTPPulse(sockets[0], limits)
    pulse.wait(for: HTTPFraming(record: RequestRecord()))
    #expect(pulse.beat() && !pulse.hasBegun)
    pulse.begin([0x3A])
    #expect(pulse.beat())
    close(sockets[1])
    #expect(!pulse.beat() && !pulse.beat())
    pulse.end()
    #expect(pulse.beat())
    close(sockets[0])
  }
}
