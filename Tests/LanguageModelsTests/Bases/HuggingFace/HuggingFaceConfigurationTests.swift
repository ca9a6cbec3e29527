import Foundation
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
    /// The key is not there.
    case missing
    case flag(Bool)
    case number(Double)
    case text(String)
    case texts([String])

    var value: Any? {
      switch self {
      case .none: NSNull()
      case .missing: nil
      case .flag(let value): value
      case .number(let value): value
      case .text(let value): value
      case .texts(let values): values
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
    Refusal("gemma2", "query_pre_attn_scalar", .missing, "is 256.0, where a base has 12"),
    Refusal("gemma3", "query_pre_attn_scalar", .missing, "is 256.0, where a base has 12"),
    Refusal(
      "smollm3", "layer_types", .texts(Array(repeating: "sliding_attention", count: 5)),
      "asks for windows in some layers"),
  ]

  @Test(arguments: refusals)
  func whatABaseCannotSayIsRefused(_ test: Refusal) throws {
    let folder = try CheckpointFolder(test.model)
    if test.model == "smollm3" { try folder.set("config.json", ["sliding_window": 8]) }
    try folder.set("config.json", at: test.place, [test.key: test.json.value])
    #expect(
      folder.failure()
        == "config.json: the setting “\(test.key)” \(test.rule); convert another model, as this program "
        + "runs none with that")
  }

  /// Where no list says which layers are others, as in older folders.
  @Test(arguments: [
    ("gemma3", "layer_types", "sliding_window_pattern", 6),
    ("smollm3", "no_rope_layers", "no_rope_layer_interval", 4),
  ])
  func intervalsAreThoseOfTheFamily(model: String, list: String, key: String, interval: Int) throws
  {
    let folder = try CheckpointFolder(model)
    try folder.set("config.json", [list: nil, key: interval])
    #expect(folder.failure() == "no error")
    try folder.set("config.json", [key: 3])
    #expect(
      folder.failure()
        == "config.json: the setting “\(key)” is 3, not \(interval); convert another model, as this program "
        + "runs none with that")
  }

  /// What a folder leaves out is as in transformers' classes, not as in a base without the key.
  @Test(
    arguments: [
      ("smollm3", "", "rope_parameters", "rope.freq_base", 2_000_000),
      ("lfm2", "rope_parameters", "rope_theta", "rope.freq_base", 1_000_000),
      ("gemma3", "", "sliding_window", "attention.sliding_window", 4096),
      ("gemma2", "", "sliding_window", "attention.sliding_window", 4096),
      ("gemma4", "", "sliding_window", "attention.sliding_window", 512),
      ("qwen2-window", "", "sliding_window", "attention.sliding_window", 4096),
      ("granite", "", "attention_multiplier", "attention.scale", 1),
      (
        "phi3-long", "", "original_max_position_embeddings", "rope.scaling.original_context_length",
        4096
      ),
    ] as [(String, String, String, String, Double)])
  func whatIsLeftOutIsAsInTheClasses(
    model: String, place: String, setting: String, key: String, value: Double
  ) throws {
    let folder = try CheckpointFolder(model)
    try folder.set("config.json", at: place, [setting: nil])
    let metadata = try folder.convert().metadata
    let architecture = try #require(try metadata.string("general.architecture"))
    #expect(try metadata.float("\(architecture).\(key)") == value)
  }

  /// transformers reads a window of models of Mistral, and of none that are called Llama's.
  @Test(
    arguments: [
      ("mistral", .number(5), 5), ("llama", .number(5), nil), ("mistral", .missing, 4096),
      ("mistral", .none, nil), ("llama", .missing, nil),
    ] as [(String, Setting, Int?)])
  func windowsAreThoseOfTheClass(type: String, stated: Setting, window: Int?) throws {
    let folder = try CheckpointFolder("llama")
    try folder.set("config.json", ["model_type": type, "sliding_window": stated.value])
    let file = try folder.convert()
    #expect(try file.metadata.integer("llama.attention.sliding_window") == window)
    let layers = try ModelConfiguration(file).attention
    #expect(layers.allSatisfy { $0.window == window })
  }

  /// With experts all layers have the window, whatever is said of the first ones.
  @Test func allLayersWithExpertsHaveTheWindow() throws {
    let folder = try CheckpointFolder("qwen3moe")
    try folder.set(
      "config.json", ["use_sliding_window": true, "sliding_window": 5, "max_window_layers": 2])
    let layers = try ModelConfiguration(folder.convert()).attention
    #expect(layers.map(\.window) == [5, 5, 5])
  }

  /// The older key beside the newer one, as somebody adds it to a folder that was saved today.
  @Test func anglesAreSaidOnce() throws {
    let folder = try CheckpointFolder("llama")
    try folder.set("config.json", ["rope_scaling": ["type": "llama3", "factor": 8]])
    #expect(folder.failure() == "no error")
    try folder.set("config.json", ["rope_scaling": ["rope_type": "yarn", "factor": 4.0]])
    #expect(
      folder.failure()
        == "config.json: the setting “rope_scaling” says something else than “rope_parameters”; save the "
        + "checkpoint again")
  }

  /// Phi's own setting goes before that of the angles.
  @Test func originalContextsOfPhiStandBesideTheAngles() throws {
    let folder = try CheckpointFolder("phi3-long")
    try folder.set("config.json", ["original_max_position_embeddings": 24])
    let metadata = try folder.convert().metadata
    #expect(try metadata.integer("phi3.rope.scaling.original_context_length") == 24)
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

  /// Under the key that llama.cpp multiplies with the usual magnitude, too.
  @Test(
    arguments: [
      (["attention_factor": 1.3], 1.3),
      (
        ["mscale": 0.7, "mscale_all_dim": 1],
        (1 + 0.07 * logarithm(4.0)) / (1 + 0.1 * logarithm(4.0))
      ),
      (["mscale": 0.7], 1 + 0.1 * logarithm(4.0)), ([:], 1 + 0.1 * logarithm(4.0)),
    ] as [([String: Double], Double)])
  func yarnMayStateItsMagnitude(settings: [String: Double], magnitude: Double) throws {
    let folder = try CheckpointFolder("qwen3-yarn")
    try folder.set("config.json", at: "rope_parameters", settings)
    let file = try folder.convert()
    guard case .yarn(let yarn) = try ModelConfiguration(file).rotary.scaling else {
      Issue.record("no YaRN")
      return
    }
    #expect(abs(Double(yarn.magnitude) - magnitude) < 1e-6)
    let own = try file.metadata.float("qwen3.rope.scaling.attn_factor") ?? 1
    #expect(abs(own * (1 + 0.1 * logarithm(4.0)) - magnitude) < 1e-6)
  }

  /// Without the key llama.cpp caps at 30.
  @Test func capsThatGemma4HasNotAreStated() throws {
    let folder = try CheckpointFolder("gemma4")
    try folder.set("config.json", ["final_logit_softcapping": nil])
    let file = try folder.convert()
    #expect(try file.metadata.float("gemma4.final_logit_softcapping") == 0)
    #expect(try ModelConfiguration(file).scales.logitCap == nil)
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

/// Weights that are not those of the settings.
@Suite struct OtherWeightsTests {
  /// Packed weights have other names, shapes or types, and a setting says why.
  @Test(arguments: [
    ("quantization_config", ["quant_method": "gptq"], " by gptq"),
    ("quantization", ["bits": "4"], ""),
  ])
  func quantizedWeightsAreNamed(key: String, value: [String: String], method: String) throws {
    let folder = try CheckpointFolder("llama")
    try folder.set("config.json", [key: value])
    #expect(folder.failure() == "no error")
    try folder.setWeights(without: ["model.layers.0.mlp.up_proj.weight"])
    #expect(
      folder.failure()
        == "config.json: the setting “\(key)” says that the weights are quantized\(method); convert "
        + "another model, as this program runs none with that")
  }

  /// Before the weights are there, the setting alone is enough.
  @Test(arguments: ["quantization_config", "quantization", "compression_config"])
  func quantizedWeightsNeedNotCome(key: String) throws {
    let folder = try CheckpointFolder("llama")
    let converter = BaseConverter(plan: .init(type: .f32))
    try converter.examine(folder.path)
    try folder.set("config.json", [key: ["quant_method": "fp8"]])
    let error = #expect(throws: BaseModelError.self) { try converter.examine(folder.path) }
    #expect(
      error?.description.contains("“\(key)” says that the weights are quantized by fp8") == true)
  }

  /// Embeddings and scores are made by models of the same families.
  @Test func modelsThatWriteNothingAreNamed() throws {
    let folder = try CheckpointFolder("llama")
    try folder.set("config.json", ["architectures": ["LlamaForSequenceClassification"]])
    #expect(
      folder.failure()
        == "config.json: the setting “architectures” names “LlamaForSequenceClassification”, which writes no "
        + "text; convert another model, as this program runs none with that")
    try folder.folder.write("[]", to: "llama/modules.json")
    #expect(
      folder.failure()
        == folder.path
        + ": this is a model for embeddings or ranking, which gives numbers for a text and "
        + "writes none; give a base that answers.")
  }

  /// A base of Qwen 2 without them could not be read.
  @Test func biasesThatAFamilyHasAreThere() throws {
    let folder = try CheckpointFolder("qwen2-window")
    try folder.setWeights(without: ["model.layers.1.self_attn.k_proj.bias"])
    #expect(
      folder.failure()
        == "model.safetensors: tensor “model.layers.1.self_attn.k_proj.bias” is missing; save the "
        + "checkpoint again")
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
