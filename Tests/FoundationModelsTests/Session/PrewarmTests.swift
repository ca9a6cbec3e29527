import SessionTestSupport
import Testing

@testable import FoundationModels

@Suite struct PrewarmTests {
  private static let instructions = "You are a patient teacher who explains one thing at a time."
  private static let prefix = "Write a story about a cat that lives in a house by the sea"

  private func session() -> LanguageModelSession {
    LanguageModelSession(model: SampleModels.plain, instructions: Self.instructions)
  }

  private func tokens(_ session: LanguageModelSession) async throws -> (evaluated: Int, held: Int) {
    let statistics = try #require(await session.engine.statistics)
    return (statistics.promptTokens, statistics.reusedTokens)
  }

  @Test(arguments: [" and of a dog.", "shore.", "!", "", "\nBe brief."])
  func whatWasPrewarmedIsNotComputedAgain(rest: String) async throws {
    let options = GenerationOptions(maximumResponseTokens: 8)
    let cold = session()
    let text = try await cold.respond(to: Self.prefix + rest, options: options).content
    let all = try await tokens(cold)
    #expect(all.held == 0)

    let warm = session()
    warm.prewarm(promptPrefix: Prompt(Self.prefix))
    #expect(try await warm.respond(to: Self.prefix + rest, options: options).content == text)
    let after = try await tokens(warm)
    #expect(after.evaluated + after.held == all.evaluated)
    let model = SampleModels.plain
    let before = try await model.tokenCount(for: Array(warm.transcript.prefix(1)))
    let prefix = try await model.tokenCount(for: Prompt(Self.prefix))
    // All but the mark that ends the prefix's turn, and its last pieces, which what follows may change.
    #expect(after.held >= before + prefix - 4)
  }

  @Test func withoutAPrefixTheInstructionsAreComputed() async throws {
    let warm = session()
    warm.prewarm()
    _ = try await warm.respond(to: "Hello", options: GenerationOptions(maximumResponseTokens: 2))
    let instructions = try await SampleModels.plain.tokenCount(for: Instructions(Self.instructions))
    #expect(try await tokens(warm).held >= instructions)
  }

  @Test func aNextTurnCanBePrewarmedToo() async throws {
    let options = GenerationOptions(maximumResponseTokens: 8)
    let (cold, warm) = (session(), session())
    for session in [cold, warm] { _ = try await session.respond(to: "Hello", options: options) }
    warm.prewarm(promptPrefix: Prompt(Self.prefix))
    let text = try await cold.respond(to: Self.prefix + ".", options: options).content
    #expect(try await warm.respond(to: Self.prefix + ".", options: options).content == text)
    let count = try await SampleModels.plain.tokenCount(for: Prompt(Self.prefix))
    #expect(try await tokens(warm).evaluated < tokens(cold).evaluated - count / 2)
  }

  @Test func anUnusableModelIsToldByTheResponse() async throws {
    let model = SystemLanguageModel(base: SampleModels.base.appendingPathComponent("none"))
    let session = LanguageModelSession(model: model)
    session.prewarm()
    await #expect(throws: LanguageModelSession.GenerationError.self) {
      try await session.respond(to: "Hello")
    }
  }
}
