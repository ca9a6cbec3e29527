import Foundation
import FoundationModels
import Testing

@testable import ModelServers

@Suite struct ChatCompletionsTests {
  private typealias Answer = ChatScenario.Answer

  private func body(_ request: TestChatServer.Request) throws -> [String: Any] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(request.body.utf8)) as? [String: Any])
  }

  @Test func anAnswerIsStreamed() async throws {
    let played = try PlayedModel(
      .stream(
        ChatEvent.delta(#"{"role": "assistant", "content": ""}"#),
        ChatEvent.delta(#"{"reasoning_content": "A greeting."}"#), ChatEvent.text("Good "),
        ChatEvent.text("d\\u00e4y."), ChatEvent.end(),
        ChatEvent.usage(12, cached: 4, 7, thought: 3), ChatEvent.done),
      key: "sk-right")
    let session = LanguageModelSession(model: played.model, instructions: "Be polite.")
    let stream = session.streamResponse(
      to: "Hello",
      options: GenerationOptions(
        samplingMode: .random(probabilityThreshold: 0.5, seed: 3), temperature: 0.5,
        maximumResponseTokens: 9))
    var last = ""
    for try await snapshot in stream {
      #expect(snapshot.content.hasPrefix(last))
      last = snapshot.content
    }
    #expect(last == "Good däy.")
    let response = try await stream.collect()
    #expect(response.usage.input.totalTokenCount == 12)
    #expect(response.usage.input.cachedTokenCount == 4)
    #expect(response.usage.output.totalTokenCount == 7)
    #expect(response.usage.output.reasoningTokenCount == 3)
    #expect(
      response.transcriptEntries.map(\.description) == [
        "Prompt: Hello", "Reasoning: A greeting.", "Response: Good däy.",
      ])
    guard case .response(let said)? = session.transcript.last else {
      Issue.record("\(String(describing: session.transcript.last))")
      return
    }
    #expect(said.metadata["model"] as? String == "tiny-1" && said.assetIDs == ["tiny-1"])
    #expect(
      said.metadata["server"] as? String == "http://127.0.0.1:\(played.server.port)")
    let request = try #require(try played.requests.first)
    #expect(request.path == "/v1/chat/completions")
    #expect(request.headers["authorization"] == "Bearer sk-right")
    #expect(request.headers["content-type"] == "application/json")
    #expect(
      request.body
        == #"{"model": "tiny", "stream": true, "stream_options": {"include_usage": true}, "#
        + #""messages": [{"role": "system", "content": "Be polite."}, {"role": "user", "content": "Hello"}], "#
        + #""temperature": 0.5, "top_p": 0.5, "seed": 3, "max_completion_tokens": 9}"#)
  }

  @Test func aValueIsAskedForByItsSchema() async throws {
    let text = #"{\"age\": 9, \"name\": \"Bern\"}"#
    let played = try PlayedModel(
      .stream(ChatEvent.text(text), ChatEvent.end(), ChatEvent.done))
    let session = LanguageModelSession(model: played.model)
    let response = try await session.respond(to: "A city", generating: City.self)
    #expect(response.content.name == "Bern" && response.content.age == 9)
    let request = try body(try #require(try played.requests.first))
    let format = try #require(request["response_format"] as? [String: Any])
    let schema = try #require(format["json_schema"] as? [String: Any])
    #expect(format["type"] as? String == "json_schema")
    #expect(schema["name"] as? String == "City" && schema["strict"] as? Bool == true)
    let inner = try #require(schema["schema"] as? [String: Any])
    #expect(inner["x-order"] == nil && inner["additionalProperties"] as? Bool == false)
    #expect(inner["required"] as? [String] == ["name", "age"])
    let messages = try #require(request["messages"] as? [[String: Any]])
    let prompt = try #require(messages[0]["content"] as? String)
    #expect(prompt.hasPrefix("A city\nAnswer with JSON that fits this schema: {"))
    #expect(session.transcript.first?.description == "Prompt: A city")

    let silent = try PlayedModel(.stream(ChatEvent.text(text), ChatEvent.done))
    _ = try await LanguageModelSession(model: silent.model).respond(
      to: "A city", generating: City.self, includeSchemaInPrompt: false)
    let plain = try body(try #require(try silent.requests.first))
    #expect((plain["messages"] as? [[String: Any]])?[0]["content"] as? String == "A city")
  }

  @Test func toolsAreCalledAndTheirOutputsSentBack() async throws {
    let played = try PlayedModel(
      .stream(
        ChatEvent.text("I look."), ChatEvent.call(0, id: "a", name: "weather", #"{"ci"#),
        ChatEvent.call(1, id: "b", name: "weather", #"{"city": "Chur"}"#),
        ChatEvent.call(0, #"ty": "Bern"}"#), ChatEvent.end("tool_calls"), ChatEvent.done),
      .stream(ChatEvent.text("Rain."), ChatEvent.end(), ChatEvent.done))
    let session = LanguageModelSession(model: played.model, tools: [Weather()])
    let response = try await session.respond(
      to: "Weather?", options: GenerationOptions(toolCallingMode: .required))
    #expect(response.content == "Rain.")
    #expect(
      response.transcriptEntries.map(\.description) == [
        "Prompt: Weather?", "Response: I look.",
        #"Tool calls: weather({"city": "Bern"}), weather({"city": "Chur"})"#,
        "Tool weather: rain in Bern", "Tool weather: rain in Chur", "Response: Rain.",
      ])
    let requests = try played.requests
    #expect(requests.count == 2)
    let first = try body(requests[0])
    #expect(first["tool_choice"] as? String == "required")
    let tool = try #require((first["tools"] as? [[String: Any]])?.first)
    let function = try #require(tool["function"] as? [String: Any])
    #expect(function["name"] as? String == "weather")
    #expect(function["description"] as? String == "Tells the weather.")
    let second = requests[1].body
    #expect(second.contains(#""tool_choice": "auto""#))
    #expect(
      second.contains(
        #"{"role": "assistant", "content": "I look.", "tool_calls": [{"id": "a", "type": "function", "#
          + #""function": {"name": "weather", "arguments": "{\"city\": \"Bern\"}"}}, "#))
    #expect(
      second.contains(#"{"role": "tool", "content": "rain in Bern", "tool_call_id": "a"}"#))
  }

  @Test func aServerThatDoesNotStreamIsUnderstood() async throws {
    let played = try PlayedModel(
      .json(
        200,
        #"{"model": "m", "choices": [{"message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}"#
      ))
    let response = try await LanguageModelSession(model: played.model).respond(to: "?")
    #expect(response.content == "Yes." && response.usage.totalTokenCount == 5)
  }

  @Test(arguments: ["text/event-stream", "text/html; charset=utf-8", "text/plain", ""])
  func aStreamIsKnownByItsBeginning(_ type: String) async throws {
    var answer = ChatScenario.Answer.stream(
      ChatEvent.text("Yes."), #"{"object": "heartbeat"}"#, #"{"choices": null}"#, ChatEvent.end(),
      ChatEvent.done)
    answer.headers = type.isEmpty ? [:] : ["Content-Type": type]
    let played = try PlayedModel(answer)
    #expect(try await LanguageModelSession(model: played.model).respond(to: "?").content == "Yes.")
  }

  /// Contents that are lists of parts, and what they say.
  static let contents: [(content: String, entries: [String])] = [
    (#"[{"type": "text", "text": "Yes."}]"#, ["Response: Yes."]),
    (
      #"[{"type": "text", "text": "Y"}, {"type": "output_text", "text": "es"}, "."]"#,
      ["Response: Yes."]
    ),
    (
      #"[{"type": "thinking", "thinking": [{"type": "text", "text": "H"}, {"type": "text", "text": "m"}]}, {"type": "text", "text": "Yes."}]"#,
      ["Reasoning: Hm", "Response: Yes."]
    ),
    (
      #"[{"type": "reasoning", "text": "Hm"}, {"type": "audio", "data": "A"}, 7, {"type": "text", "text": "Yes."}]"#,
      ["Reasoning: Hm", "Response: Yes."]
    ),
    (#""Yes.""#, ["Response: Yes."]),
  ]

  @Test(arguments: contents, [false, true])
  func aContentMayBeAListOfParts(
    _ said: (content: String, entries: [String]), isStream: Bool
  ) async throws {
    let played = try PlayedModel(
      isStream
        ? .stream(ChatEvent.delta(#"{"content": \#(said.content)}"#), ChatEvent.done)
        : .json(
          200,
          #"{"choices": [{"message": {"role": "assistant", "content": \#(said.content)}, "finish_reason": "stop"}]}"#
        ))
    let session = LanguageModelSession(model: played.model)
    #expect(try await session.respond(to: "?").content == "Yes.")
    #expect(session.transcript.dropFirst().map(\.description) == said.entries)
  }

  @Test func aPartMayBeARefusal() async throws {
    let part = #"{"content": [{"type": "refusal", "refusal": "I will not."}]}"#
    let played = try PlayedModel(.stream(ChatEvent.delta(part), ChatEvent.end()))
    let error = await #expect(throws: LanguageModelError.self) {
      try await LanguageModelSession(model: played.model).respond(to: "?")
    }
    guard case .refusal? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func argumentsMayBeAnObject() async throws {
    let played = try PlayedModel(
      .stream(
        ChatEvent.delta(
          #"{"tool_calls": [{"id": "a", "function": {"name": "weather", "arguments": {"city": "Bern"}}}]}"#
        ), ChatEvent.done), .stream(ChatEvent.text("Rain."), ChatEvent.done))
    let session = LanguageModelSession(model: played.model, tools: [Weather()])
    #expect(try await session.respond(to: "?").content == "Rain.")
    #expect(session.transcript.dropLast().last?.description == "Tool weather: rain in Bern")
  }

  @Test func callsWithoutIdentityAreToldApart() async throws {
    let answer = ChatScenario.Answer.stream(
      ChatEvent.call(0, name: "weather", #"{"city": "Bern"}"#),
      ChatEvent.call(1, name: "weather", #"{"city": "Chur"}"#), ChatEvent.done)
    let played = try PlayedModel(
      answer, answer, .stream(ChatEvent.text("Rain."), ChatEvent.done))
    let session = LanguageModelSession(model: played.model, tools: [Weather()])
    _ = try await session.respond(to: "?")
    let calls = session.transcript.flatMap { entry -> [Transcript.ToolCall] in
      if case .toolCalls(let calls) = entry { Array(calls) } else { [] }
    }
    let outputs = session.transcript.compactMap { entry in
      if case .toolOutput(let output) = entry { output.id } else { nil }
    }
    #expect(Set(calls.map(\.id)).count == 4)
    #expect(calls.map(\.id) == outputs)
    #expect(calls.allSatisfy { $0.id.utf8.count <= 40 })
    #expect(calls[0].metadata["model"] as? String == "tiny-1")
  }

  @Test func imagesGoByTheirAddress() async throws {
    let played = try PlayedModel(
      .stream(ChatEvent.text("A sun."), ChatEvent.done)
    ) { $0.hasVision = true }
    let seen = try transcript(of: "https://a/sun.png")
    _ = try await LanguageModelSession(model: played.model, transcript: seen).respond(to: "?")
    #expect(
      try played.requests[0].body.contains(
        #""content": [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": "https://a/sun.png"}}]"#
      ))
  }

  @Test func whatAModelCannotDoIsNotSent() async throws {
    let played = try PlayedModel(.stream(ChatEvent.done)) { $0.hasToolCalling = false }
    await #expect(throws: LanguageModelError.self) {
      try await LanguageModelSession(model: played.model, tools: [Weather()]).respond(to: "?")
    }
    #expect(try played.requests.isEmpty)
  }
}
