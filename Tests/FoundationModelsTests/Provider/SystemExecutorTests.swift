import ChatTemplates
import Foundation
import SessionTestSupport
import Testing

@testable import FoundationModels

/// The model of this machine as one executor among others.
@Suite struct SystemExecutorTests {
  private typealias Request = LanguageModelExecutorGenerationRequest

  private func request(_ entries: [Transcript.Entry], tools: [any Tool] = []) -> Request {
    Request(
      id: UUID(), transcript: Transcript(entries: entries),
      enabledTools: tools.map { Transcript.ToolDefinition(tool: $0) },
      generationOptions: GenerationOptions(maximumResponseTokens: 40),
      contextOptions: ContextOptions(), metadata: [:])
  }

  private func prompt(_ text: String) -> Transcript.Entry {
    .prompt(Transcript.Prompt(segments: [Transcript.Segment](text: text)))
  }

  /// What the executor sends, put together.
  private func run(_ request: Request) async throws -> SessionEngine.Answer {
    let model = SampleModels.plain
    let executor = SystemLanguageModel.Executor(configuration: model.executorConfiguration)
    let assembly = AnswerAssembly { _ in }
    let channel = LanguageModelExecutorGenerationChannel { assembly.take($0) }
    try await executor.respond(to: request, model: model, streamingInto: channel)
    return try assembly.answer()
  }

  @Test func itAnswersWithoutASession() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let expected = try await session.respond(to: SampleModels.note).content
    let answer = try await run(request([prompt(SampleModels.note)]))
    #expect(answer.text == expected)
    #expect(answer.usage.input.totalTokenCount > 0 && answer.usage.output.totalTokenCount > 0)
    let response = try #require(answer.entries.first?.asResponse)
    #expect(!response.assetIDs.isEmpty)
    #expect(response.assetIDs == session.transcript.last?.asResponse?.assetIDs)
  }

  @Test func itKeepsToSchemasAndTools() async throws {
    var valued = request([prompt("Where is light?")])
    valued.schema = Room.generationSchema
    let room = try await run(valued).text
    #expect(["\"hall\"", "\"kitchen\""].contains(room))
    var calling = request([prompt("Go!")], tools: [Hidden()])
    calling.generationOptions = GenerationOptions(
      maximumResponseTokens: 300, toolCallingMode: .required)
    let calls = try await run(calling).calls
    #expect(!calls.isEmpty && calls.allSatisfy { $0.toolName == "Hidden" })
    let error = await #expect(throws: (any Error).self) { try await self.run(self.request([])) }
    #expect(error is ChatDefect)
  }

  @Test func whatIsPassedOnGoesOnWhereItWas() async throws {
    let plain = LanguageModelSession(model: SampleModels.plain, tools: [Lamp()])
    let relayed = LanguageModelSession(
      model: Relay(inner: SampleModels.plain), tools: [Lamp()])
    let options = GenerationOptions(maximumResponseTokens: 60, toolCallingMode: .required)
    for session in [plain, relayed] {
      session.toolCallReviewer = Reviewer()
      _ = try await session.respond(to: "Light!", options: options)
      _ = try await session.respond(to: SampleModels.note)
    }
    #expect(
      relayed.transcript.last?.description.dropFirst(10)
        == plain.transcript.last?.description.dropFirst(10))
    #expect(await relayed.engine.statistics?.reusedTokens == plain.engine.statistics?.reusedTokens)
    #expect(await relayed.engine.statistics?.promptTokens == plain.engine.statistics?.promptTokens)
  }

  @Test func whatIsChangedIsAnswered() async throws {
    let relay = Relay(inner: SampleModels.plain) { request in
      request.transcript = Transcript(
        entries: [
          .prompt(Transcript.Prompt(segments: [Transcript.Segment](text: SampleModels.note)))
        ])
    }
    let session = LanguageModelSession(model: relay)
    let answer = try await session.respond(to: "Something else.").content
    let expected = try await LanguageModelSession(model: SampleModels.plain)
      .respond(to: SampleModels.note).content
    #expect(answer == expected)
    #expect(session.transcript.first?.description == "Prompt: Something else.")
    // What it said to the other prompt is not taken for what it would have said to this one.
    let again = try await session.respond(to: "Something else.").content
    #expect(again == expected)
  }

  @Test func aModelThatThinksNotSaysSo() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    await #expect(throws: LanguageModelError.self) {
      try await session.respond(
        to: "?", contextOptions: ContextOptions(reasoningLevel: .light))
    }
  }
}
