import Foundation
import Testing

// The documentation shows this.
import FoundationModels
import ModelServers
import SessionPolicies

// docs:begin
/// What a model on a server of one's own says, while it says it.
func stream(_ prompt: String, server: URL, key: String?) async throws {
  let model = ChatCompletionsModel(name: "qwen3-0.6b", url: server, key: key)
  let session = LanguageModelSession(model: model, instructions: "Answer in one sentence.")
  for try await snapshot in session.streamResponse(to: prompt) { print(snapshot.content) }
  print(session.usage.totalTokenCount)
}

/// Asks a model of Anthropic's, and one on a server of one's own where that is not to be had; also who answered.
func answer(
  _ prompt: String, hosted: MessagesModel, own: ChatCompletionsModel
) async throws -> (text: String, server: String) {
  let model = FallbackModel([
    FallbackModel.Choice("hosted", hosted, passesOn: [.unavailable]),
    FallbackModel.Choice("own", own),
  ])
  let response = try await LanguageModelSession(model: model).respond(to: prompt)
  guard case .response(let said)? = response.transcriptEntries.last else { return ("", "") }
  return (response.content, said.metadata["server"] as? String ?? "")
}
// docs:end

@Suite struct ServerExampleTests {
  @Test func theExampleAsks() async throws {
    let played = try PlayedModel(.stream(ChatEvent.text("Hello."), ChatEvent.done))
    try await stream("?", server: played.url, key: nil)
    #expect(try played.requests[0].body.contains(#""model": "qwen3-0.6b""#))
  }

  @Test func anotherServerAnswersWhereOneIsOverloaded() async throws {
    let hosted = try Played<MessagesModel>(
      .json(529, MessageEvent.error("overloaded_error", "Overloaded")))
    let own = try PlayedModel(.stream(ChatEvent.text("Hello."), ChatEvent.done))
    let answer = try await answer("?", hosted: hosted.model, own: own.model)
    #expect(answer.text == "Hello." && answer.server == own.origin)
    #expect(try hosted.requests.count == 3)
  }
}
