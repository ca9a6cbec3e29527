import Foundation
import Kernels
import TensorFiles
import Testing

@testable import LanguageModels

@Suite struct HuggingFaceConfigurationTests {
  struct Refusal: Sendable, CustomTestStringConvertible {
    let model: String
    let place: String
    let key: String
    let json: Setting
    let rule: String
    var testDescription: String { "\(model) \(place) \(key) \(rule)" }

    init(
      _ model: String, at place: String = "", _ key: String, _ json: Setting, _ rule: String
    ) {
      (self.model, self.place, self.key, self.json) = (model, place, key, json)
      self.rule = rule
    }
  }

  enum Setting: Sendable {
    case none
    case flag(Bool)
    case text(String)

    var value: Any? {
      switch self {
      case .none: NSNull()
      case .flag(let value): value
      case .text(let value): value
      }
    }
  }

  static let refusals = [
    Refusal(
      "gemma3", "use_bidirectional_attention", .flag(true), "lets tokens see those behind them"),
    Refusal(
      "gemma2", "use_bidirectional_attention", .flag(true), "lets tokens see those behind them"),
    Refusal("llama", "is_causal", .flag(false), "lets tokens see those behind them"),
    Refusal(
      "gemma2", "attn_logit_softcapping", .none, "is null, where such a base always has a cap"),
    Refusal(
      "gemma2", "final_logit_softcapping", .none, "is null, where such a base always has a cap"),
    Refusal(
      "gemma3", at: "rope_parameters.sliding_attention", "rope_type", .text("linear"),
      "is “linear” in layers with a window"),
    Refusal("qwen3-yarn", at: "rope_parameters", "truncate", .flag(false), "is false"),
  ]

  @Test(arguments: refusals)
  func whatABaseCannotSayIsRefused(_ test: Refusal) throws {
    let folder = try CheckpointFolder(test.model)
    try folder.set("config.json", at: test.place, [test.key: test.json.value])
    #expect(
      folder.failure()
        == "config.json: the setting “\(test.key)” \(test.rule); convert another model, as this program "
        + "runs none with that")
  }

  /// Caps that are not said are those of the family.
  @Test func capsMayBeLeftOut() throws {
    let folder = try CheckpointFolder("gemma2")
    try folder.set("config.json", ["attn_logit_softcapping": nil, "final_logit_softcapping": nil])
    let scales = try ModelConfiguration(folder.convert()).scales
    #expect(scales.attentionCap == 50 && scales.logitCap == 30)
  }

  /// Where transformers reads it: in Phi's code, and in that of every scaling.
  @Test(
    arguments: [
      ("phi3", "default", 0.5, 4), ("llama", "default", 0.5, 12), ("llama", "linear", 0.5, 6),
      ("qwen2", "default", 0.5, 12),
    ])
  func headsTurnInPart(model: String, type: String, share: Double, size: Int) throws {
    let folder = try CheckpointFolder(model)
    try folder.set(
      "config.json",
      [
        "rope_parameters": [
          "rope_type": type, "rope_theta": 10_000.0, "factor": 2.0, "partial_rotary_factor": share,
        ]
      ])
    let file = try folder.convert()
    let key = "\(model).rope.dimension_count"
    #expect(try file.metadata.integer(key) == size)
  }

  @Test(arguments: [1e30, 1e9, 1e-9, 1.5])
  func headsTurnInSomePart(share: Double) throws {
    let folder = try CheckpointFolder("phi3")
    try folder.set(
      "config.json",
      [
        "rope_parameters": [
          "rope_type": "default", "rope_theta": 10_000.0, "partial_rotary_factor": share,
        ]
      ])
    #expect(
      folder.failure()
        == "config.json: the setting “partial_rotary_factor” turns no part of a head; save the checkpoint again"
    )
  }

  /// A factor of its own goes before that of the contexts.
  @Test(arguments: [(nil, 8), (4, 4), (1, 1)] as [(Double?, Double)])
  func longRoPEHasAFactor(stated: Double?, factor: Double) throws {
    let folder = try CheckpointFolder("phi3-long")
    try folder.set("config.json", at: "rope_parameters", ["factor": stated])
    let found = try folder.convert().metadata.float("phi3.rope.scaling.attn_factor")
    let expected = (1 + logarithm(factor) / logarithm(12.0)).squareRoot()
    #expect(abs(try #require(found) - expected) < 1e-6)
  }
}

/// Heads of their own, and heads that are the embedding.
@Suite struct TiedEmbeddingTests {
  @Test func aHeadThatIsSaidToBeThereHasToBe() throws {
    let folder = try CheckpointFolder("llama")
    try folder.setWeights(without: ["lm_head.weight"])
    #expect(
      folder.failure()
        == "model.safetensors: tensor “lm_head.weight” is missing; save the checkpoint again")
    // Settings that do not say it leave it to the weights.
    try folder.set("config.json", ["tie_word_embeddings": nil])
    #expect(try folder.convert().tensor(named: "output.weight") == nil)
  }

  /// transformers takes a head that differs, whatever the settings say.
  @Test(arguments: [false, true]) func aHeadThatDiffersCounts(differs: Bool) throws {
    let folder = try CheckpointFolder("gemma2")
    let weights = try SafetensorsFile(path: folder.path + "/model.safetensors")
    let embedding = try #require(weights.tensor(named: "model.embed_tokens.weight"))
    var bytes = embedding.bytes.array
    if differs { bytes[bytes.count - 2] ^= 1 }
    try folder.setWeights(adding: [("lm_head.weight", embedding.shape, bytes)])
    let base = try folder.convert(.bf16)
    #expect(base.tensor(named: "output.weight")?.bytes.array == (differs ? bytes : nil))
  }
}
