import Foundation
import FoundationModels
import Testing

@testable import ModelServers

@Suite struct MessagesFaultTests {
  private typealias Event = MessageEvent

  static let cases = [
    FaultCase(
      name: "403", answer: .json(403, Event.error("permission_error", "not you")),
      text: "SERVER does not accept the key: not you"),
    FaultCase(
      name: "404", answer: .json(404, Event.error("not_found_error", "model: tiny")),
      text: "SERVER has no model 'tiny' in the Messages API: model: tiny"),
    FaultCase(
      name: "a full context",
      answer: .json(
        400,
        Event.error("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum")),
      text: "The conversation has become too long."),
    FaultCase(
      name: "a limit of money",
      answer: .json(
        429,
        #"{"type": "error", "error": {"type": "rate_limit_error", "message": "spent", "details": {"error_code": "enforced_spend_limit_reached"}}}"#
      ), text: "SERVER refused the request with status 429: spent"),
    FaultCase(
      name: "529", answer: .json(529, Event.error("overloaded_error", "Overloaded")),
      text: "SERVER failed with status 529: Overloaded", requests: 3),
    FaultCase(
      name: "overloaded at the beginning of a stream",
      answer: .events(Event.start, Event.error("overloaded_error", "Overloaded")),
      text: "SERVER failed with status 529: Overloaded", requests: 3),
    FaultCase(
      name: "too fast, in a stream",
      answer: .events(Event.error("rate_limit_error", "slow down")),
      text: "There were too many requests.", requests: 3),
    FaultCase(
      name: "too slow, in a stream", answer: .events(Event.error("timeout_error", "late")),
      text: "The language model took too long.", requests: 3),
    FaultCase(
      name: "an unknown error at the beginning",
      answer: .events(Event.error("weather_error", "It rains")),
      text: "The answer of SERVER ended before it was whole: It rains."),
    FaultCase(
      name: "overloaded in the midst",
      answer: .events(
        Event.start, Event.begin(0), Event.text("a"),
        Event.error("overloaded_error", "Overloaded")),
      text: "The answer of SERVER ended before it was whole: Overloaded."),
    FaultCase(
      name: "cut before anything was said", answer: .events(Event.start, cut: true),
      text:
        "The answer of SERVER ended before it was whole: 127.0.0.1 closed the connection after 255 bytes.",
      requests: 3),
    FaultCase(
      name: "cut after a text",
      answer: .events(Event.start, Event.begin(0), Event.text("a"), cut: true),
      text:
        "The answer of SERVER ended before it was whole: 127.0.0.1 closed the connection after 504 bytes."
    ),
    FaultCase(
      name: "no end", answer: .events(Event.start, Event.begin(0), Event.text("a")),
      text: "The answer of SERVER ended before it was whole: the stream has no end mark."),
    FaultCase(
      name: "an event of something else", answer: .events(#"{"a": 1}"#),
      text: "What SERVER sent is no answer of the Messages API: it has neither a type nor an error."
    ),
    FaultCase(
      name: "a block from nowhere", answer: .events(Event.start, Event.text("a", 3)),
      text: "What SERVER sent is no answer of the Messages API: a block of it has no beginning."),
    FaultCase(
      name: "a refusal",
      answer: .events(
        Event.start, Event.begin(0), Event.text("a"), Event.close(0), Event.stop("refusal"),
        Event.end),
      text: "The language model refused to answer."),
    FaultCase(
      name: "a pause", answer: .events(Event.start, Event.stop("pause_turn"), Event.end),
      text: "The answer of SERVER ended before it was whole: the server has paused it."),
    FaultCase(
      name: "arguments that are no JSON",
      answer: .events(
        Event.start, Event.call(0, "a"), Event.arguments(#"{"city"#, 0), Event.close(0),
        Event.stop("max_tokens"), Event.end),
      text: "The answer is not of the kind that was asked for."),
  ]

  @Test(arguments: cases)
  func aFaultHasItsError(_ fault: FaultCase) async throws {
    try await fault.check(MessagesModel.self)
  }

  @Test func aFullContextSaysHowFull() async throws {
    let played = try Played<MessagesModel>(
      .json(
        400,
        Event.error("invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum")))
    let error = await #expect(throws: LanguageModelError.self) {
      try await LanguageModelSession(model: played.model).respond(to: "?")
    }
    guard case .contextSizeExceeded(let full)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(full.contextSize == 200_000 && full.tokenCount == 208_310)
    #expect(
      full.debugDescription
        == "\(played.origin): prompt is too long: 208310 tokens > 200000 maximum")
  }

  @Test func aRefusalIsExplained() async throws {
    let played = try Played<MessagesModel>(
      .events(
        Event.start,
        Event.stop("refusal", #", "stop_details": {"type": "refusal", "explanation": "Too hot."}"#),
        Event.end))
    let error = await #expect(throws: LanguageModelError.self) {
      try await LanguageModelSession(model: played.model).respond(to: "?")
    }
    guard case .refusal(let refusal)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try await refusal.explanation.content == "Too hot.")
  }
}
