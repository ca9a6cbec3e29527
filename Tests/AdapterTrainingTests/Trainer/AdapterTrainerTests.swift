import Adapters
import Foundation
import JSON
import Kernels
import LanguageModels
import SystemFiles
import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct AdapterTrainerTests {
  private static func trainer(
    _ fixture: GradientFixture, examples: [TokenizedExample]? = nil, steps: Int = 10,
    _ change: (inout TrainingOptions) -> Void = { _ in }
  ) throws -> AdapterTrainer {
    var options = TrainingOptions()
    options.rank = fixture.factors.layers.flatMap(\.values).first?.a.rows ?? 1
    options.alpha = Double(fixture.scale) * Double(options.rank)
    options.steps = steps
    options.warmupSteps = 2
    options.learningRate = 0.01
    options.threads = 1
    options.precision = .single
    change(&options)
    return try AdapterTrainer(
      fixture.model, examples: examples ?? fixture.examples, options: options)
  }

  private static func losses(_ trainer: AdapterTrainer) throws -> [Double] {
    var losses: [Double] = []
    while let step = try trainer.step() { losses.append(step.loss) }
    return losses
  }

  @Test(arguments: GradientFixture.names + GradientFixture.dropped)
  func tenStepsAreThoseOfPyTorch(name: String) throws {
    let fixture = try GradientFixture(name)
    let trainer = try Self.trainer(fixture) {
      if GradientFixture.dropped.contains(name) { $0.dropout = GradientFixture.share }
    }
    trainer.factors = fixture.factors
    let losses = try Self.losses(trainer)
    #expect(losses.count == 10)
    for (found, expected) in zip(losses, fixture.losses) {
      #expect(abs(found - expected) < 1e-3 * expected, "\(losses) \(fixture.losses)")
    }
  }

  /// Where the processor multiplies BF16 a step is near that of floats, and the same elsewhere.
  ///
  /// Later ones drift apart, as these models learn their few examples by heart within ten steps.
  @Test(arguments: GradientFixture.names)
  func roundedProductsLearnAsFloatsDo(name: String) throws {
    let fixture = try GradientFixture(name)
    // For a token of its second sequence two experts are nearly even: it takes the other one then.
    let examples = name == "gemma4-experts" ? [fixture.examples[0]] : fixture.examples
    func steps(_ precision: TrainingOptions.Precision) throws -> [TrainingStep] {
      let trainer = try Self.trainer(fixture, examples: examples) { $0.precision = precision }
      trainer.factors = fixture.factors
      return try (0..<10).compactMap { _ in try trainer.step() }
    }
    let (exact, rounded) = (try steps(.single), try steps(.mixed))
    #expect(abs(rounded[0].loss - exact[0].loss) < 1e-2 * exact[0].loss)
    #expect(abs(rounded[0].gradientNorm - exact[0].gradientNorm) < 3e-2 * exact[0].gradientNorm)
    #expect(rounded[9].loss < 0.6 * rounded[0].loss || exact[9].loss > 0.5 * exact[0].loss)
  }

  /// What is measured is exact, however it was learnt.
  @Test func measuresAreOfFloats() throws {
    let fixture = try GradientFixture("qwen2")
    let exact = try Self.trainer(fixture)
    let rounded = try Self.trainer(fixture) { $0.precision = .mixed }
    #expect(try exact.baseLoss(of: fixture.examples) == rounded.baseLoss(of: fixture.examples))
  }

  /// Experts have no adapters: what is chosen has to be there, and all means all that are there.
  @Test func targetsAreThoseOfTheBase() throws {
    let fixture = try GradientFixture("qwen3moe")
    let trainer = try Self.trainer(fixture)
    #expect(Set(trainer.factors.places.map(\.target)) == [.query, .key, .value, .output])
    let error = #expect(throws: TrainingError.self) {
      try Self.trainer(fixture) { $0.targets = [.query, .down, .gate] }
    }
    #expect(
      error?.text.description
        == "no layer of the base has ffn_gate or ffn_down, to which an adapter could belong; "
        + "choose among its attn_q, attn_k, attn_v or attn_output"
    )
    #expect(throws: Never.self) { try Self.trainer(fixture) { $0.targets = [.query] } }
  }

  @Test func theLossFallsAndThePackageDoesWhatWasLearnt() throws {
    let fixture = try GradientFixture("afm")
    let trainer = try Self.trainer(fixture, steps: 25)
    let before = try trainer.loss(of: fixture.examples)
    let losses = try Self.losses(trainer)
    let after = try trainer.loss(of: fixture.examples)
    #expect(abs(losses[0] - before) < 1e-5 * before)
    #expect(after < 0.2 * before, "\(before) \(after)")

    let folder = try TemporaryDirectory()
    // A rank of another training does not keep what was learnt from being written.
    let metadata = try AdapterMetadata(
      name: "learnt", baseModelSignature: fixture.model.signature(),
      loraRank: trainer.options.rank + 1)
    let path = try trainer.writePackage(metadata, to: folder.path("learnt"))
    let report = try AdapterCheck.run(package: path, for: fixture.model.contract())
    #expect(report.findings.allSatisfy { $0.severity == .note }, "\(report)")
    let adapter = try Adapter(package: path, for: fixture.model.contract())
    #expect(adapter.metadata.settings.trainedOn?.object?["steps"]?.integer == 25)
    // A session with the package foretells what was learnt.
    let tokens = fixture.examples[1].tokens
    let session = try ModelSession(fixture.model, adapters: [AppliedAdapter(adapter)])
    var right = 0
    let wanted = fixture.batch.sequences[1].targets
    try session.evaluate(tokens) { position, logits in
      let best = logits.indices.max { logits[$0] < logits[$1] }
      if let target = wanted[position], best == Int(target) { right += 1 }
    }
    #expect(right > wanted.count { $0 != nil } / 2, "\(right)")
    #expect(adapter.metadata.loraRank == trainer.options.rank)
    #expect(throws: TrainingError.package(.exists(path: path))) {
      try trainer.writePackage(metadata, to: path)
    }
    let other = try AdapterMetadata(
      name: "learnt", baseModelSignature: String(repeating: "0", count: 40), loraRank: 1)
    #expect(throws: TrainingError.otherBase(identifier: "fmadapter-learnt-0000000")) {
      try trainer.writePackage(other, to: path)
    }
  }

  @Test(arguments: [0, 0.3])
  func aTrainingThatGoesOnEndsAsOneThatNeverStopped(averaging: Double) throws {
    let fixture = try GradientFixture("qwen2")
    let folder = try TemporaryDirectory()
    func trainer() throws -> AdapterTrainer {
      try Self.trainer(fixture) { ($0.tokensPerStep, $0.averaging) = (1, averaging) }
    }
    let whole = try trainer()
    let losses = try Self.losses(whole)
    let first = try trainer()
    for _ in 0..<7 {
      if let step = try first.step() { try first.note(step) }
    }
    try first.writeCheckpoint(to: folder.path("point"))
    let second = try trainer()
    try second.resume(from: folder.path("point"))
    #expect(second.stepsDone == 7)
    // The last losses of batches decide when a training ends.
    #expect(second.watch == first.watch && second.watch.recent.count == 7)
    #expect(try Self.losses(second) == Array(losses[7...]))
    #expect(second.factors == whole.factors)
    #expect(second.optimizer == whole.optimizer)
    #expect(second.average == whole.average)
    try second.writeCheckpoint(to: folder.path("end"))
    try first.resume(from: folder.path("end"))
    #expect(try first.step() == nil)
  }

  /// What is measured, kept and written is the mean over the last steps, and each step goes on from the one before.
  @Test func theMeanIsWhatATrainingComesTo() throws {
    let fixture = try GradientFixture("qwen2")
    let plain = try Self.trainer(fixture)
    let averaged = try Self.trainer(fixture) { $0.averaging = 0.5 }
    var expected = FactorAverage(plain.factors, share: 0.5, of: 10)
    var losses: [Double] = []
    for number in 1...10 {
      #expect(try averaged.step() == plain.step())
      expected.add(plain.factors, after: number)
      losses.append(try averaged.measure(fixture.examples))
      #expect(averaged.factors == plain.factors && averaged.learnt == expected.factors)
    }
    let written = averaged.layers.map { $0.mapValues(\.b.array) }
    #expect(written == expected.factors.pairs.map { $0.mapValues(\.b.array) })
    #expect(written != plain.layers.map { $0.mapValues(\.b.array) })
    plain.factors = expected.factors
    #expect(try averaged.loss(of: fixture.examples) == plain.loss(of: fixture.examples))
    averaged.useBest()
    #expect(try averaged.loss(of: fixture.examples) == losses.min())
  }

  @Test func checkpointsBelongToOneTraining() throws {
    let fixture = try GradientFixture("qwen2")
    let folder = try TemporaryDirectory()
    let path = folder.path("point")
    let trainer = try Self.trainer(fixture)
    try trainer.writeCheckpoint(to: path)
    let seeded = try Self.trainer(fixture) { $0.seed = 1 }
    #expect(throws: TrainingError.otherTraining(path: path)) { try seeded.resume(from: path) }
    var bytes = try FileSystem.read(path, limit: 1 << 24)
    let format = try #require(bytes.firstRange(of: Array("fmadapter.checkpoint.".utf8)))
    var other = bytes
    other[format.upperBound] = UInt8(ascii: "1")
    let older = try folder.write(other, to: "older")
    #expect(throws: TrainingError.otherVersion(path: older)) { try trainer.resume(from: older) }
    bytes.removeLast()
    let cut = try folder.write(bytes, to: "cut")
    let damaged = #expect(throws: TrainingError.self) { try trainer.resume(from: cut) }
    guard case .checkpoint? = damaged else {
      return #expect(Bool(false), "\(damaged?.text.problem ?? "")")
    }
    #expect(damaged?.remedy == "start anew without it")
    #expect(damaged?.text.problem.ranges(of: cut).count == 1)
    let none = try folder.write("none", to: "none")
    #expect(throws: TrainingError.self) { try trainer.resume(from: none) }
    let lora = Fixtures.path("LanguageModelsTests", "transformers/qwen2.adapter.safetensors")
    #expect(
      throws: TrainingError.checkpoint(
        path: lora, problem: "the file is not a checkpoint of a training")
    ) { try trainer.resume(from: lora) }
    #expect(trainer.stepsDone == 0)
  }

  @Test func theAdapterWithTheLowestLossIsKept() throws {
    let fixture = try GradientFixture("llama")
    let folder = try TemporaryDirectory()
    let trainer = try Self.trainer(fixture, steps: 12) { $0.tokensPerStep = 1 }
    try trainer.measure(fixture.examples)
    for _ in 0..<6 { _ = try trainer.step() }
    try trainer.measure(fixture.examples)
    let (best, points) = (trainer.factors, trainer.watch.points)
    #expect(points.map(\.step) == [0, 6] && points[1].loss < points[0].loss)
    // One that is worse, though not so much that it ends the training.
    trainer.factors = trainer.factors.zeros
    try trainer.measure(fixture.examples)
    try trainer.writeCheckpoint(to: folder.path("point"))
    let other = try Self.trainer(fixture, steps: 12) { $0.tokensPerStep = 1 }
    try other.resume(from: folder.path("point"))
    #expect(other.watch.points == trainer.watch.points)
    #expect(try AdapterTrainer.learningRate(ofCheckpoint: folder.path("point")) == 0.01)
    for trainer in [trainer, other] {
      #expect(trainer.factors != best)
      trainer.useBest()
      #expect(trainer.factors == best)
    }
  }

  @Test func valuesThatHaveGrownEndTheTraining() throws {
    let fixture = try GradientFixture("llama")
    let trainer = try Self.trainer(fixture)
    trainer.factors.update { _, _, pair in pair.a.values = pair.a.values.map { _ in 10 } }
    let error = #expect(throws: TrainingError.self) { try trainer.measure(fixture.examples) }
    guard case .overgrown(0, let size) = error else { return #expect(Bool(false), "\(error)") }
    #expect(size > 4 && size < 10)
    #expect(
      TrainingError.overgrown(step: 3, size: 12.5).description
        == "after step 3 the values of the adapter are 12.5 in the mean, where 0.1 is usual: nothing was written; "
        + "start anew with a lower learning rate")
  }

  @Test func aTrainingStartsFromAnAdapter() throws {
    let fixture = try GradientFixture("afm")
    let folder = try TemporaryDirectory()
    let trainer = try Self.trainer(fixture, steps: 12) { $0.targets = [.query, .down] }
    _ = try Self.losses(trainer)
    let metadata = try AdapterMetadata(
      name: "first", baseModelSignature: fixture.model.signature(), loraRank: trainer.options.rank)
    let path = try trainer.writePackage(metadata, to: folder.path("first"))
    let adapter = try Adapter(package: path, for: fixture.model.contract())
    let next = try AdapterTrainer(fixture.model, examples: fixture.examples, from: adapter)
    #expect(
      next.options.rank == trainer.options.rank && next.options.alpha == trainer.options.alpha)
    #expect(next.options.targets == [.query, .down])
    let (before, after) = (
      try trainer.loss(of: fixture.examples), try next.loss(of: fixture.examples)
    )
    #expect(abs(before - after) < 0.01 * before)
    try next.writeCheckpoint(to: folder.path("point"))
    let plain = try Self.trainer(fixture)
    #expect(throws: TrainingError.otherTraining(path: folder.path("point"))) {
      try plain.resume(from: folder.path("point"))
    }
    let other = try GradientFixture("llama")
    #expect(throws: TrainingError.otherBase(identifier: "\(adapter.identifier)")) {
      try AdapterTrainer(other.model, examples: other.examples, from: adapter)
    }
  }

  @Test func dropoutFollowsFromSeedAndStep() throws {
    let fixture = try GradientFixture("qwen2")
    func losses(_ dropout: Double, seed: UInt64) throws -> [Double] {
      let trainer = try Self.trainer(fixture, steps: 4) {
        $0.dropout = dropout
        $0.seed = seed
      }
      trainer.factors = fixture.factors
      return try Self.losses(trainer)
    }
    let first = try losses(0.5, seed: 1)
    #expect(try losses(0.5, seed: 1) == first)
    #expect(try losses(0.5, seed: 2) != first)
    #expect(try losses(0, seed: 1) != first)
  }

  @Test func batchesAreSummedUp() throws {
    let fixture = try GradientFixture("llama")
    func steps(_ examples: Int, _ accumulation: Int) throws -> [TrainingStep] {
      let trainer = try Self.trainer(fixture, steps: 3) {
        $0.examplesPerStep = examples
        $0.accumulation = accumulation
      }
      var steps: [TrainingStep] = []
      while let step = try trainer.step() { steps.append(step) }
      return steps
    }
    #expect(try steps(1, 2) == steps(2, 1))
    #expect(try steps(1, 1)[0].tokens < steps(2, 1)[0].tokens)
  }

  @Test func aStepThatIsCancelledChangesNothing() throws {
    let fixture = try GradientFixture("llama")
    let trainer = try Self.trainer(fixture)
    _ = try trainer.step()
    let (factors, optimizer) = (trainer.factors, trainer.optimizer)
    var calls = 0
    #expect(throws: TrainingError.cancelled) {
      try trainer.step {
        calls += 1
        return calls > 3
      }
    }
    #expect(trainer.factors == factors)
    #expect(trainer.optimizer == optimizer)
    #expect(try trainer.step()?.number == 2)
  }

  @Test func aCancelledTaskEndsItsStep() async throws {
    let task = Task {
      let fixture = try GradientFixture("llama")
      let trainer = try Self.trainer(fixture)
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try trainer.step()
    }
    await #expect(throws: TrainingError.cancelled) { try await task.value }
  }

  @Test func theStartChangesNothing() throws {
    let fixture = try GradientFixture("qwen3")
    let trainer = try Self.trainer(fixture)
    let base = try GradientPass(
      fixture.model, scale: 1, operations: Operations(pool: WorkerPool(threads: 1))
    ).run(fixture.batch, fixture.factors.zeros, total: nil)
    let loss = try trainer.loss(of: fixture.examples)
    #expect(abs(loss - base.loss / Double(base.count)) < 1e-6 * loss)
    let same = try Self.trainer(fixture)
    #expect(same.factors == trainer.factors)
    #expect(try Self.trainer(fixture) { $0.seed = 5 }.factors != trainer.factors)
    let targets = try Self.trainer(fixture) { $0.targets = [.key, .down] }
    #expect(targets.factors.layers.allSatisfy { Set($0.keys) == [.key, .down] })
  }

  @Test func epochsDecideTheSteps() throws {
    let fixture = try GradientFixture("llama")
    let trainer = try Self.trainer(fixture) {
      $0.steps = nil
      $0.epochs = 3
      $0.tokensPerStep = 1
    }
    #expect(trainer.stepCount == 6)
    var epochs: [Int] = []
    while let step = try trainer.step() { epochs.append(step.epoch) }
    #expect(epochs == [1, 1, 2, 2, 3, 3])
  }

  @Test func whatCannotBeTrainedIsRefused() throws {
    let fixture = try GradientFixture("llama")
    #expect(
      throws: TrainingError.invalidOption(name: "rank", value: "0.0", range: "1.0 to 4096.0")
    ) { try Self.trainer(fixture) { $0.rank = 0 } }
    #expect(throws: TrainingError.base(.contextTooLong(requested: 97, limit: 96))) {
      try Self.trainer(fixture) { $0.contextLength = 97 }
    }
    let outside = TokenizedExample(line: 4, tokens: [1, 160], trained: [1..<2])
    #expect(throws: TrainingError.tokenOutside(line: 4, token: 160, count: 160)) {
      try AdapterTrainer(fixture.model, examples: [outside])
    }
    let nothing = TokenizedExample(line: 4, tokens: [1, 2], trained: [])
    #expect(throws: TrainingError.nothingToLearn) {
      try AdapterTrainer(fixture.model, examples: [nothing])
    }
    let wild = try Self.trainer(fixture) { $0.learningRate = 100 }
    wild.factors.layers[0][.query]?.b.values[0] = .infinity
    #expect(throws: TrainingError.diverged(step: 1)) { try wild.step() }
  }
}
