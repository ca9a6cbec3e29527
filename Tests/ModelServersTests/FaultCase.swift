import Foundation
import FoundationModels
import Testing

@testable import ModelServers

/// An answer that is a fault, and what is told of it.
struct FaultCase: Sendable, CustomTestStringConvertible {
  let name: String
  let answer: ChatScenario.Answer
  /// With `SERVER` for the server's origin.
  let text: String
  /// How often the server was asked.
  var requests = 1

  var testDescription: String { name }

  /// Asks a model whose server plays the fault.
  func check<Model: ServerModel>(_ type: Model.Type) async throws {
    let played = try Played<Model>(answer, key: "sk-secret", mark: name)
    let session = LanguageModelSession(model: played.model)
    let error = await #expect(throws: (any Error).self) { try await session.respond(to: "?") }
    let shown = error?.localizedDescription.replacing(played.origin, with: "SERVER") ?? ""
    // What is wrong in detail follows.
    let detail = (error as? any LocalizedError)?.failureReason
    let texts = [text, "\(text) \(detail?.replacing(played.origin, with: "SERVER") ?? "")"]
    #expect(texts.contains(shown))
    #expect(!"\(String(reflecting: error))".contains("sk-secret"))
    #expect(try played.requests.count == requests)
    #expect(session.transcript.isEmpty && !session.isResponding)
  }
}

/// What does not depend on the interface, over each of them.
@Suite struct ServerWaitTests {
  private typealias Answer = ChatScenario.Answer

  private static let openings: [ServerInterface: Answer] = [
    .chatCompletions: .stream(ChatEvent.text("a"), hang: true),
    .responses: .events(ResponseEvent.text("a"), hang: true),
    .messages: .events(
      MessageEvent.start, MessageEvent.begin(0), MessageEvent.text("a"), hang: true),
  ]
  private static let wholes: [ServerInterface: Answer] = [
    .chatCompletions: .stream(ChatEvent.text("Back."), ChatEvent.done),
    .responses: .events(ResponseEvent.text("Back."), ResponseEvent.end),
    .messages: .events(
      MessageEvent.start, MessageEvent.begin(0), MessageEvent.text("Back."), MessageEvent.stop(),
      MessageEvent.end),
  ]
  static let all: [any ServerModel.Type] = [
    ChatCompletionsModel.self, ResponsesModel.self, MessagesModel.self,
  ]

  private static func interface<Model: ServerModel>(_ type: Model.Type) throws -> ServerInterface {
    let url = try #require(URL(string: "http://127.0.0.1/v1"))
    return Model(name: "", url: url).form.interface
  }

  @Test(arguments: all.indices) func silenceIsATimeout(_ index: Int) async throws {
    func check<Model: ServerModel>(_ type: Model.Type) async throws {
      let opening = try #require(Self.openings[Self.interface(type)])
      let played = try Played<Model>(opening) { $0.timeout = 0.5 }
      let error = await #expect(throws: LanguageModelError.self) {
        try await LanguageModelSession(model: played.model).respond(to: "?")
      }
      guard case .timeout(let timeout)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(timeout.debugDescription.hasPrefix("\(played.origin) has sent nothing for "))
      #expect(try played.requests.count == 1)
    }
    try await check(Self.all[index])
  }

  @Test(arguments: all.indices) func cancellingEndsTheRequest(_ index: Int) async throws {
    func check<Model: ServerModel>(_ type: Model.Type) async throws {
      let interface = try Self.interface(type)
      let played = try Played<Model>(
        try #require(Self.openings[interface]), try #require(Self.wholes[interface]))
      let session = LanguageModelSession(model: played.model)
      let (started, arrival) = AsyncStream<Void>.makeStream()
      let task = Task {
        for try await _ in session.streamResponse(to: "?") { arrival.yield() }
        try Task.checkCancellation()
      }
      for await _ in started { break }
      let scenario = try #require(try played.requests.first).scenario
      func isGone() throws -> Bool {
        try played.server.all().contains { $0.path == "gone" && $0.scenario == scenario }
      }
      #expect(try !isGone())
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      // The server sees its client go.
      while try !isGone() { await Task.yield() }
      #expect(try await session.respond(to: "?").content == "Back.")
      #expect(session.transcript.count == 2)
    }
    try await check(Self.all[index])
  }

  @Test(arguments: all.indices) func aServerThatRecoversIsAskedAgain(_ index: Int) async throws {
    func check<Model: ServerModel>(_ type: Model.Type) async throws {
      let whole = try #require(Self.wholes[Self.interface(type)])
      let played = try Played<Model>(
        .json(529, ""), .json(429, "", ["Retry-After": "1"]), whole)
      let response = try await LanguageModelSession(model: played.model).respond(to: "?")
      #expect(response.content == "Back.")
      #expect(try played.requests.count == 3)
    }
    try await check(Self.all[index])
  }

  @Test(arguments: all.indices) func whoAsksToWaitTooLongIsNotWaitedFor(_ index: Int) async throws {
    func check<Model: ServerModel>(_ type: Model.Type) async throws {
      let played = try Played<Model>(
        .json(429, #"{"error": {"message": "slow down"}}"#, ["Retry-After": "600"]))
      let before = Date.now
      let error = await #expect(throws: LanguageModelError.self) {
        try await LanguageModelSession(model: played.model).respond(to: "?")
      }
      guard case .rateLimited(let limit)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      let reset = try #require(limit.resetDate)
      #expect((before + 600...Date.now + 600).contains(reset))
      #expect(limit.debugDescription == "\(played.origin): slow down")
      #expect(try played.requests.count == 1)
    }
    try await check(Self.all[index])
  }
}
