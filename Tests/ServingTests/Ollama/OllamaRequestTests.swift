import Adapters
import JSON
import Testing

@testable import Serving

@Suite struct OllamaRequestTests {
  private func request(
    _ fields: String, _ kind: OllamaRequest.Kind = .chat
  ) throws(ServingError) -> OllamaRequest {
    let asked =
      kind == .chat
      ? #""messages": [{"role": "user", "content": "a"}]"# : #""prompt": "a""#
    return try OllamaRequest(Array(#"{"model": "m", \#(asked)\#(fields)}"#.utf8), kind)
  }

  @Test func aStreamIsUsual() throws {
    #expect(try request("").streams)
    #expect(try request(#", "stream": null"#).streams)
    #expect(try !request(#", "stream": false"#).streams)
  }

  @Test func optionsAreTakenOver() throws {
    let options =
      #", "options": {"temperature": 0.5, "top_k": 7, "top_p": 0.9, "min_p": 0.1, "repeat_penalty": 1.2, "repeat_last_n": 32, "presence_penalty": 0.5, "frequency_penalty": -1, "seed": 3, "num_predict": 9, "stop": ["x"], "num_ctx": 128}"#
    let request = try request(options)
    let generation = try #require(request.generation)
    let values: [SamplingSettings.Value] = [.temperature, .topK, .topP, .minP, .repetitionPenalty]
    #expect(values.map { generation.sampling[$0] } == [0.5, 7, 0.9, 0.1, 1.2])
    #expect(generation.seed == 3 && generation.maximumTokens == 9)
    #expect(generation.penalizedTokens == 32)
    #expect(generation.shifts.presence == 0.5 && generation.shifts.frequency == -1)
    #expect(generation.stops == ["x"] && request.context == 128)
  }

  @Test(arguments: [#""num_predict": -1"#, #""num_predict": -2"#, #""seed": -1"#])
  func negativeNumbersAskForTheUsual(_ option: String) throws {
    let generation = try request(#", "options": {\#(option)}"#).generation
    #expect(generation?.maximumTokens == nil && generation?.seed == nil)
  }

  @Test func noTokensHaveNoPenalty() throws {
    let options = #", "options": {"repeat_penalty": 1.2, "repeat_last_n": 0}"#
    #expect(try request(options).generation?.sampling[.repetitionPenalty] == 1)
  }

  @Test(
    arguments: [
      (#", "format": "json""#, .object), (#", "format": """#, .any), (#", "format": null"#, .any),
      (
        #", "format": {"type": "integer"}"#, .schema(.object(["type": .string("integer")]))
      ),
    ] as [(String, GenerationRequest.Form)])
  func formatsAreForms(_ field: String, _ form: GenerationRequest.Form) throws {
    #expect(try request(field).generation?.form == form)
  }

  @Test(
    arguments: [
      (#""think": true"#, true), (#""think": "low""#, true), (#""think": false"#, false),
      (#""think": null"#, nil),
    ] as [(String, Bool?)])
  func levelsAreYes(_ field: String, _ thinking: Bool?) throws {
    #expect(try request(", " + field).generation?.thinking == thinking)
  }

  @Test(
    arguments: [
      ("{\"model\": \"m\"}", false), (#"{"model": "m", "keep_alive": 0}"#, true),
      (#"{"model": "m", "keep_alive": "0s"}"#, true),
      (#"{"model": "m", "keep_alive": "5m"}"#, false),
      (#"{"model": "m", "keep_alive": -1}"#, false),
    ])
  func nothingToAnswerLoads(_ body: String, _ unloads: Bool) throws {
    for kind in [OllamaRequest.Kind.chat, .generate] {
      let request = try OllamaRequest(Array(body.utf8), kind)
      #expect(request.generation == nil && request.unloads == unloads)
      let answer = OllamaAnswer.empty(request)
      #expect(answer["done_reason"]?.string == (unloads ? "unload" : "load"))
      #expect(answer["done"] == .bool(true))
      #expect((answer["message"] == nil) == (kind == .generate))
    }
  }

  @Test func promptsAreQuestionsUnlessTheyAreRaw() throws {
    let asked = try request(#", "system": "b""#, .generate).generation?.prompt
    guard case .chat(let messages) = asked else {
      Issue.record("no chat")
      return
    }
    #expect(messages.map(\.role) == [.system, .user] && messages.map(\.content) == ["b", "a"])
    guard case .text("a") = try request(#", "raw": true"#, .generate).generation?.prompt else {
      Issue.record("no text")
      return
    }
  }

  @Test(
    arguments: [
      (#""options": {"mirostat": 1}"#, "options.mirostat"),
      (#""options": {"presence_penalty": 2.5}"#, "options.presence_penalty"),
      (#""options": {"frequency_penalty": -3}"#, "options.frequency_penalty"),
      (#""options": {"max_tokens": 5}"#, "options.max_tokens"),
      (#""options": {"typical_p": 0.5}"#, "options.typical_p"),
      (#""options": {"penalize_newline": false}"#, "options.penalize_newline"),
      (#""options": {"repeat_last_n": -5}"#, "options.repeat_last_n"),
      (#""options": {"logit_bias": {"1": 1}}"#, "options.logit_bias"),
      (#""options": {"num_predict": 0}"#, "options.num_predict"),
      (#""options": {"temperature": 3}"#, "temperature"), (#""options": []"#, "options"),
      (#""format": "xml""#, "format"),
      (#""format": {"type": "string", "pattern": "^+a"}"#, "format"),
      (#""think": "very""#, "think"), (#""think": 1"#, "think"),
      (#""keep_alive": []"#, "keep_alive"),
      (#""stream": 1"#, "stream"), (#""top_logprobs": 2"#, "top_logprobs"),
      (#""images": ["a"]"#, "images"), (#""template": "a""#, "template"),
      (#""context": [1]"#, "context"), (#""suffix": "a""#, "suffix"), (#""width": 9"#, "width"),
    ])
  func fieldsAreChecked(_ field: String, _ place: String) {
    for kind in [OllamaRequest.Kind.chat, .generate] {
      let error = #expect(throws: ServingError.self) { try request(", " + field, kind) }
      #expect(error?.field?.hasSuffix(place) == true && error?.kind == .invalidRequest)
    }
  }

  @Test(
    arguments: [
      (#""system": "a""#, .chat, "system"), (#""prompt": "a""#, .chat, "prompt"),
      (#""raw": true, "system": "a""#, .generate, "system"),
      (#""tools": [{"type": "function"}]"#, .generate, "tools"),
    ] as [(String, OllamaRequest.Kind, String)])
  func fieldsOfTheOtherKindAreRefused(
    _ field: String, _ kind: OllamaRequest.Kind, _ place: String
  ) {
    let error = #expect(throws: ServingError.self) { try request(", " + field, kind) }
    #expect(error?.field == place)
  }

  @Test(arguments: [
    #""mirostat": 0"#, #""presence_penalty": 0.0"#, #""num_gpu": 99"#, #""num_thread": 4"#,
    #""use_mmap": true"#, #""typical_p": 1.0"#, #""penalize_newline": true"#, #""stop": []"#,
    #""num_keep": 5"#, #""vocab_only": false"#, #""repeat_last_n": 64"#,
  ])
  func whatAsksForNothingIsTaken(_ option: String) throws {
    #expect(try request(#", "options": {\#(option)}"#).generation != nil)
  }
}
