import Foundation
import JSON
import TestSupport
import Testing

@testable import Serving

@Suite(.waits) struct ResponsesRoutesTests {
  private static let note =
    "Tag this note. We took the night train to the mountains and cooked soup by the river."
  private static let answer = #"{"tags": ["food", "travel"]}"#

  private func body(_ fields: String, model: String = "tagging") -> String {
    #"{"model": "\#(model)", "input": "\#(Self.note)"\#(fields)}"#
  }

  private func ask(_ body: String, _ port: Int) throws -> TestAnswer {
    try TestAnswer.of("POST", "/v1/responses", body, port: port)
  }

  /// All that the specification of Open Responses requires.
  private static let keys = [
    "id", "object", "created_at", "completed_at", "status", "incomplete_details", "model",
    "previous_response_id", "instructions", "output", "error", "tools", "tool_choice",
    "truncation", "parallel_tool_calls", "text", "top_p", "presence_penalty",
    "frequency_penalty", "top_logprobs", "temperature", "reasoning", "usage",
    "max_output_tokens", "max_tool_calls", "store", "background", "service_tier", "metadata",
    "safety_identifier", "prompt_cache_key",
  ]

  @Test func aResponseSaysAll() async throws {
    try await ServedStore(adapters: ["tagging"]).serving { port in
      let answer = try ask(body(""), port)
      #expect(answer.status == 200)
      let json = answer.json
      let keys = json.object?.keys ?? []
      #expect(Set(keys).isSuperset(of: Self.keys) && Set(keys).count == keys.count)
      #expect(json[path: "status"]?.string == "completed")
      #expect(json[path: "completed_at"]?.integer ?? 0 > 0)
      #expect(json[path: "output.0.content.0.text"]?.string == Self.answer)
      let usage = try #require(json[path: "usage"])
      let counts = ["input_tokens", "output_tokens"].compactMap { usage[path: $0]?.integer }
      #expect(counts.count == 2 && counts.allSatisfy { $0 > 0 })
      #expect(usage[path: "total_tokens"]?.integer == counts.reduce(0, +))
      #expect(usage[path: "input_tokens_details.cached_tokens"]?.integer == 0)
      #expect(usage[path: "output_tokens_details.reasoning_tokens"]?.integer == 0)
    }
  }

  @Test func aStreamSaysTheSame() async throws {
    try await ServedStore(adapters: ["tagging"]).serving { port in
      let answer = try ask(body(#", "stream": true"#), port)
      #expect(answer.head.contains("Content-Type: text/event-stream"))
      let events = answer.events.map { JSONValue.object($0) }
      #expect(
        events.map { $0[path: "sequence_number"]?.integer } == Array(0..<events.count))
      let types = events.compactMap { $0[path: "type"]?.string }
      let names = answer.body.split(separator: "\n").filter { $0.hasPrefix("event: ") }
      #expect(names.map { String($0.dropFirst(7)) } == types)
      #expect(types.prefix(2) == ["response.created", "response.in_progress"])
      #expect(types.last == "response.completed")
      let deltas = events.compactMap { $0[path: "delta"]?.string }
      #expect(deltas.joined() == Self.answer)
      #expect(Set(events.compactMap { $0[path: "response.id"] }.map(\.line)).count == 1)
      let begun = try #require(events.first?[path: "response"])
      #expect(begun[path: "status"]?.string == "in_progress")
      #expect(begun[path: "output"] == .array([]) && begun[path: "usage"] == .null)
      let ended = try #require(events.last?[path: "response"])
      let keys = ended.object?.keys ?? []
      #expect(Set(keys).isSuperset(of: Self.keys))
      #expect(ended[path: "output.0.content.0.text"]?.string == Self.answer)
      #expect(ended[path: "usage.output_tokens"]?.integer ?? 0 > 0)
    }
  }

  @Test func aResponseThatIsCutSaysSo() async throws {
    try await ServedStore(adapters: ["tagging"]).serving { port in
      let fields = #", "max_output_tokens": 3"#
      let whole = try ask(body(fields), port).json
      let events = try ask(body(fields + #", "stream": true"#), port).events.map {
        JSONValue.object($0)
      }
      #expect(events.last?[path: "type"]?.string == "response.incomplete")
      for json in [whole, try #require(events.last?[path: "response"])] {
        #expect(json[path: "status"]?.string == "incomplete")
        #expect(json[path: "incomplete_details.reason"]?.string == "max_output_tokens")
        #expect(json[path: "completed_at"] == .null)
        #expect(json[path: "usage.output_tokens"]?.integer == 3)
        #expect(json[path: "output.0.status"]?.string == "incomplete")
      }
    }
  }

  @Test func aToolIsCalled() async throws {
    let fields =
      #", "max_output_tokens": 60, "parallel_tool_calls": false, "tools": [{"type": "function", "name": "find", "parameters": {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}}, {"type": "function", "name": "other"}]"#
    let choices = [
      (#", "tool_choice": "required""#, ["find", "other"]),
      (#", "tool_choice": {"type": "function", "name": "other"}"#, ["other"]),
      (
        #", "tool_choice": {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "find"}]}"#,
        ["find"]
      ),
    ]
    try await ServedStore(adapters: []).serving { port in
      for (choice, names) in choices {
        let json = try ask(body(fields + choice, model: ServedStore.baseName), port).json
        #expect(json[path: "status"]?.string == "completed", "\(json)")
        let call = try #require(json[path: "output"]?.array?.last)
        #expect(call[path: "type"]?.string == "function_call")
        #expect(names.contains(call[path: "name"]?.string ?? ""))
        let arguments = try #require(call[path: "arguments"]?.string)
        #expect(try JSONDocument(parsing: Array(arguments.utf8)).root.object != nil)
      }
    }
  }

  @Test func tokensComeWithTheirProbabilities() async throws {
    let fields = #", "top_logprobs": 2, "include": ["message.output_text.logprobs"]"#
    try await ServedStore(adapters: ["tagging"]).serving { port in
      let json = try ask(body(fields), port).json
      let tokens = try #require(json[path: "output.0.content.0.logprobs"]?.array)
      let bytes = tokens.flatMap { $0[path: "bytes"]?.array?.compactMap(\.integer) ?? [] }
      #expect(String(decoding: bytes.map(UInt8.init), as: UTF8.self) == Self.answer)
      #expect(tokens.allSatisfy { $0[path: "top_logprobs"]?.array?.count == 2 })
      let events = try ask(body(fields + #", "stream": true"#), port).events
      let parts = events.filter { $0["type"]?.string == "response.output_text.delta" }
      #expect(parts.flatMap { $0["logprobs"]?.array ?? [] } == tokens)
    }
  }

  @Test(
    arguments: [
      ("POST", "/v1/responses/compact", 404), ("POST", "/responses/compact", 404),
      ("GET", "/v1/responses/resp_1", 404), ("DELETE", "/v1/responses/resp_1", 404),
      ("GET", "/v1/responses", 405), ("PUT", "/v1/responses/resp_1", 405),
      ("GET", "/v1/responses/resp_1/input_items", 404),
    ])
  func otherRoutesAreRefused(_ method: String, _ path: String, _ status: Int) async throws {
    try await ServedStore(adapters: []).serving { port in
      let answer = try TestAnswer.of(method, path, "{}", port: port)
      #expect(answer.status == status)
      #expect(answer.json[path: "error.message"]?.string?.isEmpty == false)
      let metrics = try TestAnswer.of("GET", "/metrics", port: port).body
      #expect(!metrics.contains("resp_1"))
    }
  }

  @Test func theOwnModelAndThePromptAreNamed() async throws {
    try await ServedStore(adapters: ["tagging"]).serving { port in
      for stream in ["false", "true"] {
        let unknown = try ask(body(#", "stream": \#(stream)"#, model: "nobody"), port)
        #expect(unknown.status == 404)
        #expect(unknown.json[path: "error.code"]?.string == "model_not_found")
        let long = String(repeating: "many words ", count: 4000)
        let answer = try ask(
          #"{"model": "tagging", "input": "\#(long)", "stream": \#(stream)}"#, port)
        #expect(answer.status == 400)
        #expect(answer.json[path: "error.code"]?.string == "context_length_exceeded")
        #expect(answer.json[path: "error.param"]?.string == "input")
      }
    }
  }

  @Test func aFailureIsTold() async throws {
    let served = try await ServedStore(adapters: ["tagging"])
    let http = HTTPRequest(method: "POST", path: "/v1/responses", body: Array(body("").utf8))
    let request = try ResponsesRequest(http.body)
    let run = try served.server.run(request.generation, model: request.model, http)
    let response = Response(run: try #require(run), request: request)
    let json = JSONValue.object(response.json(.failed(ServingError(.failed, "It broke.")), []))
    #expect(Set(json.object?.keys ?? []) == Set(Self.keys + ["user"]))
    #expect(json[path: "status"]?.string == "failed")
    #expect(
      json[path: "error"]
        == .object(["code": .string("server_error"), "message": .string("It broke.")]))
    #expect(json[path: "completed_at"] == .null && json[path: "usage"] == .null)
  }
}
