import Foundation
import SessionTestSupport
import TestSupport
import Testing

// The documentation shows these functions.
// docs:begin
import FoundationModels

func tags(of note: String) async throws -> String {
  let adapter = try SystemLanguageModel.Adapter(name: "tagging")
  let session = LanguageModelSession(model: SystemLanguageModel(adapter: adapter))
  session.prewarm(promptPrefix: Prompt("Tag this note."))

  let stream = session.streamResponse(to: "Tag this note. \(note)")
  for try await snapshot in stream { print(snapshot.content) }
  return try await stream.collect().content
}
// docs:end

// docs:begin
/// One answer of the base in a GGUF file: the same one each time.
func answer(to question: String, base: URL) async throws -> String {
  let session = LanguageModelSession(
    model: SystemLanguageModel(base: base), instructions: "Answer in one sentence.")
  let options = GenerationOptions(
    sampling: .random(top: 20, seed: 7), temperature: 0.7, maximumResponseTokens: 60)
  return try await session.respond(to: question, options: options).content
}
// docs:end

// docs:begin
struct Stock: Tool {
  let name = "checkStock"
  let description = "Tell how many of a thing are in the store."

  @Generable
  struct Arguments {
    @Guide(.anyOf(["lamps", "ropes", "tents"])) var thing: String
  }

  func call(arguments: Arguments) async throws -> String {
    "There are \(["lamps": 3, "tents": 1][arguments.thing] ?? 0) \(arguments.thing)."
  }
}

/// An answer for which the model may look into the store.
func stock(_ question: String, base: URL) async throws -> String {
  let session = LanguageModelSession(
    model: SystemLanguageModel(base: base), tools: [Stock()], instructions: "Sell camping gear.")
  let response = try await session.respond(to: question)
  for entry in response.transcriptEntries { print(entry) }
  return response.content
}
// docs:end

extension StoreTests {
  @Test func theExampleWithToolsRuns() async throws {
    let text = try await stock("Do you have tents?", base: SampleModels.base)
    #expect(try await stock("Do you have tents?", base: SampleModels.base) == text)
  }

  @Test func theExampleWithAFileRuns() async throws {
    let text = try await answer(to: "What is a lantern?", base: SampleModels.base)
    #expect(!text.isEmpty)
    #expect(try await answer(to: "What is a lantern?", base: SampleModels.base) == text)
  }

  @Test func theExampleRuns() async throws {
    try await fill()
    try await configured {
      let tags = try await tags(
        of: "We took the night train to the mountains and cooked soup by the river.")
      #expect(tags == SampleModels.tags)
    }
  }
}
