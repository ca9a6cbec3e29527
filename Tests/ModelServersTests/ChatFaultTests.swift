import Foundation
import FoundationModels
import Testing

@testable import ModelServers

@Suite struct ChatFaultTests {
  private typealias Answer = ChatScenario.Answer

  private static func error(_ message: String, _ members: String = "") -> String {
    #"{"error": {"message": "\#(message)"\#(members)}}"#
  }

  static let cases = [
    FaultCase(
      name: "401", answer: .json(401, error("Incorrect key: sk-secret.")),
      text: "SERVER does not accept the key: Incorrect key: ***."),
    FaultCase(
      name: "404", answer: .json(404, error("no such model")),
      text: "SERVER has no model 'tiny' in chat completions: no such model"),
    FaultCase(
      name: "400", answer: .json(400, error("bad\\nfield\\u001b[31m")),
      text: "SERVER refused the request with status 400: bad field[31m"),
    FaultCase(
      name: "a page", answer: .json(418, "<html>\n  teapot</html>"),
      text: "SERVER refused the request with status 418: <html> teapot</html>"),
    FaultCase(
      name: "500", answer: .json(500, ""),
      text: "SERVER failed with status 500: it gives no reason", requests: 3),
    FaultCase(
      name: "a full context",
      answer: .json(
        400,
        error(
          "too long",
          #", "type": "exceed_context_size_error", "n_ctx": 8, "n_prompt_tokens": 9"#)),
      text: "The conversation has become too long."),
    FaultCase(
      name: "more tokens asked for than there are",
      answer: .json(
        400,
        error("'max_tokens' is too large: 9. This model's maximum context length is 8 tokens.")),
      text:
        "SERVER refused the request with status 400: 'max_tokens' is too large: 9. This model's "
        + "maximum context length is 8 tokens."),
    FaultCase(
      name: "413", answer: .json(413, ""), text: "The conversation has become too long."),
    FaultCase(
      name: "408", answer: .json(408, ""), text: "The language model took too long.",
      requests: 3),
    FaultCase(
      name: "cut in an event",
      answer: Answer(pieces: ["data: {\"choices\": [{\"del"], cut: true),
      text:
        "The answer of SERVER ended before it was whole: 127.0.0.1 closed the connection after 24 bytes.",
      requests: 3),
    FaultCase(
      name: "cut after an event", answer: .stream(ChatEvent.text("a"), cut: true),
      text:
        "The answer of SERVER ended before it was whole: 127.0.0.1 closed the connection after 115 bytes."
    ),
    FaultCase(
      name: "no end", answer: .stream(ChatEvent.text("a")),
      text: "The answer of SERVER ended before it was whole: the stream has no end mark."),
    FaultCase(
      name: "an error in the stream", answer: .stream(ChatEvent.text("a"), error("overloaded")),
      text: "The answer of SERVER ended before it was whole: overloaded."),
    FaultCase(
      name: "an error at the beginning of a stream",
      answer: .stream(error("busy", #", "type": "server_error""#)),
      text: "SERVER failed with status 500: busy", requests: 3),
    FaultCase(
      name: "an error of llama.cpp at the beginning of a stream",
      answer: .stream(error("no room", #", "code": 503"#)),
      text: "SERVER failed with status 503: no room", requests: 3),
    FaultCase(
      name: "an error at the beginning that no wait mends",
      answer: .stream(error("what?", #", "type": "invalid_request_error""#)),
      text: "SERVER refused the request with status 400: what?"),
    FaultCase(
      name: "an account that is empty",
      answer: .json(429, error("You are out of money.", #", "code": "insufficient_quota""#)),
      text: "SERVER refused the request with status 429: You are out of money."),
    FaultCase(
      name: "an event that is no JSON", answer: .stream("{choices}"),
      text: "What SERVER sent is no answer of chat completions: an event of it is no JSON object."),
    FaultCase(
      name: "an event of something else", answer: .stream(#"{"a": 1}"#),
      text:
        "What SERVER sent is no answer of chat completions: it has neither choices nor an error."),
    FaultCase(
      name: "no JSON", answer: .json(200, "<html>"),
      text: "What SERVER sent is no answer of chat completions: it is no JSON object."),
    FaultCase(
      name: "a redirect", answer: .json(307, "", ["Location": "http://127.0.0.2:1/"]),
      text: "SERVER did not answer: the redirect to http://127.0.0.2:1/ is not followed: what is "
        + "sent is for one server."),
    FaultCase(
      name: "a refusal",
      answer: .stream(ChatEvent.delta(#"{"refusal": "I will not."}"#), ChatEvent.end()),
      text: "The language model refused to answer."),
    FaultCase(
      name: "a filter", answer: .stream(ChatEvent.end("content_filter")),
      text: "The content was refused."),
  ]

  @Test(arguments: cases)
  func aFaultHasItsError(_ fault: FaultCase) async throws {
    try await fault.check(ChatCompletionsModel.self)
  }

  /// Words of vLLM, an older one, SGLang, Mistral and xAI.
  @Test(arguments: [
    (
      "This model's maximum context length is 6048 tokens. However, you requested 6616 tokens (568 in the messages, 6048 in the completion).",
      6048, 6616
    ),
    ("max_tokens must be at least 1, got -186.", 0, 0),
    ("The input (300 tokens) is longer than the model's context length (200 tokens).", 200, 300),
    (
      "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      32_768, 40_000
    ),
    (
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      131_072, 537_812
    ),
  ])
  func aFullContextIsKnownByItsWords(message: String, size: Int, count: Int) async throws {
    let body =
      #"{"object": "error", "message": "\#(message)", "type": "BadRequestError", "param": null, "code": 400}"#
    let played = try PlayedModel(.json(400, body))
    let error = await #expect(throws: LanguageModelError.self) {
      try await LanguageModelSession(model: played.model).respond(to: "?")
    }
    guard case .contextSizeExceeded(let full)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(full.contextSize == size && full.tokenCount == count)
  }

  @Test func nobodyAtThePortIsToldAfterAllAttempts() async throws {
    var model = ChatCompletionsModel(
      name: "tiny", url: URL(string: "http://127.0.0.1:1/v1")!)
    model.served.environment = ["FMADAPTER_WAIT_SCALE": "0.01"]
    let error = await #expect(throws: ModelServerError.self) {
      try await LanguageModelSession(model: model).respond(to: "?")
    }
    #expect(
      error?.errorDescription
        == "http://127.0.0.1:1 did not answer: nothing listens at 127.0.0.1:1 on this machine.")
  }

  @Test(arguments: [
    ("no address", nil as String?, "'no address' is no address."),
    (
      "http://example.com/v1", nil,
      "http://example.com/v1/chat/completions is not asked: plain http is open to everyone on the way; use https, or ServerOptions.allowsHTTP."
    ),
    (
      "file:///etc/v1", nil,
      "file:///etc/v1/chat/completions is not asked: only https addresses are fetched."
    ),
    (
      "https://example.com/v1", "a b",
      "The key has characters in it that no field of a request may have."
    ),
    (
      "https://example.com/v1", "a\nX-Other: b",
      "The key has characters in it that no field of a request may have."
    ),
  ])
  func whatCannotBeAskedIsRefused(address: String, key: String?, text: String) async throws {
    let url = try #require(URL(string: address.replacing(" ", with: "%20")))
    let model = ChatCompletionsModel(name: "tiny", url: url, key: key)
    let error = await #expect(throws: ModelServerError.self) {
      try await LanguageModelSession(model: model).respond(to: "?")
    }
    #expect(error?.errorDescription == text.replacing("'no address'", with: "'no%20address'"))
  }

  @Test func aKeyGoesByHTTPSOnly() async throws {
    var options = ServerOptions()
    options.allowsHTTP = true
    let url = try #require(URL(string: "http://example.com/v1"))
    let model = ChatCompletionsModel(name: "tiny", url: url, key: "sk-secret", options: options)
    let error = await #expect(throws: ModelServerError.self) {
      try await LanguageModelSession(model: model).respond(to: "?")
    }
    #expect(
      error?.errorDescription
        == "A key is sent by https only; http://example.com is something else.")
    for text in ["\(model)", String(reflecting: model), "\(model.executorConfiguration)"] {
      #expect(!text.contains("sk-secret"))
    }
    var dumped = ""
    dump(model, to: &dumped)
    #expect(!dumped.contains("sk-secret"))
  }
}
