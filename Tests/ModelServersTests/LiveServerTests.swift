import Foundation
import FoundationModels
import Testing

@testable import ModelServers

/// Where a server of llama.cpp is, if there is one.
private let address = ProcessInfo.processInfo.environment["FMADAPTER_LLAMA_SERVER"]

/// Sessions over a server of llama.cpp, which somebody else has written.
///
/// `tools/check-model-servers` starts it, and names its address in FMADAPTER_LLAMA_SERVER. Its model says what
/// `tools/fixtures/make_server_fixtures.py` has written down.
@Suite(.enabled(if: address != nil)) struct LiveServerTests {
  private static func model<Model: ServerModel>(
    _ type: Model.Type, key: String = "sk-live"
  ) throws -> Model {
    var options = ServerOptions()
    options.hasReasoning = true
    let url = try #require(address.flatMap { URL(string: $0) })
    return Model(name: "tiny", url: url, key: key, options: options)
  }

  private static func check<Model: ServerModel>(_ type: Model.Type) async throws {
    let model = try model(type)
    let session = LanguageModelSession(model: model, instructions: "Be polite.")
    var snapshots: [String] = []
    for try await snapshot in session.streamResponse(to: "Hello") {
      snapshots.append(snapshot.content)
    }
    #expect(snapshots.last == "Good day to you.")
    #expect(session.usage.output.totalTokenCount > 0)
    // The second turn has the first one in it, in whatever form the interface wants.
    #expect(try await session.respond(to: "Think").content == "Well: hello.")
    #expect(
      session.transcript.map(\.description).suffix(3) == [
        "Prompt: Think", "Reasoning: A greeting?\n", "Response: Well: hello.",
      ])
    #expect(try await session.respond(to: "Hello").content == "Good day to you.")

    let value = try await LanguageModelSession(model: model).respond(
      to: "A city", generating: City.self)
    #expect(value.content == City(name: "Bern", age: 9))

    let caller = LanguageModelSession(model: model, tools: [Weather()])
    #expect(try await caller.respond(to: "Weather?").content == "It rains in Bern!")
    #expect(
      caller.transcript.map(\.description).suffix(4) == [
        "Prompt: Weather?", #"Tool calls: weather({"city": "Bern"})"#,
        "Tool weather: rain in Bern", "Response: It rains in Bern!",
      ])

    let stranger = LanguageModelSession(model: try Self.model(type, key: "sk-wrong"))
    let error = await #expect(throws: ModelServerError.self) {
      try await stranger.respond(to: "Hello")
    }
    #expect(
      error == .unauthorized(server: String(address?.dropLast(3) ?? ""), message: "Invalid API Key")
    )
  }

  @Test(arguments: ServerWaitTests.all.indices)
  func aSessionIsHeldOverLlamaCPP(_ index: Int) async throws {
    try await Self.check(ServerWaitTests.all[index])
  }
}
