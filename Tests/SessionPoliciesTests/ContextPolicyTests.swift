import Foundation
import SessionTestSupport
import Synchronization
import Testing

@testable import FoundationModels
@testable import SessionPolicies

/// Conversations that outgrow the context of the bundled base, or of a model that does not count.
@Suite struct ContextPolicyTests {
  private final class Log: Sendable {
    private let cuts = Mutex<[ContextPolicy.Cut]>([])

    var all: [ContextPolicy.Cut] { cuts.withLock { $0 } }

    func note(_ cut: ContextPolicy.Cut) { cuts.withLock { $0.append(cut) } }
  }

  private static let options = GenerationOptions(maximumResponseTokens: 6)

  /// About 130 tokens.
  private func long(_ number: Int) -> String {
    "\(number): " + String(repeating: "the cat sat by the sea and looked at the boats. ", count: 8)
  }

  private func session(_ policy: ContextPolicy?, _ log: Log) -> LanguageModelSession {
    let session = LanguageModelSession(
      model: SampleModels.plain, tools: [Lamp()], instructions: "You tell stories of the sea.")
    session.contextPolicy = policy?.onCut(log.note)
    return session
  }

  private func texts(_ entries: some Sequence<Transcript.Entry>) -> [String] {
    entries.map { String($0.description.prefix(11)) }
  }

  /// Prompts of one kind until something goes, and two more.
  private func talk(_ session: LanguageModelSession, _ log: Log) async throws -> Int {
    var number = 0
    var rest = 2
    while rest >= 0 {
      number += 1
      var options = Self.options
      options.toolCallingMode = .disallowed
      _ = try await session.respond(to: long(number), options: options)
      if !log.all.isEmpty { rest -= 1 }
      try #require(number < 60, "nothing ever goes")
    }
    return number
  }

  @Test func theOldestTurnsGoAndWhatStaysIsComputedOnce() async throws {
    let log = Log()
    let session = session(.dropOldest, log)
    let model = SampleModels.plain
    let limit = model.contextSize
    var evaluated: [(all: Int, reused: Int, cuts: Int, generated: Int)] = []
    var number = 0
    while log.all.count < 2 {
      number += 1
      try #require(number < 90)
      _ = try await session.respond(
        to: long(number),
        options: GenerationOptions(maximumResponseTokens: 6, toolCallingMode: .disallowed))
      let statistics = try #require(await session.engine.statistics)
      evaluated.append(
        (
          statistics.promptTokens + statistics.reusedTokens, statistics.reusedTokens, log.all.count,
          statistics.generatedTokens
        ))
    }
    let cut = log.all[0]
    // Whole turns, the oldest ones, in order.
    #expect(cut.dropped.count % 2 == 0 && cut.added.isEmpty)
    for (index, entry) in cut.dropped.enumerated() where index % 2 == 0 {
      #expect(entry.description.hasPrefix("Prompt: \(index / 2 + 1): "))
    }
    // Instructions with their tools, and the prompt of the moment.
    let first = try #require(session.transcript.first?.asInstructions)
    #expect(first.segments.text == "You tell stories of the sea.")
    #expect(first.toolDefinitions.map(\.name) == ["switchLamp"])
    let asked = session.transcript.dropLast().last
    #expect(asked?.description.hasPrefix("Prompt: \(number): ") == true)
    // The counts are exact, and within bounds.
    let place = try #require(evaluated.firstIndex { $0.cuts == 1 })
    let counts = try #require(cut.tokenCounts)
    #expect(counts.after == evaluated[place].all)
    #expect(counts.before > limit - 6 && counts.after <= (limit - 6) / 4 * 3)
    #expect(evaluated.allSatisfy { $0.all <= limit - 6 })
    // After a cut what stands before all turns is used again; the next prompts go on from everything.
    let opening = try await model.tokenCount(for: Array(session.transcript.prefix(1)))
    #expect(evaluated[place].reused >= opening - 1)
    for (before, after) in zip(evaluated, evaluated.dropFirst()) where before.cuts == after.cuts {
      #expect(after.reused >= before.all + before.generated - 1)
    }
  }

  @Test func withoutAPolicyTheResponseEndsInAnError() async throws {
    let session = session(nil, Log())
    #expect(session.contextPolicy == nil)
    var transcript = session.transcript
    let error = await #expect(throws: LanguageModelError.self) {
      for number in 1...60 {
        transcript = session.transcript
        _ = try await session.respond(
          to: long(number),
          options: GenerationOptions(maximumResponseTokens: 6, toolCallingMode: .disallowed))
      }
    }
    #expect(error?.caseName == "contextSizeExceeded")
    #expect(session.transcript == transcript)
  }

  @Test func onlySoManyTurnsStay() async throws {
    let log = Log()
    let session = session(.keepLast(1), log)
    for prompt in ["a", "b", "c", "d"] {
      _ = try await session.respond(
        to: prompt,
        options: GenerationOptions(maximumResponseTokens: 2, toolCallingMode: .disallowed))
    }
    #expect(
      texts(session.transcript).map { String($0.prefix(9)) } == [
        "Instructi", "Prompt: c", "Response:", "Prompt: d", "Response:",
      ])
    #expect(log.all.map { texts($0.dropped)[0] } == ["Prompt: a", "Prompt: b"])
    // Each cut happens before its prompt is answered.
    let counts = log.all.compactMap(\.tokenCounts)
    #expect(counts.count == 2 && counts.allSatisfy { $0.before > $0.after })
  }

  @Test func aSummaryStandsInThePlaceOfWhatGoes() async throws {
    let log = Log()
    let session = session(.summarize(asking: "What did we say?", maximumTokens: 20), log)
    _ = try await talk(session, log)
    let cut = log.all[0]
    #expect(cut.added.count == 2)
    let summary = try #require(cut.added.last?.asResponse)
    #expect(cut.added.first?.asPrompt?.segments.text == "What did we say?")
    #expect(!summary.segments.text.isEmpty)
    #expect(summary.metadata["summaryOf"] as? [String] == cut.dropped.map(\.id))
    let transcript = session.transcript
    #expect(Array(transcript[1...2]) == cut.added)
    let counts = try #require(cut.tokenCounts)
    #expect(counts.after <= SampleModels.plain.contextSize - 6)
    // It is in the transcript's JSON, too.
    let copy = try JSONDecoder().decode(
      Transcript.self, from: JSONEncoder().encode(transcript))
    #expect(
      copy[2].asResponse?.metadata["summaryOf"] as? [String] == cut.dropped.map(\.id))
  }

  @Test func anotherModelMaySumUp() async throws {
    let (log, other) = (Log(), ScriptedModel([.text("They sat by the sea.")]))
    let session = session(.summarize(by: other), log)
    _ = try await talk(session, log)
    let request = other.script.requests[0]
    #expect(request.transcript.count == 1 && request.enabledToolDefinitions.isEmpty)
    #expect(request.transcript[0].description.hasPrefix("Prompt: Prompt: 1: the cat"))
    #expect(session.transcript[2].description == "Response: They sat by the sea.")
  }

  // MARK: - Models that do not count

  private static let full = ScriptedModel.Step.fail(
    LanguageModelError.contextSizeExceeded(
      LanguageModelError.ContextSizeExceeded(
        contextSize: 10, tokenCount: 12, debugDescription: "full")))

  @Test func aModelThatDoesNotCountSaysWhenItIsFull() async throws {
    let model = ScriptedModel(
      [.text("1")], [.text("2")], [.text("3")], [.text("half"), Self.full], [.text("4")])
    let (session, log) = (LanguageModelSession(model: model, instructions: "Be brief."), Log())
    session.contextPolicy = .dropOldest.onCut(log.note)
    for prompt in ["a", "b", "c"] { _ = try await session.respond(to: prompt) }
    var snapshots: [String] = []
    for try await snapshot in session.streamResponse(to: "d") { snapshots.append(snapshot.content) }
    #expect(snapshots.last == "4")
    // The older half of three turns.
    #expect(
      session.transcript.map(\.description) == [
        "Instructions: Be brief.", "Prompt: c", "Response: 3", "Prompt: d", "Response: 4",
      ])
    #expect(log.all.count == 1 && log.all[0].tokenCounts == nil)
    #expect(model.script.requests[4].transcript.count == 4)
  }

  @Test func whereNothingIsLeftToGoTheErrorIsTheModels() async throws {
    let model = ScriptedModel(
      [.text("1")], [Self.full], [Self.full], [Self.full], [.text("2")])
    let session = LanguageModelSession(model: model)
    session.contextPolicy = .dropOldest
    _ = try await session.respond(to: "a")
    let before = session.transcript
    await #expect(throws: LanguageModelError.self) { try await session.respond(to: "b") }
    // What went for an answer that did not come is back.
    #expect(session.transcript == before && model.script.requests.count == 3)
  }

  @Test func aPolicyOfOnesOwnDecides() async throws {
    let model = ScriptedModel([.text("1")], [.text("2")], [Self.full], [.text("3")])
    let (session, log) = (LanguageModelSession(model: model), Log())
    session.contextPolicy = ContextPolicy.custom { overflow in
      #expect(overflow.turns.count == 2 && overflow.current.map(\.description) == ["Prompt: c"])
      #expect(overflow.contextSize == nil && overflow.room == nil)
      let count = try await overflow.tokenCount(with: [])
      #expect(count == nil)
      return overflow.turns[0]
    }.onCut(log.note)
    for prompt in ["a", "b", "c"] { _ = try await session.respond(to: prompt) }
    #expect(
      session.transcript.map(\.description) == [
        "Prompt: a", "Response: 1", "Prompt: c", "Response: 3",
      ])
    #expect(log.all.map { $0.dropped.map(\.description) } == [["Prompt: b", "Response: 2"]])
    #expect(log.all[0].added.isEmpty)
  }

  @Test func aPolicyOfOnesOwnCountsExactly() async throws {
    let (log, counted) = (Log(), Log())
    let session = session(
      .custom { overflow in
        let last = overflow.turns.suffix(2).flatMap(\.self)
        let count = try #require(try await overflow.tokenCount(with: last))
        counted.note(
          ContextPolicy.Cut(dropped: [], added: [], tokenCounts: (overflow.room ?? 0, count)))
        return last
      }, log)
    _ = try await talk(session, log)
    #expect(counted.all[0].tokenCounts?.before == 6)
    #expect(counted.all[0].tokenCounts?.after == log.all[0].tokenCounts?.after)
  }
}
