import Foundation
import FoundationModels
import Testing

@testable import ModelServers

/// Numbers that servers send where tokens or places are counted, whatever they are.
@Suite struct ServerNumbersTests {
  /// What is sent as each count of a usage, and what is told of it: what cannot be a count was not told.
  static let counts: [(sent: String, told: Int)] = [
    ("7", 7), ("7.0", 7), ("7e0", 7), ("0", 0), ("-0", 0), ("1099511627776", 1 << 40),
    ("-1", 0), ("7.5", 0), ("1099511627777", 0), ("9223372036854775807", 0),
    ("-9223372036854775808", 0), ("9223372036854775808", 0), ("1e30", 0), ("1e999", 0),
    ("\"7\"", 0), ("null", 0), ("[7]", 0), ("{}", 0), ("true", 0),
  ]

  private func check<Model: ServerModel>(
    _ type: Model.Type, _ answer: ChatScenario.Answer, _ told: Int, reads: Int = 1
  ) async throws {
    let played = try Played<Model>(answer)
    let session = LanguageModelSession(model: played.model)
    for turn in 1...2 {
      let usage = try await session.respond(to: "?").usage
      #expect(usage.input.totalTokenCount == reads * told)
      #expect(usage.input.cachedTokenCount == told)
      #expect(usage.output.totalTokenCount == told && usage.output.reasoningTokenCount == told)
      #expect(session.usage.totalTokenCount == turn * (reads + 1) * told)
    }
  }

  @Test(arguments: counts)
  func countsOfChatCompletions(sent: String, told: Int) async throws {
    let usage =
      #"{"choices": [], "usage": {"prompt_tokens": N, "completion_tokens": N, "prompt_tokens_details": {"cached_tokens": N}, "completion_tokens_details": {"reasoning_tokens": N}}}"#
    try await check(
      ChatCompletionsModel.self,
      .stream(ChatEvent.text("a"), usage.replacing("N", with: sent), ChatEvent.done), told)
  }

  @Test(arguments: counts)
  func countsOfResponses(sent: String, told: Int) async throws {
    let usage =
      #", "usage": {"input_tokens": N, "output_tokens": N, "input_tokens_details": {"cached_tokens": N}, "output_tokens_details": {"reasoning_tokens": N}}"#
    try await check(
      ResponsesModel.self,
      .events(
        ResponseEvent.text("a"),
        ResponseEvent.last("completed", usage.replacing("N", with: sent))), told)
  }

  @Test(arguments: counts)
  func countsOfMessages(sent: String, told: Int) async throws {
    let usage =
      #"{"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"input_tokens": N, "cache_creation_input_tokens": N, "cache_read_input_tokens": N, "output_tokens": N, "output_tokens_details": {"thinking_tokens": N}}}"#
    try await check(
      MessagesModel.self,
      .events(
        MessageEvent.begin(0), MessageEvent.text("a"), usage.replacing("N", with: sent),
        MessageEvent.end), told, reads: 3)
  }

  @Test(arguments: counts)
  func countsOfAFullContext(sent: String, told: Int) async throws {
    let error =
      #"{"error": {"message": "full", "type": "exceed_context_size_error", "n_ctx": N, "n_prompt_tokens": N}}"#
    let played = try PlayedModel(.json(400, error.replacing("N", with: sent)))
    let thrown = await #expect(throws: LanguageModelError.self) {
      try await LanguageModelSession(model: played.model).respond(to: "?")
    }
    guard case .contextSizeExceeded(let full)? = thrown else {
      Issue.record("\(String(describing: thrown))")
      return
    }
    #expect(full.contextSize == told && full.tokenCount == told)
  }

  @Test(arguments: ["-1", "-9223372036854775808"])
  func aBlockBeforeTheFirstIsNoAnswer(index: String) async throws {
    for event in [
      #"{"type": "content_block_start", "index": N, "content_block": {"type": "text"}}"#,
      #"{"type": "content_block_delta", "index": N, "delta": {"type": "text_delta", "text": "a"}}"#,
      #"{"type": "content_block_stop", "index": N}"#,
    ] {
      let played = try Played<MessagesModel>(
        .events(MessageEvent.start, event.replacing("N", with: index), MessageEvent.end))
      let error = await #expect(throws: ModelServerError.self) {
        try await LanguageModelSession(model: played.model).respond(to: "?")
      }
      #expect(
        error
          == .malformed(
            server: played.origin, interface: .messages, reason: "it has a block before the first"))
    }
  }

  /// Places far apart are places all the same.
  @Test(arguments: ["-9223372036854775808", "-1", "9223372036854775807", "1e30", "0.5"])
  func placesOfOtherInterfacesAreNamesOnly(index: String) async throws {
    let call =
      #"{"choices": [{"delta": {"tool_calls": [{"index": N, "id": "a", "function": {"name": "weather", "arguments": "{\"city\": \"Bern\"}"}}]}}]}"#
    let chat = try PlayedModel(
      .stream(call.replacing("N", with: index), ChatEvent.done),
      .stream(ChatEvent.text("Rain."), ChatEvent.done))
    let session = LanguageModelSession(model: chat.model, tools: [Weather()])
    #expect(try await session.respond(to: "?").content == "Rain.")
    let text =
      #"{"type": "response.output_text.delta", "output_index": N, "content_index": N, "delta": "Rain."}"#
    let responses = try Played<ResponsesModel>(
      .events(text.replacing("N", with: index), ResponseEvent.end))
    #expect(
      try await LanguageModelSession(model: responses.model).respond(to: "?").content == "Rain.")
  }

  static let unsendable: [(options: GenerationOptions, text: String)] = [
    (
      GenerationOptions(temperature: .infinity),
      "The temperature is inf, but has to be a finite number."
    ),
    (
      GenerationOptions(temperature: .nan), "The temperature is nan, but has to be a finite number."
    ),
    (
      GenerationOptions(samplingMode: .random(probabilityThreshold: -.infinity)),
      "The top-p is -inf, but has to be a finite number."
    ),
  ]

  @Test(arguments: unsendable)
  func optionsThatJSONHasNoNumberForAreRefused(_ option: (options: GenerationOptions, text: String))
    async throws
  {
    func check<Model: ServerModel>(_ type: Model.Type) async throws {
      let played = try Played<Model>(.stream(ChatEvent.done))
      let error = await #expect(throws: GenerationOptionsError.self) {
        try await LanguageModelSession(model: played.model).respond(
          to: "?", options: option.options)
      }
      #expect(error?.description == option.text)
      #expect(try played.requests.isEmpty)
    }
    try await check(ChatCompletionsModel.self)
    try await check(ResponsesModel.self)
    try await check(MessagesModel.self)
  }

  @Test(arguments: [0, -1, 1e-300, 1e300, .infinity, .nan])
  func aTimeoutOfAnyLengthIsOne(seconds: Double) async throws {
    let played = try PlayedModel(.stream(ChatEvent.text("a"), ChatEvent.done)) {
      $0.timeout = seconds
    }
    _ = try ModelServer(played.model.executorConfiguration)
  }
}
