import JSON
import TestSupport
import Testing

@testable import Serving

@Suite(.waits) struct OpenAIFormTests {
  private func form(_ fields: String) throws -> GenerationRequest.Form {
    let text = #"{"model": "m", "messages": [{"role": "user", "content": "a"}], \#(fields)}"#
    return try ChatCompletionsRequest(Array(text.utf8), answerLimit: 16).generation.form
  }

  private static let schema = JSONValue.object(["type": .string("integer")])

  @Test(
    arguments: [
      (#""structured_outputs": {"regex": "a+"}"#, .pattern("a+")),
      (#""structured_outputs": {"choice": ["a", "b"]}"#, .choice(["a", "b"])),
      (#""structured_outputs": {"json": {"type": "integer"}}"#, .schema(schema)),
      (#""structured_outputs": {"json": "{\"type\": \"integer\"}"}"#, .schema(schema)),
      (#""structured_outputs": {"json_object": true}"#, .object),
      (#""structured_outputs": {"json_object": false}"#, .any),
      (#""structured_outputs": {}"#, .any), (#""guided_regex": "a+""#, .pattern("a+")),
      (#""guided_choice": ["a"]"#, .choice(["a"])),
      (#""guided_json": {"type": "integer"}"#, .schema(schema)),
      (#""json_schema": {"type": "integer"}"#, .schema(schema)),
      (#""response_format": {"type": "regex", "pattern": "a+"}"#, .pattern("a+")),
      (#""response_format": {"type": "regex", "value": "a+"}"#, .pattern("a+")),
      (#""response_format": {"type": "json", "value": {"type": "integer"}}"#, .schema(schema)),
      (
        #""response_format": {"type": "json_object", "schema": {"type": "integer"}}"#,
        .schema(schema)
      ),
      (#""response_format": {"type": "json_object"}"#, .object),
      (#""response_format": {"type": "text"}, "guided_regex": "a""#, .pattern("a")),
    ] as [(String, GenerationRequest.Form)])
  func formsAreRead(_ fields: String, _ wanted: GenerationRequest.Form) throws {
    #expect(try form(fields) == wanted)
  }

  @Test(arguments: [
    (#""structured_outputs": {"grammar": "root ::= a"}"#, "structured_outputs.grammar"),
    (#""structured_outputs": {"regex": "^+a"}"#, "structured_outputs.regex"),
    (#""structured_outputs": {"regex": "a", "choice": ["a"]}"#, "structured_outputs.choice"),
    (#""guided_choice": []"#, "guided_choice"), (#""guided_choice": ["a", 1]"#, "guided_choice"),
    (#""guided_regex": "(?=a)""#, "guided_regex"), (#""guided_regex": """#, "guided_regex"),
    (#""guided_json": "{""#, "guided_json"), (#""grammar": "root ::= a""#, "grammar"),
    (#""guided_grammar": "root ::= a""#, "guided_grammar"),
    (#""response_format": {"type": "grammar"}"#, "response_format.type"),
    (#""response_format": {"type": "regex"}"#, "response_format.value"),
    (#""response_format": {"type": "json_object"}, "guided_regex": "a""#, "guided_regex"),
  ])
  func whatCannotBeEnforcedIsRefused(_ fields: String, _ place: String) {
    let error = #expect(throws: ServingError.self) { try form(fields) }
    #expect(error?.field == place && error?.kind == .invalidRequest)
  }

  @Test func deepAndLongPatternsAreRefused() {
    for pattern in [String(repeating: "(", count: 4000), String(repeating: "a", count: 5000)] {
      #expect(throws: ServingError.self) { try form(#""guided_regex": "\#(pattern)""#) }
    }
  }

  @Test(arguments: [
    (#""structured_outputs": {"regex": "(red|blue) [0-9]{3}"}"#, "(red|blue) [0-9]{3}"),
    (#""structured_outputs": {"choice": ["red \"one\"", "blue\ntwo"]}"#, "red \"one\"|blue\ntwo"),
    (#""response_format": {"type": "regex", "pattern": "\"a\"\\\\[xy]\n?z"}"#, "\"a\"\\\\[xy]\n?z"),
  ])
  func answersAreHeldToTheForm(_ fields: String, _ pattern: String) async throws {
    let expression = try Regex(pattern)
    try await ServedStore().serving { port in
      for seed in 0..<5 {
        let body = #"""
          {"model": "tagging", "messages": [{"role": "user", "content": "Say it."}],
          "temperature": 1.5, "seed": \#(seed), \#(fields)}
          """#
        let answer = try TestAnswer.of("POST", "/v1/chat/completions", body, port: port)
        let text = try #require(answer.json[path: "choices.0.message.content"]?.string)
        #expect(try expression.wholeMatch(in: text) != nil, "\(text)")
        #expect(answer.json[path: "choices.0.finish_reason"]?.string == "stop")
      }
    }
  }
}
