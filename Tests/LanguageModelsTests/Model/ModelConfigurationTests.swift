import TensorFiles
import TestSupport
import Testing

@testable import LanguageModels

@Suite struct ModelConfigurationTests {
  @Test func everyHyperparameterIsRead() throws {
    let folder = try TemporaryDirectory()
    var tiny = TinyModel(.afm, shared: 1)
    tiny.set("afm.rope.scaling.type", .text("linear"))
    tiny.set("afm.rope.scaling.factor", .float32(4))
    tiny.set("afm.rope.dimension_count", .uint64(6))
    tiny.set("afm.attention.head_count_kv", .integers([2, 2, 2]))
    let c = try tiny.open(in: folder).configuration
    #expect(
      c
        == ModelConfiguration(
          architecture: .afm, layers: 3, sharedKeyValueLayers: 1, width: 32, hiddenWidth: 64,
          experts: nil, heads: 4, keyValueHeads: 2, headSize: 8,
          rotary: RotarySettings(size: 6, base: 10_000, localBase: nil, scaling: .linear(4)),
          attention: Array(repeating: LayerAttention(window: nil, rotation: .main), count: 3),
          scales: ModelScales(attention: 1 / Float(8).squareRoot()), epsilon: 1e-5,
          contextLength: 64, vocabularySize: 48))
    #expect((c.queryWidth, c.keyValueWidth, c.regularLayers) == (32, 16, 2))
  }

  struct Defect: Sendable, CustomTestStringConvertible {
    var architecture = Architecture.llama
    let key: String
    let value: GGUFValue?
    let message: String
    var testDescription: String { message }
  }

  private static let all =
    "afm, gemma2, gemma3, gemma4, granite, lfm2, llama, phi3, qwen2, qwen3, qwen35, qwen3moe or smollm3"

  static let defects = [
    Defect(
      key: "general.architecture", value: nil,
      message: "the metadata key 'general.architecture' is missing; convert the model again."),
    Defect(
      key: "general.architecture", value: .text("mamba"),
      message: "architecture 'mamba' is not supported; use a base of \(all)."),
    Defect(
      key: "general.architecture", value: .text("qwen3next"),
      message:
        "architecture 'qwen3next' is not supported; use a base of qwen3, which is the nearest, or of \(all)."
    ),
    Defect(
      key: "general.type", value: .text("adapter"),
      message: "this is an adapter, not a base; import it as a package."),
    Defect(
      key: "llama.attention.causal", value: .bool(false),
      message:
        "the metadata key 'llama.attention.causal' is false, but models that see tokens behind a token cannot be run."
    ),
    Defect(
      key: "llama.rope.scale_linear", value: .float32(-2),
      message:
        "the metadata key 'llama.rope.scale_linear' is -2.0, but has to be finite and above 0.0."),
    Defect(
      key: "llama.block_count", value: nil,
      message: "the metadata key 'llama.block_count' is missing; convert the model again."),
    Defect(
      key: "llama.block_count", value: .uint32(0),
      message: "the metadata key 'llama.block_count' is 0, but has to be between 1 and 4096."),
    Defect(
      key: "llama.context_length", value: .uint32(0),
      message: "the metadata key 'llama.context_length' is 0, but has to be between 1 and 67108864."
    ),
    Defect(
      key: "llama.embedding_length", value: .int32(-32),
      message:
        "the metadata key 'llama.embedding_length' is -32, but has to be between 1 and 1048576."
    ),
    Defect(
      key: "llama.attention.head_count", value: .uint32(0),
      message:
        "the metadata key 'llama.attention.head_count' is 0, but has to be between 1 and 4096."
    ),
    Defect(
      key: "llama.attention.head_count", value: .uint32(6),
      message:
        "the metadata key 'llama.attention.head_count' is 6, but has to divide the width of 32."),
    Defect(
      key: "llama.attention.head_count_kv", value: .uint32(3),
      message:
        "the metadata key 'llama.attention.head_count_kv' is 3, but has to divide the 4 query heads."
    ),
    Defect(
      key: "llama.attention.head_count_kv", value: .uint32(0),
      message:
        "the metadata key 'llama.attention.head_count_kv' is 0, but has to divide the 4 query heads."
    ),
    Defect(
      key: "llama.attention.head_count_kv", value: .integers([2, 4, 2]),
      message:
        "the metadata key 'llama.attention.head_count_kv' is [2, 4, 2], but has to be the same for all layers."
    ),
    Defect(
      key: "llama.attention.head_count_kv", value: .integers([2, 4, 4, 4, 4, 4, 4, 4, 9]),
      message:
        "the metadata key 'llama.attention.head_count_kv' is [2, 4, 4, 4, 4, 4, 4, 4, …], but has to be the same for all layers."
    ),
    Defect(
      key: "llama.attention.key_length", value: .uint32(7),
      message:
        "the metadata key 'llama.attention.key_length' is 7, but has to be even and between 2 and 512."
    ),
    Defect(
      key: "llama.attention.value_length", value: .uint32(16),
      message:
        "the metadata key 'llama.attention.value_length' is 16, but has to equal the key length of 8."
    ),
    Defect(
      key: "llama.rope.dimension_count", value: .uint32(10),
      message:
        "the metadata key 'llama.rope.dimension_count' is 10, but has to be even and between 2 and 8."
    ),
    Defect(
      key: "llama.attention.layer_norm_rms_epsilon", value: .float32(.nan),
      message:
        "the metadata key 'llama.attention.layer_norm_rms_epsilon' is nan, but has to be finite and above 0.0."
    ),
    Defect(
      key: "llama.rope.freq_base", value: .float32(.infinity),
      message: "the metadata key 'llama.rope.freq_base' is inf, but has to be finite and above 1.0."
    ),
    Defect(
      key: "llama.rope.scaling.type", value: .text("su"),
      message: "RoPE scaling 'su' is not supported; only none, linear, yarn and longrope are."),
    Defect(
      key: "llama.rope.scaling.type", value: .text("longrope"),
      message: "the tensor 'rope_factors_short.weight' is missing; convert the model again."),
    Defect(
      key: "llama.attention.sliding_window", value: .int32(-1),
      message:
        "the metadata key 'llama.attention.sliding_window' is -1, but has to be between 0 and 67108864."
    ),
    Defect(
      key: "llama.expert_count", value: .uint32(8),
      message:
        "the metadata key 'llama.expert_count' is 8, but experts are supported in gemma4 and qwen3moe alone."
    ),
    Defect(
      key: "llama.vocab_size", value: .uint32(50),
      message: "the metadata key 'llama.vocab_size' is 50, but token_embd.weight has 48 rows."),
    Defect(
      key: "llama.feed_forward_length", value: .uint32(96),
      message:
        "the tensor 'blk.0.ffn_gate.weight' has the dimensions [32, 64], but the metadata asks for [32, 96]."
    ),
    Defect(
      key: "llama.embedding_length", value: .uint32(64),
      message:
        "the tensor 'token_embd.weight' has the dimensions [32, 48], but the metadata asks for [64, 48]."
    ),
    Defect(
      key: "llama.block_count", value: .uint32(2),
      message:
        "the tensor 'blk.2.attn_norm.weight' is not part of its architecture; use a base without it."
    ),
    Defect(
      key: "llama.block_count", value: .uint32(4),
      message: "the tensor 'blk.3.attn_norm.weight' is missing; convert the model again."),
  ]

  static let scaleDefects = [
    ("gemma2.attn_logit_softcapping", Architecture.gemma2, Float(0)),
    ("gemma3.final_logit_softcapping", .gemma3, .infinity),
    ("granite.logit_scale", .granite, 0),
    ("granite.residual_scale", .granite, .nan),
    ("granite.attention.scale", .granite, -1),
    ("granite.embedding_scale", .granite, -2),
  ]

  /// Settings at values that change nothing, as converters write them.
  static let harmless: [(Architecture, key: String, GGUFValue)] = [
    (.llama, "attention.head_count", .integers([4, 4, 4])),
    (.llama, "attention.head_count_kv", .integers([2, 2, 2])),
    (.llama, "feed_forward_length", .integers([64, 64, 64])),
    (.llama, "rope.dimension_count", .integers([8])),
    (.llama, "attention.layer_norm_rms_epsilon", .floats([1e-5, 1e-5, 1e-5])),
    (.llama, "vocab_size", .uint32(47)),
    (.llama, "expert_count", .uint32(0)),
    (.gemma3, "final_logit_softcapping", .float32(0)),
    (.gemma3, "attn_logit_softcapping", .float32(0)),
    (.granite, "embedding_scale", .float32(0)),
    (.granite, "residual_scale", .float32(0)),
    (.granite, "attention.scale", .float32(0)),
  ]

  @Test(arguments: harmless.indices)
  func whatChangesNothingIsRead(index: Int) throws {
    let (architecture, key, value) = Self.harmless[index]
    let folder = try TemporaryDirectory()
    var tiny = TinyModel(architecture)
    tiny.set("\(architecture).\(key)", value)
    let model = try tiny.open(in: folder)
    #expect(model.configuration.vocabularySize == 48)
  }

  @Test(arguments: [
    ("yarn_log_multiplier", Float(0), true), ("yarn_ext_factor", 1, true),
    ("yarn_ext_factor", -1, true), ("yarn_log_multiplier", 0.5, false),
    ("yarn_ext_factor", 0, false),
  ])
  func neutralFactorsOfYarnAreRead(name: String, value: Float, isNeutral: Bool) throws {
    let folder = try TemporaryDirectory()
    var tiny = TinyModel(.llama)
    tiny.set("llama.rope.scaling.type", .text("yarn"))
    tiny.set("llama.rope.scaling.factor", .float32(4))
    tiny.set("llama.rope.scaling.\(name)", .float32(value))
    if isNeutral {
      _ = try tiny.open(in: folder)
    } else {
      let error = #expect(throws: BaseModelError.self) { try tiny.open(in: folder) }
      #expect(error?.description.contains("yarn with factors of its own") == true)
    }
  }

  /// GGUF files that stand beside those of models.
  static let otherFiles = [
    Defect(
      key: "general.architecture", value: .text("clip"),
      message:
        "this is a projector of pictures or sounds (mmproj), not a base; give the GGUF file of the model that stands beside it; texts need no projector."
    ),
    Defect(
      key: "general.architecture", value: .text("nomic-bert"),
      message:
        "this is a model for embeddings or ranking, which gives numbers for a text and writes none; give a base that answers."
    ),
    Defect(
      key: "general.type", value: .text("imatrix"),
      message:
        "this is an importance matrix, not a base; give the base; this is for its quantization."
    ),
  ]

  /// Files of a family that answers, made to give vectors or scores.
  @Test(arguments: [(0, true), (1, false), (3, false), (4, false)] as [(UInt32, Bool)])
  func poolingIsOfOtherModels(type: UInt32, isFine: Bool) throws {
    let folder = try TemporaryDirectory()
    var tiny = TinyModel(.llama)
    tiny.set("llama.pooling_type", .uint32(type))
    guard !isFine else {
      _ = try tiny.open(in: folder)
      return
    }
    let error = BaseModelError.writesNothing(file: folder.path("base.gguf"))
    #expect(throws: error) { try tiny.open(in: folder) }
  }

  @Test(arguments: scaleDefects)
  func factorsThatPoisonAreRefused(key: String, architecture: Architecture, value: Float) throws {
    let folder = try TemporaryDirectory()
    var tiny = TinyModel(architecture)
    tiny.set(key, .float32(value))
    let error = #expect(throws: BaseModelError.self) { try tiny.open(in: folder) }
    #expect(
      error?.description
        == "\(folder.path("base.gguf")): the metadata key '\(key)' is \(Double(value)), but has to be finite and above 0.0."
    )
  }

  /// Each of the sizes may be, and a session would take gigabytes of what has no tensor.
  @Test func statesThatAreTooLargeTogetherAreRefused() throws {
    let folder = try TemporaryDirectory()
    var tiny = TinyModel(.qwen35)
    for (key, value) in [
      ("state_size", 128), ("group_count", 4096), ("time_step_rank", 4096), ("inner_size", 1 << 19),
    ] as [(String, UInt32)] {
      tiny.set("qwen35.ssm." + key, .uint32(value))
    }
    let error = #expect(throws: BaseModelError.self) { try tiny.open(in: folder) }
    #expect(
      error?.description
        == "\(folder.path("base.gguf")): the metadata key 'qwen35.ssm.inner_size' is 524288, but a state of 8,388,608 values is the largest that is supported."
    )
  }

  /// As llama.cpp: a factor counts without a type, and under the name of older files, and 0 is none.
  @Test(
    arguments: [
      ([("rope.scaling.factor", 4)], 4), ([("rope.scale_linear", 2)], 2),
      ([("rope.scaling.factor", 4), ("rope.scale_linear", 2)], 4),
      ([("rope.scaling.factor", 0)], 1), ([], 1),
    ] as [([(String, Float)], Float)])
  func factorsNeedNoType(keys: [(String, Float)], factor: Float) throws {
    let folder = try TemporaryDirectory()
    var tiny = TinyModel(.llama)
    for (key, value) in keys { tiny.set("llama." + key, .float32(value)) }
    #expect(try tiny.open(in: folder).configuration.rotary.scaling == .linear(factor))
    tiny.set("llama.rope.scaling.type", .text("none"))
    #expect(try tiny.open(in: folder).configuration.rotary.scaling == .linear(1))
  }

  static let expertDefects = [
    Defect(
      architecture: .qwen3moe, key: "qwen3moe.expert_count", value: nil,
      message:
        "the metadata key 'qwen3moe.expert_count' is missing; convert the model again."
    ),
    Defect(
      architecture: .qwen3moe, key: "qwen3moe.expert_count", value: .uint32(0),
      message:
        "the metadata key 'qwen3moe.expert_count' is 0, but has to be between 1 and 4096."
    ),
    Defect(
      architecture: .qwen3moe, key: "qwen3moe.expert_used_count", value: .uint32(6),
      message:
        "the metadata key 'qwen3moe.expert_used_count' is 6, but has to be between 1 and 5."
    ),
    Defect(
      architecture: .qwen3moe, key: "qwen3moe.expert_count", value: .uint32(4),
      message:
        "the tensor 'blk.0.ffn_gate_inp.weight' has the dimensions [32, 5], but the metadata asks for [32, 4]."
    ),
    Defect(
      architecture: .qwen3moe, key: "qwen3moe.expert_feed_forward_length", value: .uint32(32),
      message:
        "the tensor 'blk.0.ffn_gate_exps.weight' has the dimensions [32, 64, 5], but the metadata asks for [32, 32, 5]."
    ),
    Defect(
      // The whole network's width by the experts that are used.
      architecture: .qwen3moe, key: "qwen3moe.expert_feed_forward_length", value: nil,
      message:
        "the tensor 'blk.0.ffn_gate_exps.weight' has the dimensions [32, 64, 5], but the metadata asks for [32, 32, 5]."
    ),
  ]

  @Test func expertsAreRead() throws {
    let folder = try TemporaryDirectory()
    var tiny = TinyModel(.qwen3moe)
    #expect(
      try tiny.open(in: folder).configuration.experts
        == ExpertSettings(count: 5, used: 2, hiddenWidth: 64, normalizes: true))
    for key in ["expert_weights_norm", "norm_top_k_prob"] {
      tiny.set("qwen3moe." + key, .bool(false))
      #expect(try tiny.open(in: folder).configuration.experts?.normalizes == false)
      tiny.set("qwen3moe." + key, nil)
    }
    tiny.tensors.removeAll { $0.name == "blk.1.ffn_up_exps.weight" }
    #expect(
      throws: BaseModelError.missingTensor(
        file: folder.path("base.gguf"), tensor: "blk.1.ffn_up_exps.weight")
    ) { try tiny.open(in: folder) }
  }

  /// What files do not say: which layers have a window, what turns their heads, and what scores are divided by.
  @Test func layersOfEachArchitecture() throws {
    let folder = try TemporaryDirectory()
    func attention(_ architecture: Architecture) throws -> [LayerAttention] {
      var tiny = TinyModel(architecture, hidden: 32, layers: 7)
      tiny.set("\(architecture.rawValue).attention.sliding_window", .uint32(5))
      return try tiny.open(in: folder).configuration.attention
    }
    #expect(try attention(.llama).map(\.window) == [5, 5, 5, 5, 5, 5, 5])
    #expect(try attention(.gemma2).map(\.window) == [5, nil, 5, nil, 5, nil, 5])
    #expect(try attention(.gemma3).map(\.window) == [5, 5, 5, 5, 5, nil, 5])
    #expect(
      try attention(.gemma3).map(\.rotation)
        == [.local, .local, .local, .local, .local, .main, .local])
    #expect(
      try attention(.smollm3).map(\.rotation) == [.main, .main, .main, nil, .main, .main, .main])
    let sizes = [(Architecture.gemma3, 61), (.gemma3, 62), (.gemma2, 46), (.llama, 46)].map {
      $0.scoreSize(layers: $1, width: 60, heads: 4, headSize: 20)
    }
    #expect(sizes == [20, 15, 15, 20])
  }

  @Test(arguments: defects + otherFiles + expertDefects + UnlikeLayersTests.defects)
  func defectsAreNamed(_ defect: Defect) throws {
    let folder = try TemporaryDirectory()
    var tiny = TinyModel(defect.architecture)
    tiny.set(defect.key, defect.value)
    let error = #expect(throws: BaseModelError.self) { try tiny.open(in: folder) }
    #expect(error?.description == "\(folder.path("base.gguf")): \(defect.message)")
  }
}
