import Foundation
import LanguageModels
import SystemFiles
import TensorFiles
import TestSupport
import Testing
import Tokenization

@testable import AdapterTraining

@Suite struct DraftTrainerTests {
  private let folder: TemporaryDirectory
  private let fixture: GradientFixture
  private let adapter: AppliedAdapter

  init() throws {
    folder = try TemporaryDirectory()
    fixture = try GradientFixture("llama")
    adapter = AppliedAdapter(
      identifier: "x", contentHash: "x", layers: fixture.factors.pairs, scale: fixture.scale)
  }

  /// Prompts of five tokens, three of which begin with different ones.
  private static func examples(_ numbers: Range<Int>) -> [TokenizedExample] {
    numbers.map { number in
      let tokens = (0..<8).map { Token((number * 31 + $0 * 7) % 150) }
      return TokenizedExample(line: number + 1, tokens: tokens, trained: [5..<8])
    }
  }

  private func answers(
    _ numbers: Range<Int> = 0..<8, heldOut: Range<Int> = 0..<0,
    _ change: (inout DraftAnswers.Options) -> Void = { _ in }
  ) throws -> DraftAnswers {
    var options = DraftAnswers.Options()
    (options.maximumTokens, options.threads) = (12, 1)
    change(&options)
    return try DraftAnswers(
      fixture.model, adapters: [adapter], examples: Self.examples(numbers),
      heldOut: Self.examples(heldOut), stopTokens: [3], options: options)
  }

  private func whole(_ answers: DraftAnswers) throws -> DraftAnswers {
    var answers = answers
    while try answers.answerNext() {}
    return answers
  }

  private func trainer(
    _ answers: DraftAnswers, steps: Int = 60, _ change: (inout DraftOptions) -> Void = { _ in }
  ) throws -> DraftTrainer {
    var options = DraftOptions(shape: DraftShape(layers: 1, width: 24))
    (options.steps, options.threads, options.tokensPerStep) = (steps, 1, 200)
    options.learningRate = 0.02
    change(&options)
    return try DraftTrainer(
      fixture.model, adapters: [adapter], answers: answers, options: options)
  }

  private func bytes(_ trainer: DraftTrainer, _ name: String) throws -> [UInt8] {
    while try trainer.step() != nil {}
    try trainer.writeDraft(to: folder.path(name))
    return try FileSystem.read(folder.path(name), limit: 1 << 24)
  }

  @Test(arguments: DistillationLoss.allCases)
  func itLearnsWhatTheAdaptedBaseSays(loss: DistillationLoss) throws {
    let trainer = try trainer(whole(answers())) { $0.loss = loss }
    let before = try trainer.measure()
    while try trainer.step() != nil {}
    let after = try trainer.measure()
    #expect(
      before.acceptance < 0.4 && after.acceptance > 0.8, "\(before.acceptance) \(after.acceptance)")
    #expect(after.divergence < 0.3 * before.divergence, "\(before.divergence) \(after.divergence)")
    #expect(before.places == after.places && after.places > 60)

    let path = folder.path("draft.gguf")
    try trainer.writeDraft(to: path, type: .f32)
    let draft = try DraftModel(path: path, for: fixture.model)
    // What is in the file is what was learnt.
    #expect(try trainer.measure(draft).agreements == after.agreements)
    let prompt = trainer.answers.prompts[0]
    func run(_ draft: DraftModel?) throws -> ([Token], GenerationStatistics) {
      let session = try ModelSession(fixture.model, adapters: [adapter], threads: 1)
      let generator = try TokenGenerator(
        session, prompt: prompt, options: SamplingOptions(maximumTokens: 12), stopTokens: [3],
        speculator: draft.map { try Speculator(Speculation(draft: $0), for: session) })
      var tokens: [Token] = []
      while let token = try generator.next() { tokens.append(token) }
      return (tokens, generator.statistics)
    }
    #expect(try run(draft).0 == run(nil).0)
    #expect(try run(nil).0 == trainer.answers.answers[0])
  }

  /// Any grouping and number of threads gives the answers of one after the other, as `run` does.
  @Test(arguments: [0, 1.2]) func answersAreThoseOfTheAdaptedBase(temperature: Double) throws {
    let first = try whole(
      answers {
        $0.temperature = temperature
        $0.seed = 4
      })
    let alone = try whole(
      answers {
        $0.temperature = temperature
        ($0.seed, $0.together, $0.threads) = (4, 1, 3)
      })
    #expect(first.answers == alone.answers && first.answeredCount == 8 && first.tokenCount > 40)
    let other = try whole(
      answers {
        $0.temperature = temperature
        $0.seed = 5
      })
    #expect((first.answers == other.answers) == (temperature == 0))
  }

  @Test func someAreHeldOut() throws {
    #expect(try answers(0..<9).heldOutCount == 0)
    let tenth = try answers(0..<25)
    #expect(tenth.heldOutCount == 2 && tenth.prompts.count == 25)
    let every = try answers(0..<25).prompts
    #expect(every[23] == Array(Self.examples(9..<10)[0].tokens[..<5]))
    // Those that are learnt do not count.
    let stated = try answers(0..<8, heldOut: 6..<11)
    #expect(stated.heldOutCount == 3 && stated.prompts.count == 11)
    let text = TokenizedExample(line: 1, tokens: [4, 5, 6, 7, 8], trained: [1..<5])
    let ofText = try DraftAnswers(fixture.model, adapters: [], examples: [text], stopTokens: [])
    #expect(ofText.prompts == [[4, 5]])
  }

  /// Stopped between answers, then between steps: the file is that of a training that never stopped.
  @Test func whatGoesOnEndsAsWhatNeverStopped() throws {
    let expected = try bytes(trainer(whole(answers()), steps: 7), "whole.gguf")
    var first = try answers { $0.together = 3 }
    _ = try first.answerNext()
    try first.writeCheckpoint(to: folder.path("answers"))
    var second = try answers { $0.together = 5 }
    try second.resume(from: folder.path("answers"))
    #expect(second.answeredCount == 3)
    second = try whole(second)
    let stopped = try trainer(second, steps: 7)
    for _ in 0..<4 { _ = try stopped.step() }
    try stopped.writeCheckpoint(to: folder.path("steps"))
    var third = try answers()
    try third.resume(from: folder.path("steps"))
    #expect(third.answers == second.answers)
    let last = try trainer(third, steps: 7) { $0.threads = 3 }
    try last.resume(from: folder.path("steps"))
    #expect(last.stepsDone == 4)
    #expect(try bytes(last, "last.gguf") == expected)
    #expect(try bytes(trainer(third, steps: 7) { $0.seed = 1 }, "other.gguf") != expected)
  }

  @Test func aCheckpointThatIsCutAsItIsReadChangesNothing() throws {
    let path = folder.path("point")
    let stopped = try trainer(whole(answers()))
    _ = try stopped.step()
    try stopped.writeCheckpoint(to: path)
    let file = try DraftAnswers.checkpoint(at: path, stopped.answers.fingerprint)
    let same = try trainer(stopped.answers)
    #expect(truncate(path, try #require(file.tensors.first).fileOffset) == 0)
    var empty = try answers()
    #expect(throws: TrainingError.file(.changed(path: path))) { try empty.resume(from: file) }
    #expect(empty.answeredCount == 0)
    #expect(throws: TrainingError.file(.changed(path: path))) { try same.resume(from: file) }
    #expect(same.stepsDone == 0)
  }

  @Test func checkpointsBelongToOneTraining() throws {
    let path = folder.path("point")
    let trainer = try trainer(whole(answers()))
    try trainer.writeCheckpoint(to: path)
    #expect(throws: TrainingError.otherTraining(path: path)) {
      try self.trainer(trainer.answers) { $0.loss = .forward }.resume(from: path)
    }
    var others = try answers { $0.maximumTokens = 11 }
    #expect(throws: TrainingError.otherTraining(path: path)) { try others.resume(from: path) }
    let lora = Fixtures.path("LanguageModelsTests", "transformers/qwen2.adapter.safetensors")
    #expect(
      throws: TrainingError.checkpoint(
        path: lora, problem: "the file is not a checkpoint of a draft's training")
    ) { try trainer.resume(from: lora) }
    // A token that the base does not have.
    var bytes = try FileSystem.read(path, limit: 1 << 24)
    let header = try SafetensorsFile(path: path)
    let tokens = try #require(header.tensor(named: "answers.tokens"))
    bytes[tokens.fileOffset + 3] = 0x7F
    let damaged = try folder.write(bytes, to: "damaged")
    var same = try answers()
    #expect(
      throws: TrainingError.checkpoint(path: damaged, problem: "the answers are damaged")
    ) { try same.resume(from: damaged) }
    #expect(same.answeredCount == 0)
  }

  @Test func aStepThatIsCancelledChangesNothing() throws {
    let trainer = try trainer(whole(answers()))
    _ = try trainer.step()
    let (weights, optimizer) = (trainer.weights, trainer.optimizer)
    var calls = 0
    #expect(throws: TrainingError.cancelled) {
      try trainer.step {
        calls += 1
        return calls > 9
      }
    }
    #expect(trainer.weights == weights && trainer.optimizer == optimizer)
    #expect(throws: TrainingError.cancelled) {
      try trainer.writeDraft(to: folder.path("none.gguf"), isCancelled: { true })
    }
    #expect(try FileSystem.info(folder.path("none.gguf")) == nil)
    var some = try answers()
    #expect(throws: BaseModelError.cancelled) { try some.answerNext { true } }
    #expect(some.answeredCount == 0)
  }

  @Test func itProposesWhatComesMostOften() throws {
    let answers = try whole(answers())
    let all = try trainer(answers)
    let said = Set(answers.answers.flatMap { $0 ?? [] }).union([3])
    #expect(all.tokens == said.sorted())
    let few = try trainer(answers) { $0.vocabularyLimit = 5 }
    #expect(few.tokens.count == 5 && few.tokens.contains(3) && few.tokens == few.tokens.sorted())
    try few.writeDraft(to: folder.path("few.gguf"), type: .q8_0)
    let draft = try DraftModel(path: folder.path("few.gguf"), for: fixture.model)
    #expect(try few.measure(draft).places == all.measure().places)
  }

  @Test func whatCannotBeTrainedIsRefused() throws {
    let answers = try whole(answers())
    #expect(
      throws: TrainingError.draftTooLarge(
        DraftShape(layers: 4, width: 96), parameters: 494_592, base: 54_528)
    ) { try trainer(answers) { $0.shape = DraftShape(layers: 4, width: 96) } }
    #expect(
      TrainingError.draftTooLarge(DraftShape(layers: 1, width: 96), parameters: 4000, base: 3000)
        .description
        == "a draft of 1 layer of width 96 would have 4,000 parameters, more than the 3,000 of the base; "
        + "give a smaller width, or fewer layers")
    #expect(throws: TrainingError.base(.contextTooLong(requested: 97, limit: 96))) {
      try trainer(answers) { $0.contextLength = 97 }
    }
    #expect(
      throws: TrainingError.invalidOption(
        name: "learning rate", value: "0.0", range: "1e-12 to 100.0")
    ) { try trainer(answers) { $0.learningRate = 0 } }
    let outside = TokenizedExample(line: 4, tokens: [1, 160], trained: [1..<2])
    #expect(throws: TrainingError.tokenOutside(line: 4, token: 160, count: 160)) {
      try DraftAnswers(fixture.model, adapters: [], examples: [outside], stopTokens: [])
    }
    #expect(throws: TrainingError.nothingToLearn) {
      try DraftAnswers(fixture.model, adapters: [], examples: [], stopTokens: [])
    }
    // A prompt that fills the context cannot be answered.
    let long = TokenizedExample(
      line: 1, tokens: Array(repeating: 5, count: 96), trained: [95..<96])
    let full = try whole(
      DraftAnswers(fixture.model, adapters: [], examples: [long], stopTokens: []))
    #expect(full.skippedCount == 1 && full.answers == [[]])
    #expect(throws: TrainingError.nothingToLearn) { try trainer(full) }
    let wild = try trainer(answers)
    wild.weights["output.weight"]?.values[0] = .infinity
    #expect(throws: TrainingError.diverged(step: 1)) { try wild.step() }
    #expect(throws: TrainingError.diverged(step: 0)) {
      try wild.writeDraft(to: folder.path("wild.gguf"))
    }
  }

  @Test func tokensPerPassFollowFromWhatAgrees() {
    var measure = DraftMeasure()
    measure.agreements = [[true, true, false, true, true, true], [false, false]]
    #expect(measure.places == 8 && measure.acceptance == 0.625)
    // One: 2 of (t t) (f) … : passes end behind two, one, two and one places, then one each.
    #expect(measure.tokensPerPass(proposals: 0) == 1)
    #expect(measure.tokensPerPass(proposals: 1) == 8.0 / 6)
    #expect(measure.tokensPerPass(proposals: 2) == 2)
    #expect(measure.tokensPerPass(proposals: 9) == 2)
    let best = measure.best(PassCosts(ratios: [1, 1.1, 1.2, 1.3]), draftCost: 0.1)
    #expect(best.proposals == 2 && best.tokensPerPass == 2)
    #expect(abs(best.speedup - 2 / 1.4) < 1e-9)
    let none = measure.best(PassCosts(ratios: [1, 2, 3, 4]), draftCost: 0.1)
    #expect(none == DraftPrediction(proposals: 0, tokensPerPass: 1, speedup: 1))
  }

  @Test(arguments: [
    (8, 8, 1), (24, 8, 3), (40, 8, 5), (48, 16, 3), (64, 32, 2), (128, 32, 4), (256, 64, 4),
    (96, 32, 3),
  ])
  func headsFillTheWidth(width: Int, size: Int, heads: Int) {
    let shape = DraftShape(layers: 1, width: width)
    #expect(shape.headSize == size && shape.heads == heads && shape.hiddenWidth % 32 == 0)
  }
}
