import Fuzzing
import SystemFiles
import TensorFiles
import Tokenization

@testable import LanguageModels

/// Reads what stands in a folder of the hub; `files` are put there and all others removed.
private func examine(_ files: [String: [UInt8]]) throws {
  for name in [
    "config.json", "tokenizer.json", "tokenizer_config.json", "generation_config.json",
    "special_tokens_map.json", "added_tokens.json", "tokenizer.model", "chat_template.jinja",
  ] { Scratch.set(name, files[name]) }
  try BaseConverter(plan: TensorTypePlan(type: .q8_0)).examine(Scratch.folder)
}

private let llama = Array(
  #"""
  {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 8, "num_attention_heads": 2,
   "num_hidden_layers": 1, "intermediate_size": 16, "vocab_size": 40, "max_position_embeddings": 64,
   "num_key_value_heads": 1, "rms_norm_eps": 1e-5, "rope_theta": 10000}
  """#.utf8)
private let bytePieces = Array(
  #"{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}, "pre_tokenizer": {"type": "ByteLevel"}}"#
    .utf8)

private let parser = chosen([
  "sentencepiece": { bytes in _ = try SentencePieceModel(bytes: bytes, path: "tokenizer.model") },
  "tokenizer": { bytes in
    let file = try GGUFFile(bytes: TensorBytes(bytes), path: "m.gguf")
    let tokenizer = try Tokenizer(file)
    let tokens = tokenizer.encode("Hello, wörld 12 \u{1F600}\n<s> ab")
    _ = (tokenizer.decode(tokens), tokenizer.encode([0xFF, 0xC3, 0x28]))
    for token in 0..<Token(min(tokenizer.count, 64)) {
      _ = tokenizer.bytes(of: token, special: true)
    }
  },
  "base": { bytes in
    let file = try GGUFFile(bytes: TensorBytes(bytes), path: "m.gguf")
    let configuration = try ModelConfiguration(file)
    _ = try ModelWeights(file, configuration, outputs: nil)
  },
  "hub-config": { bytes in try examine(["config.json": bytes, "tokenizer.json": bytePieces]) },
  "hub-tokenizer": { bytes in try examine(["config.json": llama, "tokenizer.json": bytes]) },
  "hub-pieces": { bytes in try examine(["config.json": llama, "tokenizer.model": bytes]) },
  // A file a line.
  "hub-tokens": { bytes in
    let parts = lines(bytes, 4)
    var files = ["config.json": llama, "tokenizer.json": bytePieces]
    for (name, part) in zip(
      [
        "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
        "generation_config.json",
      ],
      parts) where !part.isEmpty
    { files[name] = part }
    try examine(files)
  },
  "importance": { bytes in
    let matrix = try ImportanceMatrix(path: Scratch.set("imatrix", bytes))
    for (name, entry) in matrix.entries {
      _ = try? matrix.columns(of: name, count: entry.sums.count)
    }
  },
])

/// What libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
public func take(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  feed(start, count, to: parser)
}
