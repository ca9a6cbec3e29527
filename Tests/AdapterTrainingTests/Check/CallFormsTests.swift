import ChatTemplates
import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct CallFormsTests {
  private static let tool = #"{"name": "f", "parameters": {"type": "object", "properties": {}}}"#
  private static let call = #"{"name": "f", "arguments": {}}"#

  /// Two templates that have a place for tools: one writes calls as JSON, the other between marks of its own.
  @Test(arguments: [
    (#"'{"name": "' + c.name + '", "arguments": ' + (c.arguments | tojson) + '}'"#, false),
    ("'<call=' + c.name + '>'", true),
  ])
  func formsThatNothingReadsAreNamedOnce(_ written: String, _ isNamed: Bool) throws {
    let tokenizer = try RenderingFixture.tokenizer("marks")
    let style = try ChatStyle(
      template: """
        {% for t in tools or [] %}{{ t | tojson }}{% endfor %}{% for m in messages %}\
        {{ m['role'] + ': ' + (m['content'] or '') }}{% for call in m.tool_calls or [] %}\
        {% set c = call.function %}{{ \(written) }}{% endfor %}{{ '<|im_end|>' }}{% endfor %}\
        {% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}
        """, file: "m.gguf")
    var check = DataCheck()
    check.renderer = ExampleRenderer(
      try ChatRenderer(style, tokenizer: tokenizer), tokenizer: tokenizer)
    let folder = try TemporaryDirectory()
    func line(_ asked: String) -> String {
      let call = #"{"id": "123456789", "type": "function", "function": \#(Self.call)}"#
      let answer = #"{"role": "assistant", "content": "", "tool_calls": [\#(call)]}"#
      let tools = #"[{"type": "function", "function": \#(Self.tool)}]"#
      return
        #"{"messages": [{"role": "user", "content": "\#(asked)"}, \#(answer)], "tools": \#(tools)}"#
    }
    let path = try folder.write(
      #"{"prompt": "Q", "completion": "A"}"# + "\n" + line("R") + "\n" + line("S"), to: "x")
    let found = try check.run([path]).findings.filter { $0.rule == "calls.form" }
    #expect(found.map(\.place.line) == (isNamed ? [2] : []))
    #expect(found.allSatisfy { $0.severity == .warning })
  }
}
