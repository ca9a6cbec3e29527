import Foundation
import FoundationModels
import TestSupport
import Testing

@testable import ModelServers

/// What goes over the wire, beside what the makers' own Python packages make of it: `tools/fixtures/make_server_fixtures.py`.
@Suite struct WireTests {
  /// A stream, and what the official package has read in it.
  struct Recorded: Decodable, Sendable, CustomTestStringConvertible {
    let interface: String
    let name: String
    let stream: String
    let read: Read

    struct Read: Decodable, Sendable {
      let text, thoughts, stop: String
      /// Identity, name and arguments of each.
      let calls: [[String]]
      /// Tokens that were read, of those the cached ones, written, of those thoughts.
      let usage: [Int]
    }

    var testDescription: String { "\(interface): \(name)" }
  }

  static let streams = Result {
    try JSONDecoder().decode(
      [Recorded].self, from: Data(Fixtures.bytes("ModelServersTests", "streams.json")))
  }

  private static func check<Model: ServerModel>(
    _ recorded: Recorded, _ type: Model.Type
  ) async throws {
    // What is recorded, and for answers that call tools the end of the conversation.
    let end: ChatScenario.Answer =
      switch recorded.interface {
      case "responses": .events(ResponseEvent.text("Done."), ResponseEvent.end)
      case "messages":
        .events(
          MessageEvent.start, MessageEvent.begin(0), MessageEvent.text("Done."),
          MessageEvent.end)
      default: .stream(ChatEvent.text("Done."), ChatEvent.done)
      }
    let played = try Played<Model>(ChatScenario.Answer(pieces: [recorded.stream]), end)
    let tools: [any Tool] = recorded.read.calls.isEmpty ? [] : [Weather()]
    let session = LanguageModelSession(model: played.model, tools: tools)
    let response = try await session.respond(to: "?")

    let entries = session.transcript.dropFirst(tools.isEmpty ? 1 : 2)
    var (texts, thoughts, calls, stops): ([String], [String], [[String]], [String]) = (
      [], [], [], []
    )
    loop: for entry in entries {
      switch entry {
      case .response(let entry):
        texts.append(RequestParts.text(entry.segments))
        stops.append(entry.metadata.text("stopReason") ?? "")
      // That is not of the recorded answer.
      case .toolOutput: break loop
      case .reasoning(let entry) where !entry.segments.isEmpty:
        thoughts.append(RequestParts.text(entry.segments))
      case .toolCalls(let made):
        calls += made.map { [$0.id, $0.toolName, $0.arguments.jsonString] }
        stops += made.map { $0.metadata.text("stopReason") ?? "" }
      default: break
      }
    }
    let read = recorded.read
    #expect(texts.joined(separator: "\n") == read.text)
    #expect(thoughts.joined(separator: "\n") == read.thoughts)
    #expect(calls == read.calls)
    #expect(Set(stops) == [read.stop])
    guard tools.isEmpty else {
      #expect(response.content == "Done.")
      return
    }
    let (input, output) = (response.usage.input, response.usage.output)
    #expect(
      [
        input.totalTokenCount, input.cachedTokenCount, output.totalTokenCount,
        output.reasoningTokenCount,
      ] == read.usage)
  }

  @Test func allInterfacesAreThere() throws {
    let streams = try Self.streams.get()
    #expect(Set(streams.map(\.interface)) == ["chatCompletions", "responses", "messages"])
    #expect(streams.count == 16)
  }

  @Test(arguments: try streams.get())
  func aStreamIsReadAsTheOfficialPackageReadsIt(_ recorded: Recorded) async throws {
    switch recorded.interface {
    case "responses": try await Self.check(recorded, ResponsesModel.self)
    case "messages": try await Self.check(recorded, MessagesModel.self)
    default: try await Self.check(recorded, ChatCompletionsModel.self)
    }
  }

  // MARK: - Requests

  /// A conversation with everything in it that an interface has a place for.
  private static func requests<Model: ServerModel>(
    _ type: Model.Type, _ first: ChatScenario.Answer, _ second: ChatScenario.Answer
  ) async throws -> [[String: Any]] {
    let played = try Played<Model>(first, second) {
      ($0.hasReasoning, $0.hasVision) = (true, true)
    }
    let session = LanguageModelSession(
      model: played.model, tools: [Weather()], instructions: "Be polite.")
    var options = GenerationOptions(maximumResponseTokens: 2000)
    // Anthropic's newest version of the interface has no place for them.
    if type != MessagesModel.self {
      options.samplingMode = .random(probabilityThreshold: 0.5)
      options.temperature = 0.5
    }
    _ = try await session.respond(
      to: "Weather?", options: options,
      contextOptions: ContextOptions(reasoningLevel: .light))
    let other = LanguageModelSession(model: played.model, transcript: session.transcript)
    let image = try #require(URL(string: "data:image/png;base64,iVBORw0="))
    _ = try? await other.respond(generating: City.self) {
      "What is it?"
      Attachment(imageURL: image)
    }
    return try (0..<played.requests.count).map { try played.body($0) }
  }

  private static let thought = ResponseEvent.thought("gAAA")
  private static let call = ResponseEvent.call("a", #"{"city": "Bern"}"#)

  @Test func requestsAreOfTheOfficialTypes() async throws {
    var all: [[String: Any]] = []
    func add(_ interface: String, _ bodies: [[String: Any]]) {
      #expect(bodies.count == 3)
      for (name, body) in zip(["tools and options", "a result", "an image and a schema"], bodies) {
        all.append(["interface": interface, "name": name, "body": body])
      }
    }
    add(
      "chatCompletions",
      try await Self.requests(
        ChatCompletionsModel.self,
        .stream(
          ChatEvent.text("I look."),
          ChatEvent.call(0, id: "a", name: "weather", #"{"city": "Bern"}"#), ChatEvent.done),
        .stream(ChatEvent.text("Rain."), ChatEvent.done)))
    add(
      "responses",
      try await Self.requests(
        ResponsesModel.self,
        .events(
          ResponseEvent.done(Self.thought, 0), ResponseEvent.text("I look.", 1),
          ResponseEvent.done(Self.call, 2), ResponseEvent.end),
        .events(ResponseEvent.text("Rain."), ResponseEvent.end)))
    let thinking = #"{"type": "thinking", "thinking": "Rain?", "signature": "EqQB"}"#
    add(
      "messages",
      try await Self.requests(
        MessagesModel.self,
        .events(
          MessageEvent.start, MessageEvent.begin(0, thinking), MessageEvent.close(0),
          MessageEvent.begin(1), MessageEvent.text("I look.", 1), MessageEvent.close(1),
          MessageEvent.call(2, "a", input: #"{"city": "Bern"}"#), MessageEvent.close(2),
          MessageEvent.end),
        .events(
          MessageEvent.start, MessageEvent.begin(0), MessageEvent.text("Rain."), MessageEvent.end)))
    let data = try JSONSerialization.data(
      withJSONObject: all, options: [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes])
    let url = Fixtures.url("ModelServersTests", "requests.json")
    if ProcessInfo.processInfo.environment["FMADAPTER_WRITE_GOLDEN"] == "1" {
      try (data + Data("\n".utf8)).write(to: url)
    }
    #expect(
      try String(contentsOf: url, encoding: .utf8) == String(decoding: data, as: UTF8.self) + "\n")
  }
}
