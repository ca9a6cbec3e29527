import Synchronization
import Testing

@testable import FoundationModels

@Suite struct StreamTests {
  @Test func snapshotsGrowIntoTheResponse() async throws {
    let session = LanguageModelSession(model: try SampleModels.adapted(SampleModels.tagging))
    let stream = session.streamResponse(to: SampleModels.note)
    var last = ""
    for try await snapshot in stream {
      #expect(snapshot.content.hasPrefix(last))
      #expect(snapshot.rawContent == GeneratedContent(snapshot.content))
      last = snapshot.content
    }
    #expect(last == SampleModels.tags)
    let response = try await stream.collect()
    #expect(response.content == last)
    #expect(Array(response.transcriptEntries) == Array(session.transcript))
    #expect(!session.isResponding)
  }

  @Test func aStreamCanBeCollectedWithoutLookingAtIt() async throws {
    let session = LanguageModelSession(model: try SampleModels.adapted(SampleModels.tagging))
    #expect(
      try await session.streamResponse(to: SampleModels.note).collect().content == SampleModels.tags
    )
    let text = try await session.streamResponse { SampleModels.note }.collect().content
    #expect(session.transcript.last?.description == "Response: " + text)
  }

  @Test func errorsComeWhenTheStreamIsRead() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let long = String(repeating: "long ", count: 4000)
    let stream = session.streamResponse(to: long)
    for reads in [
      { for try await _ in stream {} }, { _ = try await stream.collect() },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: LanguageModelSession.GenerationError.self) {
        try await reads()
      }
      guard case .exceededContextWindowSize = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    #expect(session.transcript.isEmpty)
  }

  @Generable
  struct Row {
    var number: Int
    var text: String
  }

  /// A response of many pieces, as a model would write it: each snapshot is read as a whole.
  @Test(arguments: [1000, 4000])
  func readingAllSnapshotsTakesTimeInProportion(pieces: Int) async throws {
    let text = GrowingText()
    let (changes, continuation) = AsyncThrowingStream<Void, any Error>.makeStream()
    let read = Mutex((bytes: 0, times: 0))
    var form = ResponseForm(Transcript.ResponseFormat(type: [Row].self))
    let parse = form.read
    form.read = { text in
      read.withLock { $0 = ($0.bytes + text.utf8.count, $0.times + 1) }
      return try parse(text)
    }
    var iterator = LanguageModelSession.ResponseStream<[Row]>.AsyncIterator(
      text: text, changes: changes.makeAsyncIterator(), form: form, visit: StreamVisit(nil))
    var pace = SnapshotPace()
    var last: [Row.PartiallyGenerated] = []
    for number in 0..<pieces {
      text.append((number == 0 ? "[" : ", ") + #"{"number": \#(number), "text": "a"}"#)
      continuation.yield()
      // Until then the iterator would wait for more.
      guard pace.isDue(text.current) else { continue }
      pace.show(text.current)
      last = try #require(await iterator.next()).content
      #expect(last.count == number + 1)
    }
    text.append("]")
    continuation.yield()
    continuation.finish()
    while let snapshot = try await iterator.next() { last = snapshot.content }
    let length = text.current.text.utf8.count
    let (bytes, times) = read.withLock { $0 }
    #expect(last.count == pieces)
    #expect(times > 100)
    #expect(bytes <= 300 * length, "\(bytes) bytes of \(length)")
  }
}
