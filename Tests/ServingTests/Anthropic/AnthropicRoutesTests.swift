import JSON
import Testing

@testable import Serving

@Suite struct AnthropicRoutesTests {
  private static let text = #"{"tags": ["food", "travel"]}"#

  private func body(_ fields: String = "", model: String = "tagging", _ text: String = "") -> String
  {
    let text =
      text.isEmpty
      ? "Tag this note. We took the night train to the mountains and cooked soup by the river."
      : text
    return
      #"{"model": "\#(model)", "max_tokens": 60, "messages": [{"role": "user", "content": "\#(text)"}]\#(fields)}"#
  }

  private func ask(
    _ body: String, _ port: Int, _ path: String = "/v1/messages"
  ) throws -> TestAnswer {
    try TestAnswer.of("POST", path, body, port: port)
  }

  @Test func anAdapterAnswers() async throws {
    try await ServedStore(adapters: ["tagging"]).serving { port in
      for isKnown in [false, true] {
        let json = try ask(body(), port, "/v1/messages?beta=true").json
        #expect(json[path: "type"]?.string == "message" && json[path: "model"]?.string == "tagging")
        #expect(json[path: "content"]?.array?.count == 1)
        #expect(json[path: "content.0.text"]?.string == Self.text)
        #expect(json[path: "stop_reason"]?.string == "end_turn")
        let usage = try #require(json[path: "usage"]?.object)
        #expect(usage.keys.count == 9)
        let cached = usage["cache_read_input_tokens"]?.integer ?? -1
        let input = usage["input_tokens"]?.integer ?? 0
        #expect(isKnown == (cached > 0) && input > 0)
        let count = try ask(body(), port, "/v1/messages/count_tokens").json
        #expect(count == .object(["input_tokens": .integer(input + cached)]))
      }
    }
  }

  @Test func aStreamHasTheSameText() async throws {
    try await ServedStore(adapters: ["tagging"]).serving { port in
      let answer = try ask(body(#", "stream": true"#), port)
      let events = answer.events.map { JSONValue.object($0) }
      let types = events.compactMap { $0[path: "type"]?.string }
      #expect(types.prefix(2) == ["message_start", "content_block_start"])
      #expect(types.suffix(3) == ["content_block_stop", "message_delta", "message_stop"])
      #expect(events.compactMap { $0[path: "delta.text"]?.string }.joined() == Self.text)
      let start = try #require(events.first?[path: "message"])
      #expect(start[path: "usage.input_tokens"]?.integer ?? 0 > 0)
      #expect(start[path: "stop_reason"] == .null && start[path: "content"] == .array([]))
      let end = events[events.count - 2]
      #expect(end[path: "delta.stop_reason"]?.string == "end_turn")
      #expect(end[path: "usage.output_tokens"]?.integer ?? 0 > 0)
    }
  }

  @Test func aStopIsNamed() async throws {
    try await ServedStore(adapters: ["tagging"]).serving { port in
      let fields = #", "stop_sequences": ["zzz", "\"tra"]"#
      let json = try ask(body(fields), port).json
      #expect(json[path: "content.0.text"]?.string == #"{"tags": ["food", "#)
      #expect(json[path: "stop_reason"]?.string == "stop_sequence")
      #expect(json[path: "stop_sequence"]?.string == "\"tra")
    }
  }

  @Test func aToolIsCalled() async throws {
    let fields =
      #", "tools": [{"name": "find", "input_schema": {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}}], "tool_choice": {"type": "any", "disable_parallel_tool_use": true}"#
    try await ServedStore(adapters: []).serving { port in
      let json = try ask(body(fields, model: ServedStore.baseName), port).json
      #expect(json[path: "stop_reason"]?.string == "tool_use", "\(json)")
      let call = try #require(json[path: "content"]?.array?.last)
      #expect(call[path: "name"]?.string == "find" && call[path: "input.count"]?.integer != nil)
    }
  }

  @Test func whatIsTooLongIsCountedAndRefused() async throws {
    try await ServedStore(adapters: ["tagging"]).serving { port in
      let long = body(#", "stream": true"#, String(repeating: "many words ", count: 4000))
      let answer = try ask(long, port)
      #expect(answer.status == 400)
      #expect(answer.json[path: "error.type"]?.string == "invalid_request_error")
      let count = try ask(long, port, "/v1/messages/count_tokens").json
      #expect(count[path: "input_tokens"]?.integer ?? 0 > 4000)
    }
  }

  @Test func errorsAreOfThisInterface() async throws {
    try await ServedStore(adapters: []).serving { port in
      for (path, body, status) in [
        ("/v1/messages", "{", 400), ("/v1/messages", self.body(model: "nobody"), 404),
        ("/v1/messages/batches", "{}", 404),
      ] {
        let answer = try ask(body, port, path)
        #expect(answer.status == status && answer.json[path: "type"]?.string == "error")
      }
      let answer = try TestAnswer.of(
        "POST", "/v1/messages", fields: ["Origin: https://evil.example"], port: port)
      #expect(answer.status == 403 && answer.json[path: "type"]?.string == "error")
    }
  }
}
