import JSON
import Testing

@testable import Grammars

@Suite struct JSONPointerTests {
  private static let part = ##"{"$anchor": "d", "type": "string"}"##

  /// Keys are keywords in a schema, and names directly inside of some.
  @Test(arguments: [
    ("properties", "default", true), ("properties", "const", true), ("properties", "enum", true),
    ("properties", "examples", true), ("$defs", "default", true), ("definitions", "const", true),
    ("patternProperties", "enum", true), ("dependentSchemas", "default", true),
    ("properties", "properties", true), ("items", "default", false), ("items", "const", false),
    ("items", "enum", false), ("items", "examples", false), ("items", "items", true),
  ]) func anchorsAreThoseOfSchemas(_ keyword: String, _ key: String, _ isFound: Bool) throws {
    let text = "{\"\(keyword)\": {\"\(key)\": \(Self.part)}}"
    let document = try JSONDocument(parsing: Array(text.utf8)).root
    let pointer = try #require(JSONPointer(fragment: "#d"))
    let found = pointer.value(in: document, JSONPointer.Index())
    #expect(found?.object?["type"] == (isFound ? JSONValue.string("string") : nil))
  }

  /// The keyword below a name is one again.
  @Test func valuesBelowNamesAreNoSchemas() throws {
    let text = "{\"properties\": {\"default\": {\"default\": \(Self.part)}}}"
    let document = try JSONDocument(parsing: Array(text.utf8)).root
    #expect(JSONPointer(fragment: "#d")?.value(in: document, JSONPointer.Index()) == nil)
  }
}
