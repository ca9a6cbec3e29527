import SessionTestSupport
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
      let error = await #expect(throws: LanguageModelError.self) {
        try await reads()
      }
      #expect(error?.caseName == "contextSizeExceeded")
    }
    #expect(session.transcript.isEmpty)
  }

  /// One of them leaves early, one collects; another prompt is not answered before the others have the response.
  @Test func severalTasksReadOneStream() async throws {
    let session = LanguageModelSession(model: try SampleModels.adapted(SampleModels.tagging))
    for _ in 0..<20 {
      let stream = session.streamResponse(to: SampleModels.note)
      async let left: Void = { for try await _ in stream { break } }()
      async let collected = stream.collect().content
      let texts = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<4 {
          group.addTask {
            var last = ""
            for try await snapshot in stream { last = snapshot.content }
            return last
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      try await left
      #expect(try await texts + [collected] == Array(repeating: SampleModels.tags, count: 5))
      session.transcript = Transcript(entries: [])
    }
    let failing = session.streamResponse(to: String(repeating: "long ", count: 4000))
    let readers = (0..<2).map { _ in Task { for try await _ in failing {} } }
    for reader in readers {
      await #expect(throws: LanguageModelError.self) { try await reader.value }
    }
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
    let read = Mutex((bytes: 0, times: 0))
    var form = ResponseForm(Transcript.ResponseFormat(type: [Row].self))
    let parse = form.read
    form.read = { text in
      read.withLock { $0 = ($0.bytes + text.utf8.count, $0.times + 1) }
      return try parse(text)
    }
    var iterator = LanguageModelSession.ResponseStream<[Row]>.AsyncIterator(
      text: text, form: form, visit: StreamVisit(nil))
    var pace = SnapshotPace()
    var last: [Row.PartiallyGenerated] = []
    for number in 0..<pieces {
      text.append((number == 0 ? "[" : ", ") + #"{"number": \#(number), "text": "a"}"#)
      // Until then the iterator would wait for more.
      guard pace.isDue(text.current) else { continue }
      pace.show(text.current)
      last = try #require(await iterator.next()).content
      #expect(last.count == number + 1)
    }
    text.append("]")
    text.end(.success(()))
    while let snapshot = try await iterator.next() { last = snapshot.content }
    let length = text.current.text.utf8.count
    let (bytes, times) = read.withLock { $0 }
    #expect(last.count == pieces)
    #expect(times > 100)
    #expect(bytes <= 300 * length, "\(bytes) bytes of \(length)")
  }
}
