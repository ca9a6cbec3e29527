import Kernels
import LanguageModels
import Testing

@testable import AdapterTraining

@Suite struct GradientPassTests {
  private static func operations(_ threads: Int = 1) -> Operations {
    Operations(pool: WorkerPool(threads: threads))
  }

  @Test(arguments: GradientFixture.names)
  func gradientsAreThoseOfPyTorch(name: String) throws {
    let fixture = try GradientFixture(name)
    #expect(fixture.gradients.places.count == fixture.factors.places.count)
    let pass = GradientPass(fixture.model, scale: fixture.scale, operations: Self.operations())
    for batch in [fixture.batch, fixture.packed] {
      let result = try pass.run(batch, fixture.factors, total: batch.targetCount)
      #expect(abs(result.loss / Double(result.count) - fixture.loss) < 1e-4 * fixture.loss)
      let gradients = try #require(result.gradients)
      let worst = gradients.worst(beside: fixture.gradients)
      #expect(worst < 2e-5, "worst \(worst)")
    }
  }

  /// PyTorch multiplies by the masks that our generator draws.
  @Test(arguments: GradientFixture.dropped)
  func gradientsWithDropoutAreThoseOfPyTorch(name: String) throws {
    let fixture = try GradientFixture(name)
    let pass = GradientPass(fixture.model, scale: fixture.scale, operations: Self.operations())
    var random = SplitMix64(seed: 0)
    let result = try pass.run(
      fixture.batch, fixture.factors, total: fixture.batch.targetCount,
      dropout: Dropout(GradientFixture.share, seed: random.next()))
    #expect(abs(result.loss / Double(result.count) - fixture.loss) < 1e-4 * fixture.loss)
    let worst = try #require(result.gradients).worst(beside: fixture.gradients)
    #expect(worst < 2e-5, "worst \(worst)")
  }

  /// What is computed again is what was computed, also of layers that read another's keys and values, and with dropout.
  @Test(arguments: GradientFixture.names)
  func stepsThatAreMadeAgainGiveTheSameGradients(name: String) throws {
    let fixture = try GradientFixture(name)
    var pass = GradientPass(fixture.model, scale: fixture.scale, operations: Self.operations())
    for share in [0, 0.25] {
      func run() throws -> GradientPass.Result {
        try pass.run(
          fixture.batch, fixture.factors, total: 7,
          dropout: share > 0 ? Dropout(share, seed: 5) : nil)
      }
      pass.keptTokens = .max
      let kept = try run()
      pass.keptTokens = fixture.batch.tokenCount - 1
      let again = try run()
      #expect(again.loss == kept.loss && again.gradients == kept.gradients)
    }
  }

  @Test func theLossIsThatOfInference() throws {
    let fixture = try GradientFixture("afm")
    let pass = GradientPass(fixture.model, scale: fixture.scale, operations: Self.operations())
    let loss = try pass.run(fixture.batch, fixture.factors, total: nil)
    #expect(loss.gradients == nil)
    let adapter = AppliedAdapter(
      identifier: "x", contentHash: "", layers: fixture.factors.pairs, scale: fixture.scale)
    var sum = 0.0
    for sequence in fixture.batch.sequences {
      let session = try ModelSession(fixture.model, adapters: [adapter])
      try session.evaluate(sequence.tokens) { position, logits in
        guard let target = sequence.targets[position] else { return }
        let most = logits.max() ?? 0
        let total = logits.reduce(0.0) { $0 + Double(Mathematics.exponential($1 - most)) }
        sum += Double(Mathematics.logarithm(Float(total))) + Double(most - logits[Int(target)])
      }
    }
    #expect(abs(loss.loss - sum) < 1e-4 * sum)
  }

  @Test func threadsDoNotMatter() throws {
    let fixture = try GradientFixture("qwen3")
    let results = try [1, 3].map { threads in
      try GradientPass(
        fixture.model, scale: fixture.scale, operations: Self.operations(threads)
      ).run(fixture.batch, fixture.factors, total: 7)
    }
    #expect(results[0].loss == results[1].loss)
    #expect(results[0].gradients == results[1].gradients)
  }

  @Test func cancelledBetweenLayers() throws {
    let fixture = try GradientFixture("llama")
    let pass = GradientPass(fixture.model, scale: 1, operations: Self.operations())
    #expect(throws: BaseModelError.cancelled) {
      try pass.run(fixture.batch, fixture.factors, total: 1, isCancelled: { true })
    }
  }
}
