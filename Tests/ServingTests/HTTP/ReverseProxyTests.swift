import Foundation
import TestSupport
import Testing

@testable import Serving

/// The server behind nginx, set up as the documentation has it.
@Suite(.waits) struct ReverseProxyTests {
  /// The lines of the page, for the server at `port`.
  private static func directives(_ port: Int) throws -> String {
    let page = try String(
      contentsOf: Fixtures.repository.appendingPathComponent(
        "Sources/fmadapter/fmadapter.docc/Serve.md"), encoding: .utf8)
    let start = try #require(page.range(of: "```nginx\n")?.upperBound)
    let end = try #require(page.range(of: "```", range: start..<page.endIndex)?.lowerBound)
    let lines = String(page[start..<end])
    #expect(lines.contains("127.0.0.1:8080;"))
    return lines.replacing("127.0.0.1:8080;", with: "127.0.0.1:\(port);")
  }

  @Test func whatThePageSaysStandsInFront() async throws {
    let served = try await ServedStore(adapters: [])
    try await served.serving { port in
      let proxy = try StaticServer(root: "/var/empty", directives: Self.directives(port))
      let front = try #require(URL(string: proxy.origin)?.port)
      let body =
        #"{"model": "afm-9m", "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 40, "stream": true}"#
      let connection = try TestConnection(port: front)
      connection.send(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: public.example\r\nConnection: close\r\n"
          + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      var parts: [String] = []
      while true {
        let part = connection.receive()
        if part.isEmpty { break }
        parts.append(String(decoding: part, as: UTF8.self))
      }
      let answer = parts.joined()
      #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains("data: [DONE]"))
      // What is not held back comes in parts.
      #expect(parts.count > 2)
      let record = try #require(await served.log.records(1).first)
      #expect(record.facts.status == 200 && record.facts.isWhole)
      // The identity is that of nginx, which is 32 digits.
      #expect(record.identity.count == 32 && record.identity.allSatisfy(\.isHexDigit))
      #expect(answer.lowercased().contains("x-request-id: \(record.identity)"))
      // Other routes are not there from outside.
      #expect(try TestAnswer.of("GET", "/metrics", port: front).status == 404)
    }
  }
}
