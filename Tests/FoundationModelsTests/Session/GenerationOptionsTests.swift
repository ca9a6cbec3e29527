import LanguageModels
import SessionTestSupport
import Testing

@testable import FoundationModels

@Suite struct SamplingTests {
  private typealias Options = GenerationOptions

  private static func story(_ options: GenerationOptions) async throws -> String {
    var options = options
    options.maximumResponseTokens = 12
    let session = LanguageModelSession(model: SampleModels.plain)
    return try await session.respond(to: "Write a story about a cat.", options: options).content
  }

  @Test(arguments: [
    GenerationOptions(sampling: .random(top: 50, seed: 7), temperature: 1.5),
    .init(sampling: .random(probabilityThreshold: 0.9, seed: 7), temperature: 1.5),
    .init(sampling: .greedy, temperature: 2), .init(),
  ])
  func sameSeedSameText(options: GenerationOptions) async throws {
    #expect(try await Self.story(options) == Self.story(options))
  }

  @Test func anotherSeedGivesAnotherText() async throws {
    let texts = try await [
      Self.story(Options(sampling: .random(top: 50, seed: 1), temperature: 2)),
      Self.story(Options(sampling: .random(top: 50, seed: 2), temperature: 2)),
    ]
    #expect(texts[0] != texts[1])
  }

  @Test(arguments: [
    (GenerationOptions(), SamplingOptions(maximumTokens: 9)),
    (.init(temperature: 0.5), .init(temperature: 0.5, maximumTokens: 9)),
    (.init(sampling: .greedy, temperature: 0.5), .init(maximumTokens: 9)),
    (
      .init(sampling: .random(top: 4, seed: 3), maximumResponseTokens: 5),
      .init(temperature: 1, topK: 4, seed: 3, maximumTokens: 5)
    ),
    (
      .init(sampling: .random(probabilityThreshold: 0.5), temperature: 2),
      .init(temperature: 2, topP: 0.5, maximumTokens: 9)
    ),
  ])
  func optionsMean(options: GenerationOptions, engine: SamplingOptions) throws {
    #expect(try options.engine(limit: 9) == engine)
  }

  @Test(arguments: [
    (GenerationOptions(sampling: .random(top: 0)), "top-k", "0", "1 or more"),
    (.init(temperature: 101), "temperature", "101.0", "between 0 and 100"),
    (.init(temperature: -1), "temperature", "-1.0", "between 0 and 100"),
    (
      .init(sampling: .random(probabilityThreshold: 0)), "top-p", "0.0", "above 0 and at most 1"
    ),
    (.init(maximumResponseTokens: 0), "maximum number of tokens", "0", "1 or more"),
  ])
  func optionsOutsideTheirRangeAreRefused(
    _ options: GenerationOptions, _ name: String, _ value: String, _ rule: String
  ) async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let error = await #expect(throws: GenerationOptionsError.self) {
      try await session.respond(to: "Hello", options: options)
    }
    #expect(error?.localizedDescription == "The \(name) is \(value), but has to be \(rule).")
    #expect(error?.recoverySuggestion == "Set the \(name) to a value that is \(rule).")
    #expect(session.transcript.isEmpty)
    #expect(!session.isResponding)
  }
}

struct GenerationOptionsTests {
  @Test func modesDifferByKindNumberAndSeed() {
    let modes: [GenerationOptions.SamplingMode] = [
      .greedy, .random(top: 4), .random(top: 5), .random(top: 4, seed: 1),
      .random(probabilityThreshold: 0.5), .random(probabilityThreshold: 0.5, seed: 1),
    ]
    for (index, mode) in modes.enumerated() {
      #expect(modes.firstIndex(of: mode) == index)
    }
  }
}
