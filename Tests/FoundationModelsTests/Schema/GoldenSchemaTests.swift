import FoundationEssentials
import FoundationModels
import JSON
import TestSupport
import Testing

/// The types whose schemas Apple's framework wrote into the fixtures.
private struct Age: SchemaOnly {
  static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: Age.self,
      properties: [
        .init(name: "years", type: Int.self), .init(name: "months", type: Int.self),
      ])
  }
}

private struct Cat: SchemaOnly {
  static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: Cat.self, description: "A description of a cute cat",
      properties: [
        .init(name: "name", type: String.self),
        .init(name: "age", description: "The age of the cat, at most 20 years", type: Age.self),
        .init(
          name: "profile", description: "One sentence about this cat's personality",
          type: String.self),
      ])
  }
}

private struct Person: SchemaOnly {
  static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: Person.self,
      properties: [
        .init(
          name: "age", description: "The person's age", type: Int?.self, guides: [.range(18...100)]),
        .init(
          name: "children", description: "The person's children", type: [Person].self,
          guides: [.maximumCount(3)]),
        .init(name: "name", description: "The person's name", type: String.self),
      ])
  }
}

@Suite struct GoldenSchemaTests {
  private static let cases: [(String, GenerationSchema)] = [
    ("age", Age.generationSchema), ("cat", Cat.generationSchema),
    ("person", Person.generationSchema),
  ]

  private func fixture(_ name: String) throws -> [UInt8] {
    try Fixtures.bytes("FoundationModelsTests", "AppleJSON/\(name).schema.json")
  }

  private func encoded(_ schema: GenerationSchema) throws -> JSONValue {
    try JSONDocument(parsing: Array(JSONEncoder().encode(schema))).root.normalized
  }

  @Test(arguments: cases)
  func swiftTypesGiveApplesJSON(name: String, schema: GenerationSchema) throws {
    let expected = try JSONDocument(parsing: fixture(name)).root.normalized
    #expect(try encoded(schema) == expected)
  }

  @Test(arguments: cases.map(\.0))
  func applesJSONSurvivesARoundTrip(name: String) throws {
    let bytes = try fixture(name)
    let schema = try JSONDecoder().decode(GenerationSchema.self, from: Data(bytes))
    #expect(try encoded(schema) == JSONDocument(parsing: bytes).root.normalized)
  }
}
