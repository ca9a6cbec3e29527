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
    let code = try ReadmeExample.code(in: #filePath)
    #expect(try ReadmeExample.readme().contains("```swift\n" + code + "```"))
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
