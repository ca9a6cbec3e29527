import Foundation
import SessionTestSupport
import Testing

@testable import FoundationModels

@Suite struct ExecutorSessionTests {
  private typealias GenerationError = LanguageModelSession.GenerationError

  @Generable
  struct City {
    var name: String
    @Guide(.range(0...100)) var age: Int
  }

  @Test func anyModelCanBeTheModelOfASession() async throws {
    let model = ScriptedModel(
      [.text("Good "), .text("day."), .usage(12, cached: 4, 3)], [.text("Again?")])
    let session = LanguageModelSession(model: model, instructions: "Be polite.")
    let response = try await session.respond(
      to: "Hello", options: GenerationOptions(temperature: 0.5, maximumResponseTokens: 9))
    #expect(response.content == "Good day.")
    #expect(
      session.transcript.map(\.description) == [
        "Instructions: Be polite.", "Prompt: Hello", "Response: Good day.",
      ])
    #expect(Array(response.transcriptEntries) == Array(session.transcript.dropFirst()))
    #expect(response.usage.input.totalTokenCount == 12 && response.usage.totalTokenCount == 15)
    #expect(try await session.respond(to: "Bye").content == "Again?")
    #expect(session.usage.output.totalTokenCount == 4)
    let requests = model.script.requests
    #expect(requests.map { $0.transcript.count } == [2, 4])
    #expect(requests[0].generationOptions.temperature == 0.5)
    #expect(requests[0].generationOptions.maximumResponseTokens == 9)
    #expect(requests[0].schema == nil && requests[0].enabledToolDefinitions.isEmpty)
    #expect(requests[0].id != requests[1].id)
    #expect(model.script.executors == 1)
  }

  @Test(arguments: [
    (Int.max, 1, Int.max, 1), (.max, .max, .max, .max), (.max, -1, .max, 0), (.min, -5, 0, 0),
    (3, 4, 3, 4),
  ])
  func countsOfAProviderNeverEndTheProcess(input: Int, output: Int, read: Int, written: Int)
    async throws
  {
    let steps: [ScriptedModel.Step] = [.text("a"), .usage(input, cached: input, output)]
    let session = LanguageModelSession(model: ScriptedModel(steps, steps))
    func sum(_ counts: [Int]) -> Int {
      counts.reduce(0) { sum, count in
        let (result, overflow) = sum.addingReportingOverflow(count)
        return overflow ? .max : result
      }
    }
    for _ in 0..<2 {
      let usage = try await session.respond(to: "?").usage
      #expect(usage.input.totalTokenCount == read && usage.input.cachedTokenCount == read)
      #expect(usage.output.totalTokenCount == written)
      #expect(usage.totalTokenCount == sum([read, written]))
    }
    #expect(session.usage.totalTokenCount == sum([read, read, written, written]))
  }

  @Test func pieceCountsOfAProviderNeverEndTheProcess() async throws {
    let model = ScriptedModel(
      [Int.max, .max, .min, 2].map { count in
        .event(.response(action: .appendText("a", tokenCount: count)))
      })
    let usage = try await LanguageModelSession(model: model).respond(to: "?").usage
    #expect(usage.output.totalTokenCount == .max)
  }

  @Test(
    arguments: [
      ("an error behind a usage", [.usage(9, cached: 4, 2), .fail(Broken())], 11),
      ("an error behind pieces", [.text("a"), .text("b"), .fail(Broken())], 2),
      ("arguments that are no JSON", [.call("1", "t", "{"), .usage(9, cached: 0, 3)], 12),
      ("an error at once", [.fail(Broken())], 0),
    ] as [(String, [ScriptedModel.Step], Int)])
  func anAnswerThatFailsHasTakenWhatItHas(
    _ name: String, steps: [ScriptedModel.Step], tokens: Int
  ) async throws {
    let session = LanguageModelSession(model: ScriptedModel(steps, [.text("fine")]))
    await #expect(throws: (any Error).self) { try await session.respond(to: "?") }
    #expect(session.usage.totalTokenCount == tokens)
    #expect(try await session.respond(to: "?").usage.totalTokenCount == 1)
    #expect(session.usage.totalTokenCount == tokens + 1)
  }

  @Test func allInitializersTakeAnyModel() async throws {
    let model: any LanguageModel = ScriptedModel([.text("1")], [.text("2")], [.text("3")])
    let built = LanguageModelSession(model: model) {
      "One."
      "Two."
    }
    #expect(built.transcript.map(\.description) == ["Instructions: One.\nTwo."])
    let given = LanguageModelSession(model: model, instructions: Instructions("One."))
    #expect(given.transcript.count == 1)
    let resumed = LanguageModelSession(model: model, transcript: given.transcript)
    #expect(resumed.transcript == given.transcript)
    #expect(LanguageModelSession(model: model).transcript.isEmpty)
    for (session, text) in [(built, "1"), (given, "2"), (resumed, "3")] {
      #expect(try await session.respond(to: "?").content == text)
    }
  }

  @Test func snapshotsGrowAsTheTextComes() async throws {
    let model = ScriptedModel([.text("a"), .text("b"), .text("c")])
    let session = LanguageModelSession(model: model)
    let stream = session.streamResponse(to: "?")
    var last = ""
    for try await snapshot in stream {
      #expect(snapshot.content.hasPrefix(last) && "abc".hasPrefix(snapshot.content))
      last = snapshot.content
    }
    #expect(last == "abc")
    #expect(try await stream.collect().content == "abc")
    #expect(!session.isResponding)
  }

  // MARK: - Values

  @Test func aValueIsReadFromWhatTheModelWrites() async throws {
    let model = ScriptedModel([.text("{\n \"age\" : 9,"), .text("\"name\":\"Bern\"}\n")])
    let session = LanguageModelSession(model: model)
    let stream = session.streamResponse(to: "A city", generating: City.self)
    for try await snapshot in stream {
      #expect(snapshot.content.age == nil || snapshot.content.age == 9)
    }
    let response = try await stream.collect()
    #expect(response.content.name == "Bern" && response.content.age == 9)
    // In the order of the type, whatever the model wrote.
    #expect(response.rawContent.jsonString == #"{"name": "Bern", "age": 9}"#)
    #expect(session.transcript.last?.description == #"Response: {"name": "Bern", "age": 9}"#)
    let request = try #require(model.script.requests.first)
    #expect(request.schema?.debugDescription == City.generationSchema.debugDescription)
    #expect(request.schema?.name == "City")
    let prompt = try #require(request.transcript.last?.asPrompt)
    #expect(prompt.responseFormat?.kind == .schema(City.generationSchema))
  }

  @Test(arguments: ["```json\n", "\n```\n", "  ```JSON\r\n"])
  func aFenceAroundAValueIsTakenOff(_ fence: String) async throws {
    let pieces = [fence, #"{"name": "Bern","#, #" "age": 9}"#, "\n``", "`\n"]
    let model = ScriptedModel(pieces.map { .text($0) })
    let stream = LanguageModelSession(model: model).streamResponse(
      to: "A city", generating: City.self)
    var ages: [Int] = []
    for try await snapshot in stream { ages += [snapshot.content.age].compactMap(\.self) }
    let response = try await stream.collect()
    #expect(ages.last == 9 && response.content.name == "Bern")
    #expect(response.rawContent.jsonString == #"{"name": "Bern", "age": 9}"#)
  }

  @Test(arguments: [
    (
      "Bern", "The model was to answer as the schema 'City' says, but wrote no JSON."
    ),
    (
      #"{"name": "Bern", "age": 101}"#,
      #"The model's answer is not what the schema 'City' allows: {"name": "Bern", "age": 101}"#
    ),
    (
      #"{"name": "Bern"}"#,
      #"The model's answer is not what the schema 'City' allows: {"name": "Bern"}"#
    ),
    (
      #"{"name": "Bern", "a"#,
      "The response ends before it is whole, as the model stopped or the context was full; ask for less."
    ),
    (" \n", "The model was to answer as the schema 'City' says, but wrote nothing."),
  ])
  func whatIsNoValueIsRefused(text: String, reason: String) async throws {
    for isStream in [false, true] {
      let session = LanguageModelSession(model: ScriptedModel([.text(text)], [.text("fine")]))
      let error = await #expect(throws: GeneratedContent.ParsingError.self) {
        if isStream {
          for try await _ in session.streamResponse(to: "A city", generating: City.self) {}
        } else {
          _ = try await session.respond(to: "A city", generating: City.self)
        }
      }
      #expect(error?.failureReason == reason)
      #expect(session.transcript.isEmpty)
      #expect(try await session.respond(to: "?").content == "fine")
    }
  }

  @Test func aLimitThatWasSetIsNamed() async throws {
    let model = ScriptedModel([.text(#"{"name": "Bern", "a"#)])
    let error = await #expect(throws: GeneratedContent.ParsingError.self) {
      try await LanguageModelSession(model: model).respond(
        to: "A city", generating: City.self, options: GenerationOptions(maximumResponseTokens: 3))
    }
    #expect(
      error?.failureReason
        == "The response was cut by the maximum number of tokens; allow more, or ask for less.")
  }

  @Test func whatWasSaidBeforeCallsDoesNotEndAStream() async throws {
    let model = ScriptedModel(
      [.text("Let me see."), .call("1", "switchLamp", #"{"room": "hall", "isOn": true}"#)],
      [.text(#"{"name": "Bern", "age": 9}"#)])
    let session = LanguageModelSession(model: model, tools: [Lamp()])
    var names: [String?] = []
    for try await part in session.streamResponse(to: "A city", generating: City.self) {
      names.append(part.content.name)
    }
    #expect(names.last == "Bern")
  }

  /// Reads any whole value, and no partial one that is not named Bern.
  private struct Capital: Generable {
    struct PartiallyGenerated: ConvertibleFromGeneratedContent {
      init(_ content: GeneratedContent) throws {
        guard try content.value(String.self, forProperty: "name") == "Bern" else {
          throw content.mismatch(Self.self)
        }
      }
    }

    static var generationSchema: GenerationSchema { City.generationSchema }

    init(_ content: GeneratedContent) {}
    var generatedContent: GeneratedContent { GeneratedContent(kind: .null) }
  }

  @Test func aPartialFormThatRefusesTheWholeIsAnError() async throws {
    let model = ScriptedModel([.text(#"{"name": "Rome", "age": 9}"#)])
    let stream = LanguageModelSession(model: model).streamResponse(
      to: "A city", generating: Capital.self)
    let error = await #expect(throws: GeneratedContent.ParsingError.self) {
      for try await _ in stream {}
    }
    #expect(
      error?.failureReason
        == "The content is a structure, which cannot be read as PartiallyGenerated.")
  }

  @Generable
  struct Stay {
    var city: String
    var nights: Int?
    var rooms: [Room]
    @Generable struct Room { var beds: Int? }
  }

  /// Calls a tool with what it may leave out.
  private struct Booking: Tool {
    let name = "book"
    let description = "Books a stay."

    func call(arguments: Stay) async throws -> String {
      "\(arguments.city) \(arguments.nights == nil) \(arguments.rooms.map { $0.beds == nil })"
    }
  }

  @Test func nullIsWhatIsMissing() async throws {
    let json = #"{"city": "Bern", "nights": null, "rooms": [{"beds": null}, {"beds": 2}]}"#
    let model = ScriptedModel([.call("1", "book", json)], [.text(json)])
    let session = LanguageModelSession(model: model, tools: [Booking()])
    let stay = try await session.respond(to: "A stay", generating: Stay.self).content
    #expect(stay.nights == nil && stay.rooms.map(\.beds) == [nil, 2])
    #expect(session.transcript[3].description == "Tool book: Bern true [true, false]")
    let wrong = ScriptedModel([.text(#"{"city": null, "rooms": []}"#)])
    await #expect(throws: GeneratedContent.ParsingError.self) {
      try await LanguageModelSession(model: wrong).respond(to: "A stay", generating: Stay.self)
    }
  }

  // MARK: - Ends

  @Test func errorsOfExecutorsComeAsTheyAre() async throws {
    let full = LanguageModelError.contextSizeExceeded(
      .init(contextSize: 8, tokenCount: 9, debugDescription: "8 < 9"))
    let model = ScriptedModel([.text("half"), .fail(full)], [.fail(Broken())], [.text("whole")])
    let session = LanguageModelSession(model: model)
    let error = await #expect(throws: LanguageModelError.self) {
      try await session.respond(to: "?")
    }
    #expect(error?.debugDescription == "8 < 9")
    await #expect(throws: Broken.self) { try await session.streamResponse(to: "?").collect() }
    #expect(session.transcript.isEmpty && !session.isResponding)
    #expect(try await session.respond(to: "?").content == "whole")
    var unmade = ScriptedModel([.text("never")])
    unmade.failure = "no key"
    let error2 = await #expect(throws: ScriptedModel.Unmade.self) {
      try await LanguageModelSession(model: unmade).respond(to: "?")
    }
    #expect(error2?.reason == "no key")
  }

  @Test func aCancelledPromptStopsTheExecutor() async throws {
    let model = ScriptedModel([.text("a"), .hang], [.text("b")])
    let session = LanguageModelSession(model: model)
    let task = Task { try await session.respond(to: "?") }
    for await _ in model.script.reached { break }
    let busy = await #expect(throws: GenerationError.self) { try await session.respond(to: "!") }
    #expect(busy?.errorDescription?.hasPrefix("Another answer is still being written. ") == true)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(session.transcript.isEmpty)
    #expect(try await session.respond(to: "?").content == "b")
  }

  @Generable
  struct Nothing {}

  @Test(arguments: [
    ("toolCalling", "tools (switchLamp)"), ("guidedGeneration", "a schema"),
    ("reasoning", "a level of reasoning"), ("vision", "an image"),
  ])
  func aModelIsAskedForNothingElse(capability: String, what: String) async throws {
    var model = ScriptedModel([.text("{}")])
    model.capabilities = LanguageModelCapabilities([])
    let image = Transcript.AttachmentSegment(
      content: .image(Transcript.ImageAttachment(imageURL: URL(filePath: "/a.png"))))
    let seen = Transcript(entries: [.prompt(Transcript.Prompt(segments: [.attachment(image)]))])
    let plain = LanguageModelSession(model: model)
    let error = await #expect(throws: LanguageModelError.self) {
      switch capability {
      case "toolCalling":
        _ = try await LanguageModelSession(model: model, tools: [Lamp()]).respond(to: "?")
      case "guidedGeneration": _ = try await plain.respond(to: "?", generating: Nothing.self)
      case "reasoning":
        let options = ContextOptions(reasoningLevel: .deep)
        _ = try await plain.respond(to: "?", contextOptions: options)
      default: _ = try await LanguageModelSession(model: model, transcript: seen).respond(to: "?")
      }
    }
    guard case .unsupportedCapability(let missing)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(missing.capability.description == capability)
    #expect(
      missing.debugDescription
        == "The request has \(what), for which the model has no \(capability).")
    #expect(model.script.requests.isEmpty)
  }

  @Test func prewarmingReachesTheExecutor() async throws {
    let model = ScriptedModel([.text("a")])
    let session = LanguageModelSession(model: model, instructions: "Be brief.")
    session.prewarm(promptPrefix: Prompt("Name"))
    _ = try await session.respond(to: "Name a fruit.")
    #expect(
      model.script.prewarmed.map { $0.map(\.description) }
        == [["Instructions: Be brief.", "Prompt: Name"]])
  }
}
