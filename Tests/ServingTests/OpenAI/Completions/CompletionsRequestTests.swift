import JSON
import Testing

@testable import Serving

@Suite struct CompletionsRequestTests {
  private func request(
    _ fields: String = "", prompt: String = #""a""#
  ) throws(ServingError) -> CompletionsRequest {
    let comma = fields.isEmpty ? "" : ", "
    return try CompletionsRequest(
      Array(#"{"model": "m", "prompt": \#(prompt)\#(comma)\#(fields)}"#.utf8), answerLimit: 16)
  }

  @Test(arguments: [
    (#""a""#, [#"text("a")"#]), (#"["a", "b"]"#, [#"text("a")"#, #"text("b")"#]),
    (#"[1, 2]"#, ["tokens([1, 2])"]), (#"[[1, 2], [3]]"#, ["tokens([1, 2])", "tokens([3])"]),
  ])
  func promptsHaveFourForms(_ prompt: String, _ read: [String]) throws {
    #expect(try request(prompt: prompt).generations.map { "\($0.prompt)" } == read)
  }

  @Test(arguments: [
    ("[]", "prompt"), ("1", "prompt"), ("{}", "prompt"), (#"["a", 1]"#, "prompt[1]"),
    (#"["a", [1]]"#, "prompt[1]"), (#"[1, "a"]"#, "prompt[1]"), ("[[1], 2]", "prompt[1]"),
    ("[[1], [1.5]]", "prompt[1][0]"), ("[99999999999]", "prompt[0]"), ("[true]", "prompt[0]"),
  ])
  func promptsAreChecked(_ prompt: String, _ place: String) {
    let error = #expect(throws: ServingError.self) { try request(prompt: prompt) }
    #expect(error?.field == place && error?.kind == .invalidRequest)
  }

  @Test(arguments: [
    (#""suffix": "a""#, "suffix"), (#""best_of": 2"#, "best_of"), (#""n": 17"#, "n"),
    (#""echo": true, "logprobs": 0"#, "echo"), (#""logprobs": 6"#, "logprobs"),
    (#""logprobs": true"#, "logprobs"), (#""max_tokens": 0"#, "max_tokens"),
    (#""logit_bias": {"a": 2}"#, "logit_bias.a"), (#""presence_penalty": 3"#, "presence_penalty"),
    (#""prompt_logprobs": 1"#, "prompt_logprobs"), (#""temperature": -1"#, "temperature"),
    (#""stop": [""]"#, "stop"), (#""messages": [{}]"#, "messages"), (#""stream": "x""#, "stream"),
  ])
  func fieldsAreChecked(_ field: String, _ place: String) {
    let error = #expect(throws: ServingError.self) { try request(field) }
    #expect(error?.field == place && error?.kind == .invalidRequest)
  }

  @Test(arguments: [
    #""suffix": null"#, #""suffix": """#, #""best_of": 2, "n": 2"#, #""echo": false"#,
    #""logprobs": null"#, #""user": "me""#, #""presence_penalty": 0"#,
  ])
  func whatAsksForNothingIsTaken(_ field: String) throws {
    _ = try request(field)
  }

  @Test func tooManyPromptsAreRefused() throws {
    func prompts(_ count: Int) -> String {
      "[" + [String](repeating: #""a""#, count: count).joined(separator: ", ") + "]"
    }
    #expect(try request(prompt: prompts(128)).generations.count == 128)
    #expect(throws: ServingError.self) { try request(prompt: prompts(129)) }
  }

  @Test func answersAreShortUnlessTold() throws {
    #expect(try request().generations[0].maximumTokens == 16)
    #expect(try request(#""max_tokens": 40"#).generations[0].maximumTokens == 40)
  }

  @Test(
    arguments: [("", nil), (#""logprobs": 0"#, 0), (#""logprobs": 5"#, 5)] as [(String, Int?)])
  func probabilitiesAreCounted(_ field: String, _ likeliest: Int?) throws {
    #expect(try request(field).generations[0].likeliest == likeliest)
  }
}
