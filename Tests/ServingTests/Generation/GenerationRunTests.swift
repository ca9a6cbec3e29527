import Foundation
import JSON
import TestSupport
import Testing

@testable import Serving

/// Several answers to one request.
@Suite(.waits) struct GenerationRunTests {
  private static let prompts = ["The wind is", "One day a king", "Soup by the river and"]

  private func complete(_ fields: String, _ port: Int) throws -> TestAnswer {
    try TestAnswer.of(
      "POST", "/v1/completions",
      #"{"model": "playwriting", "temperature": 1, "max_tokens": 20, \#(fields)}"#, port: port)
  }

  private func texts(_ fields: String, _ port: Int) throws -> [String] {
    let answer = try complete(fields, port)
    #expect(answer.status == 200, "\(answer.body)")
    let choices = try #require(answer.json[path: "choices"]?.array)
    #expect(choices.enumerated().allSatisfy { $1[path: "index"]?.integer == $0 })
    return choices.compactMap { $0[path: "text"]?.string }
  }

  private static var list: String {
    "[" + prompts.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
  }

  /// With much memory and with little, where they come one after the other.
  @Test(arguments: [(256, 16), (4, 16), (256, 2)])
  func eachIsTheOneThatComesAlone(_ megabytes: Int, _ width: Int) async throws {
    let served = try await ServedStore(adapters: ["playwriting"]) {
      ($0.cacheBytes, $0.width) = (megabytes << 20, width)
    }
    try await served.serving { port in
      var alone: [String] = []
      for prompt in Self.prompts {
        for seed in 5..<8 {
          alone += try texts(#""prompt": "\#(prompt)", "seed": \#(seed)"#, port)
        }
      }
      #expect(Set(alone).count > 3)
      #expect(try texts(#""prompt": \#(Self.list), "n": 3, "seed": 5"#, port) == alone)
      let events = try complete(
        #""prompt": \#(Self.list), "n": 3, "seed": 5, "stream": true"#, port
      ).events.map { JSONValue.object($0) }
      for (index, text) in alone.enumerated() {
        let own = events.compactMap { event -> JSONValue? in
          event[path: "choices.0.index"]?.integer == index ? event[path: "choices.0"] : nil
        }
        #expect(own.compactMap { $0[path: "text"]?.string }.joined() == text)
        #expect(own.filter { $0[path: "finish_reason"]?.string != nil }.count == 1)
        #expect(own.last?[path: "finish_reason"]?.string != nil)
      }
    }
  }

  @Test func tokensOfAPromptCountOnce() async throws {
    try await ServedStore(adapters: ["playwriting"]).serving { port in
      let one = try complete(#""prompt": "The wind is", "seed": 1"#, port).json
      let three = try complete(#""prompt": "The wind is", "seed": 1, "n": 3"#, port).json
      let path = "usage.prompt_tokens"
      #expect(one[path: path] == three[path: path] && one[path: path]?.integer ?? 0 > 0)
      #expect(three[path: "usage.completion_tokens"]?.integer ?? 0 > 20)
      let two = try complete(#""prompt": ["The wind is", "The wind is"], "seed": 1"#, port).json
      #expect(two[path: path]?.integer == (one[path: path]?.integer ?? 0) * 2)
    }
  }

  /// All of them end with the client, and their place is free again.
  @Test func whoGoesAwayEndsAll() async throws {
    let served = try await ServedStore(adapters: ["playwriting"]) { $0.width = 4 }
    try await served.serving { port in
      let connection = try TestConnection(port: port)
      let body =
        #"{"model": "playwriting", "prompt": "a", "n": 4, "max_tokens": 100000, "temperature": 2, "stream": true}"#
      connection.send(
        "POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      )
      #expect(!connection.receive().isEmpty)
      connection.reset()
      while served.server.admission.counts.running > 0 { sched_yield() }
      #expect(try texts(#""prompt": "a", "n": 4"#, port).count == 4)
    }
  }

  @Test func whatOneCannotHaveIsAStatus() async throws {
    try await ServedStore(adapters: ["playwriting"]).serving { port in
      let form = #""guided_json": {"type": "array", "minItems": 9, "maxItems": 2}"#
      let answer = try complete(#""prompt": "a", "n": 3, "stream": true, \#(form)"#, port)
      #expect(answer.status == 400)
    }
  }
}
