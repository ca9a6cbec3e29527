import AdapterTraining
import Foundation
import LanguageModels
import TensorFiles
import TestSupport
import Testing

// The README shows this function; the test below compares the two.
// readme:begin
func batches(of path: String, base: String) throws -> [TrainingBatch] {
  let model = try LanguageModel(path: base)
  let chat = try ChatRenderer(
    ChatStyle(GGUFFile(path: base).metadata, file: base), tokenizer: model.tokenizer())
  let renderer = ExampleRenderer(chat, tokenizer: try model.tokenizer())

  let examples = try DataSet(path: path).examples.map { try renderer.render($0) }
  let plan = BatchPlan(
    examples, contextLength: model.configuration.contextLength, tokensPerBatch: 4096,
    arrangement: .packed, seed: 1)
  return plan.epoch(0)
}
// readme:end

@Suite struct ReadmeTests {
  @Test func theExampleIsCompiledCode() throws {
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let readme = try String(
      contentsOf: Fixtures.repository.appendingPathComponent("README.md"), encoding: .utf8)
    let start = try #require(source.range(of: "// readme:begin\n")?.upperBound)
    let end = try #require(
      source.range(of: "// readme:end", range: start..<source.endIndex)?.lowerBound)
    #expect(readme.contains(source[start..<end]))
  }

  @Test func theExampleRuns() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(#"{"prompt": "Hello!", "completion": "Hi."}"#, to: "x.jsonl")
    let base = Fixtures.repository.appendingPathComponent("adapters/base/afm-4m.gguf").path
    let found = try batches(of: path, base: base)
    #expect(found.map(\.targetCount) == [3])
  }
}
