import FoundationEssentials
import FoundationModels
import Testing

private enum Outer {
  struct Item: SchemaOnly {
    static var generationSchema: GenerationSchema {
      GenerationSchema(type: Item.self, properties: [.init(name: "inner", type: String.self)])
    }
  }
}

private struct Item: SchemaOnly {
  static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: Item.self,
      properties: [
        .init(name: "one", type: Outer.Item.self), .init(name: "more", type: [Branch].self),
      ])
  }
}

/// What a decoder could tell in another way than it was written.
@Generable
private struct Pier: Equatable {
  @Guide(description: "What it is called") var name: String
  @Guide(description: "Metres", .range(0...2.5)) var depth: Double?
  @Guide(description: "Where", .anyOf(["north", "south"])) var side: String
  @Guide(.maximum(1e-7)) var tide: Double
  @Guide(.minimum(Decimal(string: "0.1234567890123456789012345") ?? 0)) var fee: Decimal
  var ships: [Ship]
  var fishes: [Catch]
  var crane: Crane

  @Generable(representNilExplicitlyInGeneratedContent: true)
  struct Ship: Equatable {
    @Guide(description: "Of the hull") var color: Color?
    var bell: Bell
  }

  @Generable enum Catch: Equatable { case eel, cod(by: Ship), ray(Net) }
  @Generable enum Color { case white, blue }
  @Generable struct Bell: Equatable { var tone: Int }
  @Generable struct Net: Equatable { var size: Int }
  @Generable struct Crane: Equatable { var height: Int, bell: Bell }
}

private struct Branch: SchemaOnly {
  static var generationSchema: GenerationSchema {
    GenerationSchema(type: Branch.self, anyOf: [Item.self, Branch.self, Outer.Item.self])
  }
}

@Suite struct GenerationSchemaTests {
  @Test func typesOfOneNameAndCyclesAreToldApart() {
    let json = Item.generationSchema.debugDescription
    #expect(json.contains(##""one": {"$ref": "#/$defs/Item2"}"##))
    #expect(
      json.contains(
        ##""Branch": {"title": "Branch", "anyOf": [{"$ref": "#"}, {"$ref": "#/$defs/Branch"}, {"$ref": "#/$defs/Item2"}]}"##
      ))
  }

  @Test(arguments: [
    ("[]", "This is not a schema: it is an array, not an object."),
    (#"{"type": "date"}"#, #"This is not a schema: the type is "date"."#),
    (
      #"{"type": "integer", "multipleOf": 3}"#,
      "This is not a schema: the keyword 'multipleOf' is not supported here."
    ),
    (
      #"{"type": "object", "properties": {"a": {"type": "string", "maxLength": 3}}}"#,
      "This is not a schema at a: the keyword 'maxLength' is not supported here."
    ),
    (
      ##"{"$ref": "#/$defs/A"}"##,
      "This is not a schema at $defs: there is no definition named 'A'."
    ),
    (
      ##"{"$ref": "other.json"}"##,
      #"This is not a schema: the reference "other.json" is not to a definition."#
    ),
    (#"{"type": "object", "required": ["a"]}"#, "This is not a schema: there is no property 'a'."),
    (#"{"type": "array", "minItems": -1}"#, "This is not a schema: minItems is -1."),
    (#"{"type": "number", "minimum": "1"}"#, "This is not a schema: minimum is no number."),
    (
      #"{"type": "string", "enum": ["a", "a"]}"#,
      "This is not a schema: enum is no list of different strings."
    ),
    (#"{"anyOf": []}"#, "This is not a schema: anyOf is no list of schemas."),
  ])
  func whatIsNoSchemaIsRefused(json: String, message: String) {
    do {
      _ = try GenerationSchema(jsonSchema: json)
      Issue.record("no error")
    } catch DecodingError.dataCorrupted(let context) {
      #expect(context.debugDescription == message)
    } catch {
      Issue.record(error)
    }
  }

  /// Apple's decoder takes its own form alone; what others write has a door of its own.
  @Test(arguments: [
    (
      #"{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}"#,
      "This is not a schema: an object has no 'title'; "
    ),
    (
      #"{"type":"object","title":"Root","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}"#,
      "This is not a schema: an object has no 'x-order'; "
    ),
    (
      #"{"type":"object","title":"Root","x-order":["city"],"properties":{"city":{"type":"string","title":"City"}}}"#,
      "This is not a schema at city: the text 'City' has no values; "
    ),
    (
      ##"{"type":"array","items":{"$ref":"#/$defs/A"},"$defs":{"A":{"type":"object","title":"A"}}}"##,
      "This is not a schema at $defs.A: an object has no 'x-order'; "
    ),
  ])
  func onlyApplesFormIsDecoded(json: String, message: String) throws {
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(GenerationSchema.self, from: Data(json.utf8))
    }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(
      context.debugDescription
        == message + "JSON Schema of others is read by GenerationSchema(jsonSchema:).")
    let schema = try GenerationSchema(jsonSchema: json)
    let tool = Transcript.ToolDefinition(name: "t", description: "d", parameters: schema)
    let transcript = Transcript(entries: [
      .instructions(Transcript.Instructions(segments: [], toolDefinitions: [tool]))
    ])
    let data = try JSONEncoder().encode(transcript)
    #expect(try JSONDecoder().decode(Transcript.self, from: data) == transcript)
  }

  @Test(arguments: ["inf", "-inf", "nan"])
  func whatADecoderTakesForNoNumberIsNone(text: String) {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let json = #"{"type": "number", "maximum": "\#(text)"}"#
    let error = #expect(throws: DecodingError.self) {
      try decoder.decode(GenerationSchema.self, from: Data(json.utf8))
    }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.debugDescription == "This is not a schema: maximum is no number.")
  }

  @Test(arguments: [
    ("properties", Pier.generationSchema), ("names and cycles", Item.generationSchema),
    ("a choice", Pier.Catch.generationSchema), ("a list", [Pier].generationSchema),
  ])
  func aSchemaThatWasReadHasTheTextOfTheType(name: String, schema: GenerationSchema) throws {
    let data = try JSONEncoder().encode(schema)
    for _ in 0..<4 {
      let read = try JSONDecoder().decode(GenerationSchema.self, from: data)
      #expect(read.debugDescription == schema.debugDescription, "\(name)")
      let format = Transcript.ResponseFormat(schema: schema)
      #expect(Transcript.ResponseFormat(schema: read) == format, "\(name)")
    }
  }

  @Test func whatNothingOrdersIsInTheOrderOfTheText() throws {
    let json = ##"""
      {"type": "object", "properties": {"e": {"$ref": "#/$defs/M"}, "b": {}, "d": {}, "a": {}, "c": {}},
       "x-order": ["d"], "$defs": {"Z": {}, "M": {}, "B": {}, "K": {}, "C": {}}}
      """##
    let read = try GenerationSchema(jsonSchema: json)
    #expect(
      read.debugDescription
        == ##"{"type": "object", "properties": {"d": {}, "e": {"$ref": "#/$defs/M"}, "b": {}, "a": {}, "c": {}}, "##
        + ##""required": [], "additionalProperties": false, "x-order": ["d", "e", "b", "a", "c"], "##
        + ##""$defs": {"M": {}, "B": {}, "C": {}, "K": {}, "Z": {}}}"##)
  }

  @Test func namesWithSlashesAreEscapedInReferences() throws {
    let inner = DynamicGenerationSchema(
      name: "a/b~c", properties: [.init(name: "x", schema: DynamicGenerationSchema(type: Int.self))]
    )
    let schema = try GenerationSchema(
      root: DynamicGenerationSchema(
        name: "A",
        properties: [.init(name: "y", schema: DynamicGenerationSchema(referenceTo: "a/b~c"))]),
      dependencies: [inner])
    let json = schema.debugDescription
    #expect(json.contains(##""$ref": "#/$defs/a~1b~0c""##))
    #expect(json.contains(#""a/b~c": {"#))
    let read = try JSONDecoder().decode(
      GenerationSchema.self, from: JSONEncoder().encode(schema))
    #expect(read.debugDescription == json)
  }
}
