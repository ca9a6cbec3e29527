/// Settings that folders may leave out, and that a base without them would have otherwise.
extension Architecture {
  /// What `setting` is in transformers' class of the family; nil where a base has the same.
  func unstated(_ setting: String) -> Double? {
    switch (setting, self) {
    case ("query_pre_attn_scalar", .gemma2), ("query_pre_attn_scalar", .gemma3): 256
    case ("sliding_window", .gemma2), ("sliding_window", .gemma3): 4096
    case ("sliding_window", .gemma4): 512
    // Of Mistral's models, as those of Llama have none; and of Qwen's that use one.
    case ("sliding_window", .llama), ("sliding_window", .qwen2), ("sliding_window", .qwen3),
      ("sliding_window", .qwen3moe):
      4096
    case ("attention_multiplier", .granite): 1
    case ("original_max_position_embeddings", .phi3): 4096
    case ("rope_theta", .gemma3), ("rope_theta", .lfm2): 1_000_000
    case ("rope_theta", .smollm3): 2_000_000
    default: nil
    }
  }
}
