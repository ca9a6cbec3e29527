import SessionTestSupport
import Testing

@testable import FoundationModels

@Generable(description: "The tags of a note")
private struct Tags: Equatable {
  @Guide(.count(1...4)) var tags: [String]
}

@Generable
private struct Card: Equatable {
  @Guide(#/[A-Z][a-z]{2,7}/#) var name: String
  @Guide(.range(1...12)) var servings: Int
  var diet: Regime
  @Guide(.count(2)) var steps: [Stage]
  var source: Source?
}

@Generable
private struct Stage: Equatable {
  @Guide(.anyOf(["Boil.", "Fry.", "Wait."])) var text: String
  @Guide(.range(0...90)) var minutes: Double?
}

@Generable
private enum Regime { case vegan, vegetarian, any }

@Generable
private enum Source: Equatable {
  case family
  case page(Int)
}

@Suite struct GeneratingTests {
  private let sampling = GenerationOptions(sampling: .random(top: 50, seed: 4), temperature: 1.5)

  @Test func anAdapterAnswersInItsForm() async throws {
    let session = LanguageModelSession(model: try SampleModels.adapted(SampleModels.tagging))
    let response = try await session.respond(
      to: SampleModels.note, generating: Tags.self, includeSchemaInPrompt: false)
    #expect(response.content == Tags(tags: ["food", "travel"]))
    #expect(response.rawContent.jsonString == SampleModels.tags)
  }

  @Test(arguments: 0..<4)
  func valuesKeepToTheirGuides(seed: UInt64) async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let options = GenerationOptions(sampling: .random(top: 80, seed: seed), temperature: 2)
    let card = try await session.respond(
      to: "Write a recipe.", generating: Card.self, includeSchemaInPrompt: false, options: options
    ).content
    #expect(card.name.wholeMatch(of: #/[A-Z][a-z]{2,7}/#) != nil)
    #expect((1...12).contains(card.servings))
    #expect(card.steps.count == 2)
    for step in card.steps {
      #expect(["Boil.", "Fry.", "Wait."].contains(step.text))
      #expect(step.minutes.map((0...90).contains) ?? true)
    }
  }

  @Test func theModelReadsTheSchemaAsItWasTrained() {
    func text(_ includesSchema: Bool) -> String {
      SessionRequest(
        Prompt("Tag this."), Transcript.ResponseFormat(type: Tags.self),
        includesSchema: includesSchema, GenerationOptions()
      ).message.content
    }
    #expect(text(false) == "Tag this.")
    let schema = Tags.generationSchema.debugDescription
    #expect(
      text(true)
        == "Tag this.\n\nresponse format in json.\nname: Tags\ndescription: The tags of a note\nschema: \(schema)"
    )
  }

  @Test func theTranscriptTellsTheForm() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let diet = try await session.respond(to: "Which diet?", generating: Regime.self)
    #expect(diet.transcriptEntries.count == 2)
    let prompt = try #require(session.transcript[0].asPrompt)
    guard case .structure(let segment)? = session.transcript[1].asResponse?.segments[0] else {
      Issue.record("other entries: \(session.transcript)")
      return
    }
    #expect(prompt.segments.count == 1)
    #expect(prompt.responseFormat == Transcript.ResponseFormat(type: Regime.self))
    #expect(segment.source == "Regime")
    #expect(segment.content == diet.content.generatedContent)
    #expect(
      try await !session.respond(
        to: "And why?", options: GenerationOptions(maximumResponseTokens: 2)
      ).content.isEmpty)
  }

  @Test func schemasOfRunTimeWork() async throws {
    let schema = try GenerationSchema(
      root: DynamicGenerationSchema(
        name: "Menu",
        properties: [
          .init(
            name: "soup", schema: DynamicGenerationSchema(name: "Soup", anyOf: ["Tomato", "Leek"])),
          .init(
            name: "price", schema: DynamicGenerationSchema(type: Int.self, guides: [.range(3...9)])),
        ]), dependencies: [])
    let session = LanguageModelSession(model: SampleModels.plain)
    let content = try await session.respond(
      to: "Today's menu", schema: schema, includeSchemaInPrompt: false, options: sampling
    ).content
    #expect(["Tomato", "Leek"].contains(try content.value(String.self, forProperty: "soup")))
    #expect((3...9).contains(try content.value(Int.self, forProperty: "price")))
  }

  @Test func aStreamGivesMoreAndMoreOfAValue() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let stream = session.streamResponse(
      to: "Write a recipe.", generating: Card.self, includeSchemaInPrompt: false, options: sampling)
    var ids: Set<GenerationID> = []
    var stepIDs: Set<GenerationID> = []
    var last: Card.PartiallyGenerated?
    for try await snapshot in stream {
      ids.insert(snapshot.content.id)
      for step in snapshot.content.steps ?? [] { stepIDs.insert(step.id) }
      last = snapshot.content
    }
    let card = try await stream.collect().content
    #expect(ids.count == 1)
    #expect(stepIDs.count <= 2)
    #expect(last?.name == card.name)
    #expect(last?.steps?.count == 2)
    #expect(last?.diet == card.diet)
  }

  @Test func aStreamOfAnEnumerationWaitsForTheWholeName() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let stream = session.streamResponse(
      to: "Which diet?", generating: Regime.self, includeSchemaInPrompt: false, options: sampling)
    var snapshots: [Regime] = []
    for try await snapshot in stream { snapshots.append(snapshot.content) }
    #expect(snapshots == [try await stream.collect().content])
  }

  @Test func aCutResponseIsAnError() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let error = await #expect(throws: GeneratedContent.ParsingError.self) {
      try await session.respond(
        to: "Write a recipe.", generating: Card.self, includeSchemaInPrompt: false,
        options: GenerationOptions(maximumResponseTokens: 5))
    }
    #expect(
      error?.failureReason
        == "The response was cut by the maximum number of tokens; allow more, or ask for less.")
    #expect(session.transcript.isEmpty)
    #expect(!session.isResponding)
  }

  /// Where nothing is left to choose, the answer may end before any pass.
  @Test func anAnswerWithoutAChoiceHasReadItsPrompt() async throws {
    let schema = try GenerationSchema(
      root: DynamicGenerationSchema(name: "Soup", anyOf: ["Tomato"]), dependencies: [])
    func usage(_ limit: Int?) async throws -> LanguageModelSession.Usage {
      try await LanguageModelSession(model: SampleModels.plain).respond(
        to: "Which soup?", schema: schema, includeSchemaInPrompt: false,
        options: GenerationOptions(maximumResponseTokens: limit)
      ).usage
    }
    let free = try await usage(nil)
    let limited = try await usage(free.output.totalTokenCount)
    #expect(free.input.totalTokenCount > 0 && free.output.totalTokenCount > 0)
    #expect(limited.input.totalTokenCount == free.input.totalTokenCount)
    #expect(limited.output.totalTokenCount == free.output.totalTokenCount)
  }

  private static let unsupported: [(String, GenerationSchema, String)] = [
    (
      "a pattern", schema([.pattern(#/(?=a)b/#)]),
      "The pattern '(?=a)b' has a group of a special kind at 2, which cannot be enforced; use another pattern."
    ),
    (
      "two patterns", schema([.pattern(#/a/#), .pattern(#/b/#)]),
      "A text has several patterns, or a pattern and values; keep one."
    ),
    (
      "no value", schema([.anyOf(["a"]), .constant("b")]), "The guides of a text leave no value."
    ),
    (
      "no number",
      GenerationSchema(
        type: Stage.self,
        properties: [.init(name: "x", type: Int.self, guides: [.minimum(2), .maximum(1)])]),
      "No number is between 2 and 1, as far as digits can tell; change the bounds."
    ),
  ]

  private static func schema(_ guides: [GenerationGuide<String>]) -> GenerationSchema {
    GenerationSchema(
      type: Stage.self, properties: [.init(name: "x", type: String.self, guides: guides)])
  }

  @Test(arguments: unsupported)
  func whatCannotBeEnforcedIsRefused(name: String, schema: GenerationSchema, reason: String)
    async throws
  {
    let session = LanguageModelSession(model: SampleModels.plain)
    do {
      _ = try await session.respond(to: "Hello", schema: schema)
      Issue.record("no error")
    } catch LanguageModelError.unsupportedGenerationGuide(let context) {
      #expect(context.debugDescription == reason)
    }
  }
}
