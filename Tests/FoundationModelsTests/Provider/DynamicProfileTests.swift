import Foundation
import SessionTestSupport
import Synchronization
import Testing

@testable import FoundationModels

@Suite struct DynamicProfileTests {
  /// What happened, in order.
  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func note(_ line: String) { lines.withLock { $0.append(line) } }
  }

  /// A switch that a test turns.
  private final class Lever: Sendable {
    private let state = Mutex(false)

    var isUp: Bool {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  private struct House: DynamicInstructions {
    let lever: Lever

    var body: some DynamicInstructions {
      Instructions("You look after a house.")
      if lever.isUp {
        Instructions("It is night.")
      } else {
        Lamp()
      }
      ForEach(["hall", "kitchen"], id: \.self) { room in Instructions("There is a \(room).") }
      [Hidden()] as [any Tool]
    }
  }

  @Test func instructionsAreLookedAtBeforeEachRequest() async throws {
    let lever = Lever()
    let model = ScriptedModel([.text("a")], [.text("b")])
    let session = LanguageModelSession(model: model, dynamicInstructions: House(lever: lever))
    #expect(session.transcript.isEmpty)
    _ = try await session.respond(to: "1")
    let day = try #require(session.transcript.first?.asInstructions)
    #expect(
      day.segments.text
        == "You look after a house.\nThere is a hall.\nThere is a kitchen.")
    #expect(day.toolDefinitions.map(\.name) == ["switchLamp"])
    lever.isUp = true
    _ = try await session.respond(to: "2")
    let night = try #require(session.transcript.first?.asInstructions)
    #expect(night.id == day.id && night.segments.text.contains("night"))
    #expect(night.toolDefinitions.isEmpty)
    #expect(session.transcript.count == 5)
    let requests = model.script.requests
    #expect(requests[0].enabledToolDefinitions.map(\.name) == ["switchLamp", "Hidden"])
    #expect(requests[1].enabledToolDefinitions.map(\.name) == ["Hidden"])
    #expect(requests[1].transcript.first == .instructions(night))
  }

  private struct Switching: LanguageModelSession.DynamicProfile {
    let lever: Lever
    let log: Log
    let (day, night): (ScriptedModel, ScriptedModel)

    var body: some DynamicProfile {
      if lever.isUp {
        Profile { Instructions("Whisper.") }
          .model(night)
          .onActivate { log.note("night") }
          .onDeactivate { log.note("no night") }
      } else {
        Profile { Instructions("Speak.") }
          .model(day)
          .onActivate { log.note("day") }
          .onDeactivate { log.note("no day") }
      }
    }
  }

  @Test func aConditionCanChangeTheModel() async throws {
    let (lever, log) = (Lever(), Log())
    let (day, night) = (
      ScriptedModel([.text("a")], [.text("b")], [.text("d")]), ScriptedModel([.text("c")])
    )
    let session = LanguageModelSession(
      profile: Switching(lever: lever, log: log, day: day, night: night)
        .onPrompt { log.note("prompt") })
    var answers: [String] = []
    for isUp in [false, false, true, false] {
      lever.isUp = isUp
      answers.append(try await session.respond(to: "?").content)
    }
    #expect(answers == ["a", "b", "c", "d"])
    #expect(
      log.all == [
        "day", "prompt", "prompt", "no day", "night", "prompt", "no night", "day", "prompt",
      ])
    #expect(session.transcript.count == 9)
    #expect(night.script.requests[0].transcript.count == 6)
  }

  @Test func innerValuesGoBeforeOuterOnesAndThoseOfCallersBeforeAll() async throws {
    let model = ScriptedModel([.text("a")], [.text("b")])
    let profile = LanguageModelSession.Profile { Instructions("Be brief.") }
      .temperature(0.1).temperature(0.2).maximumResponseTokens(5).maximumResponseTokens(nil)
      .samplingMode(.greedy).reasoningLevel(.deep).toolCallingMode(.disallowed).model(model)
    let session = LanguageModelSession(profile: profile)
    _ = try await session.respond(to: "1")
    let options = GenerationOptions(temperature: 0.9)
    _ = try await session.respond(
      to: "2", options: options, contextOptions: ContextOptions(reasoningLevel: .light))
    let requests = model.script.requests
    #expect(requests.map { $0.generationOptions.temperature } == [0.1, 0.9])
    #expect(requests.map { $0.contextOptions.reasoningLevel } == [.deep, .light])
    let first = requests[0].generationOptions
    #expect(first.maximumResponseTokens == 5 && first.samplingMode == .greedy)
    #expect(first.toolCallingMode == .disallowed)
    #expect(session.transcript.compactMap(\.asPrompt).last?.options == options)
  }

  @Test func actionsSeeWhatHappens() async throws {
    let log = Log()
    let model = ScriptedModel(
      [
        .event(.reasoning(action: .appendText("Hm.", tokenCount: 1))),
        .call("1", "switchLamp", #"{"room": "hall", "isOn": true}"#),
      ], [.text("Done.")])
    let profile = LanguageModelSession.Profile { Lamp() }
      .onPrompt { log.note("inner \($0.segments.text)") }
      .onReasoning { log.note("\($0)") }
      .onToolCall { log.note("\($0)") }
      .onToolOutput { log.note("\($0.id) \($1)") }
      .onResponse { log.note("\($0)") }
      .onPrompt { log.note("outer") }
      .model(model)
    let response = try await LanguageModelSession(profile: profile).respond(to: "Light!")
    #expect(
      log.all == [
        "outer", "inner Light!", "Reasoning: Hm.",
        #"switchLamp({"room": "hall", "isOn": true})"#, "1 Tool switchLamp: hall is true",
        "Response: Done.",
      ])
    #expect(response.transcriptEntries.count == 5)
  }

  @Test func historyCanBeChangedOrReadOtherwise() async throws {
    let model = ScriptedModel([.text("a")], [.text("b")], [.text("c")])
    let profile = LanguageModelSession.Profile { Instructions("Be brief.") }
      .modifier(Window(count: 3))
      .historyTransform { $0.filter { if case .response = $0 { false } else { true } } }
      .model(model)
    let session = LanguageModelSession(profile: profile)
    for prompt in ["1", "2", "3"] {
      let response = try await session.respond(to: prompt)
      #expect(response.transcriptEntries.map(\.description).first == "Prompt: \(prompt)")
    }
    #expect(
      session.transcript.map(\.description) == [
        "Instructions: Be brief.", "Prompt: 2", "Response: b", "Prompt: 3", "Response: c",
      ])
    #expect(
      model.script.requests[2].transcript.map(\.description) == [
        "Instructions: Be brief.", "Prompt: 2", "Prompt: 3",
      ])
  }

  /// Keeps the last entries.
  private struct Window: LanguageModelSession.DynamicProfileModifier {
    @SessionProperty(\.history) private var history
    let count: Int

    init(count: Int) { self.count = count }

    func body(content: Content) -> some DynamicProfile {
      content.onPrompt { history = history.suffix(count) }
    }
  }

  @Test func anActionCanEndTheResponse() async throws {
    let model = ScriptedModel([.text("a")], [.fail(Broken())], [.text("b")])
    let strict = LanguageModelSession(
      profile: LanguageModelSession.Profile { Instructions("Be brief.") }.model(model)
        .onResponse { throw Broken() })
    await #expect(throws: Broken.self) { try await strict.respond(to: "?") }
    #expect(strict.transcript.count <= 1 && !strict.isResponding)
    let keeping = LanguageModelSession(
      profile: LanguageModelSession.Profile { Instructions("Be brief.") }.model(model)
        .transcriptErrorHandlingPolicy(.preserveTranscript))
    await #expect(throws: Broken.self) { try await keeping.respond(to: "first") }
    #expect(
      keeping.transcript.map(\.description) == ["Instructions: Be brief.", "Prompt: first"])
    #expect(try await keeping.respond(to: "second").content == "b")
    #expect(keeping.transcript.count == 4)
  }

  @Test func theModelOfThisMachineTakesProfiles() async throws {
    let session = LanguageModelSession(
      profile: LanguageModelSession.Profile { Instructions("Be brief.") }
        .model(SampleModels.plain).maximumResponseTokens(8))
    let plain = LanguageModelSession(model: SampleModels.plain, instructions: "Be brief.")
    let options = GenerationOptions(maximumResponseTokens: 8)
    for prompt in ["Hello", SampleModels.note] {
      let expected = try await plain.respond(to: prompt, options: options).content
      #expect(try await session.respond(to: prompt).content == expected)
    }
    #expect(try #require(await session.engine.statistics).reusedTokens > 0)
  }

  // MARK: - What a session keeps

  fileprivate struct MoodKey: SessionPropertyKey { static let defaultValue = "calm" }

  struct Moody: Tool {
    let description = "Changes the mood."
    @SessionProperty(\.mood) var mood

    @Generable
    struct Arguments { var mood: String }

    func call(arguments: Arguments) async throws -> String {
      defer { mood = arguments.mood }
      return "was \(mood)"
    }
  }

  private struct Mood: DynamicInstructions {
    @SessionProperty(\.mood) var mood

    var body: some DynamicInstructions {
      Instructions("You are \(mood).")
      Moody()
    }
  }

  @Test func aSessionKeepsValues() async throws {
    let model = ScriptedModel(
      [.call("1", "Moody", #"{"mood": "glad"}"#)], [.text("Done.")])
    let session = LanguageModelSession(model: model, dynamicInstructions: Mood())
    #expect(session.properties.mood == "calm")
    #expect(session.properties.visits.isEmpty && session.properties.guest == nil)
    session.properties.visits.append("now")
    session.properties.guest = 3
    #expect(session.properties.visits == ["now"] && session.properties.guest == 3)
    #expect(session.properties.host == 1)
    session.properties.host = nil
    #expect(session.properties.host == nil)
    _ = try await session.respond(to: "?")
    #expect(session.properties.mood == "glad")
    #expect(session.transcript[3].description == "Tool Moody: was calm")
    // The instructions of the second request knew it already.
    #expect(session.transcript.first?.description == "Instructions: You are glad.")
  }

  private final class Plain {}

  private struct PlainKey: SessionPropertyKey { static var defaultValue: Plain? { nil } }

  private protocol Keeper {
    func keep(_ value: Plain, in values: SessionPropertyValues) -> Plain?
  }

  /// Where it is called as a `Keeper`, the compiler does not warn.
  private struct Careless: Keeper {
    @available(*, deprecated)
    func keep(_ value: Plain, in values: SessionPropertyValues) -> Plain? {
      values[PlainKey.self] = value
      return values[PlainKey.self]
    }
  }

  /// As Apple's interface has it; the compiler warns.
  @Test func aValueThatIsNotSendableIsKept() {
    let (keeper, plain): (any Keeper, Plain) = (Careless(), Plain())
    let session = LanguageModelSession(model: ScriptedModel())
    #expect(keeper.keep(plain, in: session.properties) === plain)
  }

  @Test func aTranscriptIsChangedBetweenPrompts() async throws {
    let model = ScriptedModel([.text("a")], [.text("half"), .hang], [.text("b")])
    let session = LanguageModelSession(model: model)
    _ = try await session.respond(to: "1")
    session.transcript.removeLast(2)
    #expect(session.transcript.isEmpty)
    let task = Task { try await session.respond(to: "2") }
    for await _ in model.script.reached { break }
    session.transcript.removeAll()
    #expect(session.transcript.map(\.description) == ["Prompt: 2", "Response: half"])
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    #expect(try await session.respond(to: "3").content == "b")
  }

  @Test func aChangeMeanwhileEndsTheResponse() async throws {
    let session = LanguageModelSession(model: ScriptedModel([.text("a")]))
    let turn = try session.begin(SessionRequest(Prompt("?"), GenerationOptions()))
    session.transcript = Transcript()
    let error = await #expect(throws: LanguageModelSession.Error.self) {
      try await session.finish(turn, as: String.self) { _ in }
    }
    #expect(error == .transcriptMutationWhileResponding)
    #expect(
      error?.debugDescription
        == "The transcript was changed while the session answered a prompt; change it before or after."
    )
    #expect(session.transcript.isEmpty && !session.isResponding)
  }
}

extension SessionPropertyValues {
  @SessionPropertyEntry fileprivate var visits = [String]()
  @SessionPropertyEntry fileprivate var guest: Int?
  @SessionPropertyEntry fileprivate var host: Int? = 1

  fileprivate var mood: String {
    get { self[DynamicProfileTests.MoodKey.self] }
    set { self[DynamicProfileTests.MoodKey.self] = newValue }
  }
}
