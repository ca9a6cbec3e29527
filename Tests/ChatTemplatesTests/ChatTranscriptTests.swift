import ChatTemplates
import JSON
import Testing
import Tokenization

@Suite struct ChatTranscriptTests {
  private static func renderer(_ format: ChatFormat) throws -> (ChatRenderer, Tokenizer) {
    let tokenizer = try ChatFixture.tokenizer(format == .afm ? "afm" : "marks")
    return (try ChatRenderer(ChatStyle(format), tokenizer: tokenizer), tokenizer)
  }

  private static let chat = [
    ChatMessage(role: .system, content: "Be brief."), ChatMessage(role: .user, content: "Hello"),
    ChatMessage(role: .assistant, content: "Fine, and you?"),
    ChatMessage(role: .user, content: "Count"), ChatMessage(role: .assistant, content: "1\n2 "),
  ]

  @Test(arguments: ChatFormat.allCases) func answersFollowTheirPrompts(format: ChatFormat) throws {
    let (renderer, tokenizer) = try Self.renderer(format)
    let transcript = try renderer.transcript(Self.chat)
    try #require(transcript.spoken.count == 2)
    for (answer, count) in zip(transcript.spoken, [2, 4]) {
      let prompt = try renderer.prompt(Array(Self.chat.prefix(count)))
      #expect(Array(transcript.tokens[..<answer.lowerBound]) == prompt)
      #expect(renderer.stopTokens.contains(transcript.tokens[answer.upperBound - 1]))
      let text = tokenizer.decode(Array(transcript.tokens[answer].dropLast()), isStart: false)
      #expect(text.trimmed == Self.chat[count].content.trimmed)
    }
  }

  @Test(arguments: ChatFormat.allCases) func theWholeIsTheTextOfTheFormat(format: ChatFormat) throws
  {
    let (renderer, tokenizer) = try Self.renderer(format)
    let transcript = try renderer.transcript(Self.chat)
    let text = tokenizer.decode(transcript.tokens, special: true, isStart: false)
    let next = try renderer.text(Self.chat + [ChatMessage(role: .user, content: "x")])
    #expect(next.replacing("<n>", with: "\n").hasPrefix(text.replacing("<n>", with: "\n")))
  }

  @Test func aQuestionAtTheEndIsNotSpoken() throws {
    let (renderer, _) = try Self.renderer(.chatML)
    let whole = try renderer.transcript(Array(Self.chat.prefix(4)))
    #expect(whole.spoken.count == 1)
    #expect(whole.spoken[0].upperBound < whole.tokens.count)
  }

  @Test func rolesAreChecked() throws {
    let (renderer, _) = try Self.renderer(.chatML)
    #expect(throws: ChatDefect.noMessages) { try renderer.transcript([]) }
    #expect(
      throws: ChatDefect.wrongOrder(index: 0, role: .assistant, after: nil)
    ) { try renderer.transcript([Self.chat[2]]) }
  }

  @Test func callsAreAnswersWhereAFormatHasNone() throws {
    let call = ChatToolCall(id: "", name: "f", arguments: .object(["k": .number(JSONNumber(1))]))
    let messages = [Self.chat[1], ChatMessage(calls: [call], content: "Fine, and you?")]
    for format in [ChatFormat.llama2, .gemma, .phi3] {
      let (renderer, tokenizer) = try Self.renderer(format)
      let transcript = try renderer.transcript(messages)
      let said = tokenizer.decode(Array(transcript.tokens[transcript.spoken[0]]), special: true)
      #expect(said.trimmed.hasPrefix("{\"name\": \"f\", \"parameters\": {\"k\": 1}}"))
    }
    let (afm, tokenizer) = try Self.renderer(.afm)
    let transcript = try afm.transcript(messages)
    let said = tokenizer.decode(Array(transcript.tokens[transcript.spoken[0]]), special: true)
    #expect(
      said
        == "Fine, and you?<executable_start> ```function\n[{\"name\": \"f\", \"arguments\": {\"k\": 1}}]```<executable_end><turn_end>"
    )
  }
}
