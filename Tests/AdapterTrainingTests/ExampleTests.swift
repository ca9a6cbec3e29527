import Foundation
import TestSupport
import Testing

// The documentation shows this function.
// docs:begin
import AdapterTraining
import Adapters
import ChatTemplates
import LanguageModels
import TensorFiles

func train(_ path: String, base: String, to package: String) throws -> String {
  let model = try LanguageModel(path: base)
  let chat = try ChatRenderer(
    ChatStyle(GGUFFile(path: base).metadata, file: base), tokenizer: model.tokenizer())
  let renderer = ExampleRenderer(chat, tokenizer: try model.tokenizer())
  let examples = try DataSet(path: path).examples.map { try renderer.render($0) }

  let options = TrainingOptions(for: examples, on: model)
  let trainer = try AdapterTrainer(model, examples: examples, options: options)
  while let step = try trainer.step() { print(step.number, step.loss) }
  return try trainer.writePackage(
    AdapterMetadata(
      name: "mine", baseModelSignature: model.signature, loraRank: options.rank),
    to: package)
}
// docs:end

@Suite struct ExampleTests {
  @Test func theExampleRuns() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(#"{"prompt": "Hello!", "completion": "Hi."}"#, to: "x.jsonl")
    let base = Fixtures.repository.appendingPathComponent("adapters/base/afm-9m.gguf").path
    let package = try train(path, base: base, to: folder.path("mine"))
    #expect(package == folder.path("mine.fmadapter"))
    let report = try AdapterCheck.run(package: package, for: LanguageModel(path: base).contract)
    #expect(report.isAccepted)
  }
}
