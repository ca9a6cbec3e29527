import JSON
import Testing
import Tokenization

@testable import ChatTemplates

/// Chats with tools over templates that know of none: what is rendered is what a model sees that may call them.
@Suite struct ToldToolsTests {
  /// As many published models have it.
  private static let plain =
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>\\n' }}{% endfor %}"
    + "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"

  private static func renderer(_ name: String) throws -> ChatRenderer {
    let tokenizer = try ChatFixture.tokenizer("marks")
    if let format = ChatFormat(rawValue: name) {
      return try ChatRenderer(ChatStyle(format), tokenizer: tokenizer)
    }
    let template = try name == "plain" ? plain : #require(try JinjaFixture.template(name))
    return try ChatRenderer(
      ChatStyle(ChatFixture.metadata(template: template), file: "m.gguf"), tokenizer: tokenizer)
  }

  private static func tool(_ name: String) throws -> ChatTool {
    try ChatTool(
      name: name, description: "Tells <|im_end|> \(name).",
      parameters: JSONDocument(
        parsing: Array(
          #"{"type": "object", "properties": {"city": {"enum": ["Bern", "Chur"]}}}"#.utf8)
      ).root)
  }

  private static func user(_ text: String) -> ChatMessage {
    ChatMessage(role: .user, content: text)
  }
  private static let call = ChatToolCall(
    id: "call1", name: "weather", arguments: .object(["city": .string("Bern")]))
  private static let chats: [[ChatMessage]] = [
    [user("Rain?")],
    [ChatMessage(role: .system, content: "Be brief."), user("Rain?")],
    [
      user("Rain?"), ChatMessage(calls: [call], content: "I look."),
      ChatMessage(resultOf: call, content: "rain <|im_end|>"),
    ],
    [
      user("Rain?"), ChatMessage(calls: [call]), ChatMessage(resultOf: call, content: "rain"),
      ChatMessage(role: .assistant, content: "Yes."), user("Sun?"),
    ],
  ]

  @Test(
    arguments: zip(
      ["plain", "gemma", "llama2", "phi3", "afm", "chatml", "llama3"],
      [false, false, false, false, true, true, true]))
  func whatHasAPlaceForToolsIsTold(name: String, takesTools: Bool) throws {
    let style = try ChatFormat(rawValue: name).map { ChatStyle($0) } ?? Self.renderer(name).style
    #expect(style.takesTools == takesTools)
  }

  @Test(arguments: [
    "plain", "gemma", "llama2", "phi3", "microsoft-Phi-3.5-mini-instruct", "Qwen3-Coder", "GLM-4.6",
  ])
  func aRenderedChatIsWhatAModelSees(name: String) throws {
    let renderer = try Self.renderer(name)
    let tools = try [Self.tool("weather"), Self.tool("time")]
    let offering = try renderer.offering(tools)
    for chat in Self.chats {
      var settings = ChatSettings()
      settings.tools = tools.map(\.definition)
      settings.tellsToolsInInstructions = renderer.tellsToolsOtherwise
      let messages = renderer.instructed(chat).map { $0.json(argumentsAreText: false) }
      let rendered = try renderer.render(messages, settings)
      #expect(try rendered.tokens == offering.prompt(shortened: chat), "\(rendered.text)")
      #expect(rendered.text.contains("You have access to functions. "))
      #expect(rendered.text.contains(#"{"name": "time", "description": "Tells "#))
      // Without definitions, calls and results stand there all the same.
      guard !renderer.tellsToolsOtherwise else { continue }
      let said = try renderer.render(messages)
      #expect(try said.tokens == renderer.offering([]).prompt(shortened: chat), "\(said.text)")
    }
  }

  @Test(arguments: ["plain", "gemma", "llama2", "phi3", "microsoft-Phi-3.5-mini-instruct"])
  func whatIsLearntIsWhatAModelSeesAndSays(name: String) throws {
    let renderer = try Self.renderer(name)
    let tools = try [Self.tool("weather"), Self.tool("time")]
    let offering = try renderer.offering(tools)
    for chat in Self.chats {
      let whole = chat + [ChatMessage(calls: [Self.call])]
      let transcript = try renderer.transcript(whole, tools: tools.map(\.definition))
      let span = try #require(transcript.spoken.last)
      #expect(try Array(transcript.tokens[..<span.lowerBound]) == offering.prompt(shortened: chat))
      let said = renderer.tokenizer.decode(Array(transcript.tokens[span]), special: true)
      #expect(
        said.trimmed.hasPrefix(#"{"name": "weather", "parameters": {"city": "Bern"}}"#), "\(said)")
      let isSilent = chat.allSatisfy { $0.toolCalls.isEmpty || $0.content.isEmpty }
      #expect(transcript.omissions == (isSilent ? [] : [.init(message: 1, part: .text)]))
    }
  }

  /// A call is read only where an answer begins with it.
  @Test func whatIsLearntOfACallIsTakenAsOne() throws {
    let renderer = try Self.renderer("plain")
    let tools = try [Self.tool("weather")]
    let calling = ChatMessage(calls: [Self.call], content: "Let me look.")
    let transcript = try renderer.transcript(
      [Self.user("Rain?"), calling], tools: tools.map(\.definition))
    #expect(transcript.omissions == [.init(message: 1, part: .text)])
    var stream = ToolCallStream(try renderer.offering(tools))
    for token in transcript.tokens[transcript.spoken[0]].dropLast() {
      #expect(stream.append(token).isEmpty)
    }
    #expect(stream.finish(makeID: { "call1" }).calls == [Self.call])
  }

  /// What has an order are the messages, before results are said by the user.
  @Test(arguments: [ChatRole.tool, .user]) func resultsMayComeBeforeMore(of role: ChatRole) throws {
    let renderer = try Self.renderer("plain")
    let chat = [
      Self.user("Rain?"), ChatMessage(calls: [Self.call]),
      ChatMessage(resultOf: Self.call, content: "rain"), ChatMessage(role: role, content: "Sun?"),
    ]
    let whole = chat + [ChatMessage(role: .assistant, content: "Yes.")]
    let transcript = try renderer.transcript(whole)
    let before = Array(transcript.tokens[..<transcript.spoken[1].lowerBound])
    #expect(try before == renderer.offering([]).prompt(chat))
    #expect(try transcript.tokens.count <= renderer.mostTokens(whole))
  }

  @Test func placesInErrorsAreThoseOfTheChat() throws {
    let renderer = try Self.renderer("plain")
    let tools = try [Self.tool("weather").definition]
    #expect(throws: ChatDefect.wrongOrder(index: 1, role: .user, after: .user)) {
      try renderer.transcript([Self.user("Rain?"), Self.user("Sun?")], tools: tools)
    }
  }

  @Test(arguments: [
    (#"[{"description": "d"}]"#, ChatDefect.unusableToolName("")),
    (#"[{"name": "f"}, {"name": "f"}]"#, .duplicateTool("f")),
  ]) func toolsThatCannotBeToldAreRefused(_ json: String, _ defect: ChatDefect) throws {
    let renderer = try Self.renderer("plain")
    var settings = ChatSettings()
    settings.tools = try #require(JSONDocument(parsing: Array(json.utf8)).root.array)
    let asked = Self.user("Rain?")
    #expect(throws: defect) {
      try renderer.render([asked.json(argumentsAreText: false)], settings)
    }
    #expect(throws: defect) {
      try renderer.transcript(
        [asked, ChatMessage(role: .assistant, content: "A.")], tools: settings.tools)
    }
  }

  @Test func anAnswerMakesOneCall() throws {
    let renderer = try Self.renderer("plain")
    #expect(throws: ChatDefect.severalCalls(index: 1)) {
      try renderer.transcript([Self.user("Rain?"), ChatMessage(calls: [Self.call, Self.call])])
    }
  }

  @Test func argumentsMayBeATextAndContentMayBeMissing() throws {
    let renderer = try Self.renderer("plain")
    let messages = try JSONDocument(
      parsing: Array(
        """
        [{"role": "user", "content": "Rain?"}, {"role": "assistant", "content": null, "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "weather", "arguments": "{\\"city\\": \\"Bern\\"}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "rain"}]
        """.utf8)
    ).root.array
    #expect(
      try renderer.render(#require(messages)).text == """
        <|im_start|>user
        Rain?<|im_end|>
        <|im_start|>assistant
        {"name": "weather", "parameters": {"city": "Bern"}}<|im_end|>
        <|im_start|>user
        rain<|im_end|>
        <|im_start|>assistant

        """)
  }

  @Test(arguments: [
    ("plain", false), ("gemma", false), ("chatml", false), ("Qwen-Qwen3-0.6B", false),
    ("Qwen3-Coder", true), ("GLM-4.6", true),
  ])
  func formsOfCallsThatNothingReadsAreKnown(name: String, isOther: Bool) throws {
    #expect(try Self.renderer(name).tellsToolsOtherwise == isOther)
  }
}
