import JSON
import Testing

@testable import AdapterTraining

@Suite struct PaddedNullsTests {
  private static func parse(_ text: String) throws -> JSONValue {
    try JSONDocument(parsing: Array(text.utf8)).root
  }

  /// A line with one tool and one call of it.
  private static func line(_ parameters: String, _ arguments: String) -> String {
    #"{"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": \#(arguments)}}]}], "#
      + #""tools": [{"type": "function", "function": {"name": "f", "parameters": \#(parameters)}}]}"#
  }

  @Test(arguments: [
    (#"{"text": "a", "label": null}"#, #"{"text": "a"}"#),
    (
      #"{"messages": [{"role": "user", "content": "Q", "name": null, "tool_calls": null}], "tools": null}"#,
      #"{"messages": [{"role": "user", "content": "Q"}]}"#
    ),
    (
      #"[{"role": "user", "content": "Q", "tools": "", "tool_calls": []}]"#,
      #"[{"role": "user", "content": "Q"}]"#
    ),
    (
      #"{"conversations": [{"from": "human", "value": "Q", "content": null, "weight": null}]}"#,
      #"{"conversations": [{"from": "human", "value": "Q"}]}"#
    ),
    // What stands beside messages has nulls of its own.
    (
      #"{"prompt": "Q", "rule": {"json": {"a": null}}, "id": null}"#,
      #"{"prompt": "Q", "rule": {"json": {"a": null}}}"#
    ),
    // A call comes without content.
    (
      #"{"messages": [{"role": "assistant", "content": null, "tool_calls": [{"id": null}]}]}"#,
      #"{"messages": [{"role": "assistant", "content": null, "tool_calls": [{}]}]}"#
    ),
    // A tool gave that back.
    (
      #"[{"role": "tool", "content": {"temperature": null, "unit": "C"}, "name": null}]"#,
      #"[{"role": "tool", "content": {"temperature": null, "unit": "C"}}]"#
    ),
    (
      #"[{"role": "user", "content": [{"type": "text", "text": "Q", "image": null}]}]"#,
      #"[{"role": "user", "content": [{"type": "text", "text": "Q"}]}]"#
    ),
    (
      #"[{"role": "user", "content": "Q", "response_format": {"type": "json_schema", "json_schema": {"name": null, "schema": {"enum": ["a", null], "type": null}}}}]"#,
      #"[{"role": "user", "content": "Q", "response_format": {"type": "json_schema", "json_schema": {"schema": {"enum": ["a", null]}}}}]"#
    ),
  ]) func nullIsAbsent(_ line: String, _ expected: String) throws {
    #expect(PaddedNulls.removed(from: try Self.parse(line)).line == expected)
    #expect(PaddedNulls.removed(from: try Self.parse(expected)).line == expected)
  }

  /// A null of a call stays where the schema says that it may be one.
  @Test(arguments: [
    (#"{"x": null}"#, #"{"properties": {"x": {"type": "string"}}}"#, "{}"),
    (#"{"x": null}"#, #"{"properties": {"y": {"type": "string"}}}"#, "{}"),
    (#"{"x": null}"#, #"{"properties": {"x": {"description": "any"}}}"#, "{}"),
    (#"{"x": null}"#, #"{"properties": {"x": {"type": ["string", "null"]}}}"#, #"{"x": null}"#),
    (#"{"x": null}"#, #"{"properties": {"x": {"enum": ["a", null]}}}"#, #"{"x": null}"#),
    (#"{"x": null}"#, #"{"properties": {"x": {"const": null}}}"#, #"{"x": null}"#),
    (#"{"x": null}"#, #"{"properties": {"x": {"nullable": true}}}"#, #"{"x": null}"#),
    (
      #"{"x": null}"#,
      ##"{"properties": {"x": {"anyOf": [{"$ref": "#/$defs/n"}]}}, "##
        + ##""$defs": {"n": {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/n"}]}}}"##,
      #"{"x": null}"#
    ),
    (#"{"x": null}"#, #"{"additionalProperties": {"type": "null"}}"#, #"{"x": null}"#),
    (
      #"{"x": {"y": null, "z": [{"w": null}, null]}}"#,
      #"{"properties": {"x": {"properties": {"z": {"items": {"properties": {"w": {"type": "null"}}}}}}}}"#,
      #"{"x": {"z": [{"w": null}, null]}}"#
    ),
    (
      #""{\"x\": null, \"y\": 1}""#, #"{"properties": {"x": {"type": "string"}}}"#, #""{\"y\": 1}""#
    ),
    (#""{\"x\":null}""#, #"{"properties": {"x": {"type": "null"}}}"#, #""{\"x\":null}""#),
    (#""null and void""#, "{}", #""null and void""#),
  ]) func argumentsKeepTheNullsOfTheirSchema(
    _ arguments: String, _ parameters: String, _ expected: String
  ) throws {
    let line = PaddedNulls.removed(from: try Self.parse(Self.line(parameters, arguments))).line
    #expect(line == Self.line(parameters, expected))
  }

  /// Those of a tool that is not there say nothing.
  @Test func argumentsOfOtherToolsHaveNoNulls() throws {
    let line = try Self.parse(
      Self.line(#"{"properties": {"x": {"type": "null"}}}"#, #"{"x": null}"#))
    var object = try #require(line.object)
    object["tools"] = nil
    #expect(
      PaddedNulls.removed(from: .object(object)).line
        == #"{"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}]}"#
    )
  }

  @Test(arguments: [
    (
      #"{"type": "object", "required": null, "properties": {"a": null, "b": {"type": "string", "default": null, "enum": null}}}"#,
      #"{"type": "object", "properties": {"b": {"type": "string"}}}"#
    ),
    (
      #"{"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null}}}"#,
      #"{"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null}}}"#
    ),
    (
      #"{"properties": {"default": null, "tool_calls": {"type": "array", "default": []}}}"#,
      #"{"properties": {"tool_calls": {"type": "array", "default": []}}}"#
    ),
  ]) func schemasKeepTheirNullDefaults(_ schema: String, _ expected: String) throws {
    let line = PaddedNulls.removed(from: try Self.parse(Self.line(schema, "{}"))).line
    #expect(line == Self.line(expected, "{}"))
  }
}
