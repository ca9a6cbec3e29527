import Adapters
import ChatTemplates
import Testing

@testable import Serving

@Suite struct AnthropicRequestTests {
  private func request(_ fields: String, isCounted: Bool = false) throws -> AnthropicRequest {
    let text =
      #"{"model": "m", "messages": [{"role": "user", "content": "a"}], "max_tokens": 9\#(fields)}"#
    return try AnthropicRequest(Array(text.utf8), isCounted: isCounted)
  }

  private static let tools =
    #", "tools": [{"name": "find", "input_schema": {"type": "object"}, "input_examples": [{"a": 1}]}, {"type": "custom", "name": "b-2", "description": "d", "input_schema": {"type": "object"}, "strict": true, "allowed_callers": ["direct"]}]"#

  @Test func onlyAMessageNeedsALimit() throws {
    let body = Array(#"{"model": "m", "messages": [{"role": "user", "content": "a"}]}"#.utf8)
    let error = #expect(throws: ServingError.self) { try AnthropicRequest(body) }
    #expect(error?.field == "max_tokens")
    let counted = try AnthropicRequest(body, isCounted: true)
    #expect(counted.generation.maximumTokens == nil)
    let limit = try request("").generation.maximumTokens
    #expect(limit == 9)
  }

  @Test func fieldsAreTakenOver() throws {
    let request = try request(
      #", "stop_sequences": ["x", "y"], "temperature": 0.5, "top_k": 3, "stream": true, "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": {"type": "integer"}}}"#
    )
    #expect(request.isStream && request.showsThoughts)
    #expect(request.generation.stops == ["x", "y"])
    #expect(request.generation.sampling[.temperature] == 0.5)
    #expect(request.generation.sampling[.topK] == 3)
    #expect(request.generation.form == .schema(.object(["type": .string("integer")])))
  }

  @Test(
    arguments: [
      ("", nil, true), (#", "thinking": {"type": "adaptive"}"#, nil, true),
      (#", "thinking": {"type": "enabled", "budget_tokens": 1024}"#, true, true),
      (#", "thinking": {"type": "disabled"}"#, false, true),
      (#", "thinking": {"type": "adaptive", "display": "omitted"}"#, nil, false),
    ] as [(String, Bool?, Bool)])
  func thinkingIsLeftToTheModelOrSaid(_ field: String, _ thinks: Bool?, _ shows: Bool) throws {
    let request = try request(field)
    #expect(request.generation.thinking == thinks && request.showsThoughts == shows)
  }

  @Test(
    arguments: [
      ("", .allowed, nil, nil),
      (#", "tool_choice": {"type": "auto"}"#, .allowed, nil, nil),
      (
        #", "tool_choice": {"type": "any", "disable_parallel_tool_use": true}"#, .required, nil, 1
      ),
      (#", "tool_choice": {"type": "tool", "name": "find"}"#, .required, "find", nil),
      (#", "tool_choice": {"type": "none"}"#, .disallowed, nil, nil),
    ] as [(String, ToolCalling, String?, Int?)])
  func toolsAreChosen(
    _ field: String, _ calling: ToolCalling, _ callable: String?, _ limit: Int?
  ) throws {
    let generation = try request(Self.tools + field).generation
    #expect(generation.tools.map(\.name) == ["find", "b-2"])
    #expect(generation.calling == calling && generation.callable == callable.map { [$0] })
    #expect(generation.callLimit == limit)
    let examples = generation.tools[0].definition[path: "function.parameters.examples.0.a"]
    #expect(examples == .integer(1))
  }

  @Test(arguments: [
    (#""max_tokens": 0"#, "max_tokens"), (#""temperature": 2.5"#, "temperature"),
    (#""stop_sequences": [1]"#, "stop_sequences"), (#""container": "c""#, "container"),
    (#""mcp_servers": [{}]"#, "mcp_servers"), (#""thread": {"type": "create"}"#, "thread"),
    (#""speed": "fast""#, "speed"), (#""thinking": {}"#, "thinking.type"),
    (#""thinking": {"type": "much"}"#, "thinking.type"),
    (#""context_management": {"edits": [{"type": "x"}]}"#, "context_management.edits[0].type"),
    (#""output_config": {"task_budget": {"total": 1}}"#, "output_config.task_budget"),
    (#""output_config": {"format": {"type": "json_object"}}"#, "output_config.format.type"),
    (#""output_format": {"type": "json_schema"}"#, "output_format.schema"),
    (
      #""output_config": {"format": {"type": "json_schema", "schema": {"type": "string", "pattern": "^+a"}}}"#,
      "output_config.format.schema"
    ),
    (#""tools": [{"type": "web_search_20250305", "name": "w"}]"#, "tools[0].type"),
    (#""tools": [{"name": "a b", "input_schema": {}}]"#, "tools[0].name"),
    (#""tools": [{"name": "a"}]"#, "tools[0].input_schema"),
    (
      #""tools": [{"name": "a", "input_schema": {}, "defer_loading": true}]"#,
      "tools[0].defer_loading"
    ),
    (
      #""tools": [{"name": "a", "input_schema": {}, "allowed_callers": []}]"#,
      "tools[0].allowed_callers"
    ),
    (#""tool_choice": "any""#, "tool_choice"), (#""tool_choice": {"type": "any"}"#, "tool_choice"),
    (#""tool_choice": {"type": "tool", "name": "f"}"#, "tool_choice.name"),
  ])
  func fieldsAreChecked(_ field: String, _ place: String) {
    let text = #"{"model": "m", "messages": [{"role": "user", "content": "a"}], \#(field)}"#
    let error = #expect(throws: ServingError.self) {
      try AnthropicRequest(Array(text.utf8), isCounted: true)
    }
    #expect(error?.field == place && error?.kind == .invalidRequest)
  }

  @Test(arguments: [
    #", "metadata": {"user_id": "u"}"#, #", "service_tier": "auto", "inference_geo": "eu""#,
    #", "cache_control": {"type": "ephemeral"}"#, #", "mcp_servers": []"#, #", "container": null"#,
    #", "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]}"#,
    #", "diagnostics": {"previous_message_id": null}, "speed": "standard""#,
  ])
  func whatAsksForNothingIsTaken(_ field: String) throws { _ = try request(field) }
}
