import FoundationModels
import Testing

struct TranscriptTests {
  private static func text(_ content: String) -> [Transcript.Segment] {
    [.text(Transcript.TextSegment(content: content))]
  }

  private let transcript = Transcript(entries: [
    .instructions(Transcript.Instructions(id: "1", segments: text("Be kind."))),
    .prompt(Transcript.Prompt(id: "2", segments: text("Hello?"))),
    .response(Transcript.Response(id: "3", assetIDs: [], segments: text("Hello!"))),
    .toolOutput(Transcript.ToolOutput(id: "4", toolName: "clock", segments: text("9:00"))),
  ])

  @Test func isACollectionOfItsEntries() {
    #expect(transcript.map(\.id) == ["1", "2", "3", "4"])
    #expect(transcript.count == 4)
    #expect(transcript[1].id == "2")
    #expect(Transcript(entries: transcript.dropFirst()).first?.id == "2")
    #expect(Transcript().isEmpty)
  }

  @Test func describesWhoSaidWhat() {
    #expect(
      transcript.description == """
        Instructions: Be kind.
        Prompt: Hello?
        Response: Hello!
        Tool clock: 9:00
        """)
  }

  @Test func entriesAndSegmentsGetIdentitiesOfTheirOwn() {
    let entries = (0..<100).map { _ in Transcript.Prompt(segments: Self.text("Hello?")) }
    #expect(Set(entries.map(\.id) + entries.flatMap(\.segments).map(\.id)).count == 200)
  }
}
