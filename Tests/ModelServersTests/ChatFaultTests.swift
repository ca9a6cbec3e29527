import Foundation
import FoundationModels
import Testing

@testable import ModelServers

@Suite struct ChatFaultTests {
  private typealias Answer = ChatScenario.Answer

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let answer: ChatScenario.Answer
    /// With `SERVER` for the server's origin.
    let text: String
    /// How often the server was asked.
    var requests = 1

    var testDescription: String { name }
  }

  private static func error(_ message: String, _ members: String = "") -> String {
    #"{"error": {"message": "\#(message)"\#(members)}}"#
  }

  static let cases = [
    Case(
      name: "401", answer: .json(401, error("Incorrect key: sk-secret.")),
      text: "SERVER does not accept the key: Incorrect key: ***."),
    Case(
      name: "404", answer: .json(404, error("no such model")),
      text: "SERVER has no chat completions of the model 'tiny': no such model"),
    Case(
      name: "400", answer: .json(400, error("bad\\nfield\\u001b[31m")),
      text: "SERVER refused the request with status 400: bad field[31m"),
    Case(
      name: "a page", answer: .json(418, "<html>\n  teapot</html>"),
      text: "SERVER refused the request with status 418: <html> teapot</html>"),
    Case(
      name: "500", answer: .json(500, ""),
      text: "SERVER failed with status 500: it gives no reason", requests: 3),
    Case(
      name: "a full context",
      answer: .json(
        400,
        error(
          "too long",
          #", "type": "exceed_context_size_error", "n_ctx": 8, "n_prompt_tokens": 9"#)),
      text: "The conversation has become too long."),
    Case(
      name: "413", answer: .json(413, ""), text: "The conversation has become too long."),
    Case(
      name: "408", answer: .json(408, ""), text: "The language model took too long.",
      requests: 3),
    Case(
      name: "cut in an event",
      answer: Answer(pieces: ["data: {\"choices\": [{\"del"], cut: true),
      text:
        "The answer of SERVER ended before it was whole: 127.0.0.1 closed the connection after 24 bytes.",
      requests: 3),
    Case(
      name: "cut after an event", answer: .stream(ChatEvent.text("a"), cut: true),
      text:
        "The answer of SERVER ended before it was whole: 127.0.0.1 closed the connection after 115 bytes."
    ),
    Case(
      name: "no end", answer: .stream(ChatEvent.text("a")),
      text: "The answer of SERVER ended before it was whole: the stream has no end mark."),
    Case(
      name: "an error in the stream", answer: .stream(ChatEvent.text("a"), error("overloaded")),
      text: "The answer of SERVER ended before it was whole: overloaded."),
    Case(
      name: "an event that is no JSON", answer: .stream("{choices}"),
      text: "What SERVER sent is no answer of chat completions: an event of it is no JSON object."),
    Case(
      name: "an event of something else", answer: .stream(#"{"a": 1}"#),
      text:
        "What SERVER sent is no answer of chat completions: it has neither choices nor an error."),
    Case(
      name: "no JSON", answer: .json(200, "<html>"),
      text: "What SERVER sent is no answer of chat completions: it is no JSON object."),
    Case(
      name: "a redirect", answer: .json(307, "", ["Location": "http://127.0.0.2:1/"]),
      text: "SERVER did not answer: the redirect to http://127.0.0.1"),
    Case(
      name: "a refusal",
      answer: .stream(ChatEvent.delta(#"{"refusal": "I will not."}"#), ChatEvent.end()),
      text: "The language model refused to answer."),
    Case(
      name: "a filter", answer: .stream(ChatEvent.end("content_filter")),
      text: "The content was refused."),
  ]

  @Test(arguments: cases)
  func aFaultHasItsError(_ fault: Case) async throws {
    let played = try PlayedModel(fault.answer, key: "sk-secret", mark: fault.name)
    let session = LanguageModelSession(model: played.model)
    let error = await #expect(throws: (any Error).self) { try await session.respond(to: "?") }
    let origin = "http://127.0.0.1:\(played.server.port)"
    let text = error?.localizedDescription.replacing(origin, with: "SERVER") ?? ""
    if fault.name == "a redirect" {
      #expect(text.hasPrefix("SERVER did not answer: the redirect to SERVER"))
    } else {
      #expect(text == fault.text)
    }
    #expect(!"\(String(reflecting: error))".contains("sk-secret"))
    #expect(try played.requests.count == fault.requests)
    #expect(session.transcript.isEmpty && !session.isResponding)
  }

  @Test func aServerThatRecoversIsAskedAgain() async throws {
    let played = try PlayedModel(
      .json(503, ""), .json(429, "", ["Retry-After": "1"]),
      .stream(ChatEvent.text("Back."), ChatEvent.done))
    let response = try await LanguageModelSession(model: played.model).respond(to: "?")
    #expect(response.content == "Back.")
    #expect(try played.requests.count == 3)
  }

  @Test func whoAsksToWaitTooLongIsNotWaitedFor() async throws {
    let played = try PlayedModel(
      .json(429, #"{"error": {"message": "slow down"}}"#, ["Retry-After": "600"]))
    let before = Date.now
    let error = await #expect(throws: LanguageModelError.self) {
      try await LanguageModelSession(model: played.model).respond(to: "?")
    }
    guard case .rateLimited(let limit)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let wait = try #require(limit.resetDate).timeIntervalSince(before)
    #expect((599...700).contains(wait))
    #expect(limit.debugDescription == "http://127.0.0.1:\(played.server.port): slow down")
    #expect(try played.requests.count == 1)
  }

  @Test func silenceIsATimeout() async throws {
    let played = try PlayedModel(.stream(ChatEvent.text("a"), hang: true)) { $0.timeout = 0.5 }
    let error = await #expect(throws: LanguageModelError.self) {
      try await LanguageModelSession(model: played.model).respond(to: "?")
    }
    guard case .timeout? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try played.requests.count == 1)
  }

  @Test func cancellingEndsTheRequest() async throws {
    let played = try PlayedModel(.stream(ChatEvent.text("a"), hang: true), .stream(ChatEvent.done))
    let session = LanguageModelSession(model: played.model)
    let (started, arrival) = AsyncStream<Void>.makeStream()
    let task = Task {
      for try await _ in session.streamResponse(to: "?") { arrival.yield() }
      try Task.checkCancellation()
    }
    for await _ in started { break }
    let gone = try played.server.all().filter { $0.path == "gone" }.count
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // The server sees its client go.
    while try played.server.all().filter({ $0.path == "gone" }).count == gone {
      await Task.yield()
    }
    #expect(try await session.respond(to: "?").content == "")
    #expect(session.transcript.count == 2)
  }

  @Test func nobodyAtThePortIsToldAfterAllAttempts() async throws {
    var model = ChatCompletionsModel(
      name: "tiny", url: URL(string: "http://127.0.0.1:1/v1")!)
    model.environment = ["FMADAPTER_WAIT_SCALE": "0.01"]
    let error = await #expect(throws: ChatServerError.self) {
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
      "http://example.com/v1/chat/completions is not asked: plain http is open to everyone on the way; use https, or --allow-http."
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
    let error = await #expect(throws: ChatServerError.self) {
      try await LanguageModelSession(model: model).respond(to: "?")
    }
    #expect(error?.errorDescription == text.replacing("'no address'", with: "'no%20address'"))
  }

  @Test func aKeyGoesByHTTPSOnly() async throws {
    var options = ChatCompletionsModel.Options()
    options.allowsHTTP = true
    let url = try #require(URL(string: "http://example.com/v1"))
    let model = ChatCompletionsModel(name: "tiny", url: url, key: "sk-secret", options: options)
    let error = await #expect(throws: ChatServerError.self) {
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
