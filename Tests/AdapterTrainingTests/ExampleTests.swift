import Foundation
import SystemFiles
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
  let model = try BaseModel(path: base)
  let chat = try ChatRenderer(
    ChatStyle(GGUFFile(path: base).metadata, file: base), tokenizer: model.tokenizer())
  let renderer = ExampleRenderer(chat, tokenizer: try model.tokenizer())
  let examples = try DataSet(path: path).examples.map { try renderer.render($0) }

  let options = TrainingOptions(for: examples, on: model)
  let trainer = try AdapterTrainer(model, examples: examples, options: options)
  while let step = try trainer.step() { print(step.number, step.loss) }
  return try trainer.writePackage(
    AdapterMetadata(
      name: "mine", baseModelSignature: model.signature(), loraRank: options.rank),
    to: package)
}
// docs:end

// And these.
// docs:begin
/// Trains on from the checkpoint, if there is one, until all steps are made or the task is cancelled; whether they are made.
func goOn(
  _ trainer: AdapterTrainer, checkpoint: String, progress: (TrainingStep) -> Void
) throws -> Bool {
  if try FileSystem.info(checkpoint) != nil { try trainer.resume(from: checkpoint) }
  do throws(TrainingError) {
    while let step = try trainer.step() { progress(step) }
    return true
  } catch .cancelled {
    try trainer.writeCheckpoint(to: checkpoint)
    return false
  }
}
// docs:end

// docs:begin
/// What an adapter's answers to the lines of a file come to, measure by measure.
func measure(
  _ adapter: Adapter, of model: BaseModel, chat: ChatRenderer, on path: String
) throws -> [(name: String, estimate: Estimate)] {
  let set = try EvaluationSet(path: path)
  let renderer = ExampleRenderer(chat, tokenizer: try model.tokenizer())
  let session = try ModelSession(model, adapters: [AppliedAdapter(adapter)])
  var records: [AnswerRecord] = []
  for (index, example) in set.examples.enumerated() where example.isAsked {
    let generator = try TokenGenerator(
      session, prompt: renderer.prompt(example), stopTokens: chat.stopTokens)
    var (answer, decoder) = ("", chat.answerDecoder())
    while let token = try generator.next() { answer += decoder.append(token) }
    var record = AnswerRecord(index: index)
    record.answer = answer + decoder.finish()
    record.isCut = generator.statistics.finish == .length
    records.append(record)
  }
  return try Scores(set.examples).figures(of: records, Bootstrap(seed: 0))
}
// docs:end

@Suite struct ExampleTests {
  @Test func theExampleRuns() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(#"{"prompt": "Hello!", "completion": "Hi."}"#, to: "x.jsonl")
    let base = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    let package = try train(path, base: base, to: folder.path("mine"))
    #expect(package == folder.path("mine.fmadapter"))
    let report = try AdapterCheck.run(package: package, for: BaseModel(path: base).contract())
    #expect(report.isAccepted)
  }

  @Test func whatWasStoppedGoesOnAndIsMeasured() async throws {
    let folder = try TemporaryDirectory()
    let base = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    let model = try BaseModel(path: base)
    let chat = try ChatRenderer(
      ChatStyle(GGUFFile(path: base).metadata, file: base), tokenizer: model.tokenizer())
    let data = try folder.write(#"{"prompt": "Hello!", "completion": "Hi."}"#, to: "x.jsonl")
    let renderer = ExampleRenderer(chat, tokenizer: try model.tokenizer())
    let examples = try DataSet(path: data).examples.map { try renderer.render($0) }
    var options = TrainingOptions(for: examples, on: model)
    options.steps = 3
    let checkpoint = folder.path("checkpoint")
    // A task that is cancelled in the first step makes no second one.
    let first = Task { [options] in
      try goOn(
        AdapterTrainer(model, examples: examples, options: options), checkpoint: checkpoint
      ) { _ in withUnsafeCurrentTask { $0?.cancel() } }
    }
    #expect(try await !first.value)
    let trainer = try AdapterTrainer(model, examples: examples, options: options)
    var steps: [Int] = []
    #expect(try goOn(trainer, checkpoint: checkpoint) { steps.append($0.number) })
    #expect(steps == [2, 3])
    let package = try trainer.writePackage(
      AdapterMetadata(
        name: "mine", baseModelSignature: model.signature(), loraRank: options.rank),
      to: folder.path("mine"))
    let figures = try measure(
      Adapter(package: package, for: model.contract()), of: model, chat: chat, on: data)
    #expect(figures.contains { $0.name == "exactMatch" && $0.estimate.count == 1 })
  }
}
