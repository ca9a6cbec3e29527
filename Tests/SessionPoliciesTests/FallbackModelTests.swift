import Foundation
import SessionPolicies
import SessionTestSupport
import Synchronization
import Testing

@testable import FoundationModels

@Suite struct FallbackModelTests {
  private typealias Choice = FallbackModel.Choice
  private typealias GenerationError = LanguageModelSession.GenerationError

  private static func failing(_ error: any Error) -> ScriptedModel { ScriptedModel([.fail(error)]) }

  private static let context = GenerationError.Context(debugDescription: "why")

  /// What was passed on: names and reasons.
  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func note(_ passing: FallbackModel.Passing) {
      lines.withLock { $0.append("\(passing.from)→\(passing.to): \(passing.reason.rawValue)") }
    }
  }

  @Test func theFirstThatCanAnswers() async throws {
    let log = Log()
    let full = LanguageModelError.contextSizeExceeded(
      .init(contextSize: 1, tokenCount: 2, debugDescription: "full"))
    let last = ScriptedModel(
      [
        .text("Here."), .event(.response(action: .updateMetadata(["model": "m"]))),
        .usage(3, cached: 0, 1),
      ], [.text("Not I.")])
    let model = FallbackModel(
      [
        Choice("near", Self.failing(GenerationError.assetsUnavailable(Self.context))),
        Choice("far", Self.failing(full)), Choice("last", last),
      ], onPassing: log.note)
    let session = LanguageModelSession(model: model)
    let response = try await session.respond(to: "?")
    #expect(response.content == "Here." && response.usage.totalTokenCount == 4)
    #expect(log.all == ["near→far: unavailable", "far→last: tooLong"])
    let said = try #require(session.transcript.last?.asResponse)
    #expect(said.metadata["answeredBy"] as? String == "last")
    #expect(said.metadata["model"] as? String == "m")
    let passed = said.metadata["passedOn"] as? [String]
    #expect(passed == ["near: unavailable: why", "far: tooLong: full"])
    #expect(session.transcript.count == 2)
    // Each request begins with the first one anew, which has nothing to say any more.
    #expect(try await session.respond(to: "?").content == "")
    let next = try #require(session.transcript.last?.asResponse)
    #expect(next.metadata["answeredBy"] as? String == "near")
    #expect(next.metadata["passedOn"] == nil)
  }

  @Test(arguments: [
    (
      LanguageModelError.timeout(.init(debugDescription: "")) as any Error,
      FallbackModel.Reason.unavailable
    ),
    (LanguageModelError.rateLimited(.init(resetDate: nil, debugDescription: "")), .unavailable),
    (
      LanguageModelError.unsupportedLanguageOrLocale(
        .init(languageCode: "de", debugDescription: "")), .language
    ),
    (GenerationError.unsupportedGuide(context), .capability),
    (GenerationError.exceededContextWindowSize(context), .tooLong),
    (LanguageModelError.guardrailViolation(.init(debugDescription: "")), .error),
    (Broken(), .error),
  ])
  func aModelPassesOnForItsReasonsAlone(error: any Error, reason: FallbackModel.Reason) async throws
  {
    let willing = FallbackModel([
      Choice("a", Self.failing(error), passesOn: [reason]),
      Choice("b", ScriptedModel([.text("b")])),
    ])
    #expect(try await LanguageModelSession(model: willing).respond(to: "?").content == "b")
    let others = Set(FallbackModel.Reason.allCases).subtracting([reason])
    let log = Log()
    let unwilling = FallbackModel(
      [
        Choice("a", Self.failing(error), passesOn: others),
        Choice("b", ScriptedModel([.text("b")])),
      ], onPassing: log.note)
    let session = LanguageModelSession(model: unwilling)
    let thrown = await #expect(throws: (any Error).self) { try await session.respond(to: "?") }
    #expect(thrown.map { "\($0)" } == "\(error)")
    #expect(log.all.isEmpty && session.transcript.isEmpty)
  }

  @Test func nothingIsPassedOnThatWasBegun() async throws {
    let model = FallbackModel([
      Choice("a", ScriptedModel([.text("half"), .fail(Broken())])),
      Choice("b", ScriptedModel([.text("b")])),
    ])
    await #expect(throws: Broken.self) {
      try await LanguageModelSession(model: model).respond(to: "?")
    }
  }

  @Test(
    arguments: [
      .response(action: .updateUsage(input: read, output: written)),
      .reasoning(action: .updateUsage(input: read, output: written)),
      .toolCalls(action: .updateUsage(input: read, output: written)),
    ] as [LanguageModelExecutorGenerationChannel.Event])
  func countsAloneBeginNoAnswer(_ usage: LanguageModelExecutorGenerationChannel.Event) async throws
  {
    let model = FallbackModel([
      Choice("a", ScriptedModel([.event(usage), .fail(Broken())])),
      Choice("b", ScriptedModel([.text("b"), .event(usage)])),
    ])
    let response = try await LanguageModelSession(model: model).respond(to: "?")
    #expect(response.content == "b" && response.usage.totalTokenCount == 4)
  }

  private static let read = LanguageModelExecutorGenerationChannel.Usage.Input(
    totalTokenCount: 3, cachedTokenCount: 0)
  private static let written = LanguageModelExecutorGenerationChannel.Usage.Output(
    totalTokenCount: 1, reasoningTokenCount: 0)

  @Test func theLastErrorIsTheOneThatIsThrown() async throws {
    let model = FallbackModel([
      Choice("a", Self.failing(Broken())),
      Choice("b", Self.failing(GenerationError.assetsUnavailable(Self.context))),
    ])
    await #expect(throws: GenerationError.self) {
      try await LanguageModelSession(model: model).respond(to: "?")
    }
  }

  @Test func aCancelledRequestIsNotPassedOn() async throws {
    let first = ScriptedModel([.hang])
    let second = ScriptedModel([.text("b")])
    let model = FallbackModel([Choice("a", first), Choice("b", second)])
    let session = LanguageModelSession(model: model)
    let task = Task { try await session.respond(to: "?") }
    for await _ in first.script.reached { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(second.script.requests.isEmpty)
  }

  @Test func whatAModelCannotDoAnotherOneDoes() async throws {
    var plain = ScriptedModel([.text("no")])
    plain.capabilities = LanguageModelCapabilities([])
    let able = ScriptedModel(
      [.call("1", "switchLamp", #"{"room": "hall", "isOn": true}"#)], [.text("Done.")])
    let model = FallbackModel([Choice("plain", plain), Choice("able", able)])
    #expect(model.capabilities.contains(.toolCalling))
    let session = LanguageModelSession(model: model, tools: [Lamp()])
    #expect(try await session.respond(to: "Light!").content == "Done.")
    #expect(plain.script.requests.isEmpty)
    let calls = try #require(session.transcript[2].asToolCalls)
    #expect(calls[0].metadata["answeredBy"] as? String == "able")
    session.prewarm()
    _ = try await session.respond(to: "?")
    #expect(plain.script.prewarmed.count == 1)
  }

  @Test func theModelOfThisMachineKeepsItsTokens() async throws {
    let missing = SystemLanguageModel(base: SampleModels.base.appendingPathComponent("none"))
    let log = Log()
    let model = FallbackModel(
      [Choice("none", missing), Choice("bundled", SampleModels.plain)], onPassing: log.note)
    let session = LanguageModelSession(model: model)
    let plain = LanguageModelSession(model: SampleModels.plain)
    for session in [session, plain] { _ = try await session.respond(to: SampleModels.note) }
    let options = GenerationOptions(maximumResponseTokens: 8)
    let expected = try await plain.respond(to: "Hello", options: options).content
    #expect(try await session.respond(to: "Hello", options: options).content == expected)
    #expect(log.all == ["none→bundled: unavailable", "none→bundled: unavailable"])
    let (own, other) = (await session.engine.statistics, await plain.engine.statistics)
    #expect(own?.reusedTokens == other?.reusedTokens)
  }

  @Test func aModelOfAnotherLanguageIsPassedOver() async throws {
    let log = Log()
    let german = FallbackModel(
      [Choice("English", SampleModels.plain), Choice("any", ScriptedModel([.text("Ja.")]))],
      locale: Locale(identifier: "de_CH"), onPassing: log.note)
    #expect(try await LanguageModelSession(model: german).respond(to: "Gut?").content == "Ja.")
    #expect(log.all == ["English→any: language"])
  }

  @Test func theCloudPassesEverythingOn() async throws {
    let model = FallbackModel([
      Choice("cloud", PrivateCloudComputeLanguageModel(), passesOn: [.unavailable]),
      Choice("here", ScriptedModel([.text("Here.")])),
    ])
    #expect(try await LanguageModelSession(model: model).respond(to: "?").content == "Here.")
  }

  @Test(
    arguments: [
      ([.usage(9, cached: 4, 2), .fail(Broken())], 11),
      ([.text("a"), .text("b"), .fail(Broken())], 2),
      ([.call("1", "t", "{"), .usage(9, cached: 0, 3)], 12),
      ([.fail(Broken())], 0),
    ] as [([ScriptedModel.Step], Int)])
  func anAnswerThatFailsHasTakenWhatItHas(steps: [ScriptedModel.Step], tokens: Int) async throws {
    let model = FallbackModel([Choice("a", ScriptedModel(steps, [.text("fine")]))])
    let session = LanguageModelSession(model: model)
    await #expect(throws: (any Error).self) { try await session.respond(to: "?") }
    #expect(session.usage.totalTokenCount == tokens)
    #expect(try await session.respond(to: "?").usage.totalTokenCount == 1)
    #expect(session.usage.totalTokenCount == tokens + 1)
  }
}
