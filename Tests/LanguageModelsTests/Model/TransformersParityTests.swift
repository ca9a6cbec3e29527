import Adapters
import Foundation
import Kernels
import TensorFiles
import TestSupport
import Testing

@testable import LanguageModels

/// What `tools/fixtures/make_transformers_fixtures.py` made: a tiny base, a LoRA, and what they compute.
struct TransformersFixture {
  static let names = [
    "llama", "llama-linear", "mistral", "qwen2", "qwen3", "qwen3-yarn", "phi3", "phi3-long",
    "smollm3", "gemma2", "gemma3", "granite", "qwen3moe", "qwen3moe-shares",
    "lfm2", "lfm2-taps", "qwen2-window", "qwen35", "gemma4", "gemma4-keys",
    "gemma4-experts",
  ]

  struct Reference: Decodable {
    let prompt: [Int32]
    let rank: Int
    let alpha: Float
    let base: Expectation
    let adapted: Expectation
  }

  /// Logits of every position of the prompt, and the greedy continuation.
  struct Expectation: Decodable {
    let logits: [[Float]]
    let greedy: [Int32]
  }

  let model: BaseModel
  let adapter: AppliedAdapter
  let reference: Reference

  init(_ name: String) throws {
    let folder = Fixtures.url("LanguageModelsTests", "transformers")
    func path(_ suffix: String) -> String { folder.appendingPathComponent(name + suffix).path }
    model = try BaseModel(path: path(".gguf"))
    reference = try JSONDecoder().decode(
      Reference.self, from: Data(contentsOf: URL(fileURLWithPath: path(".json"))))
    adapter = try TransformersFixture.adapter(
      path(".adapter.safetensors"), model, rank: reference.rank,
      scale: reference.alpha / Float(reference.rank))
  }

  private static func adapter(
    _ path: String, _ model: BaseModel, rank: Int, scale: Float
  ) throws -> AppliedAdapter {
    let file = try SafetensorsFile(path: path)
    let layers = model.weights.layers.enumerated().map { index, layer in
      Dictionary(
        uniqueKeysWithValues: layer.shapes.compactMap { target, shape in
          let stem = "blk.\(index).\(target.rawValue)"
          guard let a = file.tensor(named: stem + ".a"), let b = file.tensor(named: stem + ".b")
          else { return nil as (LoRATarget, LowRankPair)? }
          return (target, LowRankPair(a: a.bytes, b: b.bytes, rank: rank, shape: shape))
        })
    }
    return AppliedAdapter(
      identifier: path, contentHash: String(repeating: "0", count: 64), layers: layers, scale: scale
    )
  }
}

/// Largest absolute difference between the logits of `session` for `prompt` and `expected`.
func worstDifference(
  _ session: ModelSession, _ prompt: [Int32], _ expected: [[Float]]
) throws -> Float {
  var worst: Float = 0
  try session.evaluate(prompt) { position, logits in
    for (value, reference) in zip(logits, expected[position]) {
      // Written so that not-a-number is a difference, too.
      let difference = abs(value - reference)
      if !(difference <= worst) { worst = difference }
    }
  }
  return worst
}

/// The greedy continuation of `prompt`, one token at a time.
func greedy(_ session: ModelSession, _ prompt: [Int32], count: Int) throws -> [Int32] {
  var tokens: [Int32] = []
  try session.evaluate(prompt)
  while tokens.count < count {
    let logits = session.logits ?? []
    let best = logits.indices.max { logits[$0] < logits[$1] } ?? 0
    tokens.append(Int32(best))
    if tokens.count < count { try session.evaluate([Int32(best)]) }
  }
  return tokens
}

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
