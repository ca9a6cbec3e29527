import Foundation
import JSON
import TestSupport
import Testing

@testable import Grammars

/// Schemas and values that jsonschema says fit or do not, written by `tools/fixtures/make_schema_fixtures.py`.
struct SchemaCase: CustomTestStringConvertible, Sendable {
  let name: String
  let schema: JSONValue
  let fitting: [String]
  let others: [String]

  var testDescription: String { name }

  static let all = (try? read()) ?? []

  private static func read() throws -> [SchemaCase] {
    let data = try Data(contentsOf: Fixtures.url("GrammarsTests", "schemas.json"))
    let cases = try JSONDocument(parsing: Array(data)).root.array ?? []
    return cases.compactMap { json in
      guard let object = json.object, let name = object["name"]?.string,
        let schema = object["schema"]
      else { return nil }
      return SchemaCase(
        name: name, schema: schema,
        fitting: object["fitting"]?.array?.compactMap(\.string) ?? [],
        others: object["others"]?.array?.compactMap(\.string) ?? [])
    }
  }
}

@Suite struct JSONSchemaTests {
  private static func schema(_ text: String) throws -> JSONValue {
    try JSONDocument(parsing: Array(text.utf8)).root
  }

  @Test(arguments: SchemaCase.all) func whatComesFits(_ sample: SchemaCase) throws {
    var run = try GrammarRun(Grammar(schema: sample.schema))
    for text in sample.fitting { #expect(run.outcome(text) == "whole", "\(text)") }
    for text in sample.others { #expect(run.outcome(text) != "whole", "\(text)") }
  }

  @Test func thereAreCases() { #expect(SchemaCase.all.count > 60) }

  /// Apple's schemas say in which order properties come, and may name some of them only.
  @Test(arguments: [
    (#""x-order": ["b", "a", "c"]"#, #"{"b": 1, "a": 2, "c": 3}"#),
    (#""x-order": ["c", "none", "c"]"#, #"{"c": 1, "a": 2, "b": 3}"#),
    (#""x-order": []"#, #"{"a": 1, "b": 2, "c": 3}"#),
  ]) func orderOfProperties(_ order: String, _ text: String) throws {
    let schema =
      #"{"title": "T", "type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "#
      + #""required": ["a", "b", "c"], "additionalProperties": false, \#(order)}"#
    var run = try GrammarRun(Grammar(schema: Self.schema(schema)))
    #expect(run.outcome(text) == "whole")
    #expect(run.outcome(#"{"c": 1, "b": 2, "a": 3}"#) != "whole")
  }

  /// An object with optional properties, `count` of which a value has.
  private static func object(_ count: Int, _ value: String) -> String {
    let members = (0..<count).map { "\"p\($0)\": \(value)" }
    return "{\(members.joined(separator: ", "))}"
  }

  private static func schema(of count: Int, _ value: String, _ bound: String) -> String {
    "{\"properties\": \(object(count, value)), \(bound)}"
  }

  /// Parts that come once for each number of properties would multiply with the depth.
  private static let deep = (0..<3).reduce(#"{"type": "integer"}"#) { value, _ in
    schema(of: 8, value, #""minProperties": 4"#)
  }
  private static let wide = schema(of: 200, #"{"type": "integer"}"#, #""maxProperties": 100"#)

  @Test(arguments: [
    (deep, object(4, object(4, object(5, "1"))), true),
    (deep, object(8, object(8, object(8, "1"))), true),
    (deep, object(4, object(3, object(4, "1"))), false),
    (wide, "{}", true), (wide, object(100, "1"), true), (wide, object(101, "1"), false),
    (wide, #"{"p7": 1, "p199": 2}"#, true), (wide, #"{"p7": 1, "p6": 2}"#, false),
  ]) func numbersOfPropertiesCostLittle(
    _ schema: String, _ text: String, _ isWhole: Bool
  ) throws {
    var run = try GrammarRun(Grammar(schema: Self.schema(schema)))
    #expect((run.outcome(text) == "whole") == isWhole)
  }

  /// What fits a schema and is never written: the limits that the documentation names.
  @Test(arguments: [
    (#"{"properties": {"a": {}, "b": {}}}"#, #"{"b": 1, "a": 2}"#),
    (#"{"properties": {"a": {}}}"#, #"{"c": 1}"#), (#"{"prefixItems": [{}]}"#, "[1, 2]"),
    (#"{"type": "integer"}"#, "1.0"), (#"{"type": "number"}"#, "1e3"),
    (#"{"type": "string", "format": "date"}"#, #""2024-02-29""#),
  ]) func whatFitsButDoesNotCome(_ schema: String, _ text: String) throws {
    var run = try GrammarRun(Grammar(schema: Self.schema(schema)))
    #expect(run.outcome(text) != "whole")
  }

  @Test(arguments: [
    ("1", "The schema has an integer at #, where an object or a boolean has to be."),
    ("false", "No value fits the schema at #."),
    (#"{"enum": []}"#, "No value fits the schema at #."),
    (#"{"type": "string", "enum": [1]}"#, "No value fits the schema at #."),
    (#"{"anyOf": [false, false]}"#, "No value fits the schema at #/anyOf."),
    (
      #"{"properties": {"a/b": {"type": "text"}}}"#,
      "The schema has the type 'text' at #/properties/a~1b, which there is not; use object, array, string, integer, number, boolean or null."
    ),
    (
      #"{"items": {"type": "number", "multipleOf": 0.5}}"#,
      "The schema limits values at #/items by 'multipleOf' in a way that cannot be enforced; leave it out, or say it in another way."
    ),
    (
      #"{"type": "object", "patternProperties": {}}"#,
      "The schema limits values at # by 'patternProperties' in a way that cannot be enforced; leave it out, or say it in another way."
    ),
    (
      #"{"type": "array", "uniqueItems": true}"#,
      "The schema limits values at # by 'uniqueItems' in a way that cannot be enforced; leave it out, or say it in another way."
    ),
    (
      #"{"allOf": [{}, {}]}"#,
      "The schema limits values at # by 'allOf' in a way that cannot be enforced; leave it out, or say it in another way."
    ),
    (
      #"{"type": "string", "pattern": "a", "maxLength": 3}"#,
      "The schema limits values at # by 'maxLength' in a way that cannot be enforced; leave it out, or say it in another way."
    ),
    (
      #"{"type": "string", "pattern": "a", "format": "date"}"#,
      "The schema limits values at # by 'format' in a way that cannot be enforced; leave it out, or say it in another way."
    ),
    (
      #"{"anyOf": [{}], "type": "string"}"#,
      "The schema limits values at # by 'type' in a way that cannot be enforced; leave it out, or say it in another way."
    ),
    (
      #"{"$ref": "other.json#/a"}"#,
      "The schema refers to 'other.json#/a' at #, which is no part of it; put that part under $defs, and refer to it as '#/$defs/name'."
    ),
    (
      ##"{"$ref": "#/$defs/a"}"##,
      "The schema refers to '#/$defs/a' at #, which is no part of it; put that part under $defs, and refer to it as '#/$defs/name'."
    ),
    (
      #"{"required": ["a"]}"#,
      "The schema requires the property 'a' at #, which it does not describe; add it to the properties."
    ),
    (
      #"{"type": "array", "minItems": -1}"#,
      "The schema has -1 at #/minItems, where a count has to be."
    ),
    (
      #"{"type": "number", "exclusiveMinimum": true}"#,
      "The schema has true at #/exclusiveMinimum, where a number has to be."
    ),
    (
      #"{"type": 3}"#, "The schema has 3 at #/type, where a list of strings has to be."
    ),
    (
      #"{"type": "integer", "minimum": 1e500}"#,
      "No number is between 1e500 and ∞, as far as digits can tell; change the bounds."
    ),
    (
      #"{"properties": {"a": {"type": "string", "pattern": "a|b(?=c)"}}}"#,
      "The schema has the pattern 'a|b(?=c)' at #/properties/a/pattern with a group of a special kind, which cannot be enforced; use another pattern."
    ),
    (
      ##"{"$ref": "#item"}"##,
      "The schema refers to '#item' at #, which is no part of it; put that part under $defs, and refer to it as '#/$defs/name'."
    ),
    (
      #"{"type": "number", "minimum": 3, "maximum": 2}"#,
      "No number is between 3 and 2, as far as digits can tell; change the bounds."
    ),
    (
      #"{"type": "string", "minLength": 3, "maxLength": 2}"#,
      "Nothing has between 3 and 2 parts; change the bounds."
    ),
    (
      #"{"properties": {"a": {}}, "minProperties": 2}"#,
      "The schema limits values at # by 'minProperties' in a way that cannot be enforced; leave it out, or say it in another way."
    ),
    (
      #"{"properties": {"a": {}}, "minProperties": 2, "additionalProperties": false}"#,
      "Nothing has between 2 and 1 parts; change the bounds."
    ),
    (
      #"{"properties": {"a": {}, "b": {}}, "required": ["a", "b"], "maxProperties": 1}"#,
      "Nothing has between 2 and 1 parts; change the bounds."
    ),
    (
      #"{"additionalProperties": false, "minProperties": 1}"#, "No value fits the schema at #."
    ),
    (
      #"{"prefixItems": [{}, {"type": "text"}]}"#,
      "The schema has the type 'text' at #/prefixItems/1, which there is not; use object, array, string, integer, number, boolean or null."
    ),
    (
      #"{"items": [{}, {"type": "text"}]}"#,
      "The schema has the type 'text' at #/items/1, which there is not; use object, array, string, integer, number, boolean or null."
    ),
    (
      #"{"prefixItems": [{}], "minItems": 2, "items": false}"#,
      "Nothing has between 2 and 1 parts; change the bounds."
    ),
    (
      ##"{"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}"##,
      "Every value would have to contain another one without end; make a part optional."
    ),
  ]) func errors(_ schema: String, _ message: String) throws {
    let error = #expect(throws: GrammarDefect.self) {
      _ = try GrammarRun(Grammar(schema: Self.schema(schema)))
    }
    #expect(error?.description == message)
  }

  @Test(arguments: [
    ("(?i)^abc$", ["abc", "ABC", "aBc"], ["abcd", "xabc"]),
    ("(?i)^a|b$", ["a", "Ax", "xB"], ["b!", "xa"]),
    ("(?i)b", ["aBc", "b"], ["ac"]),
  ]) func aFlagInFrontHoldsForAllOfAPattern(
    _ pattern: String, _ fitting: [String], _ others: [String]
  ) throws {
    let schema = JSONValue.object(["type": .string("string"), "pattern": .string(pattern)])
    for (texts, isWhole) in [(fitting, true), (others, false)] {
      for text in texts {
        var run = try GrammarRun(Grammar(schema: schema))
        #expect((run.outcome(JSONValue.string(text).line) == "whole") == isWhole, "\(text)")
      }
    }
  }

  @Test func nestingIsBounded() throws {
    var value = JSONValue.object([:])
    for _ in 0..<65 { value = .object(["items": value]) }
    let place = "#" + String(repeating: "/items", count: 65)
    #expect(throws: GrammarDefect.schema(.tooDeep(limit: 64), place: place)) {
      _ = try Grammar(schema: value)
    }
  }
}
