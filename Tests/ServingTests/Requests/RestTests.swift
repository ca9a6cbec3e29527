import Foundation
import JSON
import TestSupport
import Testing

@testable import Serving

/// What becomes of fields that no reader looks for.
@Suite(.waits) struct RestTests {
  private static let message = #""messages": [{"role": "user", "content": "a"}]"#
  /// Requests in good order, by their paths, and where the errors of each name the field.
  static let requests = [
    ("/v1/chat/completions", message + #", "max_tokens": 1"#), ("/chat/completions", message),
    ("/v1/completions", #""prompt": "a", "max_tokens": 1"#), ("/v1/responses", #""input": "a""#),
    ("/v1/messages", message + #", "max_tokens": 1"#), ("/v1/messages/count_tokens", message),
    ("/api/chat", message), ("/api/chat", #""keep_alive": "5m""#),
    ("/api/generate", #""prompt": "a""#),
    ("/api/show", #""verbose": false"#), ("/tokenize", #""content": "a""#),
    ("/detokenize", #""tokens": [5]"#),
    ("/v1/load_lora_adapter", #""lora_name": "a", "lora_path": "a""#),
    ("/v1/unload_lora_adapter", #""lora_name": "a""#),
  ]

  @Test(arguments: requests)
  func whatNobodyReadsIsRefusedByName(_ path: String, _ fields: String) async throws {
    try await ServedStore(adapters: []).serving { port in
      for (key, value) in [
        ("modalities", #"["text", "audio"]"#), ("best_of", "3"), ("use_beam_search", "true"),
        ("prompt_logprobs", "2"), ("truncate_prompt_tokens", "5"), ("allowed_token_ids", "[5]"),
        ("n_probs", "3"), ("typical_p", "0.5"), ("length_penalty", "2"),
        ("structural_tag", "{\"a\": 1}"),
        ("skip_special_tokens", "false"), ("invented", #""a""#),
      ] {
        let model = path.hasSuffix("adapter") ? "" : #""model": "\#(ServedStore.baseName)", "#
        let body = #"{\#(model)\#(fields), "\#(key)": \#(value)}"#
        let answer = try TestAnswer.of("POST", path, body, port: port)
        #expect(answer.status == 400, "\(key): \(answer.body)")
        let error = try #require(answer.json[path: "error"])
        let message = error.string ?? error[path: "message"]?.string
        #expect(message?.hasPrefix("\(key): ") == true, "\(answer.body)")
        if Interface(path: path) == .openAI { #expect(error[path: "param"]?.string == key) }
      }
    }
  }

  @Test(arguments: [
    #""user": "a", "metadata": {"a": "b"}, "store": true, "service_tier": "auto""#,
    #""safety_identifier": "a", "prompt_cache_key": "a", "prompt_cache_retention": "24h""#,
    #""modalities": ["text"], "verbosity": "medium", "reasoning_effort": "low""#,
    #""invented": null, "modalities": null, "use_beam_search": false, "prompt_logprobs": 0"#,
    #""allowed_token_ids": [], "typical_p": 1.0, "length_penalty": 1, "skip_special_tokens": true"#,
  ])
  func whatAsksForNothingIsTaken(_ fields: String) throws {
    let body = #"{"model": "a", \#(Self.message), \#(fields)}"#
    _ = try ChatCompletionsRequest(Array(body.utf8), answerLimit: 16)
  }

  /// Of fields inside, those of some objects.
  @Test(arguments: [
    (
      #""structured_outputs": {"json": {}, "structural_tag": "a"}"#,
      "structured_outputs.structural_tag"
    ),
    (
      #""structured_outputs": {"regex": "a", "whitespace_pattern": "a"}"#,
      "structured_outputs.whitespace_pattern"
    ),
    (#""reasoning_effort": "much""#, "reasoning_effort"),
  ])
  func whatNobodyReadsInsideIsRefused(_ fields: String, _ place: String) {
    let body = #"{"model": "a", \#(Self.message), \#(fields)}"#
    let error = #expect(throws: ServingError.self) {
      try ChatCompletionsRequest(Array(body.utf8), answerLimit: 16)
    }
    #expect(error?.field == place)
  }

  @Test(arguments: [("none", false), ("minimal", true), ("high", true)])
  func effortsAreYesOrNo(_ effort: String, _ thinks: Bool) throws {
    let body = #"{"model": "a", \#(Self.message), "reasoning_effort": "\#(effort)"}"#
    let request = try ChatCompletionsRequest(Array(body.utf8), answerLimit: 16)
    #expect(request.generation.thinking == thinks)
  }

  /// What is taken and not read is written down for those who write clients.
  @Test func idleFieldsAreDocumented() async throws {
    let served = try await ServedStore(adapters: [])
    let description = OpenAPIDescription(server: served.server).json
    let told = try #require(description["info"]?[path: "description"]?.string)
    let page = try String(
      contentsOf: Fixtures.repository.appendingPathComponent(
        "Sources/fmadapter/fmadapter.docc/Serve.md"), encoding: .utf8)
    for name in RequestReader.idle {
      #expect(told.contains(name) && page.contains("`\(name)`"), "\(name)")
    }
  }
}
