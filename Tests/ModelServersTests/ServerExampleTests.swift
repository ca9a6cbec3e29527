import Foundation
import Testing

// The documentation shows this.
import FoundationModels
import ModelServers

// docs:begin
/// What a model on a server of one's own says, while it says it.
func stream(_ prompt: String, server: URL, key: String?) async throws {
  let model = ChatCompletionsModel(name: "qwen3-0.6b", url: server, key: key)
  let session = LanguageModelSession(model: model, instructions: "Answer in one sentence.")
  for try await snapshot in session.streamResponse(to: prompt) { print(snapshot.content) }
  print(session.usage.totalTokenCount)
}
// docs:end

@Suite struct ServerExampleTests {
  @Test func theExampleAsks() async throws {
    let played = try PlayedModel(.stream(ChatEvent.text("Hello."), ChatEvent.done))
    try await stream("?", server: played.url, key: nil)
    #expect(try played.requests[0].body.contains(#""model": "qwen3-0.6b""#))
  }
}
