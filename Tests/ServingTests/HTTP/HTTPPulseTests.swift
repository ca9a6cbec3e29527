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
    (
      "/v1/messages",
      #""messages": [{"role": "user", "content": "a"}], "max_tokens": 4, "stream": true"#
    ),
    ("/api/chat", #""messages": [{"role": "user", "content": "a"}]"#),
  ]

  private func answer(_ path: String, _ fields: String, pings seconds: Double) async throws
    -> String
  {
    var limits = HTTPLimits()
    limits.pingSeconds = seconds
    return try await ServedStore(adapters: []).serving(limits) { port in
      let body = #"{"model": "\#(ServedStore.baseName)", "max_tokens": 4, \#(fields)}"#
      let answer = try TestAnswer.of(
        "POST", path,
        path == "/v1/responses" ? body.replacing(#""max_tokens": 4, "#, with: "") : body,
        port: port)
      #expect(answer.status == 200, "\(answer.body)")
      return answer.body
    }
  }

  @Test(arguments: routes)
  func whatSaysNothingChangesNothing(_ path: String, _ fields: String) async throws {
    let ping =
      switch path {
      case "/v1/messages": "event: ping\ndata: {\"type\": \"ping\"}\n\n"
      case "/api/chat": ""
      default: ":\n\n"
      }
    let (usual, often) = (
      try await answer(path, fields, pings: 1000), try await answer(path, fields, pings: 0)
    )
    guard !ping.isEmpty else {
      #expect(often.split(separator: "\n").count == usual.split(separator: "\n").count)
      #expect(often.split(separator: "\n").allSatisfy { $0.hasPrefix("{") })
      return
    }
    #expect(often.contains(ping) && !usual.contains(ping))
    let events = { (text: String) in text.components(separatedBy: "\n\n").map { $0.prefix(10) } }
    #expect(events(often.replacing(ping, with: "")) == events(usual))
  }

  /// A client that takes nothing any more is one that has gone.
  @Test func whoTakesNothingHasGone() throws {
    var sockets: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
    var limits = HTTPLimits()
    limits.pingSeconds = 0
    let pulse = HTTPPulse(sockets[0], limits)
    #expect(pulse.beat())
    pulse.begin([0x3A])
    #expect(pulse.beat())
    close(sockets[1])
    #expect(!pulse.beat() && !pulse.beat())
    pulse.begin(nil)
    #expect(pulse.beat())
    close(sockets[0])
  }
}
