import Foundation
import JSON
import TestSupport
import Testing

@testable import Serving

@Suite(.waits) struct OllamaTests {
  private static let note =
    "Tag this note. We took the night train to the mountains and cooked soup by the river."
  private static let tags = #"{"tags": ["food", "travel"]}"#

  private func chat(_ fields: String, model: String = "tagging") -> String {
    #"{"model": "\#(model)", "messages": [{"role": "user", "content": "\#(Self.note)"}]\#(fields)}"#
  }

  private func lines(_ answer: TestAnswer) throws -> [JSONValue] {
    #expect(answer.head.contains("Content-Type: application/x-ndjson"))
    #expect(answer.body.hasSuffix("\n"))
    return try answer.body.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map {
      try JSONDocument(parsing: Array($0.utf8)).root
    }
  }

  @Test(arguments: ["tagging", "tagging:latest"])
  func anAdapterAnswersByItsName(_ model: String) async throws {
    try await ServedStore().serving { port in
      let lines = try lines(.of("POST", "/api/chat", chat("", model: model), port: port))
      #expect(lines.compactMap { $0[path: "message.content"]?.string }.joined() == Self.tags)
      #expect(lines.allSatisfy { $0[path: "message.role"]?.string == "assistant" })
      #expect(lines.allSatisfy { $0[path: "model"]?.string == model })
      #expect(lines.dropLast().allSatisfy { $0[path: "done"] == .bool(false) })
      let last = try #require(lines.last)
      #expect(last[path: "done"] == .bool(true) && last[path: "done_reason"]?.string == "stop")
      let whole = try TestAnswer.of(
        "POST", "/api/chat", chat(#", "stream": false"#, model: model), port: port
      ).json
      #expect(whole[path: "message.content"]?.string == Self.tags)
      for path in ["prompt_eval_count", "eval_count"] {
        #expect(last[path: path]?.integer ?? 0 > 0)
        #expect(whole[path: path] == last[path: path])
      }
      let total = last[path: "total_duration"]?.integer ?? 0
      let parts = ["load_duration", "prompt_eval_duration", "eval_duration"]
      #expect(parts.allSatisfy { last[path: $0]?.integer.map { $0 <= total } ?? false })
    }
  }

  @Test func promptsAreAnswered() async throws {
    try await ServedStore(adapters: ["tagging"]).serving { port in
      let body = #"{"model": "tagging", "prompt": "\#(Self.note)", "options": {"num_predict": 3}}"#
      let lines = try lines(.of("POST", "/api/generate", body, port: port))
      let text = lines.compactMap { $0[path: "response"]?.string }.joined()
      #expect(!text.isEmpty && Self.tags.hasPrefix(text))
      #expect(lines.last?[path: "done_reason"]?.string == "length")
      #expect(lines.last?[path: "eval_count"]?.integer == 3)
    }
  }

  @Test func aCallComesInOneLine() async throws {
    let tools =
      #", "options": {"num_predict": 60}, "tool_choice": "required", "tools": [{"type": "function", "function": {"name": "find", "parameters": {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}}}]"#
    try await ServedStore(adapters: []).serving { port in
      let body = chat(tools, model: ServedStore.baseName)
      let lines = try lines(.of("POST", "/api/chat", body, port: port))
      let called = lines.compactMap { $0[path: "message.tool_calls"]?.array }
      #expect(called.count == 1)
      let function = try #require(called.first?.first?[path: "function"])
      #expect(function[path: "name"]?.string == "find")
      #expect(function[path: "arguments"]?.object?.keys == ["count"])
      #expect(lines.last?[path: "done_reason"]?.string == "stop")
    }
  }

  @Test func tokensComeWithTheirProbabilities() async throws {
    try await ServedStore(adapters: ["tagging"]).serving { port in
      let lines = try lines(
        .of("POST", "/api/chat", chat(#", "logprobs": true, "top_logprobs": 2"#), port: port))
      let tokens = lines.flatMap { $0[path: "logprobs"]?.array ?? [] }
      let bytes = tokens.flatMap { $0[path: "bytes"]?.array?.compactMap(\.integer) ?? [] }
      #expect(String(decoding: bytes.map(UInt8.init), as: UTF8.self) == Self.tags)
      #expect(tokens.allSatisfy { $0[path: "top_logprobs"]?.array?.count == 2 })
    }
  }

  @Test func nothingInALineLooksLikeItsEnd() throws {
    let text = "a\u{2028}b\u{2029}c\u{85}d\ne\u{1C}é"
    let line = String(
      decoding: OllamaStream.line(["response": .string(text)]), as: UTF8.self)
    let ends: Set<Unicode.Scalar> = ["\u{2028}", "\u{2029}", "\u{85}", "\u{1C}", "\n"]
    #expect(line.unicodeScalars.dropLast().allSatisfy { !ends.contains($0) })
    #expect(line.hasSuffix("\n"))
    let read = try JSONDocument(parsing: Array(line.dropLast().utf8)).root
    #expect(read[path: "response"]?.string == text)
  }

  @Test func modelsAreListedAndDescribed() async throws {
    try await ServedStore().serving { port in
      let list = try TestAnswer.of("GET", "/api/tags", port: port).json
      let models = try #require(list[path: "models"]?.array)
      let names = models.map { $0[path: "name"]?.string }
      #expect(Set(names) == ["afm-9m:latest", "tagging:latest", "playwriting:latest"])
      for model in models {
        #expect(model[path: "size"]?.integer ?? 0 > 0)
        #expect(model[path: "digest"]?.string?.count == 64)
        #expect(model[path: "details.family"]?.string == "afm")
        #expect(model[path: "details.parameter_size"]?.string?.hasSuffix("M") == true)
      }
      let open = try TestAnswer.of("GET", "/api/ps", port: port).json
      #expect(open[path: "models"]?.array?.count == 1)
      #expect(open[path: "models.0.context_length"]?.integer ?? 0 > 0)
      for body in [#"{"model": "tagging"}"#, #"{"name": "tagging:latest"}"#] {
        let shown = try TestAnswer.of("POST", "/api/show", body, port: port).json
        #expect(shown[path: "details.parent_model"]?.string == ServedStore.baseName)
        #expect(shown.object?["model_info"]?.object?["afm.context_length"]?.integer ?? 0 > 0)
        #expect(shown[path: "capabilities"]?.array?.contains(.string("tools")) == true)
      }
    }
  }

  @Test(
    arguments: [
      ("POST", "/api/chat", #"{"model": "nobody"}"#, 404, "model \"nobody\" not found"),
      ("POST", "/api/show", #"{"model": "nobody"}"#, 404, "model \"nobody\" not found"),
      ("POST", "/api/chat", #"{"model": "tagging", "messages": 1}"#, 400, nil),
      (
        "POST", "/api/generate",
        #"{"model": "tagging", "prompt": "a", "options": {"num_ctx": 9999999}}"#, 400, nil
      ),
      ("POST", "/api/generate", #"{"model": "tagging", "prompt": "a", "think": true}"#, 400, nil),
      ("POST", "/api/pull", "{}", 404, nil), ("DELETE", "/api/delete", "{}", 404, nil),
      ("POST", "/api/embed", "{}", 404, nil), ("GET", "/api/chat", "", 405, nil),
      ("GET", "/api/other", "", 404, nil),
    ] as [(String, String, String, Int, String?)])
  func whatIsWrongIsSaid(
    _ method: String, _ path: String, _ body: String, _ status: Int, _ message: String?
  ) async throws {
    try await ServedStore(adapters: ["tagging"]).serving { port in
      let answer = try TestAnswer.of(method, path, body, port: port)
      #expect(answer.status == status)
      #expect(answer.json.object?.keys == ["error"])
      let text = try #require(answer.json[path: "error"]?.string)
      #expect(!text.isEmpty && (message == nil || text == message))
    }
  }

  @Test func itSaysThatItRuns() async throws {
    try await ServedStore(adapters: []).serving { port in
      #expect(try TestAnswer.of("GET", "/", port: port).body == "Ollama is running")
      let head = try TestAnswer.of("HEAD", "/", port: port)
      #expect(head.status == 200 && head.body.isEmpty)
      let version = try TestAnswer.of("GET", "/api/version", port: port).json
      #expect(version[path: "version"]?.string?.split(separator: ".").count == 3)
    }
  }
}
