import Foundation
import SessionTestSupport
import Synchronization
import Testing

@testable import ChatTemplates
@testable import FoundationModels

@Suite struct ToolTests {
  private static let required = GenerationOptions(
    maximumResponseTokens: 60, toolCallingMode: .required)

  private func session(_ tools: any Tool..., instructions: String? = nil) -> LanguageModelSession {
    let session = LanguageModelSession(
      model: SampleModels.plain, tools: tools, instructions: instructions)
    session.toolCallReviewer = Reviewer()
    return session
  }

  @Test func aToolHasDefaults() {
    // Named first: asked for the tool before its arguments, the compiler finds two types of that name.
    let schema = Forecast.Arguments.generationSchema
    #expect(Forecast().name == "Forecast")
    #expect(Forecast().includesSchemaInInstructions)
    #expect(Forecast().parameters.debugDescription == schema.debugDescription)
    let definition = Transcript.ToolDefinition(tool: Lamp())
    #expect(
      definition
        == Transcript.ToolDefinition(
          name: "switchLamp", description: "Switch a lamp on or off.",
          parameters: Lamp.Arguments.generationSchema))
  }

  @Test func theModelReadsPlainSchemas() throws {
    #expect(
      try Forecast().chatTool().definition.line
        == #"{"type": "function", "function": {"name": "Forecast", "description": "Tells the weather.", "parameters": "#
        + #"{"type": "object", "properties": {"day": {"type": "integer", "minimum": 0, "maximum": 6, "description": "Days from now"}, "#
        + #""place": {"type": "object", "properties": {"city": {"type": "string", "enum": ["Bern", "Chur"]}}, "required": ["city"]}}, "#
        + #""required": ["day"], "description": "A place and a time"}}}"#)
    #expect(
      try Lamp().chatTool().definition.line
        == #"{"type": "function", "function": {"name": "switchLamp", "description": "Switch a lamp on or off.", "parameters": "#
        + #"{"type": "object", "properties": {"room": {"type": "string", "enum": ["hall", "kitchen"], "description": "Where the lamp is"}, "#
        + #""isOn": {"type": "boolean"}}, "required": ["room", "isOn"]}}}"#)
  }

  @Test func aCallAndItsOutputStandInTheTranscript() async throws {
    let session = session(Lamp(), instructions: "Be brief.")
    let response = try await session.respond(to: "Light!", options: Self.required)
    let transcript = session.transcript
    let calls = try #require(transcript[2].asToolCalls)
    #expect(
      transcript[0].asInstructions?.toolDefinitions == [Transcript.ToolDefinition(tool: Lamp())])
    #expect(transcript[1].asPrompt?.options == Self.required)
    #expect(transcript.last?.asResponse?.segments.text == response.content)
    #expect(Array(response.transcriptEntries) == Array(transcript.dropFirst()))
    #expect(!calls.isEmpty)
    for (index, call) in calls.enumerated() {
      let arguments = try Lamp.Arguments(call.arguments)
      let output = try #require(transcript[3 + index].asToolOutput)
      #expect(output.id == call.id)
      #expect(
        transcript[3 + index].description
          == "Tool switchLamp: \(arguments.room) is \(arguments.isOn)")
    }
    let data = try JSONEncoder().encode(transcript)
    #expect(try JSONDecoder().decode(Transcript.self, from: data) == transcript)
  }

  @Test(arguments: 0..<6)
  func whateverIsSampledIsACall(seed: UInt64) async throws {
    let session = session(Lamp(), Forecast())
    let options = GenerationOptions(
      samplingMode: .random(top: 200, seed: seed), temperature: 2, maximumResponseTokens: 300,
      toolCallingMode: .required)
    session.toolCallReviewer = Reviewer(maximumCallsPerRound: 3)
    _ = try await session.respond(to: "Light, and weather!", options: options)
    let entries = session.transcript.compactMap(\.asToolCalls)
    #expect(entries.count == 1)
    let calls = try #require(entries.first)
    #expect((1...3).contains(calls.count))
    #expect(Set(calls.map(\.id)).count == calls.count)
  }

  @Test func aStructureIsKeptAsOne() async throws {
    let content = GeneratedContent(properties: ["day": 3])
    let segments = try await Forecast().output(of: content)
    guard case .structure(let segment)? = segments.first else {
      Issue.record("\(segments)")
      return
    }
    #expect(segment.source == "Weather")
    #expect(segments.text == #"{"degrees": 3, "sky": "clear"}"#)
    #expect(ToolOutput("a").promptRepresentation.text == "a")
    #expect(ToolOutput(content).segments.text == #"{"day": 3}"#)
  }

  private func call(_ id: String, _ name: String = "switchLamp") -> Transcript.ToolCall {
    Transcript.ToolCall(
      id: id, toolName: name,
      arguments: GeneratedContent(properties: ["room": "hall", "isOn": true]))
  }

  @Test func callsOfOneAnswerRunAtOnce() async throws {
    // Each waits until the other has come, so one after the other they would wait for ever.
    let meeting = Meeting(of: 2)
    let tools = SessionTools(tools: [
      Lamp { _ in
        await meeting.join()
        return "together"
      }
    ])
    let outputs = try await tools.run([(call("1"), nil), (call("2"), nil), (call("3"), "no")])
    #expect(outputs.map(\.id) == ["1", "2", "3"])
    #expect(outputs.map(\.segments.text) == ["together", "together", "no"])
  }

  @Test func anErrorOfAToolEndsTheResponse() async throws {
    let session = session(Lamp { _ in throw Broken() })
    let before = session.transcript
    let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "Light!", options: Self.required)
    }
    #expect(error?.tool.name == "switchLamp")
    #expect(error?.underlyingError is Broken)
    #expect(error?.errorDescription == "The tool 'switchLamp' failed: the fuse is gone")
    #expect(session.transcript == before && !session.isResponding)
    let text = try await session.respond(
      to: SampleModels.note,
      options: GenerationOptions(maximumResponseTokens: 4, toolCallingMode: .disallowed)
    ).content
    #expect(!text.isEmpty)
  }

  @Test func argumentsThatCannotBeReadAreTheToolsError() async throws {
    let tools = SessionTools(tools: [Lamp()])
    var wrong = call("1")
    wrong.arguments = GeneratedContent(properties: ["room": "cellar"])
    let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await tools.run([(wrong, nil)])
    }
    #expect(error?.underlyingError is GeneratedContentError)
  }

  @Test func theCallThatWasReviewedIsTheOneInTheTranscript() async throws {
    let session = session(Lamp())
    let arguments = GeneratedContent(properties: ["room": "kitchen", "isOn": false])
    session.toolCallReviewer = Reviewer { call in
      var call = call
      call.arguments = arguments
      return call
    }
    _ = try await session.respond(to: "Light!", options: Self.required)
    let calls = try #require(session.transcript[2].asToolCalls)
    #expect(calls.allSatisfy { $0.arguments == arguments })
    #expect(session.transcript[3].description == "Tool switchLamp: kitchen is false")
    session.toolCallReviewer = Reviewer { _ in throw Broken() }
    await #expect(throws: Broken.self) {
      try await session.respond(to: "Light!", options: Self.required)
    }
  }

  @Test func theModelHasToAnswerInTheEnd() async throws {
    let session = session(Lamp())
    session.toolCallReviewer = Reviewer(maximumRounds: 0)
    _ = try await session.respond(to: "Light!", options: Self.required)
    #expect(session.transcript.count == 3)
    let turn = try session.begin(SessionRequest(Prompt("Light!"), Self.required))
    let first = SessionRound(turn, Reviewer(maximumRounds: 2))
    func answer(_ tool: String) -> SessionEngine.Answer {
      SessionEngine.Answer(text: "", calls: [call("1", tool)], tokens: [], assetIDs: [])
    }
    let second = first.following(answer("a"), [], [])
    let third = second.following(answer("b"), [], [])
    let calling: [ToolCalling] = [.required, .allowed, .disallowed]
    #expect([first.calling, second.calling, third.calling] == calling)
    // The same twice in a row is enough.
    let wide = SessionRound(turn, UnreviewedCalls())
    #expect(wide.rounds.limit == 8)
    #expect(
      wide.following(answer("a"), [], []).following(answer("a"), [], []).calling == .disallowed)
  }

  @Test func aCancelledResponseStopsItsTools() async throws {
    let (reached, arrival) = AsyncStream<Void>.makeStream()
    let session = session(
      Lamp { _ in
        arrival.yield()
        try await Task.sleep(for: .seconds(600))
        return ""
      })
    let before = session.transcript
    let task = Task {
      defer { arrival.finish() }
      return try await session.respond(to: "Light!", options: Self.required)
    }
    for await _ in reached { break }
    #expect(session.transcript.count == before.count + 2)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(session.transcript == before)
  }

  @Test func aStreamGivesTheAnswerAfterTheCalls() async throws {
    let session = session(Lamp())
    let stream = session.streamResponse(to: "Light!", options: Self.required)
    var last = ""
    for try await snapshot in stream {
      #expect(!snapshot.content.contains("switchLamp\", \"arguments"))
      last = snapshot.content
    }
    let response = try await stream.collect()
    #expect(response.content == last)
    #expect(response.transcriptEntries.count >= 4)
  }

  @Test func valuesCanFollowCalls() async throws {
    let session = session(Lamp())
    let response = try await session.respond(
      to: "Where is light?", generating: Room.self, includeSchemaInPrompt: false,
      options: Self.required)
    #expect(response.transcriptEntries.count >= 4)
    #expect([Room.hall, .kitchen].contains(response.content))
  }

  @Test func aSessionGoesOnFromATranscriptWithCalls() async throws {
    let whole = session(Lamp(), instructions: "Be brief.")
    _ = try await whole.respond(to: "Light!", options: Self.required)
    let copy = LanguageModelSession(
      model: SampleModels.plain, tools: [Lamp()], transcript: whole.transcript)
    let options = GenerationOptions(maximumResponseTokens: 12, toolCallingMode: .disallowed)
    let answer = try await whole.respond(to: "Write a story.", options: options).content
    #expect(try await copy.respond(to: "Write a story.", options: options).content == answer)
    let bare = LanguageModelSession(model: SampleModels.plain, transcript: whole.transcript)
    _ = try await bare.respond(to: "Write a story.", options: options)
    #expect(bare.transcript.count == whole.transcript.count + 2)
  }

  @Test func onlyNewTokensAreEvaluatedAfterACall() async throws {
    let session = session(Lamp())
    _ = try await session.respond(to: "Light!", options: Self.required)
    let statistics = try #require(await session.engine.statistics)
    #expect(statistics.reusedTokens > statistics.promptTokens)
  }

  @Test func definitionsTakeTokens() async throws {
    let model = SampleModels.plain
    let tools: [any Tool] = [Lamp(), Forecast()]
    let session = LanguageModelSession(model: model, tools: tools)
    let plain = LanguageModelSession(model: model)
    let count = try await model.tokenCount(for: tools)
    #expect(count > 60)
    #expect(
      try await model.tokenCount(for: session.transcript)
        == model.tokenCount(for: plain.transcript) + count)
    #expect(try await model.tokenCount(for: [] as [any Tool]) == 0)
    let schema = try await model.tokenCount(for: Lamp.Arguments.generationSchema)
    #expect(schema > 20)
  }

  @Test func whatIsNotToldCanBeCalled() async throws {
    let session = session(Hidden())
    #expect(session.transcript.isEmpty)
    #expect(try await SampleModels.plain.tokenCount(for: [Hidden()]) == 0)
    _ = try await session.respond(to: "Go!", options: Self.required)
    #expect(session.transcript.contains { $0.description == "Tool Hidden: seen" })
  }

  private struct Listing: Tool {
    let name = "list"
    let description = "Has no structure."
    let parameters = [String].generationSchema

    func call(arguments: [String]) async throws -> String { "" }
  }

  @Test func argumentsHaveToBeAStructure() async throws {
    let error = await #expect(throws: LanguageModelError.self) {
      try await session(Listing()).respond(to: "Go!")
    }
    #expect(
      error?.failureReason
        == "The arguments of the tool 'list' are no structure; make them properties of one.")
  }

  /// A tool by any name.
  struct Named: Tool {
    let name: String
    let description = "Has a name."

    @Generable struct Arguments {}

    func call(arguments: Arguments) async throws -> String { "" }
  }

  @Test(arguments: [
    (["a", "b", "a"], "Two tools of the session are named 'a'; rename one."),
    ([#"a"b"#], #"'a"b' cannot be the name of a tool; use letters, digits and underscores."#),
  ])
  func namesHaveToTellToolsApart(names: [String], text: String) async throws {
    let tools = names.map { Named(name: $0) }
    let session = LanguageModelSession(model: SampleModels.plain, tools: tools)
    let before = session.transcript
    let error = await #expect(throws: LanguageModelSession.ToolNameError.self) {
      try await session.respond(to: "Go!")
    }
    #expect(error?.errorDescription == text)
    #expect(session.transcript == before && !session.isResponding)
  }

  @Test func aCallThatIsCutIsAnError() async throws {
    let session = session(Lamp())
    let error = await #expect(throws: LanguageModelSession.GenerationError.self) {
      try await session.respond(
        to: "Light!",
        options: GenerationOptions(maximumResponseTokens: 5, toolCallingMode: .required))
    }
    #expect(error?.caseName == "decodingFailure")
    #expect(
      error?.failureReason
        == "A call of a tool was cut by the maximum number of tokens; allow more.")
  }
}

/// A place where tasks wait for each other.
private actor Meeting {
  private let count: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(of count: Int) { self.count = count }

  func join() async {
    await withCheckedContinuation { continuation in
      waiting.append(continuation)
      guard waiting.count == count else { return }
      for continuation in waiting { continuation.resume() }
    }
  }
}
