import JSON
import Testing
import Tokenization

@testable import ChatTemplates

/// Chats with tools for training, in the formats that come with the library.
@Suite struct ToolTranscriptTests {
  /// A chat of the fixture as a data set has it.
  private struct Chat {
    let messages: [ChatMessage]
    let tools: [JSONValue]

    init(_ conversation: JSONValue) throws {
      let object = try #require(conversation.object)
      tools = object["tools"]?.array ?? []
      let values = try #require(object["messages"]?.array)
      messages = try values.map { value in
        let role = try #require(value.object?["role"]?.string.flatMap(ChatRole.init))
        var message = ChatMessage(role: role, content: value.object?["content"]?.string ?? "")
        message.toolCalls = try (value.object?["tool_calls"]?.array ?? []).map { call in
          let function = try #require(call.object?["function"]?.object)
          return ChatToolCall(
            id: "", name: function["name"]?.string ?? "", arguments: function["arguments"] ?? .null)
        }
        return message
      }
    }
  }

  private static let names = [
    "tools", "tools and instructions", "a call and its result", "two calls", "a call without tools",
  ]

  /// What a renderer makes of a conversation, as text with all marks, and its answers.
  private func rendered(
    _ name: String, _ style: ChatStyle
  ) throws -> (text: String, answers: [String]) {
    let conversation = try #require(
      JinjaFixture.json("conversations.json").array?.first { $0.object?["name"]?.string == name })
    let chat = try Chat(conversation)
    let tokenizer = try ChatFixture.tokenizer("marks")
    let renderer = try ChatRenderer(style, tokenizer: tokenizer)
    let transcript = try renderer.transcript(chat.messages, tools: chat.tools)
    let text = tokenizer.decode(transcript.tokens, special: true, isStart: false)
    let answers = transcript.spoken.map {
      tokenizer.decode(Array(transcript.tokens[$0]), special: true, isStart: false)
    }
    return (text, answers)
  }

  @Test(arguments: names) func chatMLIsWrittenAsQwenWritesIt(_ name: String) throws {
    let model = "Qwen-Qwen2.5-7B-Instruct"
    let conversations = try #require(JinjaFixture.json("conversations.json").array)
    let place = try #require(conversations.firstIndex { $0.object?["name"]?.string == name })
    let group = try #require(
      JinjaFixture.json("rendered.json").array?.first { $0.object?["name"]?.string == model })
    var expected = try #require(group.object?["cases"]?.array?[place].object?["text"]?.string)
    let prompt = "<|im_start|>assistant\n"
    if expected.hasSuffix(prompt) { expected.removeLast(prompt.count) }
    let template = try #require(try JinjaFixture.template(model))
    let (text, answers) = try rendered(name, ChatStyle(.chatML, template: template))
    #expect(text == expected)
    #expect(answers.allSatisfy { text.contains(prompt + $0) && $0.hasSuffix("<|im_end|>") })
    let calls = answers.filter { $0.contains("<tool_call>") }
    #expect(calls.allSatisfy { $0.hasPrefix("<tool_call>\n{\"name\": \"") })
    #expect(calls.isEmpty == name.hasPrefix("tools"))
  }

  /// All but the instructions, which begin with dates in the template of Llama 3.1.
  @Test(arguments: names.filter { $0 != "two calls" })
  func llama3IsWrittenAsLlama31WritesIt(_ name: String) throws {
    let conversations = try #require(JinjaFixture.json("conversations.json").array)
    let place = try #require(conversations.firstIndex { $0.object?["name"]?.string == name })
    let group = try #require(
      JinjaFixture.json("rendered.json").array?.first {
        $0.object?["name"]?.string == "meta-llama-Llama-3.1-8B-Instruct"
      })
    let (text, answers) = try rendered(name, ChatStyle(.llama3))
    let (start, end) = ("<|start_header_id|>", "<|end_header_id|>\n\n")
    let question = try #require(text.firstRange(of: start + "user"))
    let hasInstructions = name == "tools and instructions"
    let hasTools = name != "a call without tools"
    let expected = """
      <|bos|>\(start)system\(end)\(hasTools ? "Environment: ipython\n" : "")\
      Cutting Knowledge Date: December 2023
      Today Date: 26 Jul 2024

      \(hasInstructions ? "Use tools." : "")<|eot_id|>\(text[question.lowerBound...])\
      \(start)assistant\(end)
      """
    let digest = group.object?["cases"]?.array?[place].object?["sha256"]?.string
    #expect(JinjaFixture.sha256(expected) == digest, "\(text)")
    #expect(
      answers.allSatisfy { text.contains("assistant\(end)\($0)") && $0.hasSuffix("<|eot_id|>") })
    let calls = answers.filter { $0.hasPrefix("{\"name\": ") }
    #expect(calls.isEmpty == name.hasPrefix("tools"))
  }

  @Test func whatIsSaidBeforeACallIsLearntWithIt() throws {
    for (format, call) in [
      (
        ChatFormat.chatML,
        "Let me see.\n<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1}}\n</tool_call><|im_end|>"
      ),
      (.llama3, "Let me see.{\"name\": \"add\", \"parameters\": {\"a\": 1}}<|eot_id|>"),
    ] {
      let tokenizer = try ChatFixture.tokenizer("marks")
      let renderer = try ChatRenderer(ChatStyle(format), tokenizer: tokenizer)
      let transcript = try renderer.transcript(
        [
          ChatMessage(role: .user, content: "1?"),
          ChatMessage(
            calls: [
              ChatToolCall(id: "", name: "add", arguments: .object(["a": .number(JSONNumber(1))]))
            ],
            content: "Let me see."),
        ])
      let answer = Array(transcript.tokens[transcript.spoken[0]])
      #expect(tokenizer.decode(answer, special: true, isStart: false) == call)
    }
  }

  @Test func severalCallsAreRefusedWhereTheTemplateRefusesThem() throws {
    let error = #expect(throws: ChatDefect.self) { try rendered("two calls", ChatStyle(.llama3)) }
    #expect(
      error?.text.problem
        == "The base's chat template refuses the chat in line 14: This model only supports single tool-calls at once!"
    )
  }
}
