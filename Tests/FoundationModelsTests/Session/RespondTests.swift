import ChatTemplates
import Foundation
import LanguageModels
import SessionTestSupport
import Testing

@testable import FoundationModels

/// Answers of the bundled base and adapters; those of README.md are the same.
@Suite struct RespondTests {
  @Test func answersAsTheGeneratorDoes() async throws {
    let model = try BaseModel(path: SampleModels.base.path)
    let chat = try ChatRenderer(ChatStyle(.afm), tokenizer: model.tokenizer())
    let generator = try TokenGenerator(
      ModelSession(model),
      prompt: chat.prompt([ChatMessage(role: .user, content: SampleModels.note)]),
      stopTokens: chat.stopTokens)
    var decoder = chat.answerDecoder()
    var text = ""
    while let token = try generator.next() { text += decoder.append(token) }
    let session = LanguageModelSession(model: SampleModels.plain)
    #expect(try await session.respond(to: SampleModels.note).content == text + decoder.finish())
    #expect(text == "traffic, travel")
  }

  @Test func anAdapterChangesTheAnswer() async throws {
    let session = LanguageModelSession(model: try SampleModels.adapted(SampleModels.tagging))
    let response = try await session.respond(to: SampleModels.note)
    #expect(response.content == SampleModels.tags)
    #expect(response.rawContent == GeneratedContent(SampleModels.tags))
  }

  @Test func theTranscriptTellsWhatWasSaid() async throws {
    let session = LanguageModelSession(
      model: try SampleModels.adapted(SampleModels.tagging), instructions: "Be brief.")
    let options = GenerationOptions(maximumResponseTokens: 3)
    let response = try await session.respond(to: SampleModels.note, options: options)
    let transcript = session.transcript
    #expect(transcript.count == 3)
    #expect(Array(response.transcriptEntries) == Array(transcript.dropFirst()))
    #expect(transcript[0].description == "Instructions: Be brief.")
    let prompt = try #require(transcript[1].asPrompt)
    let entry = try #require(transcript[2].asResponse)
    #expect(prompt.segments.text == SampleModels.note)
    #expect(prompt.options == options)
    #expect(entry.segments.text == response.content)
    #expect(
      entry.assetIDs == [
        "87c91e2144a043f01c22b033105fd9c84f059d1d", "fmadapter-tagging-87c91e2",
      ])
  }

  @Test func aSecondPromptCostsOnlyItsOwnTokens() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let first = try await session.respond(to: "Name a fruit.")
    let held = try #require(await session.engine.statistics)
    _ = try await session.respond(to: "Name another one.")
    let statistics = try #require(await session.engine.statistics)
    // The stop token's logits came from the last token of the answer, so all of it was evaluated.
    #expect(held.finish == .stopToken)
    let evaluated = held.promptTokens + held.reusedTokens + held.generatedTokens
    #expect(statistics.reusedTokens == evaluated, "after '\(first.content)'")
  }

  @Test func aSessionGoesOnFromATranscript() async throws {
    let whole = LanguageModelSession(model: SampleModels.plain, instructions: "Be brief.")
    _ = try await whole.respond(to: "Name a fruit.")
    let copy = LanguageModelSession(model: SampleModels.plain, transcript: whole.transcript)
    let options = GenerationOptions(maximumResponseTokens: 12)
    let answer = try await whole.respond(to: "Write a story.", options: options).content
    #expect(try await copy.respond(to: "Write a story.", options: options).content == answer)
    #expect(copy.transcript.map(\.description) == whole.transcript.map(\.description))
  }

  @Test func aShortenedTranscriptIsContinued() async throws {
    let whole = LanguageModelSession(model: SampleModels.plain, instructions: "Be brief.")
    _ = try await whole.respond(to: "Name a fruit.")
    let entries = [whole.transcript.first, whole.transcript.last].compactMap(\.self)
    let session = LanguageModelSession(
      model: SampleModels.plain, transcript: Transcript(entries: entries))
    _ = try await session.respond(to: "Name another one.")
    #expect(session.transcript.count == 4)
  }

  @Test func sessionsWithDifferentAdaptersRunAtOnce() async throws {
    let play = "Write a play about a lantern with Mila and Otto in the harbor."
    let models = try [
      SampleModels.plain, SampleModels.adapted(SampleModels.tagging),
      SampleModels.adapted(SampleModels.playwriting),
    ]
    let options = GenerationOptions(maximumResponseTokens: 20)
    @Sendable func answer(_ model: SystemLanguageModel) async throws -> [String] {
      let session = LanguageModelSession(model: model)
      let first = try await session.respond(to: play, options: options).content
      return [first, try await session.respond(to: SampleModels.note, options: options).content]
    }
    var alone: [[String]] = []
    for model in models { alone.append(try await answer(model)) }
    let together = try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
      for (index, model) in models.enumerated() {
        for _ in 0..<2 { group.addTask { (index, try await answer(model)) } }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(alone).count == 3)
    #expect(together.count == 6)
    for (index, texts) in together { #expect(texts == alone[index]) }
  }
}
