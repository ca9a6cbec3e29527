import Foundation
import Testing

// The documentation shows these.
import FoundationModels

// docs:begin
/// A model that says what it hears.
struct Echo: LanguageModel {
  var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([]) }
  var executorConfiguration: Executor.Configuration { Executor.Configuration(prefix: "You said: ") }

  struct Executor: LanguageModelExecutor {
    typealias Model = Echo

    struct Configuration: Hashable, Sendable { let prefix: String }

    let prefix: String

    init(configuration: Configuration) { prefix = configuration.prefix }

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: Echo,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      guard case .prompt(let prompt)? = request.transcript.last else { return }
      let text = prompt.segments.map(\.description).joined(separator: " ")
      await channel.send(.response(action: .appendText(prefix, tokenCount: 1)))
      await channel.send(.response(action: .appendText(text, tokenCount: 1)))
    }
  }
}

/// Everything that a session does works with any model.
func echo(_ text: String) async throws -> String {
  let session = LanguageModelSession(model: Echo(), instructions: "Be yourself.")
  return try await session.respond(to: text).content
}
// docs:end

// docs:begin
extension SessionPropertyValues {
  /// Whether people sleep in the house that the session is about.
  @SessionPropertyEntry var isNight = false
}

/// A house that speaks otherwise at night, and forgets what is old.
struct HouseProfile: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.isNight) var isNight
  let model: any LanguageModel

  var body: some DynamicProfile {
    Profile {
      Instructions("You look after a house.")
      if isNight { Instructions("Whisper.") }
    }
    .temperature(isNight ? 0.2 : 0.7)
    .onPrompt { print("somebody asks") }
    .historyTransform { $0.suffix(8) }
    .model(model)
  }
}

/// Says good night to a house.
func goodNight(_ model: any LanguageModel) async throws -> String {
  let session = LanguageModelSession(profile: HouseProfile(model: model))
  session.properties.isNight = true
  return try await session.respond(to: "Good night!").content
}
// docs:end

@Suite struct EchoExampleTests {
  @Test func theProfileAnswers() async throws {
    #expect(try await goodNight(Echo()) == "You said: Good night!")
  }

  @Test func theExampleAnswers() async throws {
    #expect(try await echo("hello") == "You said: hello")
  }
}
