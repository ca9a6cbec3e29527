import ChatTemplates
import TestSupport
import Testing
import Tokenization

@testable import AdapterTraining

@Suite struct ExampleRendererEvaluationTests {
  /// The answer of a chat in which a tool was called, as it would be generated.
  private static func answer(_ example: EvaluationExample) throws -> [ChatToolCall]? {
    let renderer = try RenderingFixture.renderer()
    let whole = try renderer.render(try #require(example.whole))
    var stream = ToolCallStream(try renderer.offering(example))
    // All but the mark that ends it.
    for token in whole.tokens[try #require(whole.trained.last)].dropLast() {
      _ = stream.append(token)
    }
    return stream.finish(makeID: { "" }).calls
  }

  /// Calls are read whatever the data says of the tools: Apple's toolkit has their parameters under `arguments`, with an order; some
  /// schemas cannot be enforced, and some data has no definitions.
  @Test(arguments: [
    #"{"name": "add", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}"#,
    #"{"type": "function", "function": {"name": "add", "description": "d", "arguments": {"type": "object", "x-order": ["n"], "properties": {"n": {}}}}}"#,
    #"{"name": "add", "parameters": {"type": "object", "minProperties": 1}}"#,
    #"{"name": "add"}"#, nil,
  ]) func callsAreReadHoweverToolsAreDefined(_ tool: String?) throws {
    let tools = tool.map { #", "tools": [\#($0)]"# } ?? ""
    let folder = try TemporaryDirectory()
    let path = try folder.write(
      #"""
      [{"role": "system", "content": "s"\#(tools)}, {"role": "user", "content": "u"}, \#
      {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "add", "arguments": "{\"n\": 7}"}}]}]
      """#, to: "valid.jsonl")
    let example = try #require(try EvaluationSet(path: path).examples.first)
    let calls = try #require(try Self.answer(example))
    #expect(calls.map(\.name) == ["add"])
    #expect(calls.map(\.arguments.line) == [#"{"n": 7}"#])
  }

  /// A file of prompts is asked as training has it.
  @Test func whatIsAskedIsWhatTrainingHas() throws {
    let line =
      #"""
      [{"role": "system", "content": "s", "tools": [{"type": "function", "function": {"name": "add", "arguments": {}}}]}, \#
      {"role": "user", "content": "u", "response_format": {"type": "json_schema", "json_schema": {"name": "R", "schema": {"type": "object"}}}}, \#
      {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": {"name": "add", "arguments": "{}"}}]}, \#
      {"role": "tool", "content": {"ok": true}, "tool_call_id": "1"}, {"role": "assistant", "content": "done"}]
      """#
    let values = try #require(ExampleParser.json(in: line)?.array)
    var defect: String?
    let chat = try #require(AskedChat(Array(values.dropLast()), tools: nil, defect: &defect))
    #expect(chat.hasTools && chat.messages.count == 4 && defect == nil)
    let folder = try TemporaryDirectory()
    let data = try DataSet(path: try folder.write(line + "\n", to: "data.jsonl"))
    let renderer = try RenderingFixture.renderer()
    let whole = try renderer.render(try #require(data.examples.first))
    let asked = try renderer.prompt(chat, line: 1)
    #expect(asked == Array(whole.tokens[..<(try #require(whole.trained.last).lowerBound)]))
    #expect(AskedChat(Array(values.dropLast(3)) + [.null], tools: nil, defect: &defect) == nil)
    #expect(defect == "messages[2]: The message is null, not an object.")
  }
}
