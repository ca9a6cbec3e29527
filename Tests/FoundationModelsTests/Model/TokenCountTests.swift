import Foundation
import Testing

@testable import FoundationModels

@Suite struct TokenCountTests {
  private let model = SampleModels.plain

  @Test func aTranscriptCountsAsTheSessionDoes() async throws {
    let session = LanguageModelSession(model: model, instructions: "Be brief.")
    _ = try await session.respond(to: SampleModels.note)
    let count = try await model.tokenCount(for: session.transcript)
    _ = try await session.respond(to: "Why?", options: GenerationOptions(maximumResponseTokens: 1))
    let statistics = try #require(await session.engine.statistics)
    let next = try await model.tokenCount(for: Prompt("Why?"))
    // The second prompt is followed by the start of the answer's turn: a mark, the role, a mark.
    let start = statistics.promptTokens + statistics.reusedTokens - count - next
    #expect((2...4).contains(start), "\(start)")
  }

  @Test func partsAddUp() async throws {
    let instructions = Transcript.Instructions(segments: [.text(.init(content: "Be brief."))])
    let prompt = Transcript.Prompt(segments: [.text(.init(content: "Hello"))])
    let opening = try await model.tokenCount(for: [.instructions(instructions)])
    let both = try await model.tokenCount(for: [.instructions(instructions), .prompt(prompt)])
    #expect(try await both - opening == model.tokenCount(for: "Hello"))
    let turn = try await model.tokenCount(for: Instructions("Be brief."))
    // A chat of this format starts with one token.
    #expect(opening == turn + 1)
    // The base has instructions of its own for who gives none.
    #expect(try await model.tokenCount(for: []) > 1)
  }

  @Test func withoutAModelThereIsAnError() async {
    let model = SystemLanguageModel(base: URL(fileURLWithPath: "/nonexistent"))
    await #expect(throws: LanguageModelSession.GenerationError.self) {
      try await model.tokenCount(for: "Hello")
    }
  }
}
