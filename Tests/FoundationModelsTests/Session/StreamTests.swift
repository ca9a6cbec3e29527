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
    let long = String(repeating: "long ", count: 2000)
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
}
