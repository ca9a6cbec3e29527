import FoundationModels
import SessionTestSupport
import Testing

/// What sessions were recorded to do on iOS 27.
@Suite struct RecordedBehaviorTests {
  @Generable struct Light { var isOn: Bool }

  @Test func aCallThatIsRequiredNeedsTools() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let error = await #expect(throws: LanguageModelError.self) {
      try await session.respond(
        to: "Hello", options: GenerationOptions(toolCallingMode: .required))
    }
    #expect(
      error?.failureReason
        == "A call of a tool is required, but the session has no tools; give it some, or use another toolCallingMode."
    )
    #expect(session.transcript.isEmpty)
  }

  @Test(arguments: [nil, true, false])
  func thePromptRecordsThatTheSchemaIsInIt(given: Bool?) async throws {
    let session = LanguageModelSession(
      model: ScriptedModel([.text(#"{"isOn": true}"#)], [.text("fine")]))
    if let given {
      _ = try await session.respond(
        to: "?", generating: Light.self, includeSchemaInPrompt: given)
    } else {
      _ = try await session.respond(to: "?", generating: Light.self)
    }
    _ = try await session.respond(to: "?")
    let prompts = session.transcript.compactMap(\.asPrompt)
    #expect(prompts.map(\.contextOptions.includeSchemaInPrompt) == [given ?? true, nil])
  }

  @Test func thoughtsOfOneIdentityHaveOneEntry() async throws {
    let turns = ["one", "two"].map { text in
      [
        .event(.reasoning(entryID: "thoughts", action: .appendText(text, tokenCount: 1))),
        .text(text),
      ] as [ScriptedModel.Step]
    }
    let session = LanguageModelSession(model: ScriptedModel(turns[0], turns[1]))
    _ = try await session.respond(to: "One?")
    _ = try await session.respond(to: "Two?")
    let thoughts = session.transcript.compactMap(\.asReasoning)
    #expect(thoughts.map(\.segments.text) == ["two"])
    #expect(session.transcript[1].asReasoning == thoughts.first)
    #expect(thoughts.count == 1 && session.transcript.count == 5)
    #expect(Set(session.transcript.map(\.id)).count == session.transcript.count)
  }

  @Test func theTranscriptHasWhatIsBeingWritten() async throws {
    let session = LanguageModelSession(
      model: ScriptedModel([
        .event(.response(entryID: "said", action: .updateMetadata(["isKnown": true]))),
        .text("half "), .text("whole"),
      ]))
    var looks = 0
    for try await snapshot in session.streamResponse(to: "?") {
      looks += 1
      let response = try #require(session.transcript.last?.asResponse)
      #expect(response.id == "said" && response.metadata["isKnown"] as? Bool == true)
      #expect(response.segments.text.hasPrefix(snapshot.content))
      #expect(session.transcript.count == 2)
    }
    #expect(looks > 0 && !session.isResponding)
    #expect(session.transcript.map(\.description) == ["Prompt: ?", "Response: half whole"])
  }

  @Test func responsesOfOneIdentityHaveOneEntry() async throws {
    let said = { (text: String) -> [ScriptedModel.Step] in
      [.event(.response(entryID: "said", action: .appendText(text, tokenCount: 1)))]
    }
    let session = LanguageModelSession(
      model: ScriptedModel(said("one"), said("two"), [.text("three")]))
    #expect(try await session.respond(to: "One?").content == "one")
    let second = try await session.respond(to: "Two?")
    #expect(second.content == "two")
    #expect(second.transcriptEntries.map(\.id) == session.transcript.suffix(2).map(\.id))
    #expect(session.transcript.compactMap(\.asResponse).map(\.segments.text) == ["two"])
    _ = try await session.respond(to: "Three?")
    #expect(session.transcript.compactMap(\.asResponse).map(\.segments.text) == ["two", "three"])
    #expect(Set(session.transcript.map(\.id)).count == session.transcript.count)
  }

  @Generable enum Tense: String { case past, current }
  @Generable struct On {
    var tense: Tense
    var again: Tense?
    @Guide(.constant("on")) var type: String
  }

  @Test func choicesOfTextsStandWhereTheyAreUsed() throws {
    let tense = #"{"type": "string", "enum": ["past", "current"]}"#
    #expect(
      On.generationSchema.debugDescription
        == #"{"title": "On", "type": "object", "properties": {"tense": \#(tense), "again": \#(tense), "type": {"const": "on"}}, "#
        + #""required": ["tense", "type"], "additionalProperties": false, "x-order": ["tense", "again", "type"]}"#
    )
    let operation = DynamicGenerationSchema(name: "op", anyOf: ["add note", "get note"])
    let fused = DynamicGenerationSchema(
      name: "Fused",
      properties: [
        .init(name: "op", schema: operation),
        .init(name: "next", schema: DynamicGenerationSchema(referenceTo: "op")),
      ])
    let schema = try GenerationSchema(root: fused, dependencies: [])
    let choice = #"{"type": "string", "enum": ["add note", "get note"]}"#
    #expect(
      schema.debugDescription.contains(#""properties": {"op": \#(choice), "next": \#(choice)}"#))
    #expect(!schema.debugDescription.contains("$defs"))
  }

  @Test func errorsSayToPeopleWhatIsWrong() async throws {
    let error = await #expect(throws: LanguageModelError.self) {
      try await LanguageModelSession(model: SampleModels.plain).respond(
        to: String(repeating: "word ", count: 4_000))
    }
    guard case .contextSizeExceeded(let size)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(size.contextSize == SampleModels.plain.contextSize)
    #expect(size.tokenCount > size.contextSize)
    #expect(
      size.debugDescription.hasSuffix("Shorten what is longest, or start a new session."))
    #expect(
      (error as (any Error)?)?.localizedDescription
        == "The conversation has become too long. \(size.debugDescription)")
  }
}
