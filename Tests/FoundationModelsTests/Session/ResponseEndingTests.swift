import SessionTestSupport
import Testing

@testable import FoundationModels

@Suite struct ResponseEndingTests {
  @Test func responsesSayWhyTheyEnd() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let cut = try await session.respond(
      to: "Tell me about bread.", options: GenerationOptions(maximumResponseTokens: 3))
    #expect(cut.ending == .limit)
    #expect(try await session.respond(to: SampleModels.note).ending == .finished)
    let value = try await session.respond(to: "Is ice cold?", generating: Bool.self)
    #expect(value.ending == .finished)
    let stream = session.streamResponse(
      to: "Tell me about bread.", options: GenerationOptions(maximumResponseTokens: 3))
    #expect(try await stream.collect().ending == .limit)
  }

  /// A value is whole by its limit; only a few tokens less tell that it was one.
  @Test func aValueEndsByItsLimit() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let pattern = try GenerationSchema(
      root: DynamicGenerationSchema(
        arrayOf: DynamicGenerationSchema(type: Bool.self), minimumElements: 4), dependencies: [])
    let response = try await session.respond(
      to: "Yes or no?", schema: pattern, options: GenerationOptions(maximumResponseTokens: 24))
    #expect(response.content.isComplete)
    let counted = response.usage.output.totalTokenCount
    #expect(response.ending == (24 - counted <= 8 ? .limit : .finished))
  }

  @Test func aValueHasALimitThatItsSchemaAllows() throws {
    func limit(_ count: Int, of element: DynamicGenerationSchema) throws -> Int {
      try GenerationSchema(
        root: DynamicGenerationSchema(arrayOf: element, minimumElements: count), dependencies: []
      ).usualLimit
    }
    let number = DynamicGenerationSchema(type: Int.self)
    #expect(Bool.generationSchema.usualLimit == 2_048)
    #expect(try limit(3, of: number) == 2_048)
    #expect(try limit(100_000, of: number) == 3_200_000)
    let row = DynamicGenerationSchema(arrayOf: number, minimumElements: 99)
    #expect(try limit(10, of: row) == 32_000)
    #expect(try limit(.max, of: row) == .max)
  }
}
