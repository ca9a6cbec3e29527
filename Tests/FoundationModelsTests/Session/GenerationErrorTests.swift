import Foundation
import LanguageModels
import SessionTestSupport
import Testing

@testable import FoundationModels

private typealias GenerationError = LanguageModelSession.GenerationError

@Suite struct GenerationErrorTests {
  private static let context = GenerationError.Context(debugDescription: "Details.")

  @Test(arguments: [
    (
      LanguageModelSession.GenerationError.exceededContextWindowSize(context),
      "The conversation has become too long.",
      "Start a new session, with a shorter transcript or prompt."
    ),
    (
      .assetsUnavailable(context), "The language model cannot be used.",
      "Install what is missing, then try again."
    ),
    (.guardrailViolation(context), "The content was refused.", "Change the prompt."),
    (
      .unsupportedGuide(context), "The kind of answer that was asked for is not supported.",
      "Use another guide."
    ),
    (
      .unsupportedLanguageOrLocale(context), "The language model does not know this language.",
      "Use another language."
    ),
    (
      .decodingFailure(context), "The answer is not of the kind that was asked for.",
      "Try again, or allow a longer response."
    ),
    (.rateLimited(context), "There were too many requests.", "Try again later."),
    (
      .concurrentRequests(context), "Another answer is still being written.",
      "Wait for the answer, or use a session of its own."
    ),
    (
      .refusal(.init(transcriptEntries: []), context), "The language model refused to answer.",
      "Ask for something else."
    ),
  ])
  func speaksToPeopleAndDevelopers(
    _ error: LanguageModelSession.GenerationError, _ text: String, _ remedy: String
  ) {
    #expect(error.errorDescription == text + " Details.")
    #expect(error.localizedDescription == text + " Details.")
    #expect(error.recoverySuggestion == remedy)
    #expect(error.failureReason == "Details.")
  }

  @Test func aRefusalTellsWhatTheModelSaid() async throws {
    let segments = [Transcript.Segment](text: "I would rather not.")
    let refusal = GenerationError.Refusal(transcriptEntries: [
      .prompt(Transcript.Prompt(segments: [Transcript.Segment](text: "Lie."))),
      .response(Transcript.Response(assetIDs: [], segments: segments)),
    ])
    let explanation = try await refusal.explanation
    #expect(explanation.content == "I would rather not.")
    #expect(explanation.transcriptEntries.count == 2)
    var snapshots: [String] = []
    for try await snapshot in refusal.explanationStream { snapshots.append(snapshot.content) }
    #expect(snapshots == ["I would rather not."])
  }

  @Test func aLongPromptIsTooLongForTheContext() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let error = await #expect(throws: LanguageModelError.self) {
      try await session.respond(to: String(repeating: "long ", count: 4000))
    }
    #expect(error?.caseName == "contextSizeExceeded")
    let count = try await SampleModels.plain.tokenCount(
      for: String(repeating: "long ", count: 4000))
    let instructions = try await SampleModels.plain.tokenCount(for: [Transcript.Entry]())
    #expect(
      error?.failureReason
        == "The context holds 2048 tokens, and more are needed with a response: instructions \(instructions), prompt \(count). Shorten what is longest, or start a new session."
    )
  }

  @Generable
  struct Note { @Guide(description: "What it is about") var topic: String }

  @Test func anErrorSaysWhatFillsTheContext() async throws {
    let session = LanguageModelSession(
      model: SampleModels.plain, tools: [BreadDatabaseTool()], instructions: "Be brief.")
    let options = GenerationOptions(maximumResponseTokens: 4, toolCallingMode: .disallowed)
    _ = try await session.respond(to: "Hello", options: options)
    let long = String(repeating: "long ", count: 4000)
    for stream in [false, true] {
      let error = await #expect(throws: LanguageModelError.self) {
        if stream {
          _ = try await session.streamResponse(to: long, generating: Note.self).collect()
        } else {
          _ = try await session.respond(to: long, generating: Note.self)
        }
      }
      #expect(error?.caseName == "contextSizeExceeded")
      let text = try #require(error?.failureReason)
      let parts = text.split(separator: ": ", maxSplits: 1).last ?? ""
      let names = parts.prefix { $0 != "." }.split(separator: ", ").map { $0.prefix { $0 != " " } }
      #expect(names == ["instructions", "tools", "history", "schema", "prompt"])
      let tools = try await SampleModels.plain.tokenCount(for: [BreadDatabaseTool()])
      #expect(parts.contains("tools \(tools),"))
    }
  }

  @Test func whatFillsTheContextIsAllOfIt() async throws {
    let model = SampleModels.plain
    let session = LanguageModelSession(model: model)
    _ = try await session.respond(to: "Is ice cold?", generating: Bool.self)
    let endless = try GenerationSchema(
      root: DynamicGenerationSchema(
        arrayOf: DynamicGenerationSchema(type: Int.self), minimumElements: 100_000),
      dependencies: [])
    let error = await #expect(throws: LanguageModelError.self) {
      try await session.respond(to: "Numbers", schema: endless)
    }
    #expect(error?.caseName == "contextSizeExceeded")
    let text = try #require(error?.failureReason)
    let parts = (text.split(separator: ": ", maxSplits: 1).last ?? "").prefix { $0 != "." }
    let counts = Dictionary(
      uniqueKeysWithValues: parts.split(separator: ", ").map { part in
        let words = part.split(separator: " ")
        return (String(words[0]), Int(words[1]) ?? 0)
      })
    // The last token of the response was chosen, and found no room.
    #expect(counts.values.reduce(0, +) == model.contextSize + 1)
    #expect(counts["response", default: 0] > 1000)
    let told = try await model.tokenCount(for: session.transcript)
    let schema = try await model.tokenCount(for: Bool.generationSchema)
    #expect(counts["history", default: 0] + counts["instructions", default: 0] >= told + schema)
    #expect(text.hasSuffix("Set maximumResponseTokens, or start a new session."))
  }

  @Test func errorsOfContentAndSchemasSayTheirText() throws {
    let missing = GeneratedContentError.missingProperty(name: "a")
    #expect((missing as any Error).localizedDescription == "The content has no property 'a'.")
    #expect(
      missing.recoverySuggestion == "Make the property optional, or give content that has it.")
    let choice = DynamicGenerationSchema(name: "A", anyOf: [String]())
    let error = try #require(
      throws: GenerationSchema.SchemaError.self
    ) { try GenerationSchema(root: choice, dependencies: []) }
    #expect(
      (error as any Error).localizedDescription
        == "The schema 'A' has nothing to choose from; add a choice.")
    #expect(error.recoverySuggestion == "Give the schema at least one choice.")
  }

  @Test func aResponseThatIsNoValueIsForgotten() async throws {
    let (session, other) = (
      LanguageModelSession(model: SampleModels.plain),
      LanguageModelSession(model: SampleModels.plain)
    )
    var form = ResponseForm.text
    form.read = { try GeneratedContent(json: "[" + $0) }
    let request = SessionRequest(Prompt("Name a fruit."), GenerationOptions(), form: form)
    let error = await #expect(throws: GeneratedContent.ParsingError.self) {
      let _: LanguageModelSession.Response<Int> = try await session.answer(request)
    }
    #expect(error?.rawContent.isEmpty == false)
    #expect(session.transcript.isEmpty)
    let answer = try await other.respond(to: SampleModels.note).content
    #expect(try await session.respond(to: SampleModels.note).content == answer)
    let statistics = [await session.engine.statistics, await other.engine.statistics]
    let counts = statistics.map { ($0?.promptTokens ?? 0) + ($0?.reusedTokens ?? 0) }
    #expect(counts[0] == counts[1])
  }

  @Test func errorsOfTheEngineHaveTheirCases() {
    func name(_ error: BaseModelError) -> String {
      let mapped = GenerationError.mapping(error)
      return mapped is GenerationError || mapped is LanguageModelError
        ? mapped.caseName : "\(type(of: mapped))"
    }
    #expect(name(.cancelled) == "CancellationError")
    #expect(name(.contextExceeded(limit: 1, needed: 2)) == "contextSizeExceeded")
    #expect(name(.noTokenAllowed(position: 1)) == "unsupportedGenerationGuide")
    #expect(name(.nonFiniteLogits(file: "b.gguf", position: 1)) == "assetsUnavailable")
    #expect(name(.adapterMismatch(identifier: "a", layer: 0, target: "q")) == "assetsUnavailable")
    #expect(name(.invalidOption(name: "n", value: "v", rule: "r")) == "GenerationOptionsError")
  }
}
