import Kernels
import TestSupport
import Testing

@testable import LanguageModels

/// Models whose layers are not alike.
@Suite struct UnlikeLayersTests {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test func layersHaveSizesOfTheirOwn() throws {
    let c = try TinyModel(.gemma4, layers: 5).open(in: folder).configuration
    #expect((0..<5).map { c.headShape(layer: $0).size } == [8, 16, 8, 16, 8])
    #expect((0..<5).map { c.headShape(layer: $0).keyValueHeads } == [2, 1, 2, 1, 2])
    #expect((0..<5).map(c.hiddenWidth(layer:)) == [64, 64, 64, 64, 128])
    #expect((0..<5).map(c.keyValueSource(layer:)) == [0, 1, 2, 3, 2])
    #expect(c.attention.map(\.window) == [9, nil, 9, nil, 9])
    #expect(c.attention.map(\.rotation) == [.local, .main, .local, .main, .local])
    #expect((c.tokenWidth, c.scales.attention, c.scales.logitCap) == (32, 1, 20))
    // Two kinds of 16 values, as halves, for keys and values.
    #expect(c.cacheBytes == 4 * 16 * 2 * 2)
  }

  /// `ModelConfigurationTests` takes them with all others.
  static let defects = [
    ModelConfigurationTests.Defect(
      architecture: .gemma4, key: "gemma4.attention.sliding_window_pattern", value: nil,
      message:
        "the metadata key 'gemma4.attention.sliding_window_pattern' is missing; convert the model again."
    ),
    ModelConfigurationTests.Defect(
      architecture: .gemma4, key: "gemma4.attention.sliding_window", value: nil,
      message:
        "the metadata key 'gemma4.attention.sliding_window' is missing; convert the model again."),
    ModelConfigurationTests.Defect(
      architecture: .gemma4, key: "gemma4.attention.shared_kv_layers", value: .uint32(2),
      message:
        "the metadata key 'gemma4.attention.shared_kv_layers' is 2, but layer 1 has no layer of its kind whose keys and values it could read."
    ),
    ModelConfigurationTests.Defect(
      architecture: .gemma4, key: "gemma4.attention.key_length_swa", value: .uint32(7),
      message: "the metadata key 'gemma4.attention.key_length_swa' is 7, but has to be even."),
    ModelConfigurationTests.Defect(
      architecture: .gemma4, key: "gemma4.attention.value_length_swa", value: .uint32(10),
      message:
        "the metadata key 'gemma4.attention.value_length_swa' is 10, but has to equal the key length of 8."
    ),
    ModelConfigurationTests.Defect(
      architecture: .gemma4, key: "gemma4.rope.dimension_count_swa", value: .uint32(16),
      message:
        "the metadata key 'gemma4.rope.dimension_count_swa' is 16, but has to be between 2 and 8."),
    ModelConfigurationTests.Defect(
      architecture: .gemma4, key: "gemma4.attention.head_count_kv", value: .integers([2, 3, 2]),
      message:
        "the metadata key 'gemma4.attention.head_count_kv' is 3, but has to divide the 4 query heads."
    ),
    ModelConfigurationTests.Defect(
      architecture: .gemma4, key: "gemma4.feed_forward_length", value: .integers([64, 64]),
      message:
        "the metadata key 'gemma4.feed_forward_length' is an array of 2, but has to have one value per layer."
    ),
    ModelConfigurationTests.Defect(
      architecture: .gemma4, key: "gemma4.feed_forward_length", value: .integers([64, 0, 64]),
      message:
        "the metadata key 'gemma4.feed_forward_length' is 0, but has to be between 1 and 4194304."),
  ]

  @Test(arguments: ["rope_freqs.weight", "blk.0.attn_v.weight", "blk.1.proj.weight"])
  func tensorsThatAreNeeded(name: String) throws {
    var tiny = TinyModel(.gemma4)
    tiny.tensors.removeAll { $0.name == name }
    #expect(
      throws: BaseModelError.missingTensor(file: folder.path("base.gguf"), tensor: name)
    ) { try tiny.open(in: folder) }
  }

  /// Some files have keys and values of layers that read those of others.
  @Test func whatALayerDoesNotReadChangesNothing() throws {
    var tiny = TinyModel(.gemma4)
    func logits() throws -> [Float]? {
      let session = try ModelSession(tiny.open(in: folder))
      try session.evaluate([1, 2, 3, 4])
      return session.logits
    }
    let expected = try logits()
    for (name, source) in [
      ("attn_k", "attn_k"), ("attn_v", "attn_v"), ("attn_k_norm", "attn_k_norm"),
    ] {
      let tensor = try #require(tiny.tensors.first { $0.name == "blk.0.\(source).weight" })
      tiny.tensors.append(("blk.2.\(name).weight", tensor.dimensions, tensor.values))
    }
    #expect(try logits() == expected)
  }

  /// The largest tables are embeddings, and what makes them is F16 at least.
  @Test func typesOfTheTensorsOfTokens() {
    let tensors = [
      ("token_embd.weight", [256, 32]), ("per_layer_token_embd.weight", [512, 32]),
      ("per_layer_model_proj.weight", [256, 512]), ("blk.0.inp_gate.weight", [256, 256]),
      ("per_layer_proj_norm.weight", [256]),
    ]
    func types(_ plan: TensorTypePlan) -> [TensorType] { plan.types(of: tensors) }
    #expect(types(.init(.q4_K_M)) == [.q6_K, .q6_K, .f16, .q4_K, .f32])
    #expect(types(.init(type: .f32)) == [.f32, .f32, .f32, .f32, .f32])
    #expect(types(.init(type: .q8_0, embedding: .q4_0)) == [.q4_0, .q4_0, .f16, .q8_0, .f32])
  }
}
