import Foundation
import JSON
import SystemFiles
import TestSupport
import Testing
import Tokenization

@testable import ChatTemplates
@testable import TensorFiles

/// What is learnt of chats, for every template at hand, is what a model writes that is run with it.
@Suite struct LearntSpanTests {
  /// Those of the fixtures, and of the folder that FMADAPTER_CHAT_TEMPLATES names.
  private static let names: [String] = {
    let folders =
      [Fixtures.url("ChatTemplatesTests", "jinja/templates").path]
      + [ProcessInfo.processInfo.environment["FMADAPTER_CHAT_TEMPLATES"]].compactMap(\.self)
    let files = folders.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }
    return Set(files.filter { $0.hasSuffix(".jinja") }.map { String($0.dropLast(6)) }).sorted()
  }()

  /// A renderer whose vocabulary has every mark that the template writes.
  private static func renderer(_ name: String) throws -> ChatRenderer {
    let template = try #require(try JinjaFixture.template(name))
    let pattern = /<[^<>\s'"{}=\\]{2,40}>|\[\/?[A-Z_]{3,20}\]/
    var marks = Set(template.matches(of: pattern).map { String($0.output) })
    marks.formUnion(template.contains("[e~[") ? ["[e~[", "]~b]"] : [])
    let names = marks.subtracting(["<end>"]).sorted()
    var writer = GGUFWriter()
    for (key, value) in ByteVocabulary.metadata(marks: names) { writer.set(key, value) }
    // As files of these models say what ends a turn.
    for (key, mark) in [
      ("eos", "<|END_OF_TURN_TOKEN|>"), ("eot", "<|end_of_msg|>"), ("eom", "<|observation|>"),
    ] {
      guard let index = names.firstIndex(of: mark) else { continue }
      writer.set(
        "tokenizer.ggml.\(key)_token_id", .uint32(UInt32(ByteVocabulary.count + index)))
    }
    writer.set("tokenizer.chat_template", .text(template))
    let file = try GGUFFile(bytes: TensorBytes(writer.head()), path: "m.gguf")
    return try ChatRenderer(
      ChatStyle(file.metadata, file: "m.gguf"), tokenizer: Tokenizer(file))
  }

  private static func user(_ text: String) -> ChatMessage {
    ChatMessage(role: .user, content: text)
  }
  private static func answer(_ text: String, thinking thoughts: String? = nil) -> ChatMessage {
    var message = ChatMessage(role: .assistant, content: text)
    message.thoughts = thoughts
    return message
  }
  private static func call(_ index: Int) -> ChatToolCall {
    ChatToolCall(
      id: "abcdefgh\(index)", name: "tool_name_\(index)",
      arguments: .object(["key": .string("argument \(index)")]))
  }
  private static func calls(
    _ count: Int, _ text: String = "", thinking thoughts: String? = nil
  ) -> ChatMessage {
    var message = ChatMessage(calls: (1...count).map(call), content: text)
    message.thoughts = thoughts
    return message
  }
  private static func result(_ index: Int) -> ChatMessage {
    ChatMessage(resultOf: call(index), content: "result \(index)")
  }

  private static let chats: [(name: String, messages: [ChatMessage])] = [
    ("answer", [user("asked 1"), answer("Answer one.")]),
    (
      "two turns",
      [user("asked 1"), answer("Answer one."), user("asked 2"), answer("Answer two.")]
    ),
    ("thoughts", [user("asked 1"), answer("Answer one.", thinking: "Thought one.")]),
    (
      "two turns with thoughts",
      [
        user("asked 1"), answer("Answer one.", thinking: "Thought one."), user("asked 2"),
        answer("Answer two.", thinking: "Thought two."),
      ]
    ),
    (
      "thoughts in the text",
      [user("asked 1"), answer("<think>\nThought one.\n</think>\n\nAnswer one.")]
    ),
    ("a call", [user("asked 1"), calls(1)]),
    ("two calls", [user("asked 1"), calls(2)]),
    ("a call with text", [user("asked 1"), calls(1, "Let me see.")]),
    ("a call with thoughts", [user("asked 1"), calls(1, thinking: "Thought one.")]),
    ("a call and its result", [user("asked 1"), calls(1), result(1), answer("Answer one.")]),
    (
      "two calls and their results",
      [user("asked 1"), calls(2), result(1), result(2), answer("Answer one.")]
    ),
    (
      "text, a call and its result",
      [user("asked 1"), calls(1, "Let me see."), result(1), answer("Answer one.")]
    ),
    (
      "a second question behind a call",
      [
        user("asked 1"), calls(1, thinking: "Thought one."), result(1),
        answer("Answer one.", thinking: "Thought two."), user("asked 2"), answer("Answer two."),
      ]
    ),
  ]

  private static let tools: [JSONValue] = [1, 2].map { index in
    .object([
      "type": .string("function"),
      "function": .object([
        "name": .string(call(index).name), "description": .string("Does something."),
        "parameters": .object([
          "type": .string("object"),
          "properties": .object([
            "key": .object(["type": .string("string"), "description": .string("A key.")])
          ]),
        ]),
      ]),
    ])
  }

  /// Where no mark of the vocabulary ends an answer: formats without marks, calls that only their own mark ends, and answers
  /// before others in a format that ends them otherwise than a model does.
  private static func endsOtherwise(_ name: String, hasCalls: Bool, isLast: Bool) -> Bool {
    switch name {
    case "llama-cpp-rwkv-world", "tencent-Hy3": true
    case "CohereForAI-c4ai-command-r-plus-tool_use": hasCalls
    case "Apertus-8B-Instruct", "Apriel-1.6-15b-Thinker-fixed": hasCalls
    case "openai-gpt-oss-120b": !isLast
    default: false
    }
  }

  /// What stands behind the last thing that somebody else says.
  private static func tail(_ text: String) -> Substring {
    let places = text.matches(of: /(asked|result) \d/).map(\.range.upperBound)
    return text[(places.last ?? text.startIndex)...]
  }

  @Test(arguments: names) func whatIsLearntIsWhatTheModelWrites(name: String) throws {
    let renderer = try Self.renderer(name)
    var count = 0
    for (title, chat) in Self.chats {
      let tools = chat.contains { !$0.toolCalls.isEmpty } ? Self.tools : []
      // Calls and results of such a template are those of `ToldToolsTests`.
      guard tools.isEmpty || !renderer.knowsNoTools else { continue }
      let transcript: ChatTranscript
      do throws(ChatDefect) {
        transcript = try renderer.transcript(chat, tools: tools)
      } catch {
        // As transformers refuses them, too.
        if case .failedTemplate = error { continue }
        #expect(error == .unsupportedTools(nil), "\(title)")
        continue
      }
      count += 1
      #expect(try transcript.tokens.count <= renderer.mostTokens(chat, tools: tools), "\(title)")
      let answers = chat.indices.filter { chat[$0].role == .assistant }
      try #require(answers.count == transcript.spoken.count)
      for (index, span) in zip(answers, transcript.spoken) {
        let omitted = transcript.omissions.filter { $0.message == index }.map(\.part)
        let place: Comment = "\(title), message \(index)"
        let learnt = renderer.tokenizer.decode(
          Array(transcript.tokens[span]), special: true, isStart: false)
        Self.checkContent(learnt, chat[index], omitted, place)
        let last = try #require(transcript.tokens[span].last)
        #expect(
          renderer.stopTokens.contains(last)
            || Self.endsOtherwise(
              name, hasCalls: !chat[index].toolCalls.isEmpty, isLast: index == answers.last),
          place)
        let before = Array(transcript.tokens[..<span.lowerBound])
        try Self.checkStart(before, chat, index, tools, omitted, renderer, name, place)
      }
    }
    // Some demand tools, or values that nobody hands over.
    #expect(count > 0 || name.contains("firefunction"))
  }

  /// It has all that the answer says, but for what is known to be left out, and nothing of others.
  private static func checkContent(
    _ learnt: String, _ message: ChatMessage, _ omitted: [ChatTranscript.Omission.Part],
    _ place: Comment
  ) {
    #expect(!learnt.contains("asked") && !learnt.contains("result"), place)
    for index in 1...2 {
      let isCalled = message.toolCalls.contains(call(index)) && !omitted.contains(.calls)
      // Some write it twice.
      let names = learnt.components(separatedBy: call(index).name).count - 1
      let expected = !isCalled ? 0 : learnt.hasPrefix(" to=") && learnt.contains("<atem") ? 2 : 1
      #expect(omitted.contains(.calls) || names == expected, place)
      #expect(omitted.contains(.calls) || learnt.contains("argument \(index)") == isCalled, place)
    }
    let text = message.content.split(separator: "</think>").last.map { $0.trimmed } ?? ""
    #expect(text.isEmpty || learnt.contains(text) || omitted.contains(.text), place)
    if let thoughts = message.thoughts {
      #expect(learnt.contains(thoughts) != omitted.contains(.thoughts), place)
      // Nobody thought nothing.
      #expect(learnt.contains(thoughts) || !learnt.contains("</think>"), place)
    }
  }

  /// It begins where a prompt ends.
  private static func checkStart(
    _ before: [Token], _ chat: [ChatMessage], _ index: Int, _ tools: [JSONValue],
    _ omitted: [ChatTranscript.Omission.Part], _ renderer: ChatRenderer, _ name: String,
    _ place: Comment
  ) throws {
    var settings = ChatSettings()
    settings.tools = tools
    let asked = renderer.instructed(Array(chat[..<index]))
    let prompt = try renderer.written(asked, settings).text
    settings.thinking = true
    let thinking = try renderer.written(asked, settings).text
    let text = renderer.tokenizer.decode(before, special: true, isStart: false)
    let ends = [prompt, thinking].map { tail($0.string) }
    if tail(text) == ends[0] {
      if index == 1, chat.count == 2 { #expect(before == renderer.tokens(of: prompt), place) }
    } else if name.hasPrefix("NousResearch-Hermes") {
      // It spaces a result otherwise where that is the last message.
      #expect(tail(text).filter { !$0.isWhitespace } == ends[0].filter { !$0.isWhitespace }, place)
    } else {
      // Thoughts are left out behind the prompt, or stand where it ends them, or behind that of a chat with thoughts.
      #expect(chat[index].thoughts != nil, place)
      #expect(
        omitted.contains(.thoughts)
          ? tail(text).hasPrefix(ends[0])
          : tail(text) == ends[1] || ends[0].hasPrefix(tail(text)), place)
    }
  }

  @Test(arguments: [
    (
      "google-gemma-4-31B-it", "a call and its result",
      [
        #"<|tool_call>call:tool_name_1{key:<|"|>argument 1<|"|>}<tool_call|><|tool_response>"#,
        "Answer one.<turn|>",
      ]
    ),
    (
      "Qwen-QwQ-32B", "two calls",
      [
        """
        <tool_call>
        {"name": "tool_name_1", "arguments": {"key": "argument 1"}}
        </tool_call>
        <tool_call>
        {"name": "tool_name_2", "arguments": {"key": "argument 2"}}
        </tool_call><|im_end|>
        """
      ]
    ),
    (
      "openai-gpt-oss-120b", "a call and its result",
      [
        #" to=functions.tool_name_1<|channel|>commentary json<|message|>{"key": "argument 1"}<|call|>"#,
        "<|channel|>final<|message|>Answer one.<|return|>",
      ]
    ),
    ("Qwen-Qwen3-0.6B", "thoughts", ["<think>\nThought one.\n</think>\n\nAnswer one.<|im_end|>"]),
    (
      "Qwen-Qwen3-0.6B", "two turns with thoughts",
      ["Answer one.<|im_end|>", "<think>\nThought two.\n</think>\n\nAnswer two.<|im_end|>"]
    ),
    (
      "Qwen3.5-4B", "two turns with thoughts",
      ["Answer one.<|im_end|>", "Thought two.\n</think>\n\nAnswer two.<|im_end|>"]
    ),
    (
      "llama-cpp-deepseek-r1", "thoughts",
      ["Thought one.\n</think>\n\nAnswer one.<｜end▁of▁sentence｜>"]
    ),
    ("llama-cpp-deepseek-r1", "answer", ["\n</think>\n\nAnswer one.<｜end▁of▁sentence｜>"]),
    ("GLM-4.6", "answer", ["\n<think></think>\nAnswer one.<|user|>"]),
    (
      "mistralai-Mistral-Nemo-Instruct-2407", "a call",
      [
        #"[TOOL_CALLS][{"name": "tool_name_1", "arguments": {"key": "argument 1"}, "id": "abcdefgh1"}]<end>"#
      ]
    ),
  ]) func answersAreLearntWhole(name: String, title: String, expected: [String]) throws {
    let renderer = try Self.renderer(name)
    let chat = try #require(Self.chats.first { $0.name == title }).messages
    let tools = chat.contains { !$0.toolCalls.isEmpty } ? Self.tools : []
    let transcript = try renderer.transcript(chat, tools: tools)
    let learnt = transcript.spoken.map {
      renderer.tokenizer.decode(Array(transcript.tokens[$0]), special: true, isStart: false)
    }
    #expect(learnt == expected)
  }

  /// Whatever identities the data has, also none, where the template demands 9 letters and digits.
  @Test(arguments: ["", "call_1234567890"]) func identitiesAreOnesThatTheTemplateTakes(
    id: String
  ) throws {
    let renderer = try Self.renderer("mistralai-Mistral-Nemo-Instruct-2407")
    var call = Self.call(1)
    call.id = id
    var result = ChatMessage(role: .tool, content: "result 1")
    if !id.isEmpty { result.answeredCall = call }
    let chat = [
      Self.user("asked 1"), ChatMessage(calls: [call]), result, Self.answer("Answer one."),
    ]
    let text = renderer.tokenizer.decode(
      try renderer.transcript(chat, tools: Self.tools).tokens, special: true, isStart: false)
    let ids = text.matches(of: /id": "(\w{9})"/).map { String($0.1) }
    #expect(ids.count == 2 && ids[0] == ids[1], "\(text)")
  }

  @Test func partsThatTheTemplateLeavesOutAreNamed() throws {
    for (name, title, parts) in [
      ("Qwen-Qwen2.5-7B-Instruct", "thoughts", [ChatTranscript.Omission.Part.thoughts]),
      ("mistralai-Mistral-Nemo-Instruct-2407", "a call with text", [.text]),
      ("openai-gpt-oss-120b", "two calls", [.calls]),
      ("Qwen-Qwen3-0.6B", "a call with thoughts", []),
    ] {
      let chat = try #require(Self.chats.first { $0.name == title }).messages
      let tools = chat.contains { !$0.toolCalls.isEmpty } ? Self.tools : []
      let transcript = try Self.renderer(name).transcript(chat, tools: tools)
      #expect(transcript.omissions == parts.map { .init(message: 1, part: $0) }, "\(name)")
    }
  }
}
