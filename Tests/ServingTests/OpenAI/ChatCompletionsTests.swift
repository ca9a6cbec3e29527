import Foundation
import JSON
import TestSupport
import Testing

@testable import Serving

@Suite(.waits) struct ChatCompletionsTests {
  private static let note =
    "Tag this note. We took the night train to the mountains and cooked soup by the river."

  private func body(_ fields: String, model: String = "tagging", _ text: String = note) -> String {
    #"{"model": "\#(model)", "messages": [{"role": "user", "content": "\#(text)"}]\#(fields)}"#
  }

  private func ask(_ body: String, _ port: Int) throws -> TestAnswer {
    try TestAnswer.of("POST", "/v1/chat/completions", body, port: port)
  }

  @Test func anAdapterAnswersByItsName() async throws {
    try await ServedStore().serving { port in
      let answer = try ask(body(""), port)
      #expect(answer.status == 200)
      let json = answer.json
      #expect(json[path: "object"]?.string == "chat.completion")
      #expect(json[path: "model"]?.string == "tagging")
      #expect(json[path: "choices.0.message.role"]?.string == "assistant")
      #expect(json[path: "choices.0.message.content"]?.string == #"{"tags": ["food", "travel"]}"#)
      #expect(json[path: "choices.0.finish_reason"]?.string == "stop")
      let usage = try #require(json[path: "usage"])
      #expect(usage[path: "prompt_tokens"]?.integer ?? 0 > 10)
      #expect(usage[path: "prompt_tokens_details.cached_tokens"]?.integer == 0)
    }
  }

  /// Keys and values of one adapter, or of the base, are never those of another.
  @Test func whatIsKnownIsKnownForOneModel() async throws {
    let alone = try await ServedStore().serving { port in
      try ["tagging", ServedStore.baseName].map { try ask(body("", model: $0), port).json }
    }
    try await ServedStore().serving { port in
      for (name, first) in zip(["tagging", ServedStore.baseName], alone) {
        for isKnown in [false, true] {
          let json = try ask(body("", model: name), port).json
          let path = "choices.0.message.content"
          #expect(json[path: path]?.string == first[path: path]?.string)
          let cached = json[path: "usage.prompt_tokens_details.cached_tokens"]?.integer ?? 0
          let prompt = json[path: "usage.prompt_tokens"]?.integer ?? 0
          #expect(isKnown == (cached > 0) && cached < prompt, "\(name)")
        }
      }
    }
  }

  @Test func aStreamHasTheSameText() async throws {
    try await ServedStore().serving { port in
      let answer = try ask(
        body(#", "stream": true, "stream_options": {"include_usage": true}"#), port)
      #expect(answer.status == 200)
      #expect(answer.head.contains("Content-Type: text/event-stream"))
      #expect(answer.body.hasSuffix("data: [DONE]\n\n"))
      let events = answer.events.map { JSONValue.object($0) }
      #expect(events.first?[path: "choices.0.delta.role"]?.string == "assistant")
      let texts = events.compactMap { $0[path: "choices.0.delta.content"]?.string }
      #expect(texts.joined() == #"{"tags": ["food", "travel"]}"#)
      let ends = events.compactMap { $0[path: "choices.0.finish_reason"] }
      #expect(ends.dropLast().allSatisfy { $0 == .null } && ends.last == .string("stop"))
      let roles = events.compactMap { $0[path: "choices.0.delta.role"] }
      #expect(roles.count == 1)
      #expect(events.last?[path: "choices"] == .array([]))
      #expect(events.last?[path: "usage.completion_tokens"]?.integer ?? 0 > 0)
      #expect(Set(events.compactMap { $0[path: "id"]?.string }).count == 1)
    }
  }

  /// What the same seed could have another text by has another name.
  @Test func fingerprintsAreOfModels() async throws {
    try await ServedStore().serving { port in
      func fingerprints(_ more: String, _ model: String) throws -> Set<String> {
        let answer = try ask(body(more, model: model), port)
        let objects = more.isEmpty ? [answer.json] : answer.events.map { JSONValue.object($0) }
        #expect(!objects.isEmpty)
        return Set(objects.map { $0[path: "system_fingerprint"]?.string ?? "none" })
      }
      let own = try fingerprints("", "tagging")
      #expect(own.count == 1 && own.first?.hasPrefix("fp_") == true)
      #expect(try fingerprints(#", "stream": true"#, "tagging") == own)
      let others = [ServedStore.baseName, "tagging:0.5"]
      for model in others { #expect(try own.isDisjoint(with: fingerprints("", model))) }
    }
  }

  @Test func severalAnswersEachHaveAnEnd() async throws {
    try await ServedStore().serving { port in
      let fields = #", "n": 3, "temperature": 1, "seed": 5, "max_tokens": 4"#
      let whole = try ask(body(fields), port).json
      let texts = try #require(whole[path: "choices"]?.array).map {
        $0[path: "message.content"]?.string
      }
      #expect(texts.count == 3)
      let events = try ask(body(fields + #", "stream": true"#), port).events
      for index in 0..<3 {
        let own = events.compactMap { event -> JSONValue? in
          let choice = JSONValue.object(event)[path: "choices.0"]
          return choice?[path: "index"]?.integer == index ? choice : nil
        }
        let text = own.compactMap { $0[path: "delta.content"]?.string }.joined()
        #expect(text == texts[index])
        #expect(own.compactMap { $0[path: "finish_reason"]?.string } == ["length"])
      }
    }
  }

  @Test func formsAreKeptTo() async throws {
    let schema =
      #"{"type": "object", "properties": {"city": {"type": "string", "maxLength": 8}}, "required": ["city"], "additionalProperties": false}"#
    try await ServedStore().serving { port in
      let format =
        #", "max_tokens": 40, "response_format": {"type": "json_schema", "json_schema": {"name": "city", "schema": \#(schema)}}"#
      let text = try ask(body(format, model: ServedStore.baseName), port)
        .json[path: "choices.0.message.content"]?.string
      let value = try JSONDocument(parsing: Array(try #require(text).utf8)).root
      #expect(value.object?.keys == ["city"])
    }
  }

  @Test func aToolIsCalled() async throws {
    let tools =
      #", "max_tokens": 60, "tools": [{"type": "function", "function": {"name": "find", "parameters": {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}}}, {"type": "function", "function": {"name": "other"}}]"#
    let choices = [
      #", "tool_choice": "required", "parallel_tool_calls": false"#,
      #", "tool_choice": {"type": "function", "function": {"name": "find"}}"#,
    ]
    try await ServedStore().serving { port in
      for choice in choices {
        let json = try ask(body(tools + choice, model: ServedStore.baseName), port).json
        #expect(json[path: "choices.0.finish_reason"]?.string == "tool_calls", "\(json)")
        let calls = try #require(json[path: "choices.0.message.tool_calls"]?.array)
        #expect(calls.count == 1)
        let arguments = try #require(calls[0][path: "function.arguments"]?.string)
        #expect(try JSONDocument(parsing: Array(arguments.utf8)).root.object != nil)
        let named = calls[0][path: "function.name"]?.string
        if choice.contains("find") { #expect(named == "find") }
        let events = try ask(
          body(tools + choice + #", "stream": true"#, model: ServedStore.baseName), port
        ).events.map { JSONValue.object($0) }
        let pieces = events.compactMap { $0[path: "choices.0.delta.tool_calls.0"] }
        #expect(pieces.count > 2)
        #expect(pieces[0][path: "function.name"]?.string == named)
        #expect(pieces[0][path: "function.arguments"]?.string == "")
        let texts = pieces.compactMap { $0[path: "function.arguments"]?.string }
        #expect(texts.joined() == arguments)
        #expect(pieces.dropFirst().allSatisfy { $0[path: "id"] == nil })
        #expect(pieces.allSatisfy { $0[path: "index"]?.integer == 0 })
      }
    }
  }

  /// What the limit of tokens cuts is told as a call alone, in a stream and whole, and never as a text.
  @Test func aCutCallIsNoText() async throws {
    let tools =
      #", "temperature": 0, "max_tokens": 22, "tools": [{"type": "function", "function": {"name": "find", "parameters": {"type": "object", "properties": {"long_name": {"type": "string"}}, "required": ["long_name"]}}}], "tool_choice": "required""#
    try await ServedStore(adapters: []).serving { port in
      let json = try ask(body(tools, model: ServedStore.baseName), port).json
      #expect(json[path: "choices.0.finish_reason"]?.string == "length", "\(json)")
      #expect(json[path: "choices.0.message.content"] == .null)
      let call = try #require(json[path: "choices.0.message.tool_calls.0.function"])
      #expect(call[path: "name"]?.string == "find")
      let events = try ask(
        body(tools + #", "stream": true"#, model: ServedStore.baseName), port
      ).events.map { JSONValue.object($0) }
      #expect(events.compactMap { $0[path: "choices.0.delta.content"]?.string }.joined() == "")
      let texts = events.compactMap {
        $0[path: "choices.0.delta.tool_calls.0.function.arguments"]?.string
      }
      #expect(texts.joined() == call[path: "arguments"]?.string)
      #expect(!texts.joined().isEmpty)
    }
  }

  @Test func stopsAreNoPartOfTheAnswer() async throws {
    try await ServedStore().serving { port in
      for stream in ["false", "true"] {
        let answer = try ask(body(#", "stop": ["\"tra", "zzz"], "stream": \#(stream)"#), port)
        let texts =
          stream == "true"
          ? answer.events.compactMap {
            JSONValue.object($0)[path: "choices.0.delta.content"]?.string
          }.joined() : answer.json[path: "choices.0.message.content"]?.string
        #expect(texts == #"{"tags": ["food", "#)
      }
    }
  }

  @Test func tokensComeWithTheirProbabilities() async throws {
    try await ServedStore().serving { port in
      let json = try ask(body(#", "logprobs": true, "top_logprobs": 3"#), port).json
      let tokens = try #require(json[path: "choices.0.logprobs.content"]?.array)
      let text = json[path: "choices.0.message.content"]?.string
      let bytes = tokens.flatMap { $0[path: "bytes"]?.array?.compactMap(\.integer) ?? [] }
      #expect(String(decoding: bytes.map(UInt8.init), as: UTF8.self) == text)
      for token in tokens {
        let top = try #require(token[path: "top_logprobs"]?.array)
        #expect(top.count == 3)
        // Nothing was drawn.
        #expect(top[0][path: "logprob"]?.number == token[path: "logprob"]?.number)
        let sum = top.compactMap { $0[path: "logprob"]?.number?.double }.map(exp).reduce(0, +)
        #expect(sum <= 1.0001)
      }
    }
  }

  @Test(
    arguments: [
      ("{", 400, nil), ("[]", 400, nil), (#"{"messages": []}"#, 400, "model"),
      (#"{"model": "tagging", "messages": []}"#, 400, "messages"),
      (#"{"model": "tagging", "model": "nobody", "messages": []}"#, 400, "model"),
      (#"{"model": "nobody", "messages": [{"role": "user", "content": "a"}]}"#, 404, "model"),
      (
        #"{"model": "tagging", "messages": [{"role": "user", "content": "a"}, {"role": "x"}]}"#,
        400,
        "messages[1].role"
      ),
      (
        #"{"model": "tagging", "messages": [{"role": "user", "content": [{"type": "image_url"}]}]}"#,
        400, "messages[0].content[0].type"
      ),
      (#"{"model": "tagging", "messages": [{"role": "user"}]}"#, 400, "messages[0].content"),
      (
        #"{"model": "tagging", "messages": [{"role": "assistant", "content": "a"}]}"#, 400,
        "messages"
      ),
    ] as [(String, Int, String?)])
  func whatIsWrongIsNamed(_ body: String, _ status: Int, _ field: String?) async throws {
    try await ServedStore(adapters: ["tagging"]).serving { port in
      let answer = try ask(body, port)
      #expect(answer.status == status)
      #expect(answer.json[path: "error.param"]?.string == field)
      #expect(answer.json[path: "error.message"]?.string?.isEmpty == false)
      #expect(answer.json[path: "error.code"] != nil && answer.json[path: "error.type"] != nil)
    }
  }

  @Test(arguments: [
    (#""temperature": 2.5"#, "temperature"), (#""top_p": -1"#, "top_p"), (#""n": 0"#, "n"),
    (#""n": 1000000"#, "n"), (#""n": 1.5"#, "n"), (#""max_tokens": 0"#, "max_tokens"),
    (#""max_tokens": 99999999999999999999"#, "max_tokens"), (#""stop": [1]"#, "stop"),
    (#""logit_bias": {"AI": -100}"#, "logit_bias.AI"), (#""logit_bias": [[1, 2]]"#, "logit_bias"),
    (#""logit_bias": {"-1": 2}"#, "logit_bias.-1"), (#""logit_bias": {"01": 2}"#, "logit_bias.01"),
    (#""logit_bias": {"1": 101}"#, "logit_bias.1"), (#""top_logprobs": 2"#, "top_logprobs"),
    (#""presence_penalty": 2.1"#, "presence_penalty"),
    (#""frequency_penalty": "1""#, "frequency_penalty"),
    (#""repetition_penalty": 0.5"#, "repetition_penalty"),
    (#""repetition_penalty": 1.1, "repeat_penalty": 1.1"#, "repeat_penalty"),
    (#""repeat_last_n": -2"#, "repeat_last_n"), (#""min_tokens": 2"#, "min_tokens"),
    (#""response_format": {"type": "xml"}"#, "response_format.type"),
    (
      #""response_format": {"type": "json_schema", "schema": {"type": "object"}}"#,
      "response_format.json_schema"
    ),
    (
      #""response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "string", "pattern": "^+a"}}}"#,
      "response_format.json_schema.schema"
    ),
    (#""tools": [{"type": "web_search"}]"#, "tools[0].type"),
    (#""web_search_options": {}"#, "web_search_options"),
    (#""chat_template_kwargs": {"foo": 1}"#, "chat_template_kwargs.foo"),
    (#""tool_choice": "required""#, "tool_choice"),
    (
      #""tool_choice": {"type": "function", "function": {"name": "f"}}"#,
      "tool_choice.function.name"
    ),
  ])
  func fieldsAreChecked(_ field: String, _ place: String) async throws {
    let text = #"{"model": "m", "messages": [{"role": "user", "content": "a"}], \#(field)}"#
    let error = #expect(throws: ServingError.self) {
      try ChatCompletionsRequest(Array(text.utf8), answerLimit: 16)
    }
    #expect(error?.field == place && error?.kind == .invalidRequest)
  }

  @Test(arguments: [
    #""frequency_penalty": 0"#, #""logit_bias": {}"#, #""functions": null"#, #""store": true"#,
    #""user": "me""#, #""temperature": null"#, #""response_format": {"type": "text"}"#,
    #""stream_options": {"include_usage": true}"#, #""max_tokens": 5.0"#,
  ])
  func whatAsksForNothingIsTaken(_ field: String) throws {
    let text = #"{"model": "m", "messages": [{"role": "user", "content": "a"}], \#(field)}"#
    _ = try ChatCompletionsRequest(Array(text.utf8), answerLimit: 16)
  }

  /// Where an answer could be longer than there is memory for, it is shorter.
  @Test func littleMemoryIsEnoughForAShortAnswer() async throws {
    let served = try await ServedStore { $0.cacheBytes = 4 << 20 }
    try await served.serving { port in
      for fields in ["", #", "max_tokens": 100000"#] {
        let answer = try ask(body(fields), port)
        #expect(answer.status == 200, "\(answer.body)")
        #expect(answer.json[path: "choices.0.finish_reason"]?.string == "stop")
      }
    }
  }

  @Test func errorsAreShort() async throws {
    try await ServedStore(adapters: []).serving { port in
      let pattern = String(repeating: "(?<=a)", count: 20_000)
      let answer = try ask(
        body(
          #", "response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "string", "pattern": "\#(pattern)"}}}"#,
          model: ServedStore.baseName), port)
      #expect(answer.status == 400 && answer.body.utf8.count < 2000)
    }
  }

  @Test func aPromptThatIsTooLongIsRefusedBeforeAStreamBegins() async throws {
    try await ServedStore(adapters: ["tagging"]).serving { port in
      let long = String(repeating: "many words ", count: 4000)
      let answer = try ask(body(#", "stream": true"#, long), port)
      #expect(answer.status == 400)
      #expect(answer.json[path: "error.code"]?.string == "context_length_exceeded")
    }
  }
}
