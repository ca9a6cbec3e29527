import ChatTemplates
import Chats
import JSON
import TensorFiles
import TestSupport
import Testing
import Tokenization

/// Turns whose answers are written by hand.
@Suite struct ChatTurnTests {
  private let tokenizer: Tokenizer
  private let renderer: ChatRenderer
  private let opening = [ChatMessage(role: .system, content: "Be short.")]
  private let question = ChatMessage(role: .user, content: "Rain?")

  init() throws {
    let path = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    tokenizer = try Tokenizer(GGUFFile(path: path).metadata, file: path)
    renderer = try ChatRenderer(ChatStyle(.afm), tokenizer: tokenizer)
  }

  private func weather() throws -> ChatTool {
    let schema = #"{"type": "object", "properties": {"city": {"enum": ["Bern", "Chur"]}}}"#
    let parameters = try JSONDocument(parsing: Array(schema.utf8)).root
    return try ChatTool(
      name: "weather", description: "Tells the weather.", parameters: parameters)
  }

  private func say(_ text: String, in turn: inout ChatTurn) -> [ThoughtStream.Part] {
    var parts: [ThoughtStream.Part] = []
    var tokens: [Token] = []
    _ = tokenizer.append(Array(text.utf8), marks: [], after: .text, to: &tokens)
    for token in tokens { parts += turn.append(token) }
    return parts + turn.finish()
  }

  @Test func aCallIsFollowedByItsResultAndAnAnswer() throws {
    let tool = try weather()
    let offering = try renderer.offering([tool])
    var form = ChatForm(tokenizer, renderer: offering)
    (form.offering, form.rounds) = (offering, ToolRounds(limit: 1))
    var turn = ChatTurn(
      form, opening: opening, [question], prompt: try offering.prompt(opening + [question]))
    #expect(try turn.constraint() != nil)
    let call = ChatToolCall(
      id: "call1.0", name: "weather", arguments: .object(["city": .string("Bern")]))
    let written = try renderer.transcript(
      [question, ChatMessage(calls: [call])], tools: [tool.definition])
    for token in written.tokens[written.spoken[0]] where !form.stopTokens.contains(token) {
      #expect(turn.append(token).isEmpty)
    }
    #expect(turn.finish().isEmpty)
    try #require(turn.calls == [call])
    try turn.goOn(with: ["sun"])
    let result = ChatMessage(resultOf: call, content: "sun")
    #expect(turn.messages == [question, ChatMessage(calls: [call]), result])
    #expect(try turn.prompt == offering.prompt(shortened: opening + turn.messages))
    #expect(turn.rounds.end == .limit)
    _ = say("No.", in: &turn)
    #expect(turn.calls.isEmpty && turn.text == "No.")
    #expect(turn.answered.last == ChatMessage(role: .assistant, content: "No."))
  }

  @Test func thoughtsAreNoPartOfTheAnswer() throws {
    var turn = ChatTurn(
      ChatForm(tokenizer, renderer: renderer), [question], prompt: try renderer.prompt([question]))
    let parts = say("<think>Hm.</think>\n\nYes.", in: &turn)
    #expect(parts.contains { if case .thought = $0 { true } else { false } })
    #expect(turn.text == "Yes.")
    #expect(turn.answered.last?.content == "<think>Hm.</think>\n\nYes.")
  }

  @Test func aTextThatGoesOnHasNeitherThoughtsNorCalls() throws {
    var turn = ChatTurn(ChatForm(tokenizer, renderer: nil), [question], prompt: [1])
    _ = say("<think>Hm.</think>", in: &turn)
    #expect(turn.text == "<think>Hm.</think>")
  }

  @Test(arguments: [true, false]) func aLoopIsNoticedWhereLoopsEnd(_ endsLoops: Bool) throws {
    var form = ChatForm(tokenizer, renderer: renderer)
    form.endsLoops = endsLoops
    var turn = ChatTurn(form, [question], prompt: try renderer.prompt([question]))
    _ = say(String(repeating: "and the cat sat down again ", count: 60), in: &turn)
    #expect(turn.isLooping == endsLoops)
  }
}
