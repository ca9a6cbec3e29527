import JSON
import Testing

@testable import ChatTemplates

@Suite struct ToolDefinitionTests {
  private static let schema = #"{"type": "object", "properties": {"x": {"type": "integer"}}}"#

  private func json(_ text: String) throws -> JSONValue {
    try JSONDocument(parsing: Array(text.utf8)).root
  }

  /// Templates see one form, whichever the data has.
  @Test(arguments: [
    #"{"name": "a", "description": "d", "inputSchema": S, "annotations": {}}"#,
    #"{"name": "a", "description": "d", "input_schema": S, "cache_control": {}}"#,
    #"{"type": "function", "function": {"name": "a", "description": "d", "inputSchema": S}}"#,
  ])
  func formsOfOthersBecomeThatOfTemplates(text: String) throws {
    let definition = try json(text.replacing(": S", with: ": \(Self.schema)"))
    let expected =
      #"{"type": "function", "function": {"name": "a", "description": "d", "parameters": \#(Self.schema)}}"#
    #expect(definition.toolOfTemplates.line == expected)
    let tool = try #require(ChatTool(definition: definition))
    #expect(tool.definition.line == expected)
    #expect(
      try tool.arguments
        == ChatTool(name: "a", description: "d", parameters: json(Self.schema)).arguments)
  }

  @Test(arguments: [
    #"{"type": "function", "function": {"name": "a", "parameters": {}}}"#,
    #"{"name": "a", "arguments": {"type": "object"}}"#, #"{"name": "a"}"#, #"[1]"#,
    #"{"name": "a", "parameters": {}, "input_schema": {}}"#, #"{"input_schema": {}}"#,
  ])
  func allElseStaysAsItIs(text: String) throws {
    #expect(try json(text).toolOfTemplates.line == text)
  }

  @Test(
    arguments: [
      (#"{"name": "a", "paramters": {}}"#, "paramters", "parameters"),
      (#"{"function": {"name": "a", "inputschema": {}}}"#, "inputschema", "inputSchema"),
      (#"{"name": "a", "quux": {}}"#, "quux", nil),
      (#"{"name": "a", "x-mine": 1, "_meta": 2, "command": "c"}"#, nil, nil),
    ] as [(String, String?, String?)])
  func unknownKeysAreFound(text: String, key: String?, near: String?) throws {
    let found = try #require(try json(text).object).unknownToolKey(besides: ["command"])
    #expect(found?.key == key && found?.near == near)
  }
}
