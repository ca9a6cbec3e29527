import Foundation
import Kernels
import SystemFiles
import TensorFiles
import TestSupport
import Testing
import Tokenization

@testable import LanguageModels

/// What `tools/fixtures/make_hugging_face_fixtures.py` made: folders, and what llama.cpp's converter, `tokenizers`,
/// `sentencepiece` and transformers make of them.
@Suite struct HuggingFaceFolderTests {
  static let names = [
    "llama", "mistral", "qwen2", "qwen3-yarn", "phi3", "phi3-long", "smollm3", "gemma2", "gemma3",
    "granite", "qwen3moe", "lfm2", "qwen2-window", "qwen35", "gemma4", "gemma4-experts",
    "mistral-bytes", "mistral-plain",
  ]

  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func expected(_ name: String) throws -> [String: Any] {
    let url = Fixtures.url("LanguageModelsTests", "hugging-face/\(name).json")
    let json = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
    return try #require(json as? [String: Any])
  }

  private func convert(_ name: String, _ type: TensorType = .f16) throws -> BaseModel {
    let path = folder.path("base.gguf")
    try BaseConverter(plan: .init(type: type)).convert(
      Fixtures.path("LanguageModelsTests", "hugging-face/\(name)"), to: path)
    return try BaseModel(path: path)
  }

  /// Every tensor that llama.cpp writes, byte for byte, and no other; its divisors of frequencies to the last bit but one.
  @Test(arguments: names)
  func tensorsAreThoseOfLlamaCpp(name: String) throws {
    let file = try convert(name).file
    let tensors = try #require(try expected(name)["tensors"] as? [String: [Any]])
    #expect(Set(file.tensors.map(\.name)) == Set(tensors.keys))
    for tensor in file.tensors where tensor.name != "rope_freqs.weight" {
      let stated = try #require(tensors[tensor.name])
      #expect(stated[0] as? String == tensor.type.name, "\(tensor.name)")
      #expect(stated[1] as? [Int] == tensor.dimensions, "\(tensor.name)")
      #expect(stated[2] as? String == SHA256.hex(tensor.bytes), "\(tensor.name)")
    }
  }

  /// Keys that differ on purpose, or say what is the default.
  private static let ours: Set<String> = [
    // Where a value has a default in llama.cpp's converter or ours.
    "attention.key_length", "attention.value_length", "rope.dimension_count", "vocab_size",
    "rope.freq_base", "rope.freq_base_swa", "rope.scaling.type",
    // Windows that llama.cpp does not have.
    "attention.sliding_window", "attention.sliding_window_pattern",
    // What it takes from a name such as phi3.
    "tokenizer.fmadapter.lstrip_token_ids", "tokenizer.fmadapter.rstrip_token_ids",
    // What it counts from the architecture.
    "tokenizer.ggml.add_space_prefix", "tokenizer.ggml.remove_extra_whitespaces",
    "tokenizer.ggml.eot_token_id", "tokenizer.ggml.unknown_token_id",
    "tokenizer.ggml.add_bos_token", "tokenizer.ggml.add_eos_token",
  ]

  /// But where it takes bytes as a last resort for a byte-level vocabulary.
  @Test(arguments: names.filter { !["mistral-bytes", "mistral-plain"].contains($0) })
  func keysAreThoseOfLlamaCpp(name: String) throws {
    let file = try convert(name).file
    let keys = try #require(try expected(name)["keys"] as? [String: Any])
    for (key, stated) in keys {
      guard let value = file.metadata[key] else {
        // No window is none in a file that has no such key.
        if key.hasSuffix("sliding_window"), stated as? Int == 0 { continue }
        Issue.record("\(key) is missing, \(stated)")
        continue
      }
      switch (value, stated) {
      case (.array, _): continue
      case (.bool(let value), let stated as Bool): #expect(value == stated, "\(key)")
      case (.string(let bytes), let stated as String):
        #expect(String(decoding: bytes, as: UTF8.self) == stated, "\(key)")
      default:
        let (number, other) = (try #require(value.float), try #require(stated as? Double))
        #expect(abs(number - other) <= 1e-6 * abs(other), "\(key): \(number) for \(other)")
      }
    }
    let others = file.metadata.keys.filter { keys[$0] == nil && !$0.hasPrefix("general.") }
    for key in others where key != BaseSignature.key {
      let name = key.hasPrefix("tokenizer") ? key : String(key.drop { $0 != "." }.dropFirst())
      #expect(Self.ours.contains(name), "\(key) is not in llama.cpp's")
    }
  }

  @Test(arguments: names)
  func tokensAreThoseOfTheTokenizer(name: String) throws {
    let tokenizer = try convert(name).tokenizer()
    let texts = try #require(try expected(name)["tokens"] as? [[Any]])
    #expect(texts.count > 30)
    for entry in texts {
      let text = try #require(entry[0] as? String)
      let tokens = try #require(entry[1] as? [Int])
      let found = tokenizer.encode(text, special: false).map(Int.init)
      #expect(found == tokens, "\(text.debugDescription)")
    }
  }

  /// Also where the vocabulary lacks the byte.
  @Test(arguments: names)
  func noByteOfATextIsAMark(name: String) throws {
    let tokenizer = try convert(name).tokenizer()
    for byte in UInt8.min ... .max {
      for token in tokenizer.encode([0x78, byte, 0x79], special: false) {
        let name = String(decoding: tokenizer.bytes(of: token, special: true), as: UTF8.self)
        #expect(name == "<unk>" || !tokenizer.bytes(of: token).isEmpty, "\(byte) is \(name)")
      }
    }
  }

  @Test(arguments: names)
  func logitsAreThoseOfTransformers(name: String) throws {
    let model = try convert(name)
    let stated = try expected(name)
    let prompt = try #require(stated["prompt"] as? [Int]).map(Int32.init)
    let logits = try #require(stated["logits"] as? [[Double]]).map { $0.map(Float.init) }
    let worst = try worstDifference(ModelSession(model), prompt, logits)
    #expect(worst < 1e-3, "worst \(worst)")
  }

  @Test func signaturesAndTypes() throws {
    let first = try convert("granite", .q8_0)
    #expect(first.file.tensors.contains { $0.type == .q8_0 })
    let signature = try first.signature()
    #expect(try convert("granite", .f32).signature() == signature)
    #expect(try convert("qwen3-yarn").signature() != signature)
    #expect(signature.count == 40)
  }
}

/// Folders of models with experts.
@Suite struct HuggingFaceExpertsTests {
  let folder: CheckpointFolder

  init() throws { folder = try CheckpointFolder("qwen3moe") }

  /// transformers keeps all experts of a layer in two tensors, and some folders have them so.
  @Test func stackedExpertsAreTheSame() throws {
    let expected = try folder.convert(.f16).tensors
    let path = folder.path + "/model.safetensors"
    let file = try SafetensorsFile(path: path)
    var writer = SafetensorsWriter()
    func bytes(_ layer: Int, _ expert: Int, _ kind: String) throws -> [UInt8] {
      let name = "model.layers.\(layer).mlp.experts.\(expert).\(kind)_proj.weight"
      return try #require(file.tensor(named: name)).bytes.array
    }
    for tensor in file.tensors where !tensor.name.contains("experts") {
      writer.append(tensor.name, tensor.type, shape: tensor.shape, TensorBytes(tensor.bytes.array))
    }
    for layer in 0..<3 {
      let stem = "model.layers.\(layer).mlp.experts."
      let both = try (0..<8).flatMap { try bytes(layer, $0, "gate") + bytes(layer, $0, "up") }
      writer.append(stem + "gate_up_proj", .bfloat16, shape: [8, 48, 32], TensorBytes(both))
      let down = try (0..<8).flatMap { try bytes(layer, $0, "down") }
      writer.append(stem + "down_proj", .bfloat16, shape: [8, 32, 24], TensorBytes(down))
    }
    try writer.write(to: path)
    let found = try folder.convert(.f16)
    #expect(found.tensors.count == expected.count)
    for tensor in expected {
      let other = try #require(found.tensor(named: tensor.name))
      #expect(tensor.dimensions == other.dimensions && tensor.type == other.type)
      #expect(tensor.bytes.array == other.bytes.array, "\(tensor.name)")
    }
  }

  /// Published settings say `num_experts`; weights that do not add up to one are said to the base.
  @Test func settingsMayHaveOtherNames() throws {
    #expect(try folder.convert().metadata.bool("qwen3moe.expert_weights_norm") == nil)
    try folder.edit("config.json", "\"num_local_experts\"", "\"num_experts\"")
    try folder.edit("config.json", "\"norm_topk_prob\": true", "\"norm_topk_prob\": false")
    #expect(try folder.convert().metadata.bool("qwen3moe.expert_weights_norm") == false)
  }
}

/// Folders that something is wrong with.
@Suite struct BrokenHuggingFaceFolderTests {
  static let edits: [(String, String, String, String, String)] = [
    (
      "qwen2", "config.json", "\"qwen2\"", "\"mamba\"",
      "config.json: models of type “mamba” cannot be converted; use one of gemma2, gemma3, gemma3_text, gemma4, gemma4_text, granite, lfm2, llama, mistral, phi3, qwen2, qwen3, qwen3_5, qwen3_5_text, qwen3_moe or smollm3"
    ),
    (
      "qwen2", "config.json", "\"hidden_act\": \"silu\"", "\"hidden_act\": \"relu\"",
      "config.json: the setting “hidden_act” is “relu”, not “silu”; convert another model, as this program runs none with that"
    ),
    (
      "qwen2", "config.json", "\"rope_type\": \"default\"", "\"rope_type\": \"proportional\"",
      "config.json: the setting “rope_type” is “proportional”; convert another model, as this program runs none with that"
    ),
    (
      "qwen2", "config.json", "\"rope_type\": \"default\"",
      "\"rope_type\": \"dynamic\", \"alpha\": 1000.0",
      "config.json: the setting “alpha” is there; convert another model, as this program runs none with that"
    ),
    (
      "qwen2", "config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1",
      "model-00003-of-00003.safetensors: tensor “model.layers.1.input_layernorm.weight” has no place in such a model; remove it, or convert with a newer version"
    ),
    (
      "qwen2", "config.json", "\"intermediate_size\": 88", "\"intermediate_size\": 80",
      "model-00002-of-00003.safetensors: tensor “model.layers.0.mlp.gate_proj.weight” has the shape [88, 48] where config.json asks for [80, 48]; use the files of one checkpoint"
    ),
    (
      "qwen2", "model.safetensors.index.json", "model-00001-of", "../model-00001-of",
      "model.safetensors.index.json: the setting “weight_map” names “../model-00001-of-00003.safetensors”, which is no file of this folder; save the checkpoint again"
    ),
    (
      "qwen2", "tokenizer.json", "\"use_regex\": false", "\"use_regex\": true",
      #"tokenizer.json: the tokenizer uses a way to cut texts that no supported model has: Split at “(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+”, then ByteLevel with use_regex true, which is not supported; install a GGUF file of this model, or convert another model"#
    ),
    (
      "qwen2", "tokenizer.json", "\"type\": \"BPE\"", "\"type\": \"WordPiece\"",
      "tokenizer.json: the tokenizer is a model of type WordPiece, and only byte-pair encoding (BPE) is supported; convert another model"
    ),
    (
      "qwen3moe", "config.json", "\"decoder_sparse_step\": 1", "\"decoder_sparse_step\": 2",
      "config.json: the setting “decoder_sparse_step” asks for layers without experts; convert another model, as this program runs none with that"
    ),
    (
      "qwen3moe", "config.json", "\"mlp_only_layers\": []", "\"mlp_only_layers\": [1]",
      "config.json: the setting “mlp_only_layers” asks for layers without experts; convert another model, as this program runs none with that"
    ),
    (
      "qwen3moe", "config.json", "\"num_experts_per_tok\": 3", "\"num_experts_per_tok\": 9",
      "config.json: the setting “num_experts_per_tok” is 9 instead of 1 to 8; save the checkpoint again"
    ),
    (
      "qwen3moe", "config.json", "\"num_local_experts\"", "\"experts\"",
      "config.json: the setting “num_local_experts” is missing; save the checkpoint again"
    ),
    // Experts beside a network.
    (
      "gemma4-experts", "config.json", "\"enable_moe_block\": true", "\"enable_moe_block\": false",
      "model.safetensors: tensor “model.layers.0.experts.down_proj” has no place in such a model; remove it, or convert with a newer version"
    ),
    (
      "gemma4-experts", "config.json", "\"top_k_experts\": 2",
      "\"top_k_experts\": 2, \"top_k_experts\": 3",
      "config.json: the setting “top_k_experts” stands twice; save the checkpoint again"
    ),
    (
      "gemma4-experts", "config.json", "\"partial_rotary_factor\": 0.5",
      "\"partial_rotary_factor\": 1e30",
      "config.json: the setting “partial_rotary_factor” turns no part of a head; save the checkpoint again"
    ),
    (
      "gemma4-experts", "config.json", "\"top_k_experts\": 2", "\"top_k_experts\": 5",
      "config.json: the setting “top_k_experts” is 5 instead of 1 to 4; save the checkpoint again"
    ),
    (
      "gemma4-experts", "config.json", "\"num_experts\": 4", "\"num_experts\": null",
      "config.json: the setting “num_experts” is not a whole number; save the checkpoint again"
    ),
    (
      "gemma4-experts", "config.json", "\"moe_intermediate_size\": 12",
      "\"moe_intermediate_size\": 10",
      "model.safetensors: tensor “model.layers.0.experts.gate_up_proj” has the shape [4, 24, 16] where config.json asks for [4, 20, 16]; use the files of one checkpoint"
    ),
    // Steps before merging that SentencePiece does not have.
    (
      "mistral-plain", "tokenizer.json", "\"type\": \"Split\"", "\"type\": \"Whitespace\"",
      "tokenizer.json: the tokenizer uses the step Whitespace before merging, which is not supported; \(remedyForTokenizers)"
    ),
    (
      "mistral-plain", "tokenizer.json", "\"content\": \"▁\"", "\"content\": \"_\"",
      "tokenizer.json: the tokenizer uses the step Replace before merging, which is not supported; \(remedyForTokenizers)"
    ),
    (
      "mistral-plain", "tokenizer.json", "\"type\": \"BPE\"", "\"type\": \"Unigram\"",
      "tokenizer.json: the tokenizer is a model of type Unigram, and only byte-pair encoding (BPE) is supported; convert another model"
    ),
  ]

  @Test(arguments: edits)
  func defectsAreNamed(
    model: String, file: String, old: String, new: String, message: String
  ) throws {
    let folder = try CheckpointFolder(model)
    try folder.edit(file, old, new)
    #expect(folder.failure() == message)
    #expect(FileSystem.kind(of: folder.folder.path("base.gguf")) == nil)
  }

  /// Dynamic scaling begins behind the context that is stated.
  @Test func dynamicScalingChangesNothingWithin() throws {
    let folder = try CheckpointFolder("qwen2")
    let before = try folder.convert().metadata
    try folder.edit(
      "config.json", "\"rope_type\": \"default\"", "\"rope_type\": \"dynamic\", \"factor\": 4.0")
    let after = try folder.convert().metadata
    #expect(after.keys == before.keys)
    #expect(try after.float("qwen2.rope.freq_base") == 1_000_000)
  }

  @Test func missingFilesAreNamed() throws {
    let folder = try CheckpointFolder("qwen2")
    try FileManager.default.removeItem(atPath: folder.path + "/tokenizer.json")
    #expect(
      folder.failure()
        == "\(folder.path): there is neither tokenizer.json nor tokenizer.model; copy them from where the model comes from"
    )
    try FileManager.default.removeItem(atPath: folder.path + "/model.safetensors.index.json")
    #expect(
      folder.failure()
        == "\(folder.path): there is neither model.safetensors nor model.safetensors.index.json; save the model as safetensors, or convert another folder"
    )
  }
}
