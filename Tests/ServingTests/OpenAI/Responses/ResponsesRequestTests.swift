import ChatTemplates
import JSON
import Testing

@testable import Serving

@Suite struct ResponsesRequestTests {
  private func request(
    _ fields: String, input: String = #""a""#
  ) throws(ServingError) -> ResponsesRequest {
    let comma = fields.isEmpty ? "" : ", "
    return try ResponsesRequest(
      Array(#"{"model": "m", "input": \#(input)\#(comma)\#(fields)}"#.utf8))
  }

  private func messages(_ input: String, _ fields: String = "") throws -> [ChatMessage] {
    guard case .chat(let messages) = try request(fields, input: input).generation.prompt else {
      return []
    }
    return messages
  }

  @Test func aTextIsTheUsers() throws {
    let messages = try messages(#""b""#, #""instructions": "a""#)
    #expect(messages.map(\.role) == [.system, .user] && messages.map(\.content) == ["a", "b"])
  }

  @Test func instructionsComeFirstInOne() throws {
    let messages = try messages(
      #"[{"role": "developer", "content": "b"}, {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "c"}, {"type": "input_text", "text": "d"}]}, {"role": "system", "content": "e"}]"#,
      #""instructions": "a""#)
    #expect(messages.map(\.content) == ["a\n\nb\n\ne", "c\nd"])
  }

  /// What the assistant thinks, says and calls is one turn of templates.
  @Test func itemsOfTheAssistantAreOneTurn() throws {
    let messages = try messages(
      #"""
      [{"role": "user", "content": "a"},
      {"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "b"}]},
      {"type": "message", "role": "assistant", "phase": "commentary", "content": [{"type": "output_text", "text": "c", "annotations": []}]},
      {"type": "message", "role": "assistant", "phase": "final_answer", "content": "d"},
      {"type": "function_call", "call_id": "x", "name": "f", "arguments": "{\"n\": 1}"},
      {"type": "function_call", "call_id": "y", "name": "g", "arguments": ""},
      {"type": "function_call_output", "call_id": "y", "output": [{"type": "input_text", "text": "e"}]},
      {"type": "function_call_output", "call_id": "x", "output": "f"}]
      """#)
    #expect(messages.map(\.role) == [.user, .assistant, .tool, .tool])
    #expect(messages[1].thoughts == "b" && messages[1].content == "c\nd")
    #expect(messages[1].toolCalls.map(\.name) == ["f", "g"])
    #expect(
      messages[1].toolCalls.map(\.arguments) == [.object(["n": .integer(1)]), .object([:])])
    #expect(messages.suffix(2).map(\.answeredCall?.name) == ["g", "f"])
    #expect(messages.suffix(2).map(\.content) == ["e", "f"])
  }

  /// A request of the size that is taken; read anew for each item it would take minutes.
  @Test func aTurnMayBeOfManyItems() throws {
    let call = #"{"type": "function_call", "call_id": "x", "name": "f", "arguments": ""}, "#
    let text = #"{"role": "assistant", "content": "ab"}, "#
    let items = String(repeating: call + text, count: 25_000)
    let messages = try messages(#"[\#(items){"role": "user", "content": "c"}]"#)
    #expect(messages.map(\.role) == [.assistant, .user])
    #expect(messages[0].toolCalls.count == 25_000)
    #expect(messages[0].content.utf8.count == 25_000 * 3 - 1)
  }

  @Test(arguments: ["null", "[]"]) func summariesStandForThoughts(_ content: String) throws {
    let messages = try messages(
      #"[{"type": "reasoning", "content": \#(content), "summary": [{"type": "summary_text", "text": "a"}]}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]"#
    )
    #expect(messages[0].thoughts == "a" && messages[0].content == "b")
  }

  @Test(arguments: [
    (#"[]"#, "input"), (#"1"#, "input"), (#"[1]"#, "input[0]"),
    (#"[{"role": "assistant", "content": "a"}]"#, "input"),
    (#"[{"role": "tool", "content": "a"}]"#, "input[0].role"),
    (#"[{"role": "user"}]"#, "input[0].content"),
    (#"[{"type": "item_reference", "id": "a"}]"#, "input[0].type"),
    (#"[{"type": "compaction", "encrypted_content": "a"}]"#, "input[0].type"),
    (
      #"[{"role": "user", "content": [{"type": "input_image", "image_url": "a"}]}]"#,
      "input[0].content[0].type"
    ),
    (#"[{"role": "user", "content": [{"type": "input_text"}]}]"#, "input[0].content[0].text"),
    (#"[{"type": "function_call", "name": "f", "arguments": ""}]"#, "input[0].call_id"),
    (
      #"[{"type": "function_call", "call_id": "x", "name": "f", "arguments": "{"}]"#,
      "input[0].arguments"
    ),
    (#"[{"type": "function_call_output", "call_id": "x"}]"#, "input[0].output"),
    (
      #"[{"type": "reasoning", "summary": [], "encrypted_content": "a"}]"#,
      "input[0].encrypted_content"
    ),
  ])
  func inputIsChecked(_ input: String, _ place: String) {
    let error = #expect(throws: ServingError.self) { try request("", input: input) }
    #expect(error?.field == place && error?.kind == .invalidRequest)
  }

  @Test(arguments: [
    (#""previous_response_id": "a""#, "previous_response_id"),
    (#""conversation": "a""#, "conversation"), (#""background": true"#, "background"),
    (#""prompt": {"id": "a"}"#, "prompt"), (#""presence_penalty": 3"#, "presence_penalty"),
    (#""context_management": [{"type": "compaction"}]"#, "context_management"),
    (#""response_format": {"type": "json_object"}"#, "response_format"),
    (
      #""text": {"format": {"type": "json_object"}}, "structured_outputs": {"regex": "a"}"#,
      "text.format"
    ),
    (#""max_tokens": 5"#, "max_tokens"), (#""n": 2"#, "n"),
    (#""max_output_tokens": 0"#, "max_output_tokens"), (#""max_tool_calls": 0"#, "max_tool_calls"),
    (#""temperature": 2.5"#, "temperature"), (#""top_logprobs": 21"#, "top_logprobs"),
    (#""truncation": "x""#, "truncation"), (#""metadata": {"a": 1}"#, "metadata"),
    (#""reasoning": {"effort": "x"}"#, "reasoning.effort"),
    (#""reasoning": {"mode": "pro"}"#, "reasoning.mode"),
    (#""text": {"verbosity": "low"}"#, "text.verbosity"),
    (#""text": {"format": {"type": "xml"}}"#, "text.format.type"),
    (#""text": {"format": {"type": "json_schema"}}"#, "text.format.schema"),
    (
      #""text": {"format": {"type": "json_schema", "schema": {"type": "string", "pattern": "^+a"}}}"#,
      "text.format.schema"
    ),
    (#""tools": [{"type": "web_search"}]"#, "tools[0].type"),
    (#""tool_choice": "required""#, "tool_choice"),
    (#""tool_choice": {"type": "function", "name": "f"}"#, "tool_choice.name"),
    (
      #""tools": [{"type": "function", "name": "f"}], "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "g"}]}"#,
      "tool_choice.tools[0].name"
    ),
    (
      #""tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": []}"#, "tool_choice.tools"
    ),
    (#""stream": 1"#, "stream"),
  ])
  func fieldsAreChecked(_ field: String, _ place: String) {
    let error = #expect(throws: ServingError.self) { try request(field) }
    #expect(error?.field == place && error?.kind == .invalidRequest)
  }

  @Test(arguments: [
    #""background": false"#, #""previous_response_id": null"#, #""conversation": null"#,
    #""presence_penalty": 0"#, #""store": true"#, #""service_tier": "flex""#, #""user": "me""#,
    #""include": ["reasoning.encrypted_content"]"#, #""n": 1"#, #""max_output_tokens": 1"#,
    #""stream_options": {"include_obfuscation": false}"#, #""text": {"verbosity": "medium"}"#,
    #""tools": [], "tool_choice": "auto""#, #""truncation": "auto""#, #""temperature": null"#,
  ])
  func whatAsksForNothingIsTaken(_ field: String) throws {
    _ = try request(field)
  }

  @Test func modelAndInputAreNeeded() {
    for (body, place) in [(#"{"input": "a"}"#, "model"), (#"{"model": "m"}"#, "input")] {
      let error = #expect(throws: ServingError.self) { try ResponsesRequest(Array(body.utf8)) }
      #expect(error?.field == place)
    }
  }

  @Test func toolsMayBeSome() throws {
    let tools = #""tools": [{"type": "function", "name": "f"}, {"type": "function", "name": "g"}]"#
    let generation = try request(
      tools
        + #", "tool_choice": {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "g"}]}"#
    ).generation
    #expect(generation.tools.map(\.name) == ["f", "g"])
    #expect(generation.callable == ["g"] && generation.calling == .required)
    #expect(try request(tools).generation.callable == nil)
  }

  @Test(
    arguments: [
      ("", nil), (#""max_tool_calls": 3"#, 3), (#""max_tool_calls": 1000"#, 8),
      (#""max_tool_calls": 3, "parallel_tool_calls": false"#, 1),
    ] as [(String, Int?)])
  func callsAreCounted(_ fields: String, _ limit: Int?) throws {
    #expect(try request(fields).generation.callLimit == limit)
  }

  @Test(
    arguments: [
      ("", nil), (#""top_logprobs": 0"#, nil), (#""top_logprobs": 2"#, 2),
      (#""include": ["message.output_text.logprobs"]"#, 0),
      (#""include": ["message.output_text.logprobs"], "top_logprobs": 2"#, 2),
    ] as [(String, Int?)])
  func probabilitiesAreAskedFor(_ fields: String, _ likeliest: Int?) throws {
    #expect(try request(fields).generation.likeliest == likeliest)
  }

  @Test(
    arguments: [
      ("", nil), (#""reasoning": {}"#, nil), (#""reasoning": {"effort": "none"}"#, false),
      (#""reasoning": {"effort": "high", "summary": "auto"}"#, true),
    ] as [(String, Bool?)])
  func thinkingIsAskedFor(_ fields: String, _ thinking: Bool?) throws {
    #expect(try request(fields).generation.thinking == thinking)
  }

  @Test func whatWasAskedIsRepeated() throws {
    let repeated = JSONValue.object(
      try request(
        #""tools": [{"type": "function", "name": "f"}], "text": {"format": {"type": "json_schema", "name": "n", "schema": {"type": "object"}}}, "metadata": {"a": "b"}, "max_output_tokens": 9, "store": true"#
      ).repeated)
    #expect(
      repeated[path: "tools.0"]
        == .object([
          "type": .string("function"), "name": .string("f"), "description": .null,
          "parameters": .null, "strict": .null,
        ]))
    #expect(repeated[path: "tool_choice"]?.string == "auto")
    #expect(repeated[path: "text.format.name"]?.string == "n")
    #expect(repeated[path: "text.format.schema.type"]?.string == "object")
    #expect(repeated[path: "metadata.a"]?.string == "b")
    #expect(repeated[path: "max_output_tokens"]?.integer == 9)
    #expect(repeated[path: "store"] == .bool(false))
  }
}
