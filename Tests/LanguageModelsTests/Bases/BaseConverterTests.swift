import Foundation
import Kernels
import SystemFiles
import TensorFiles
import TestSupport
import Testing
import Tokenization

@testable import LanguageModels

@Suite struct BaseConverterTests {
  let folder: TemporaryDirectory
  let source: String

  init() throws {
    folder = try TemporaryDirectory()
    source = try folder.copy(Fixtures.url("LanguageModelsTests", "afm-tiny"), to: "afm-tiny")
  }

  private func convert(
    _ type: TensorType = .f32, embedding: TensorType? = nil
  ) throws -> GGUFFile {
    let output = folder.path("base.gguf")
    try BaseConverter(plan: .init(type: type, embedding: embedding)).convert(source, to: output)
    return try GGUFFile(path: output)
  }

  private func failure(_ body: () throws -> Void) -> String {
    do { try body() } catch { return "\(error)".replacing(source + "/", with: "") }
    return "no error"
  }

  @Test func writesHyperparameters() throws {
    let metadata = try convert().metadata
    #expect(try metadata.string("general.architecture") == "afm")
    #expect(try metadata.string("general.name") == "afm-tiny")
    #expect(try metadata.integer("general.file_type") == 0)
    #expect(metadata["general.quantization_version"] == nil)
    let integers = [
      "vocab_size": 512, "context_length": 4096, "embedding_length": 64, "block_count": 5,
      "feed_forward_length": 208, "attention.head_count": 4, "attention.head_count_kv": 2,
      "attention.key_length": 16, "attention.value_length": 16, "rope.dimension_count": 16,
      "attention.shared_kv_layers": 2,
    ]
    for (key, value) in integers { #expect(try metadata.integer("afm." + key) == value, "\(key)") }
    #expect(try metadata.float("afm.rope.freq_base") == 500_000)
    #expect(try metadata.float("afm.attention.layer_norm_rms_epsilon") == Double(Float(1e-5)))
    #expect(try metadata.string("tokenizer.ggml.model") == "none")
  }

  @Test func stampsTheDigestOfTheWeights() throws {
    for type in [TensorType.f32, .q8_0] {
      #expect(
        BaseSignature.compute(try convert(type)) == "808de18c9c13f789b90640c7fa5f5dda1b81a1b9")
    }
  }

  @Test func splitsAndReordersQueriesAndKeys() throws {
    let file = try convert()
    let checkpoint = try SafetensorsFile(path: source + "/base.safetensors")
    let fused = try #require(
      checkpoint.tensor(
        named: "layers.segment_0.layer_1.attention.qkv_transform.fused_linear.weight")
    ).bytes
    let row = 64 * 4
    let query = try #require(file.tensor(named: "blk.1.attn_q.weight"))
    #expect(query.dimensions == [64, 64])
    // Head 2, second half, pair 3: checkpoint row 2 * 16 + 2 * 3 + 1.
    let place = 2 * 16 + 8 + 3
    #expect(
      query.bytes.slice(place * row..<(place + 1) * row).array
        == fused.slice(39 * row..<40 * row).array)
    let key = try #require(file.tensor(named: "blk.1.attn_k.weight"))
    #expect(key.dimensions == [64, 32])
    #expect(
      key.bytes.slice(row..<2 * row).array == fused.slice((64 + 2) * row..<(64 + 3) * row).array)
    let value = try #require(file.tensor(named: "blk.1.attn_v.weight"))
    #expect(value.bytes.array == fused.slice(96 * row..<128 * row).array)
  }

  @Test func reordersTheNormsOfHeads() throws {
    let file = try convert()
    let checkpoint = try SafetensorsFile(path: source + "/base.safetensors")
    for (name, original) in [
      ("blk.0.attn_q_norm", "layers.segment_0.layer_0.attention.qk_norm.query_norm"),
      ("blk.0.attn_k_norm", "layers.segment_0.layer_0.attention.qk_norm.key_norm"),
      ("blk.4.attn_q_norm", "layers.segment_1.layer_1.attention.q_norm.query_norm"),
    ] {
      let ours = try #require(file.tensor(named: name + ".weight")).bytes
      let theirs = try #require(checkpoint.tensor(named: original + ".weight")).bytes
      let values = dequantize(.f32, bytes: theirs)
      let first = stride(from: 0, to: 16, by: 2).map { values[$0] }
      let second = stride(from: 1, to: 16, by: 2).map { values[$0] }
      #expect(dequantize(.f32, bytes: ours) == first + second)
    }
  }

  @Test func keysAndValuesEndWithTheRegularLayers() throws {
    let file = try convert()
    #expect(file.tensors.count == 3 * 11 + 2 * 8 + 2)
    #expect(file.tensor(named: "blk.2.attn_v.weight") != nil)
    #expect(file.tensor(named: "blk.3.attn_v.weight") == nil)
    #expect(file.tensor(named: "blk.3.attn_k_norm.weight") == nil)
  }

  @Test func quantizesMatricesOnly() throws {
    let file = try convert(.q4_0, embedding: .q8_0)
    #expect(file.tensor(named: "token_embd.weight")?.type == .q8_0)
    #expect(file.tensor(named: "blk.0.attn_q.weight")?.type == .q4_0)
    #expect(file.tensor(named: "blk.0.attn_q_norm.weight")?.type == .f32)
    // 208 columns are no whole number of blocks.
    #expect(file.tensor(named: "blk.0.ffn_down.weight")?.type == .f16)
    #expect(try file.metadata.integer("general.file_type") == 2)
    #expect(try file.metadata.integer("general.quantization_version") == 2)
  }

  @Test func sameSourceSameBytes() throws {
    _ = try convert(.q4_0)
    let first = try FileSystem.read(folder.path("base.gguf"), limit: 1 << 24)
    _ = try convert(.q4_0)
    #expect(try FileSystem.read(folder.path("base.gguf"), limit: 1 << 24) == first)
  }

  @Test func refusesMorePiecesThanRows() throws {
    let model = try Fixtures.bytes("ChatTemplatesTests", "afm-chat/tokenizer.model")
    try folder.write(model, to: "afm-tiny/tokenizer.model")
    #expect(
      failure { _ = try convert() }
        == "tokenizer.model: the tokenizer has 4,096 pieces, more than the vocabulary of 512; "
        + "use the files of one checkpoint")
  }

  @Test func addsATokenizerThatCanBeUsed() throws {
    try folder.write(
      Fixtures.bytes("ChatTemplatesTests", "afm-chat/tokenizer.model"),
      to: "afm-tiny/tokenizer.model")
    let config = try String(contentsOfFile: source + "/config.json", encoding: .utf8)
    try folder.write(
      config.replacing("\"vocab_size\": 512", with: "\"vocab_size\": 4100"),
      to: "afm-tiny/config.json")
    try rewrite(change: { name, shape, bytes in
      guard name == "embedding.weight" else { return }
      shape[0] = 4100
      bytes = [UInt8](repeating: 0, count: 4100 * 64 * 4)
    })
    let file = try convert(.q8_0)
    let tokenizer = try Tokenizer(file)
    #expect(tokenizer.count == 4100)
    #expect(tokenizer.decode(tokenizer.encode("Tag this note")) == "Tag this note")
    let template = try file.metadata.string("tokenizer.chat_template")
    #expect(template?.contains("<turn_start>") == true)
  }

  @Test func reportsProgress() throws {
    var steps: [BaseProgress] = []
    try BaseConverter(plan: .init(type: .f16)).convert(
      source, to: folder.path("out"), progress: { steps.append($0) })
    #expect(steps.first?.tensor == "token_embd.weight")
    #expect(steps.first?.done == 0)
    #expect(steps.last?.done == steps.last?.total)
    #expect(steps.map(\.done) == steps.map(\.done).sorted())
  }

  @Test func leavesNothingWhenCancelled() throws {
    var asked = 0
    #expect(throws: BaseModelError.cancelled) {
      try BaseConverter(plan: .init(type: .f16)).convert(
        source, to: folder.path("out"),
        isCancelled: {
          asked += 1
          return asked == 7
        })
    }
    #expect(asked == 7)
    #expect(try FileSystem.list(folder.path).map(\.name) == ["afm-tiny"])
  }

  /// One wrong thing in the checkpoint, and the text that names it.
  @Test(arguments: [
    (
      "qkv_transform.fused_linear.weight",
      "tensor “layers.segment_0.layer_0.attention."
        + "qkv_transform.fused_linear.weight” is missing; save the checkpoint again"
    ),
    ("output_norm.weight", "tensor “output_norm.weight” is missing; save the checkpoint again"),
  ])
  func namesAMissingTensor(part: String, text: String) throws {
    try rewrite(names: { $0.hasSuffix(part) ? [] : [$0] })
    #expect(failure { _ = try convert() } == "base.safetensors: " + text)
  }

  @Test func namesAnUnknownTensor() throws {
    try rewrite(names: { $0 == "output_norm.weight" ? [$0, "extra"] : [$0] })
    #expect(
      failure { _ = try convert() }
        == "base.safetensors: tensor “extra” has no place in such a model; remove it, or convert "
        + "with a newer version")
  }

  @Test func namesAValueThatIsNotFinite() throws {
    try rewrite(change: { name, _, bytes in
      if name == "embedding.weight" { bytes.replaceSubrange(40..<44, with: [0, 0, 0x80, 0x7F]) }
    })
    #expect(
      failure { _ = try convert(.q8_0) }
        == "base.safetensors: value 10 of tensor “token_embd.weight” is infinite or not a number; "
        + "the model is damaged")
  }

  /// Writes the weights again under the names that `names` gives for each, its contents changed by `change`.
  private func rewrite(
    names: (String) -> [String] = { [$0] },
    change: (String, inout [Int], inout [UInt8]) -> Void = { _, _, _ in }
  ) throws {
    let file = try SafetensorsFile(path: source + "/base.safetensors")
    var writer = SafetensorsWriter()
    for tensor in file.tensors {
      var bytes = tensor.bytes.array
      var shape = tensor.shape
      change(tensor.name, &shape, &bytes)
      for name in names(tensor.name) {
        writer.append(name, tensor.type, shape: shape, TensorBytes(bytes))
      }
    }
    try writer.write(to: source + "/base.safetensors")
  }
}

@Suite struct RotaryOrderTests {
  @Test func putsFirstRowsBeforeSecondOnes() {
    let order = RotaryOrder(headSize: 6)
    #expect((0..<12).map(order.source) == [0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11])
  }

  @Test(arguments: [2, 16, 128])
  func isAPermutation(headSize: Int) {
    let order = RotaryOrder(headSize: headSize)
    #expect(Set((0..<3 * headSize).map(order.source)) == Set(0..<3 * headSize))
  }
}
