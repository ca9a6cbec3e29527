import ChatTemplates
import JSON
import Testing

@testable import Serving

@Suite struct OllamaMessagesTests {
  private func messages(_ text: String) throws(ServingError) -> [ChatMessage] {
    try OllamaMessages(RequestReader(Array(#"{"messages": \#(text)}"#.utf8))).messages
  }

  @Test func instructionsComeFirstInOne() throws {
    let messages = try messages(
      #"[{"role": "user", "content": "a"}, {"role": "system", "content": "b"}, {"role": "assistant", "content": "c", "thinking": "d"}, {"role": "system", "content": "e"}, {"role": "user", "content": "f"}]"#
    )
    #expect(messages.map(\.role) == [.system, .user, .assistant, .user])
    #expect(messages.map(\.content) == ["b\n\ne", "a", "c", "f"])
    #expect(messages[2].thoughts == "d")
  }

  @Test(
    arguments: [
      (#""tool_name": "g""#, #""tool_name": "f""#, ["g", "f"]),
      (#""x": 1"#, #""x": 1"#, ["f", "g"]),
      (#""tool_call_id": "two""#, #""tool_call_id": "call 1""#, ["g", "f"]),
    ] as [(String, String, [String])])
  func resultsBelongToCalls(_ first: String, _ second: String, _ names: [String]) throws {
    let messages = try messages(
      #"[{"role": "user", "content": "a"}, {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {"n": 1}}}, {"id": "two", "function": {"name": "g", "arguments": {}}}]}, {"role": "tool", "content": "1", \#(first)}, {"role": "tool", "content": "2", \#(second)}]"#
    )
    #expect(messages[1].toolCalls.map(\.name) == ["f", "g"])
    #expect(messages[1].toolCalls[0].arguments == .object(["n": .integer(1)]))
    #expect(messages[2...].map { $0.answeredCall?.name } == names)
    let ids = names.map { name in messages[1].toolCalls.first { $0.name == name }?.id }
    #expect(messages[2...].map { $0.answeredCall?.id } == ids)
  }

  @Test(
    arguments: [
      (#"[{"role": "user", "content": "a", "images": ["b"]}]"#, "messages[0].images"),
      (#"[{"role": "developer", "content": "a"}]"#, "messages[0].role"),
      (#"[{"role": "user", "content": [{"type": "text"}]}]"#, "messages[0].content"),
      (#"[{"role": "assistant", "content": "a"}]"#, "messages"),
      (#"[{"role": "system", "content": "a"}]"#, "messages"),
      (
        #"[{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}]"#,
        "messages[0].tool_calls[0].function.arguments"
      ),
    ])
  func whatIsWrongIsNamed(_ text: String, _ place: String) {
    #expect(#expect(throws: ServingError.self) { try messages(text) }?.field == place)
  }
}
