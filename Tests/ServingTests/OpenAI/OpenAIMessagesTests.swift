import ChatTemplates
import JSON
import Testing

@testable import Serving

@Suite struct OpenAIMessagesTests {
  private func messages(_ text: String) throws -> [ChatMessage] {
    try OpenAIMessages(RequestReader(Array(#"{"messages": \#(text)}"#.utf8))).messages
  }

  @Test func instructionsComeFirstInOne() throws {
    let messages = try messages(
      #"[{"role": "developer", "content": "a"}, {"role": "user", "content": "b"}, {"role": "system", "content": [{"type": "text", "text": "c"}]}, {"role": "user", "content": [{"type": "text", "text": "d"}, {"type": "text", "text": "e"}]}]"#
    )
    #expect(messages.map(\.role) == [.system, .user, .user])
    #expect(messages.map(\.content) == ["a\n\nc", "b", "d\ne"])
  }

  @Test(arguments: [#""content": null,"#, "", #""content": "","#, #""content": [],"#])
  func callsNeedNoContent(_ content: String) throws {
    let messages = try messages(
      #"[{"role": "user", "content": "a"}, {"role": "assistant", \#(content) "tool_calls": [{"id": "x", "type": "function", "function": {"name": "f", "arguments": "{\"n\": 1}"}}]}, {"role": "tool", "tool_call_id": "x", "content": "2"}]"#
    )
    #expect(
      messages[1].toolCalls == [
        ChatToolCall(id: "x", name: "f", arguments: .object(["n": .integer(1)]))
      ])
    #expect(messages[2].answeredCall?.name == "f" && messages[2].content == "2")
  }

  @Test func argumentsMayBeAnObject() throws {
    let messages = try messages(
      #"[{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {"n": 1}}}]}, {"role": "user", "content": "a"}]"#
    )
    #expect(messages[0].toolCalls[0].arguments == .object(["n": .integer(1)]))
  }

  @Test func brokenArgumentsAreNamed() {
    let error = #expect(throws: ServingError.self) {
      try messages(
        #"[{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}, {"role": "user", "content": "a"}]"#
      )
    }
    #expect(error?.field == "messages[0].tool_calls[0].function.arguments")
  }
}
