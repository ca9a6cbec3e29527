import Foundation
import Synchronization
import TestSupport
import Testing

// The documentation shows this.
// docs:begin
import FoundationModels
import ModelServers
import SessionPolicies

/// A chat with several models: the one on this machine answers what it can, and servers are asked only where it cannot.
struct SeveralModels {
  /// What a person gets to see.
  enum Line: Equatable, Sendable {
    /// Something that happens to the conversation.
    case note(String)
    /// The next piece of an answer.
    case piece(String)
    /// An answer is whole; it was this model's.
    case end(by: String)
  }

  let session: LanguageModelSession
  let show: @Sendable (Line) -> Void

  /// A chat with the base in a file, then with models on servers, in their order.
  init(base: URL, servers: [ChatCompletionsModel], show: @escaping @Sendable (Line) -> Void) {
    self.show = show
    // This machine goes first. What it says stands, right or wrong: only what it cannot do goes on.
    let here = FallbackModel.Choice(
      "this machine", SystemLanguageModel(base: base),
      passesOn: [.unavailable, .tooLong, .language, .capability])
    let there = servers.map { server in
      FallbackModel.Choice(server.name, server, passesOn: [.unavailable, .tooLong])
    }
    let model = FallbackModel([here] + there) { passing in
      show(.note("\(passing.from) leaves it to \(passing.to): \(passing.reason.rawValue)"))
    }
    session = LanguageModelSession(model: model, instructions: "You are a patient companion.")
    // What is too long for all of them loses its oldest turns.
    session.contextPolicy = .dropOldest.onCut { cut in
      show(.note("\(cut.dropped.count) entries are forgotten"))
    }
  }

  /// Answers one message piece by piece; an error ends only that answer.
  func answer(_ message: String, options: GenerationOptions = GenerationOptions()) async {
    var shown = ""
    do {
      for try await snapshot in session.streamResponse(to: message, options: options) {
        // After a call of a tool, or where another model begins anew, it is another text.
        let isMore = snapshot.content.hasPrefix(shown)
        show(.piece(isMore ? String(snapshot.content.dropFirst(shown.count)) : snapshot.content))
        shown = snapshot.content
      }
      show(.end(by: lastSpeaker ?? "nobody"))
    } catch let error as any LocalizedError {
      show(.note(error.errorDescription ?? "\(error)"))
    } catch {
      show(.note("\(error)"))
    }
  }

  /// Who gave the last answer, as the transcript has it.
  var lastSpeaker: String? {
    for case .response(let response) in session.transcript.reversed() {
      return response.metadata["answeredBy"] as? String
    }
    return nil
  }

  /// The conversation as a file has it, to be gone on with another day.
  func save(to file: URL) throws {
    try JSONEncoder().encode(session.transcript).write(to: file)
  }
}
// docs:end

@Suite struct SeveralModelsTests {
  private final class Screen: Sendable {
    private let lines = Mutex<[SeveralModels.Line]>([])

    var all: [SeveralModels.Line] { lines.withLock { $0 } }
    var notes: [String] { all.compactMap { if case .note(let text) = $0 { text } else { nil } } }
    var text: String {
      all.compactMap { if case .piece(let text) = $0 { text } else { nil } }.joined()
    }

    func show(_ line: SeveralModels.Line) { lines.withLock { $0.append(line) } }
  }

  private static let base = Fixtures.repository.appendingPathComponent(
    "adapters/afm-9m/afm-9m.gguf")
  private static let options = GenerationOptions(maximumResponseTokens: 8)

  private func server(
    _ name: String, _ answer: ChatScenario.Answer
  ) throws -> (PlayedModel, ChatCompletionsModel) {
    let played = try PlayedModel(answer)
    return (played, ChatCompletionsModel(name: name, url: played.url))
  }

  @Test func thisMachineAnswersWhatItCan() async throws {
    let (screen, (played, model)) = (Screen(), try server("house", .stream(ChatEvent.done)))
    let chat = SeveralModels(base: Self.base, servers: [model], show: screen.show)
    await chat.answer("Name a fruit.", options: Self.options)
    #expect(screen.notes.isEmpty && !screen.text.isEmpty)
    #expect(screen.all.last == .end(by: "this machine"))
    #expect(try played.requests.isEmpty)
  }

  @Test func whatIsTooLongGoesToTheNext() async throws {
    let screen = Screen()
    let (_, broken) = try server("broken", .json(503, "{}", ["Retry-After": "3600"]))
    let (played, house) = try server(
      "house", .stream(ChatEvent.text("A long"), ChatEvent.text(" story."), ChatEvent.done))
    let chat = SeveralModels(base: Self.base, servers: [broken, house], show: screen.show)
    await chat.answer("Name a fruit.", options: Self.options)
    let long = String(repeating: "long ", count: 8000)
    await chat.answer(long, options: Self.options)
    #expect(
      screen.notes == [
        "this machine leaves it to broken: tooLong", "broken leaves it to house: unavailable",
      ])
    #expect(screen.all.last == .end(by: "house") && screen.text.hasSuffix("A long story."))
    #expect(try played.requests.count == 1 && played.requests[0].body.contains("Name a fruit."))
    let folder = try TemporaryDirectory()
    let file = URL(fileURLWithPath: folder.path("chat.json"))
    try chat.save(to: file)
    let copy = try JSONDecoder().decode(Transcript.self, from: Data(contentsOf: file))
    #expect(copy.count == 5)
  }

  @Test func whereNobodyCanThePersonIsTold() async throws {
    let screen = Screen()
    let chat = SeveralModels(
      base: Self.base.appendingPathComponent("none"), servers: [], show: screen.show)
    await chat.answer("Hello?")
    guard case .note(let note)? = screen.all.first, screen.all.count == 1 else {
      Issue.record("\(screen.all)")
      return
    }
    #expect(note.hasPrefix("The language model cannot be used. \(Self.base.path)/none: there "))
    #expect(chat.session.transcript.count == 1)
  }
}
