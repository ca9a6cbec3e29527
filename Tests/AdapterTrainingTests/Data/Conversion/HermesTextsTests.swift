import JSON
import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct HermesTextsTests {
  private static func read(_ messages: (String, String)...) -> (messages: [String], tools: String?)
  {
    let read = HermesTexts(messages.map { .message($0.0, $0.1) })
    return (read.messages.map(\.line), read.tools?.line)
  }

  /// The instructions of the published set, those of its authors' templates, and those of Qwen's.
  @Test(arguments: [
    (
      """
      You are a function calling AI model. You are provided with function signatures within <tools> </tools> XML tags. \
      You may call one or more functions to assist with the user query. Don't make assumptions about what values to plug into functions.
      <tools>
      [{'type': 'function', 'function': {'name': 'f', 'parameters': {'required': ['a'], 'strict': True}}}]
      </tools>
      For each function call return a JSON object, with the following pydantic model json schema:
      {'title': 'FunctionCall', 'type': 'object', 'required': ['arguments', 'name']}
      Each function call should be enclosed within <tool_call> </tool_call> XML tags.
      <tool_call>
      {tool_call}
      </tool_call>
      """,
      "You are a function calling AI model. Don't make assumptions about what values to plug into functions.",
      #"[{"type": "function", "function": {"name": "f", "parameters": {"required": ["a"], "strict": true}}}]"#
    ),
    (
      """
      You are a function calling AI model. Here are the available tools: <tools> {"name": "f"} {"name": "g"} </tools> \
      Use the following pydantic model json schema for each tool call you will make: {"title": "FunctionCall"} \
      For each function call return a json object within <tool_call></tool_call> XML tags as follows:
      <tool_call>
      {"arguments": <args-dict>, "name": <function-name>}
      </tool_call>
      """, "You are a function calling AI model.", #"[{"name": "f"}, {"name": "g"}]"#
    ),
    (
      """
      Be brief.

      # Tools

      You may call one or more functions to assist with the user query.

      You are provided with function signatures within <tools></tools> XML tags:
      <tools>
      {"name": "f"}
      </tools>
      Today is Monday.

      For each function call, return a json object within <tool_call></tool_call> XML tags:
      <tool_call>
      {"name": <function-name>, "arguments": <args-json-object>}
      </tool_call>

      Never guess.
      """, "Be brief.\n\nToday is Monday.\n\nNever guess.", #"[{"name": "f"}]"#
    ),
    ("Tools:\n<tools>[{\"name\": \"f\"}]</tools>", "", #"[{"name": "f"}]"#),
    ("Use <tools> and <b>.", "Use <tools> and <b>.", nil),
    ("<tools>hammer</tools>", "<tools>hammer</tools>", nil),
  ]) func instructionsTellTools(_ text: String, _ rest: String, _ tools: String?) {
    let read = HermesTexts([.message("system", text)])
    #expect(
      read.messages.compactMap { $0.object?["content"]?.string } == (rest.isEmpty ? [] : [rest]))
    #expect(read.tools?.line == tools)
  }

  @Test func toolsThatAreGivenCount() {
    let text = "Here:\n<tools>[{\"name\": \"f\"}]</tools>"
    let given = JSONValue.array([.object(["name": .string("g")])])
    #expect(HermesTexts([.message("system", text)], tools: given).tools == given)
    let first = JSONValue.object([
      "role": .string("system"), "content": .string(text), "tools": given,
    ])
    #expect(HermesTexts([first]).tools == nil)
  }

  @Test(arguments: [
    (
      "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"x\": 1}}\n</tool_call>",
      #""content": "", "tool_calls": [{"function": {"name": "f", "arguments": {"x": 1}}}]"#
    ),
    (
      "I look.\n<tool_call>\n{'arguments': {'x': True}, 'name': 'f'}\n</tool_call>\n<tool_call>{\"name\": \"g\"}</tool_call>\n",
      #""content": "I look.", "tool_calls": [{"function": {"name": "f", "arguments": {"x": true}}}, {"function": {"name": "g", "arguments": {}}}]"#
    ),
    (
      "<tool_call>[{\"name\": \"f\", \"parameters\": {}}, {\"name\": \"g\", \"arguments\": \"{}\"}]",
      #""content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}, {"function": {"name": "g", "arguments": "{}"}}]"#
    ),
    ("<tool_call>oops</tool_call>", #""content": "<tool_call>oops</tool_call>""#),
    ("<tool_call></tool_call>", #""content": "<tool_call></tool_call>""#),
    ("<tool_call>{}</tool_call>", #""content": "<tool_call>{}</tool_call>""#),
    (
      "<tool_call>{'name': 'f'}</tool_call> and so on",
      #""content": "<tool_call>{'name': 'f'}</tool_call> and so on""#
    ),
  ]) func answersCall(_ text: String, _ expected: String) {
    #expect(Self.read(("assistant", text)).messages == [#"{"role": "assistant", \#(expected)}"#])
  }

  @Test func resultsAreOfTools() {
    let text = "<tool_response>\n{\"a\": 1}\n</tool_response>\n<tool_response>2</tool_response>"
    for role in ["tool", "user"] {
      #expect(
        Self.read((role, text)).messages == [
          #"{"role": "tool", "content": "{\"a\": 1}"}"#, #"{"role": "tool", "content": "2"}"#,
        ])
    }
    let other = "What is <tool_response>?"
    #expect(Self.read(("user", other)).messages == [JSONValue.message("user", other).line])
  }
}
