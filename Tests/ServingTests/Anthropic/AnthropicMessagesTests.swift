import ChatTemplates
import JSON
import Testing

@testable import Serving

@Suite struct AnthropicMessagesTests {
  private func messages(_ text: String, _ fields: String = "") throws -> [ChatMessage] {
    try AnthropicMessages(RequestReader(Array(#"{"messages": \#(text)\#(fields)}"#.utf8))).messages
  }

  private static let call =
    #"{"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "I look."}, {"type": "tool_use", "id": "x", "name": "f", "input": {"n": 1}}]}"#

  @Test(arguments: [
    #", "system": "a""#, #", "system": [{"type": "text", "text": "a", "cache_control": {}}]"#,
  ])
  func instructionsComeFirstInOne(_ system: String) throws {
    let messages = try messages(
      #"[{"role": "user", "content": "b"}, {"role": "assistant", "content": "c"}, {"role": "system", "content": "d"}, {"role": "user", "content": [{"type": "mid_conv_system", "content": [{"type": "text", "text": "e"}]}, {"type": "text", "text": "f"}]}]"#,
      system)
    #expect(messages.map(\.role) == [.system, .user, .assistant, .user])
    #expect(messages.map(\.content) == ["a\n\nd\n\ne", "b", "c", "f"])
  }

  @Test func turnsOfOneRoleBecomeOne() throws {
    let messages = try messages(
      #"[{"role": "user", "content": "a"}, {"role": "user", "content": [{"type": "text", "text": "b"}]}, {"role": "assistant", "content": "c"}, \#(Self.call), {"role": "user", "content": "d"}]"#
    )
    #expect(messages.map(\.role) == [.user, .assistant, .user])
    #expect(messages.map(\.content) == ["a\nb", "c\nI look.", "d"])
    #expect(messages[1].thoughts == "hm")
    #expect(
      messages[1].toolCalls == [
        ChatToolCall(id: "x", name: "f", arguments: .object(["n": .integer(1)]))
      ])
  }

  @Test func resultsAndTextsKeepTheirOrder() throws {
    let messages = try messages(
      #"[{"role": "user", "content": "a"}, \#(Self.call), {"role": "user", "content": [{"type": "text", "text": "b"}, {"type": "tool_result", "tool_use_id": "x", "content": [{"type": "text", "text": "c"}, {"type": "text", "text": "d"}]}, {"type": "text", "text": "e"}, {"type": "tool_result", "tool_use_id": "x", "content": "f", "is_error": true}, {"type": "tool_result", "tool_use_id": "x"}]}]"#
    )
    #expect(messages.map(\.role) == [.user, .assistant, .user, .tool, .user, .tool, .tool])
    #expect(messages.dropFirst(2).map(\.content) == ["b", "c\nd", "e", "Error: f", ""])
    #expect(messages[3].answeredCall?.name == "f")
  }

  @Test(arguments: [
    (#"[]"#, "messages"), (#""a""#, "messages"), (#"[1]"#, "messages[0]"),
    (#"[{}]"#, "messages[0].role"), (#"[{"role": "tool"}]"#, "messages[0].role"),
    (#"[{"role": "user"}]"#, "messages[0].content"),
    (#"[{"role": "user", "content": 1}]"#, "messages[0].content"),
    (#"[{"role": "user", "content": []}]"#, "messages"),
    (#"[{"role": "user", "content": [{"type": "text"}]}]"#, "messages[0].content[0].text"),
    (#"[{"role": "user", "content": [{"type": "image"}]}]"#, "messages[0].content[0].type"),
    (#"[{"role": "user", "content": [{"type": "thinking"}]}]"#, "messages[0].content[0].type"),
    (
      #"[{"role": "assistant", "content": [{"type": "redacted_thinking"}]}]"#,
      "messages[0].content[0].type"
    ),
    (
      #"[{"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "f", "input": "{}"}]}]"#,
      "messages[0].content[0].input"
    ),
    (
      #"[{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "y"}]}]"#,
      "messages[0].content[0].tool_use_id"
    ),
    (
      #"[\#(call), {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": [{"type": "image"}]}]}]"#,
      "messages[1].content[0].content[0].type"
    ),
    (#"[{"role": "user", "content": "a"}, \#(call)]"#, "messages"),
  ])
  func whatIsWrongIsNamed(_ text: String, _ field: String) {
    let error = #expect(throws: ServingError.self) { try messages(text) }
    #expect(error?.field == field && error?.kind == .invalidRequest)
  }
}
