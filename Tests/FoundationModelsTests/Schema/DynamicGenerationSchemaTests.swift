import FoundationModels
import Testing

private typealias Dynamic = DynamicGenerationSchema

@Suite struct DynamicGenerationSchemaTests {
  @Test func partsBecomeDefinitions() throws {
    let answer = Dynamic(
      name: "Answer",
      properties: [
        .init(name: "text", schema: Dynamic(type: String.self)),
        .init(name: "sure", schema: Dynamic(type: Bool.self), isOptional: true),
      ])
    let riddle = Dynamic(
      name: "Riddle", description: "A riddle",
      properties: [
        .init(
          name: "answers", description: "Two or three",
          schema: Dynamic(
            arrayOf: Dynamic(referenceTo: "Answer"), minimumElements: 2, maximumElements: 3)),
        .init(name: "level", schema: Dynamic(name: "Level", anyOf: ["easy", "hard"])),
        .init(
          name: "next",
          schema: Dynamic(name: "Next", anyOf: [.null, Dynamic(referenceTo: "Riddle")])),
      ])
    let schema = try GenerationSchema(root: riddle, dependencies: [answer])
    #expect(
      schema.debugDescription
        == ##"{"title": "Riddle", "description": "A riddle", "type": "object", "properties": {"##
        + ##""answers": {"type": "array", "items": {"$ref": "#/$defs/Answer"}, "minItems": 2, "maxItems": 3, "description": "Two or three"}, "##
        + ##""level": {"type": "string", "enum": ["easy", "hard"]}, "next": {"$ref": "#/$defs/Next"}}, "##
        + ##""required": ["answers", "level", "next"], "additionalProperties": false, "x-order": ["answers", "level", "next"], "##
        + ##""$defs": {"Answer": {"title": "Answer", "type": "object", "properties": {"text": {"type": "string"}, "sure": {"type": "boolean"}}, "##
        + ##""required": ["text"], "additionalProperties": false, "x-order": ["text", "sure"]}, "##
        + ##""Next": {"title": "Next", "anyOf": [{"type": "null"}, {"$ref": "#"}]}}}"##)
  }

  private static let wrong: [(String, DynamicGenerationSchema, [DynamicGenerationSchema], String)] =
    [
      (
        "two properties",
        Dynamic(
          name: "A", properties: [.init(name: "x", schema: .null), .init(name: "x", schema: .null)]),
        [], "The schema 'A' has two properties named 'x'; rename one."
      ),
      (
        "two types", Dynamic(name: "A", properties: []),
        [Dynamic(name: "B", properties: []), Dynamic(name: "B", anyOf: ["x"])],
        "Two schemas are named 'B'; rename one."
      ),
      (
        "the root's name", Dynamic(name: "A", properties: []), [Dynamic(name: "A", properties: [])],
        "Two schemas are named 'A'; rename one."
      ),
      (
        "no choice", Dynamic(name: "A", anyOf: [String]()), [],
        "The schema 'A' has nothing to choose from; add a choice."
      ),
      (
        "no branch", Dynamic(name: "A", anyOf: [DynamicGenerationSchema]()), [],
        "The schema 'A' has nothing to choose from; add a choice."
      ),
      (
        "unknown names",
        Dynamic(name: "A", anyOf: [Dynamic(referenceTo: "C"), Dynamic(referenceTo: "B")]), [],
        "No schema is named 'B', 'C'; add it to the dependencies."
      ),
    ]

  @Test(arguments: wrong)
  func wrongNamesAreRefused(
    name: String, root: DynamicGenerationSchema, dependencies: [DynamicGenerationSchema],
    message: String
  ) {
    #expect(failure { _ = try GenerationSchema(root: root, dependencies: dependencies) } == message)
  }
}
