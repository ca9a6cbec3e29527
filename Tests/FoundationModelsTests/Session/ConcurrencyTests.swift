import Foundation
import Observation
import SessionTestSupport
import Synchronization
import Testing

@testable import FoundationModels

@Suite struct ConcurrencyTests {
  private static let story = Prompt("Write a story about a cat.")

  private func request(_ gate: Gate) -> SessionRequest {
    SessionRequest(Self.story, GenerationOptions(maximumResponseTokens: 8), form: gate.form)
  }

  /// Waits until `isDone` holds, which only what can be observed decides.
  private func wait(until isDone: @escaping @Sendable () -> Bool) async {
    while true {
      let (changes, continuation) = AsyncStream<Void>.makeStream()
      let done = withObservationTracking(isDone) { continuation.yield() }
      // What changed before the tracking began was not told.
      if done || isDone() { return }
      for await _ in changes { break }
      await Task.yield()
    }
  }

  @Test func aSecondPromptIsRefusedWhileOneIsAnswered() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let gate = Gate(afterTokens: 2)
    let stream = LanguageModelSession.ResponseStream<String>(session, request(gate))
    #expect(session.isResponding)
    await gate.wait()
    let error = await #expect(throws: LanguageModelSession.GenerationError.self) {
      try await session.respond(to: "Hello")
    }
    #expect(error?.caseName == "concurrentRequests")
    #expect(
      error?.failureReason
        == "The session is still answering another prompt; wait for it, or use a session of its own."
    )
    let refused = session.streamResponse(to: "Hello")
    await #expect(throws: LanguageModelSession.GenerationError.self) {
      for try await _ in refused {}
    }
    #expect(session.isResponding)
    #expect(session.record.transcript.count == 1)
    gate.open()
    _ = try await stream.collect()
    #expect(!session.isResponding)
    #expect(session.transcript.count == 2)
  }

  @Test func cancellingATaskStopsTheModel() async throws {
    let session = LanguageModelSession(model: SampleModels.plain, instructions: "Be brief.")
    let gate = Gate(afterTokens: 3)
    let request = request(gate)
    let task = Task { try await session.answer(request) as LanguageModelSession.Response<String> }
    await gate.wait()
    task.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!session.isResponding)
    #expect(session.transcript.count == 1)
    let statistics = try #require(await session.engine.statistics)
    #expect(statistics.finish == nil)
    #expect(statistics.generatedTokens <= 4)
    // What it has taken counts all the same.
    let read = statistics.promptTokens + statistics.reusedTokens
    #expect(read > 0 && session.usage.input.totalTokenCount == read)
    #expect(session.usage.output.totalTokenCount == statistics.generatedTokens)
    let fresh = LanguageModelSession(model: SampleModels.plain, instructions: "Be brief.")
    let expected = try await fresh.respond(to: SampleModels.note).content
    #expect(try await session.respond(to: SampleModels.note).content == expected)
  }

  @Test func givingAStreamUpStopsTheModel() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let gate = Gate(afterTokens: 3)
    do {
      let stream = LanguageModelSession.ResponseStream<String>(session, request(gate))
      for try await _ in stream {
        await gate.wait()
        break
      }
    }
    gate.open()
    await wait { !session.isResponding }
    #expect(session.transcript.isEmpty)
    #expect(try #require(await session.engine.statistics).finish == nil)
  }

  /// Who catches the error finds a session that is free.
  @Test(arguments: 0..<3)
  func aCancelledReaderHearsOfItWhenTheSessionIsFree(_: Int) async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let gate = Gate(afterTokens: 3)
    let request = request(gate)
    let task = Task { () async throws -> Bool in
      do {
        for try await _ in LanguageModelSession.ResponseStream<String>(session, request) {}
        return true
      } catch is CancellationError {
        return session.isResponding || !session.transcript.isEmpty
      }
    }
    await gate.wait()
    task.cancel()
    // The reader would have been told by now.
    for _ in 0..<1000 { await Task.yield() }
    gate.open()
    #expect(try await !task.value)
    #expect(try await !session.respond(to: SampleModels.note).content.isEmpty)
  }

  /// What it had written by then is its response, as its stream is still there.
  @Test func aPromptWaitsForAStreamThatWasLeft() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let gate = Gate(afterTokens: 3)
    let stream = LanguageModelSession.ResponseStream<String>(session, request(gate))
    var seen = ""
    for try await snapshot in stream {
      await gate.wait()
      seen = snapshot.content
      break
    }
    let next = session.streamResponse(to: SampleModels.note)
    let before = Transcript(entries: session.transcript.entries.dropLast())
    #expect(before.count == 2)
    guard case .response(let response)? = before.last else {
      Issue.record("\(before) has no response")
      return
    }
    #expect(!seen.isEmpty && response.segments.text.hasPrefix(seen))
    gate.open()
    let answer = try await next.collect().content
    let other = LanguageModelSession(model: SampleModels.plain, transcript: before)
    #expect(try await other.respond(to: SampleModels.note).content == answer)
    #expect(session.transcript.count == 4)
    // The first one was stopped, and did not touch the books of the second.
    await #expect(throws: CancellationError.self) { try await stream.collect() }
    #expect(session.transcript.count == 4)
  }

  /// Before anything was written there is no response.
  @Test func aPromptWithoutAWordIsTakenBack() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let gate = Gate(afterTokens: 0)
    let stream = LanguageModelSession.ResponseStream<String>(session, request(gate))
    await gate.wait()
    _ = stream.makeAsyncIterator()
    let next = session.streamResponse(to: SampleModels.note)
    #expect(session.transcript.count == 1)
    gate.open()
    #expect(try await next.collect().content == "traffic, travel")
    #expect(session.transcript.count == 2)
    withExtendedLifetime(stream) {}
  }

  @Test func aStreamThatWasLeftCanBeCollected() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let gate = Gate(afterTokens: 3)
    let stream = LanguageModelSession.ResponseStream<String>(session, request(gate))
    for try await _ in stream {
      await gate.wait()
      break
    }
    async let response = stream.collect()
    gate.open()
    #expect(try await !response.content.isEmpty)
    #expect(session.transcript.count == 2)
  }

  @Test func aPromptWaitsForACancelledOne() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    var turns = 0
    for _ in 0..<3 {
      let gate = Gate(afterTokens: 3)
      let request = request(gate)
      let task = Task { try await session.answer(request) as LanguageModelSession.Response<String> }
      await gate.wait()
      task.cancel()
      async let answer = session.respond(to: SampleModels.note)
      gate.open()
      #expect(try await !answer.content.isEmpty)
      await #expect(throws: CancellationError.self) { try await task.value }
      turns += 1
      #expect(session.transcript.count == 2 * turns)
      #expect(!session.isResponding)
    }
  }

  @Test func changesCanBeObserved() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let gate = Gate(afterTokens: 1)
    let changes = Mutex<[String]>([])
    withObservationTracking {
      _ = session.isResponding
    } onChange: {
      changes.withLock { $0.append("isResponding") }
    }
    withObservationTracking {
      _ = session.transcript
    } onChange: {
      changes.withLock { $0.append("transcript") }
    }
    let stream = LanguageModelSession.ResponseStream<String>(session, request(gate))
    #expect(changes.withLock { Set($0) } == ["isResponding", "transcript"])
    await gate.wait()
    let after = Mutex(false)
    withObservationTracking {
      _ = session.isResponding
    } onChange: {
      after.withLock { $0 = true }
    }
    #expect(!after.withLock { $0 })
    gate.open()
    _ = try await stream.collect()
    #expect(after.withLock { $0 })
  }
}
