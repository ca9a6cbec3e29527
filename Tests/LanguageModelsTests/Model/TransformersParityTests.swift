import Kernels
import Testing

@testable import LanguageModels

/// Our forward pass against transformers 5.23.0 and peft 0.21.2, with F16 weights and F32 activations.
@Suite struct TransformersParityTests {
  @Test(arguments: TransformersFixture.names)
  func baseLogits(name: String) throws {
    let fixture = try TransformersFixture(name)
    let worst = try worstDifference(
      ModelSession(fixture.model), fixture.reference.prompt, fixture.reference.base.logits)
    #expect(worst < 1e-3, "worst \(worst)")
  }

  @Test(arguments: TransformersFixture.names)
  func adaptedLogits(name: String) throws {
    let fixture = try TransformersFixture(name)
    let session = try ModelSession(fixture.model, adapters: [fixture.adapter])
    let worst = try worstDifference(
      session, fixture.reference.prompt, fixture.reference.adapted.logits)
    #expect(worst < 1e-3, "worst \(worst)")
  }

  /// The portable kernels compute the same model as those of this machine.
  @Test(arguments: TransformersFixture.names)
  func portableKernels(name: String) throws {
    let fixture = try TransformersFixture(name)
    let session = try ModelSession(
      fixture.model, adapters: [fixture.adapter],
      operations: Operations(pool: WorkerPool(threads: 1), variant: .plain))
    let worst = try worstDifference(
      session, fixture.reference.prompt, fixture.reference.adapted.logits)
    #expect(worst < 1e-3, "worst \(worst)")
  }

  @Test(arguments: TransformersFixture.names)
  func greedyContinuations(name: String) throws {
    let fixture = try TransformersFixture(name)
    let reference = fixture.reference
    let base = try greedy(
      ModelSession(fixture.model), reference.prompt, count: reference.base.greedy.count)
    #expect(base == reference.base.greedy)
    let adapted = try greedy(
      ModelSession(fixture.model, adapters: [fixture.adapter]), reference.prompt,
      count: reference.adapted.greedy.count)
    #expect(adapted == reference.adapted.greedy)
    #expect(adapted != base)
  }
}
