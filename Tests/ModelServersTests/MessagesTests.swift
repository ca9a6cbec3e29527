import Foundation
import FoundationModels
import Testing

@testable import ModelServers

/// Events of the stream of a server of the Messages API.
enum MessageEvent {
  static let start =
    #"{"type": "message_start", "message": {"type": "message", "role": "assistant", "content": [], "model": "tiny-1", "usage": {"input_tokens": 3, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 4, "output_tokens": 1}}}"#
  static let end = #"{"type": "message_stop"}"#

  static func begin(_ index: Int, _ block: String = #"{"type": "text", "text": ""}"#) -> String {
    #"{"type": "content_block_start", "index": \#(index), "content_block": \#(block)}"#
  }

  static func more(_ index: Int, _ delta: String) -> String {
    #"{"type": "content_block_delta", "index": \#(index), "delta": \#(delta)}"#
  }

  static func text(_ text: String, _ index: Int = 0) -> String {
    more(index, #"{"type": "text_delta", "text": "\#(text)"}"#)
  }

  static func call(_ index: Int, _ id: String, input: String = "{}") -> String {
    begin(
      index, #"{"type": "tool_use", "id": "\#(id)", "name": "weather", "input": \#(input)}"#)
  }

  static func arguments(_ text: String, _ index: Int) -> String {
    let text = text.replacing("\"", with: "\\\"")
    return more(index, #"{"type": "input_json_delta", "partial_json": "\#(text)"}"#)
  }

  static func close(_ index: Int) -> String {
    #"{"type": "content_block_stop", "index": \#(index)}"#
  }

  static func stop(_ reason: String = "end_turn", _ members: String = "") -> String {
    #"{"type": "message_delta", "delta": {"stop_reason": "\#(reason)"\#(members)}, "usage": {"output_tokens": 7, "output_tokens_details": {"thinking_tokens": 3}}}"#
  }

  static func error(_ type: String, _ message: String) -> String {
    #"{"type": "error", "error": {"type": "\#(type)", "message": "\#(message)"}, "request_id": "req_1"}"#
  }
}

@Suite struct MessagesTests {
  private typealias Event = MessageEvent
  private typealias PlayedModel = Played<MessagesModel>

  @Test func anAnswerIsStreamed() async throws {
    let played = try PlayedModel(
      .events(
        Event.start, #"{"type": "ping"}"#, #"{"type": "weather_report"}"#, Event.begin(0),
        Event.text("Good "), Event.more(0, #"{"type": "citations_delta", "citation": {}}"#),
        Event.close(0), Event.begin(1, #"{"type": "weather_report"}"#),
        Event.more(1, #"{"type": "report_delta", "report": 1}"#), Event.close(1), Event.begin(2),
        Event.text("d\\u00e4y.", 2), Event.close(2), Event.stop(), Event.end),
      key: "sk-right")
    let session = LanguageModelSession(model: played.model, instructions: "Be polite.")
    let stream = session.streamResponse(
      to: "Hello",
      options: GenerationOptions(
        samplingMode: .random(top: 5), temperature: 0.5, maximumResponseTokens: 9))
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
    #expect(
      said.metadata.keys.reduce(into: [:]) { $0[$1] = said.metadata.content($1)?.jsonString } == [
        "assetIDs": #"["tiny-1"]"#, "model": #""tiny-1""#, "server": "\"\(played.origin)\"",
        "interface": #""messages""#, "stopReason": #""end_turn""#,
      ])
    let request = try #require(try played.requests.first)
    #expect(request.path == "/v1/messages")
    #expect(request.headers["x-api-key"] == "sk-right" && request.headers["authorization"] == nil)
    #expect(request.headers["anthropic-version"] == "2026-10-21")
    #expect(
      request.body
        == #"{"model": "tiny", "stream": true, "max_tokens": 9, "system": [{"type": "text", "text": "Be polite."}], "#
        + #""messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}], "temperature": 0.5, "top_k": 5}"#
    )
  }

  @Test func textsInARowAreOne() async throws {
    let played = try PlayedModel(
      .events(
        Event.start, Event.begin(0), Event.text("Good "), Event.close(0), Event.begin(1),
        Event.text("day.", 1), Event.close(1), Event.stop(), Event.end))
    let session = LanguageModelSession(model: played.model)
    #expect(try await session.respond(to: "?").content == "Good day.")
    #expect(session.transcript.count == 2)
  }

  @Test func aValueIsAStructuredOutput() async throws {
    let text = #"{\"age\": 9, \"name\": \"Bern\"}"#
    let played = try PlayedModel(
      .events(Event.start, Event.begin(0), Event.text(text), Event.stop(), Event.end))
    let response = try await LanguageModelSession(model: played.model).respond(
      to: "A city", generating: City.self, includeSchemaInPrompt: false)
    #expect(response.content == City(name: "Bern", age: 9))
    let body = try played.requests[0].body
    #expect(body.contains(#""max_tokens": 16384, "#))
    // A range is told, as the server does not hold an answer to it.
    #expect(
      body.contains(
        #""output_config": {"format": {"type": "json_schema", "schema": {"title": "City", "type": "object", "#
          + #""properties": {"name": {"type": "string"}, "age": {"type": "integer", "#
          + #""description": "{minimum: 0, maximum: 100}"}}, "#
          + #""required": ["name", "age"], "additionalProperties": false}}}"#))
  }

  @Test func thoughtsAndCallsGoBackAsTheyCame() async throws {
    let thinking = #"{"type": "thinking", "thinking": "", "signature": ""}"#
    let played = try PlayedModel(
      .events(
        Event.start, Event.begin(0, thinking),
        Event.more(0, #"{"type": "thinking_delta", "thinking": "It asks for rain."}"#),
        Event.more(0, #"{"type": "signature_delta", "signature": "EqQB"}"#), Event.close(0),
        Event.begin(1, #"{"type": "redacted_thinking", "data": "EmwK"}"#), Event.close(1),
        Event.begin(2), Event.text("I look.", 2), Event.close(2), Event.call(3, "a"),
        Event.arguments("", 3), Event.arguments(#"{"ci"#, 3), Event.arguments(#"ty": "Bern"}"#, 3),
        Event.close(3), Event.call(4, "b", input: #"{"city": "Chur"}"#), Event.close(4),
        Event.stop("tool_use"), Event.end),
      .events(Event.start, Event.begin(0), Event.text("Rain."), Event.stop(), Event.end)
    ) { $0.hasReasoning = true }
    let session = LanguageModelSession(model: played.model, tools: [Weather()])
    let response = try await session.respond(
      to: "Weather?", options: GenerationOptions(toolCallingMode: .required),
      contextOptions: ContextOptions(reasoningLevel: .deep))
    #expect(response.content == "Rain.")
    #expect(
      response.transcriptEntries.map(\.description) == [
        "Prompt: Weather?", "Reasoning: It asks for rain.", "Reasoning: ", "Response: I look.",
        #"Tool calls: weather({"city": "Bern"}), weather({"city": "Chur"})"#,
        "Tool weather: rain in Bern", "Tool weather: rain in Chur", "Response: Rain.",
      ])
    let requests = try played.requests
    #expect(
      requests[0].body.contains(
        #""tool_choice": {"type": "any"}, "thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "high"}}"#
      ))
    let turns =
      #"{"role": "assistant", "content": [{"type": "thinking", "thinking": "It asks for rain.", "signature": "EqQB"}, "#
      + #"{"type": "redacted_thinking", "data": "EmwK"}, {"type": "text", "text": "I look."}, "#
      + #"{"type": "tool_use", "id": "a", "name": "weather", "input": {"city": "Bern"}}, "#
      + #"{"type": "tool_use", "id": "b", "name": "weather", "input": {"city": "Chur"}}]}, "#
      + #"{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "rain in Bern"}]}, "#
      + #"{"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": "rain in Chur"}]}]}]"#
    #expect(requests[1].body.contains(turns))
    #expect(requests[1].body.contains(#""tool_choice": {"type": "auto"}"#))

    // A transcript that was stored loses nothing of it.
    let kept = try JSONDecoder().decode(
      Transcript.self, from: JSONEncoder().encode(session.transcript))
    _ = try await LanguageModelSession(model: played.model, transcript: kept).respond(to: "And?")
    #expect(try played.requests[2].body.contains(turns.dropLast(2)))
  }

  @Test func aNumberIsABudgetOfThoughts() async throws {
    var played = try PlayedModel(.events(Event.start, Event.stop(), Event.end)) {
      $0.hasReasoning = true
    }
    played.model.cachesPrompts = true
    let response = try await LanguageModelSession(model: played.model).respond(
      to: "?", contextOptions: ContextOptions(reasoningLevel: .custom("2048")))
    #expect(response.content == "")
    let body = try played.requests[0].body
    #expect(
      body.contains(
        #""thinking": {"type": "enabled", "display": "summarized", "budget_tokens": 2048}}"#))
    #expect(body.contains(#""cache_control": {"type": "ephemeral"}"#))
  }

  @Test func aServerThatDoesNotStreamIsUnderstood() async throws {
    let played = try PlayedModel(
      .json(
        200,
        #"{"type": "message", "model": "m", "content": [{"type": "text", "text": "Yes."}], "stop_reason": "end_turn", "usage": {"input_tokens": 3, "output_tokens": 2}}"#
      ))
    let response = try await LanguageModelSession(model: played.model).respond(to: "?")
    #expect(response.content == "Yes." && response.usage.totalTokenCount == 5)
  }

  @Test(arguments: [
    ("https://a/sun.png", #"{"type": "url", "url": "https://a/sun.png"}"#),
    (
      "data:image/png;base64,iVBORw0=",
      #"{"type": "base64", "media_type": "image/png", "data": "iVBORw0="}"#
    ),
  ])
  func imagesGoByTheirAddressOrAsTheyAre(address: String, source: String) async throws {
    let played = try PlayedModel(.events(Event.start, Event.stop(), Event.end)) {
      $0.hasVision = true
    }
    _ = try await LanguageModelSession(model: played.model, transcript: try transcript(of: address))
      .respond(to: "?")
    #expect(
      try played.requests[0].body.contains(
        #""content": [{"type": "text", "text": "What is it?"}, {"type": "image", "source": \#(source)}, {"type": "text", "text": "?"}]"#
      ))
  }

  @Test(arguments: ["data:image/tiff;base64,AA==", "data:image/png,AA", "data:x"])
  func imagesOfAnotherKindAreRefused(_ address: String) async throws {
    let played = try PlayedModel(.events(Event.end)) { $0.hasVision = true }
    let session = LanguageModelSession(model: played.model, transcript: try transcript(of: address))
    let error = await #expect(throws: LanguageModelError.self) {
      try await session.respond(to: "?")
    }
    #expect(
      error?.debugDescription
        == "The server takes images in data addresses of image/jpeg, image/png, image/gif, image/webp in base64 only."
    )
    #expect(try played.requests.isEmpty)
  }

  @Test func aVersionIsOneLine() async throws {
    var model = MessagesModel(name: "tiny", url: try #require(URL(string: "https://a/v1")))
    model.version = "1\nx-other: y"
    let error = await #expect(throws: ModelServerError.self) {
      try await LanguageModelSession(model: model).respond(to: "?")
    }
    #expect(
      error?.errorDescription
        == "The version has characters in it that no field of a request may have.")
  }
}
