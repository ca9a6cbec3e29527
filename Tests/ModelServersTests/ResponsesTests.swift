import Foundation
import FoundationModels
import Testing

@testable import ModelServers

/// Events of the stream of a server of the Responses API; those that are alike in all answers stand in the recorded streams.
enum ResponseEvent {
  static func text(_ text: String, _ index: Int = 0) -> String {
    #"{"type": "response.output_text.delta", "item_id": "msg_\#(index)", "output_index": \#(index), "content_index": 0, "delta": "\#(text)"}"#
  }

  static func done(_ item: String, _ index: Int = 0) -> String {
    #"{"type": "response.output_item.done", "output_index": \#(index), "item": \#(item)}"#
  }

  static func thought(_ signature: String) -> String {
    #"{"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "It asks for rain."}], "encrypted_content": "\#(signature)"}"#
  }

  static func call(_ id: String, _ arguments: String) -> String {
    #"{"type": "function_call", "call_id": "\#(id)", "name": "weather", "arguments": "\#(arguments.replacing("\"", with: "\\\""))"}"#
  }

  static func last(_ status: String, _ members: String = "") -> String {
    #"{"type": "response.\#(status)", "response": {"object": "response", "status": "\#(status)", "model": "tiny-1"\#(members)}}"#
  }

  static let end = last("completed")
}

@Suite struct ResponsesTests {
  private typealias Event = ResponseEvent
  private typealias PlayedModel = Played<ResponsesModel>

  @Test func anAnswerIsStreamed() async throws {
    let played = try PlayedModel(
      .events(
        #"{"type": "response.created", "response": {"model": "tiny-1", "status": "in_progress"}}"#,
        #"{"type": "response.weather_report.delta", "delta": "unknown"}"#,
        #"{"type": "response.output_item.done", "item": {"type": "weather_report", "id": "w"}}"#,
        Event.text("Good "), Event.text("d\\u00e4y."),
        Event.last(
          "completed",
          #", "usage": {"input_tokens": 12, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 4}, "output_tokens_details": {"reasoning_tokens": 3}}"#
        )),
      key: "sk-right")
    let session = LanguageModelSession(model: played.model, instructions: "Be polite.")
    let stream = session.streamResponse(
      to: "Hello",
      options: GenerationOptions(
        samplingMode: .random(probabilityThreshold: 0.5), temperature: 0.5,
        maximumResponseTokens: 9))
    var last = ""
    for try await snapshot in stream {
      #expect(snapshot.content.hasPrefix(last))
      last = snapshot.content
    }
    #expect(last == "Good däy.")
    let usage = try await stream.collect().usage
    #expect(usage.input.totalTokenCount == 12 && usage.input.cachedTokenCount == 4)
    #expect(usage.output.totalTokenCount == 7 && usage.output.reasoningTokenCount == 3)
    guard case .response(let said)? = session.transcript.last else {
      Issue.record("\(String(describing: session.transcript.last))")
      return
    }
    #expect(said.assetIDs == ["tiny-1"])
    #expect(
      said.metadata.keys.reduce(into: [:]) { $0[$1] = said.metadata.content($1)?.jsonString } == [
        "assetIDs": #"["tiny-1"]"#, "model": #""tiny-1""#, "server": "\"\(played.origin)\"",
        "interface": #""responses""#, "stopReason": #""completed""#, "item": #""msg_0""#,
      ])
    let request = try #require(try played.requests.first)
    #expect(request.path == "/v1/responses")
    #expect(request.headers["authorization"] == "Bearer sk-right")
    #expect(
      request.body
        == #"{"model": "tiny", "stream": true, "store": false, "input": [{"role": "system", "content": "Be polite."}, "#
        + #"{"role": "user", "content": "Hello"}], "temperature": 0.5, "top_p": 0.5, "max_output_tokens": 9}"#
    )
  }

  @Test func aValueIsAskedForByItsSchema() async throws {
    let text = #"{\"age\": 9, \"name\": \"Bern\"}"#
    let played = try PlayedModel(.events(Event.text(text), Event.end))
    let response = try await LanguageModelSession(model: played.model).respond(
      to: "A city", generating: City.self, includeSchemaInPrompt: false)
    #expect(response.content == City(name: "Bern", age: 9))
    let body = try played.requests[0].body
    #expect(body.contains(#""input": [{"role": "user", "content": "A city"}]"#))
    #expect(
      body.contains(
        #""text": {"format": {"type": "json_schema", "name": "City", "strict": true, "schema": {"#))
    #expect(!body.contains("x-order"))
  }

  @Test func thoughtsGoBackToTheServerThatMadeThem() async throws {
    var played = try PlayedModel(
      .events(
        Event.done(Event.thought("gAAA"), 0), Event.done(Event.call("a", #"{"city": "Bern"}"#), 1),
        Event.end),
      .events(Event.text("Rain."), Event.end)
    ) { $0.hasReasoning = true }
    played.model.reasoningSummary = "auto"
    let session = LanguageModelSession(model: played.model, tools: [Weather()])
    let response = try await session.respond(
      to: "Weather?", options: GenerationOptions(toolCallingMode: .required),
      contextOptions: ContextOptions(reasoningLevel: .moderate))
    #expect(response.content == "Rain.")
    #expect(
      response.transcriptEntries.map(\.description) == [
        "Prompt: Weather?", "Reasoning: It asks for rain.",
        #"Tool calls: weather({"city": "Bern"})"#, "Tool weather: rain in Bern", "Response: Rain.",
      ])
    let requests = try played.requests
    #expect(
      requests[0].body.contains(
        #""tool_choice": "required", "reasoning": {"effort": "medium", "summary": "auto"}, "include": ["reasoning.encrypted_content"]}"#
      ))
    let thought =
      #"{"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "It asks for rain."}], "encrypted_content": "gAAA"}"#
    let call =
      #"{"type": "function_call", "call_id": "a", "name": "weather", "arguments": "{\"city\": \"Bern\"}"}"#
    let output = #"{"type": "function_call_output", "call_id": "a", "output": "rain in Bern"}"#
    #expect(requests[1].body.contains("[\(Self.prompt), \(thought), \(call), \(output)]"))

    // A transcript that was stored loses nothing of it.
    let kept = try JSONDecoder().decode(
      Transcript.self, from: JSONEncoder().encode(session.transcript))
    _ = try await LanguageModelSession(model: played.model, transcript: kept).respond(to: "And?")
    #expect(try played.requests[2].body.contains(thought))
    // Another server could not read it.
    let other = try Played<MessagesModel>(
      .events(MessageEvent.start, MessageEvent.stop(), MessageEvent.end))
    _ = try await LanguageModelSession(model: other.model, transcript: kept).respond(to: "And?")
    #expect(try !other.requests[0].body.contains("gAAA"))
  }

  private static let prompt = #"{"role": "user", "content": "Weather?"}"#

  @Test func remarksAreSentBackAsWhatTheyWere() async throws {
    let remark =
      #"{"id": "msg_0", "type": "message", "phase": "commentary", "content": [{"type": "output_text", "text": "I look."}]}"#
    let played = try PlayedModel(
      .events(Event.text("I look."), Event.done(remark), Event.end),
      .events(Event.text("Rain."), Event.end))
    let session = LanguageModelSession(model: played.model)
    #expect(try await session.respond(to: "Weather?").content == "I look.")
    _ = try await session.respond(to: "And?")
    #expect(
      try played.requests[1].body.contains(
        #"{"type": "message", "role": "assistant", "id": "msg_0", "status": "completed", "content": [{"type": "output_text", "text": "I look.", "annotations": []}], "phase": "commentary"}"#
      ))
  }

  /// Some servers stream nothing, and some send whole items only.
  @Test(arguments: [
    ChatScenario.Answer.json(
      200,
      #"{"object": "response", "status": "completed", "model": "m", "output": [{"type": "message", "content": [{"type": "output_text", "text": "Yes."}]}], "usage": {"input_tokens": 3, "output_tokens": 2}}"#
    ),
    .events(
      Event.last(
        "completed",
        #", "output": [{"type": "message", "content": [{"type": "output_text", "text": "Yes."}]}], "usage": {"input_tokens": 3, "output_tokens": 2}"#
      )),
    .events(
      Event.done(
        #"{"type": "message", "id": "x", "content": [{"type": "output_text", "text": "Yes."}]}"#),
      Event.last(
        "completed",
        #", "output": [{"type": "message", "id": "y", "content": [{"type": "output_text", "text": "Yes."}]}], "usage": {"input_tokens": 3, "output_tokens": 2}"#
      )),
  ])
  func whatIsNotStreamedIsTakenFromTheWhole(_ answer: ChatScenario.Answer) async throws {
    let played = try PlayedModel(answer)
    let response = try await LanguageModelSession(model: played.model).respond(to: "?")
    #expect(response.content == "Yes." && response.usage.totalTokenCount == 5)
  }

  @Test func imagesGoByTheirAddress() async throws {
    let played = try PlayedModel(.events(Event.text("A sun."), Event.end)) { $0.hasVision = true }
    _ = try await LanguageModelSession(
      model: played.model, transcript: try transcript(of: "https://a/sun.png")
    ).respond(to: "?")
    #expect(
      try played.requests[0].body.contains(
        #""content": [{"type": "input_text", "text": "What is it?"}, {"type": "input_image", "image_url": "https://a/sun.png", "detail": "auto"}]"#
      ))
  }

  // MARK: - Faults

  private static func error(_ message: String, _ members: String = "") -> String {
    #"{"error": {"message": "\#(message)"\#(members)}}"#
  }

  static let faults = [
    FaultCase(
      name: "404", answer: .json(404, error("no such model")),
      text: "SERVER has no model 'tiny' in the Responses API: no such model"),
    FaultCase(
      name: "429", answer: .json(429, error("slow down")),
      text: "There were too many requests.", requests: 3),
    FaultCase(
      name: "a full context",
      answer: .json(400, error("too long", #", "code": "context_length_exceeded""#)),
      text: "The conversation has become too long."),
    FaultCase(
      name: "a full context in the stream",
      answer: .events(
        #"{"type": "error", "code": "context_length_exceeded", "message": "too long", "sequence_number": 2}"#
      ), text: "The conversation has become too long."),
    FaultCase(
      name: "an error at the beginning of a stream",
      answer: .events(
        #"{"type": "response.created", "response": {"status": "in_progress"}}"#,
        #"{"type": "error", "code": "server_error", "message": "busy, sk-secret"}"#),
      text: "SERVER failed with status 500: busy, ***", requests: 3),
    FaultCase(
      name: "an error in the stream",
      answer: .events(
        Event.text("a"), #"{"type": "error", "code": "server_error", "message": "busy"}"#),
      text: "The answer of SERVER ended before it was whole: busy."),
    FaultCase(
      name: "a response that has failed",
      answer: .events(
        Event.last(
          "failed", #", "error": {"code": "rate_limit_exceeded", "message": "too fast"}"#)),
      text: "There were too many requests.", requests: 3),
    FaultCase(
      name: "a response that has failed in silence", answer: .events(Event.last("failed")),
      text: "The answer of SERVER ended before it was whole: the response is failed."),
    FaultCase(
      name: "a response that was cancelled",
      answer: .events(Event.text("a"), Event.last("cancelled")),
      text: "The answer of SERVER ended before it was whole: the response is cancelled."),
    FaultCase(
      name: "no end", answer: .events(Event.text("a")),
      text: "The answer of SERVER ended before it was whole: the stream has no end mark."),
    FaultCase(
      name: "an event of something else", answer: .events(#"{"a": 1}"#),
      text:
        "What SERVER sent is no answer of the Responses API: it has neither a type nor an error."),
    FaultCase(
      name: "a refusal",
      answer: .events(
        #"{"type": "response.refusal.delta", "item_id": "m", "delta": "I will not."}"#, Event.end),
      text: "The language model refused to answer."),
    FaultCase(
      name: "a filter",
      answer: .events(
        Event.text("a"),
        Event.last("incomplete", #", "incomplete_details": {"reason": "content_filter"}"#)),
      text: "The content was refused."),
    FaultCase(
      name: "a call that is cut",
      answer: .events(
        Event.done(Event.call("a", #"{"city"#)),
        Event.last("incomplete", #", "incomplete_details": {"reason": "max_output_tokens"}"#)),
      text: "The answer is not of the kind that was asked for."),
  ]

  @Test func whatAnotherSaidGetsAnIdentity() async throws {
    let played = try PlayedModel(.events(Event.text("Rain."), Event.end))
    let said = Transcript.Response(
      id: "ä/1", assetIDs: [], segments: [.text(Transcript.TextSegment(content: "Hi."))])
    _ = try await LanguageModelSession(
      model: played.model, transcript: Transcript(entries: [.response(said)])
    ).respond(to: "?")
    #expect(try played.requests[0].body.contains(#""id": "msg___1", "status": "completed""#))
  }

  @Test(arguments: faults)
  func aFaultHasItsError(_ fault: FaultCase) async throws {
    try await fault.check(ResponsesModel.self)
  }
}
