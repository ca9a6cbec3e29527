import JSON
import Kernels

extension CheckpointSettings {
  /// The width inside the feed-forward network of LFM 2, which is stated before it is made smaller and rounded.
  func hiddenWidthOfLFM() throws(BaseModelError) -> Int {
    let stated = try integer(
      has("block_ff_dim") ? "block_ff_dim" : "intermediate_size", in: 1...1 << 22)
    guard bool("block_auto_adjust_ff_dim") ?? true else { return stated }
    let factor = try number("block_ffn_dim_multiplier", default: 1)
    let multiple = try integer("block_multiple_of", in: 1...1 << 20, default: 256)
    let width = Int(min(max(factor * Double(2 * stated / 3), 1), Double(1 << 22)))
    return (width + multiple - 1) / multiple * multiple
  }
}

extension ConvolutionSettings {
  /// Reads and bounds the settings.
  init(_ settings: CheckpointSettings, layers: Int) throws(BaseModelError) {
    guard settings.bool("conv_bias") != true else {
      throw settings.unsupported("conv_bias", "asks for biases of convolutions")
    }
    let without: Set<Int>
    if let types = settings.value("layer_types")?.array {
      guard types.count == layers else {
        throw settings.bad("layer_types", "has \(types.count) values for \(layers) layers")
      }
      without = Set(types.indices.filter { types[$0].string == "conv" })
    } else {
      let others = settings.value("full_attn_idxs")?.array?.compactMap(\.integer)
      without = Set(0..<layers).subtracting(others ?? Array(0..<layers))
    }
    guard !without.isEmpty, without.count < layers else {
      throw settings.unsupported("layer_types", "has no convolution, or no attention")
    }
    self.init(taps: try settings.integer("conv_L_cache", in: 2...64, default: 3), layers: without)
  }
}

extension DeltaRuleSettings {
  /// Reads and bounds the settings.
  init(_ settings: CheckpointSettings, layers: Int) throws(BaseModelError) {
    let interval = try settings.integer("full_attention_interval", in: 1...4096, default: 4)
    var without = Set((0..<layers).filter { !($0 + 1).isMultiple(of: interval) })
    if let types = settings.value("layer_types")?.array {
      guard types.count == layers else {
        throw settings.bad("layer_types", "has \(types.count) values for \(layers) layers")
      }
      without = Set(types.indices.filter { types[$0].string == "linear_attention" })
    }
    let limit = DeltaShape.largestHead
    let keyHeads = try settings.integer("linear_num_key_heads", in: 1...4096)
    let keySize = try settings.integer("linear_key_head_dim", in: 2...limit)
    let valueHeads = try settings.integer("linear_num_value_heads", in: 1...4096)
    guard keySize.isMultiple(of: 2) else {
      throw settings.bad("linear_key_head_dim", "is \(keySize), which is odd")
    }
    guard valueHeads.isMultiple(of: keyHeads) else {
      throw settings.bad("linear_num_value_heads", "is no multiple of \(keyHeads)")
    }
    self.init(
      keyHeads: keyHeads, keySize: keySize, valueHeads: valueHeads,
      valueSize: try settings.integer("linear_value_head_dim", in: 1...limit),
      taps: try settings.integer("linear_conv_kernel_dim", in: 2...64), layers: without)
  }
}

extension ExpertSettings {
  /// Reads and bounds the settings; all layers have to have experts.
  init(_ settings: CheckpointSettings) throws(BaseModelError) {
    let name = settings.has("num_experts") ? "num_experts" : "num_local_experts"
    let count = try settings.integer(name, in: 1...4096)
    let step = try settings.integer("decoder_sparse_step", in: 0...4096, default: 1)
    guard step == 1 else {
      throw settings.unsupported("decoder_sparse_step", "asks for layers without experts")
    }
    guard settings.value("mlp_only_layers")?.array?.isEmpty ?? true else {
      throw settings.unsupported("mlp_only_layers", "asks for layers without experts")
    }
    self.init(
      count: count, used: try settings.integer("num_experts_per_tok", in: 1...count),
      hiddenWidth: try settings.integer("moe_intermediate_size", in: 1...1 << 22),
      normalizes: settings.bool("norm_topk_prob") ?? false)
  }

  /// Those beside the networks of Gemma 4; nil where it has none.
  init?(beside settings: CheckpointSettings) throws(BaseModelError) {
    guard settings.bool("enable_moe_block") == true else { return nil }
    let count = try settings.integer("num_experts", in: 1...4096)
    self.init(
      count: count, used: try settings.integer("top_k_experts", in: 1...count),
      hiddenWidth: try settings.integer("moe_intermediate_size", in: 1...1 << 22),
      normalizes: true)
  }
}
