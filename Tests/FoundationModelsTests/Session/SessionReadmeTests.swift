import Foundation
import TestSupport
import Testing

// The README shows this function; the test below compares the two.
// readme:begin
import FoundationModels

func tags(of note: String) async throws -> String {
  let adapter = try SystemLanguageModel.Adapter(name: "tagging")
  let session = LanguageModelSession(model: SystemLanguageModel(adapter: adapter))
  session.prewarm(promptPrefix: Prompt("Tag this note."))

  let stream = session.streamResponse(to: "Tag this note. \(note)")
  for try await snapshot in stream { print(snapshot.content) }
  return try await stream.collect().content
}
// readme:end

extension StoreTests {
  @Test func theREADMEsExampleIsCompiledCode() throws {
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let readme = try String(
      contentsOf: Fixtures.repository.appendingPathComponent("README.md"), encoding: .utf8)
    let from = try #require(source.range(of: "// readme:begin\n")?.upperBound)
    let to = try #require(
      source.range(of: "// readme:end", range: from..<source.endIndex)?.lowerBound)
    #expect(readme.contains("```swift\n" + source[from..<to] + "```"))
  }

  @Test func theREADMEsExampleRuns() async throws {
    try await fill()
    try await configured {
      let tags = try await tags(
        of: "We took the night train to the mountains and cooked soup by the river.")
      #expect(tags == SampleModels.tags)
    }
  }
}
