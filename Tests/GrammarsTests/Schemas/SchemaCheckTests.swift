import Foundation
import JSON
import TestSupport
import Testing

@testable import Grammars

@Suite struct SchemaCheckTests {
  /// What `jsonschema` finds of a schema and values.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let schema: JSONValue
    let values: [JSONValue]
    let fits: [Bool]
    var testDescription: String { name }
  }

  private static func cases(_ file: String) -> [JSONObject] {
    let data = (try? Data(contentsOf: Fixtures.url("GrammarsTests", file))) ?? Data()
    return ((try? JSONDocument(parsing: Array(data)))?.root.array ?? []).compactMap(\.object)
  }

  static let checks = cases("schema-checks.json").map { object in
    Case(
      name: object["name"]?.string ?? "", schema: object["schema"] ?? .null,
      values: object["values"]?.array ?? [],
      fits: (object["fits"]?.array ?? []).map { $0 == .bool(true) })
  }

  /// The schemas of grammars, but for those in which a format limits something.
  static let schemas = SchemaCase.all.filter { !$0.schema.line.contains("\"format\"") }.map {
    sample in
    let values = (sample.fitting + sample.others).map { text in
      (try? JSONDocument(parsing: Array(text.utf8)))?.root ?? .null
    }
    return Case(
      name: sample.name, schema: sample.schema, values: values,
      fits: sample.fitting.map { _ in true } + sample.others.map { _ in false })
  }

  @Test(arguments: checks + schemas) func valuesFitAsJsonschemaFinds(_ check: Case) throws {
    let found = try SchemaCheck(check.schema)
    for (value, fits) in zip(check.values, check.fits) {
      #expect(found.accepts(value) == fits, "\(value.line)")
    }
  }

  @Test func theFixturesAreThere() {
    #expect(Self.checks.count > 25 && Self.schemas.count > 40)
  }

  /// A double has no room for these fractions.
  @Test(arguments: [
    ("1.0", true), ("1e2", true), ("120e-1", true), ("12345678901234567890", true),
    ("12345678901234567890.5", false), ("1e-400", false),
  ])
  func integersAreToldByTheirDigits(_ text: String, _ fits: Bool) throws {
    let check = try SchemaCheck(.object(["type": .string("integer")]))
    #expect(try check.accepts(JSONDocument(parsing: Array(text.utf8)).root) == fits)
  }

  @Test(arguments: [
    ("9007199254740993", "9007199254740993", true), ("9007199254740993", "9007199254740992", false),
    ("1e20", "100000000000000000000", true), ("0.1", "0.10", true),
  ])
  func valuesAreComparedByTheirDigits(_ constant: String, _ value: String, _ fits: Bool) throws {
    func json(_ text: String) throws -> JSONValue {
      try JSONDocument(parsing: Array(text.utf8)).root
    }
    #expect(try SchemaCheck(json("{\"const\": \(constant)}")).accepts(json(value)) == fits)
  }

  /// A part that nothing but a reference leads to is read as it stands.
  @Test func aStepOfZeroBehindAReferenceFitsNothing() throws {
    let text = ##"{"$ref": "#/x", "x": {"multipleOf": 0}}"##
    let schema = try JSONDocument(parsing: Array(text.utf8)).root
    #expect(try !SchemaCheck(schema).accepts(.number(JSONNumber(1))))
  }

  /// It ends, and fits nothing.
  @Test func aReferenceToItselfFitsNothing() throws {
    let schema = try JSONDocument(parsing: Array(##"{"$ref": "#"}"##.utf8)).root
    #expect(try !SchemaCheck(schema).accepts(.null))
  }

  /// Four references a level would be more parts than anybody waits for.
  @Test func referencesThatMultiplyEnd() throws {
    let reference = ##"{"$ref": "#"}"##
    let text = #"{"anyOf": [\#(Array(repeating: reference, count: 4).joined(separator: ","))]}"#
    let schema = try JSONDocument(parsing: Array(text.utf8)).root
    #expect(try !SchemaCheck(schema).accepts(.null))
  }

  /// Of names of properties, which are read when a value is held against them.
  @Test func aPatternThatIsNoneMatchesNothing() throws {
    let schema = JSONValue.object(["patternProperties": .object(["(": .bool(false)])])
    #expect(try SchemaCheck(schema).accepts(.object(["(": .null])))
  }

  private static func key(_ count: Int) -> String { String(repeating: "k", count: count) }
  /// One character.
  private static func tall(_ count: Int) -> String {
    "e" + String(repeating: "\u{301}", count: count - 1)
  }

  /// What is said of a value, and where.
  @Test(arguments: [
    (
      #"{"type": "integer"}"#, #""a""#,
      #"the value is "a", where the schema says "type": "integer""#
    ),
    (
      #"{"properties": {"a": {"items": {"maxLength": 1}}}}"#, #"{"a": ["b", "cc"]}"#,
      #"'a[1]' is "cc", where the schema says "maxLength": 1"#
    ),
    (
      #"{"items": {"items": false}}"#, "[[], [7]]",
      "'[1][0]' is there, which the schema does not allow"
    ),
    (
      #"{"properties": {"a": {"required": ["b", "c"]}}}"#, #"{"a": {"b": 1}}"#,
      "'a' has no 'c', which the schema requires"
    ),
    (
      #"{"dependentRequired": {"a": ["b"]}}"#, #"{"a": 1}"#,
      "the value has no 'b', which the schema requires"
    ),
    (
      #"{"additionalProperties": false}"#, #"{"x": 1}"#,
      "'x' is there, which the schema does not allow"
    ),
    (#"{"minProperties": 1}"#, "{}", #"the value is {}, where the schema says "minProperties": 1"#),
    (
      #"{"prefixItems": [{}, {"enum": ["km"]}]}"#, #"[1, "mi"]"#,
      #"'[1]' is "mi", where the schema says "enum": ["km"]"#
    ),
    (
      #"{"items": [{}, {"enum": ["km"]}]}"#, #"[1, "mi"]"#,
      #"'[1]' is "mi", where the schema says "enum": ["km"]"#
    ),
    (
      #"{"items": [{}], "additionalItems": {"maximum": 1}}"#, "[9, 2]",
      #"'[1]' is 2, where the schema says "maximum": 1"#
    ),
    (
      #"{"anyOf": [{"type": "null"}, {"properties": {"a": {"minimum": 3}}}]}"#, #"{"a": 2}"#,
      #"'a' is 2, where the schema says "minimum": 3"#
    ),
    (
      #"{"anyOf": [{"type": "null"}, {"type": "integer"}]}"#, #""x""#,
      #"the value is "x", where the schema says "anyOf": [{"type": "null"}, {"type": "integer"}]"#
    ),
    (#"{"oneOf": [{}, {}]}"#, "1", #"the value is 1, where the schema says "oneOf": [{}, {}]"#),
    (#"{"not": {}}"#, "1", #"the value is 1, where the schema says "not": {}"#),
    (
      ##"{"properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"const": 1}}}"##,
      #"{"a": ""# + String(repeating: "x", count: 200) + #""}"#,
      "'a' is \"" + String(repeating: "x", count: 98) + "…, where the schema says \"const\": 1"
    ),
    (
      #"{"additionalProperties": {"items": false}}"#, "{\"\(key(200))\": [1]}",
      "'\(key(99))…[0]' is there, which the schema does not allow"
    ),
    (
      "{\"required\": [\"\(tall(200))\"]}", "{}",
      "the value has no '\(tall(99))…', which the schema requires"
    ),
  ]) func whatIsBrokenIsNamed(_ schema: String, _ value: String, _ said: String) throws {
    func json(_ text: String) throws -> JSONValue {
      try JSONDocument(parsing: Array(text.utf8)).root
    }
    let check = try SchemaCheck(json(schema))
    #expect(try check.violation(of: json(value))?.description == said)
    #expect(try !check.accepts(json(value)))
  }

  static let refused = [
    (#"{"type": "text"}"#, "The schema has the type 'text' at #, which there is not"),
    (
      ##"{"properties": {"a": {"$ref": "#/no"}}}"##,
      "The schema refers to '#/no' at #/properties/a, which is no part of it"
    ),
    (
      #"{"items": {"pattern": "("}}"#,
      "The schema has the pattern '(' at #/items/pattern with an open parenthesis, which cannot be enforced"
    ),
    (#"[]"#, "The schema has an array at #, where an object or a boolean has to be"),
    (
      #"{"minLength": "3"}"#, "The schema has \"3\" at #/minLength, where a count has to be"
    ),
    (
      #"{"items": {"multipleOf": 0}}"#,
      "The schema has 0 at #/items/multipleOf, where a number above 0 of at most 18 digits has to be"
    ),
    (
      ##"{"$ref": "#a", "$anchor": "b"}"##, "The schema refers to '#a' at #, which is no part of it"
    ),
    (
      #"{"unevaluatedItems": false}"#,
      "The schema limits values at # by 'unevaluatedItems' in a way that cannot be enforced"
    ),
  ]

  @Test(arguments: refused) func whatCannotBeHeldAgainstIsRefused(
    _ schema: String, _ problem: String
  ) throws {
    let schema = try JSONDocument(parsing: Array(schema.utf8)).root
    let error = #expect(throws: GrammarDefect.self) { try SchemaCheck(schema) }
    #expect(error.map { "\($0)".hasPrefix(problem) } ?? false, "\(error.map { "\($0)" } ?? "")")
  }
}
