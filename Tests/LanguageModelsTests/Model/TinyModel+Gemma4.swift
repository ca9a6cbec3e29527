import TensorFiles
import TestSupport

@testable import LanguageModels

/// Layers that are not alike: every other one has a window, the first among them; those without have heads of twice the size,
/// one for keys, and no values. The last layer reads the keys and values of another, and is twice as wide.
extension TinyModel {
  private func hasWindow(_ layer: Int) -> Bool { layer.isMultiple(of: 2) }

  private func isShared(_ layer: Int, of layers: Int) -> Bool { layers > 2 && layer == layers - 1 }

  mutating func addUnlikeSettings(hidden: Int, keyValueHeads: Int, layers: Int) {
    guard
      case .uint32(let width)? = metadata.first(where: { $0.key == key("embedding_length") })?
        .value,
      case .uint32(let heads)? = metadata.first(where: { $0.key == key("attention.head_count") })?
        .value
    else { return }
    let size = width / heads
    func numbers(_ value: (Int) -> Int) -> GGUFValue {
      .integers((0..<layers).map { Int32(value($0)) })
    }
    set(key("feed_forward_length"), numbers { isShared($0, of: layers) ? 2 * hidden : hidden })
    set(key("attention.head_count_kv"), numbers { hasWindow($0) ? keyValueHeads : 1 })
    set(key("attention.shared_kv_layers"), .uint32(layers > 2 ? 1 : 0))
    set(key("attention.key_length"), .uint32(2 * size))
    set(key("attention.key_length_swa"), .uint32(size))
    set(key("attention.sliding_window"), .uint32(9))
    set(key("attention.sliding_window_pattern"), .bools((0..<layers).map(hasWindow)))
    set(key("embedding_length_per_layer_input"), .uint32(width))
    set(key("rope.freq_base_swa"), .float32(500))
    set(key("final_logit_softcapping"), .float32(20))
  }

  private func key(_ name: String) -> String { "\(architecture.rawValue).\(name)" }

  mutating func addTokenEmbeddings(
    _ width: Int, headSize: Int, layers: Int, _ vocabulary: Int, _ random: inout SeededGenerator
  ) {
    addMatrix("per_layer_token_embd.weight", vocabulary, layers * width, &random)
    addMatrix("per_layer_model_proj.weight", layers * width, width, &random)
    addVector("per_layer_proj_norm.weight", width, &random)
    let turned = [Float](repeating: 1, count: headSize / 2)
    let divisors = turned + [Float](repeating: 1e30, count: headSize - headSize / 2)
    tensors.append(("rope_freqs.weight", [headSize], divisors))
  }

  mutating func addUnlikeLayer(
    _ index: Int, of layers: Int, _ width: Int, heads: Int, _ keyValueHeads: Int, _ hidden: Int,
    _ random: inout SeededGenerator
  ) {
    let stem = "blk.\(index)."
    let size = width / heads * (hasWindow(index) ? 1 : 2)
    let hidden = isShared(index, of: layers) ? 2 * hidden : hidden
    addMatrix(stem + "attn_q.weight", heads * size, width, &random)
    addMatrix(stem + "attn_output.weight", width, heads * size, &random)
    addMatrix(stem + "ffn_gate.weight", hidden, width, &random)
    addMatrix(stem + "ffn_up.weight", hidden, width, &random)
    addMatrix(stem + "ffn_down.weight", width, hidden, &random)
    addMatrix(stem + "inp_gate.weight", width, width, &random)
    addMatrix(stem + "proj.weight", width, width, &random)
    for norm in ["post_attention_norm", "post_ffw_norm", "post_norm"] {
      addVector(stem + norm + ".weight", width, &random)
    }
    addVector(stem + "layer_output_scale.weight", 1, &random)
    addVector(stem + "attn_q_norm.weight", size, &random)
    guard !isShared(index, of: layers) else { return }
    let keyValueHeads = hasWindow(index) ? keyValueHeads : 1
    addMatrix(stem + "attn_k.weight", keyValueHeads * size, width, &random)
    addVector(stem + "attn_k_norm.weight", size, &random)
    if hasWindow(index) { addMatrix(stem + "attn_v.weight", keyValueHeads * size, width, &random) }
  }

  /// Five experts beside each network, of which a token takes two; gate and up are one tensor.
  static func parallelExperts(width: Int = 32, hidden: Int = 64, layers: Int = 3) -> TinyModel {
    var tiny = TinyModel(.gemma4, width: width, hidden: hidden, layers: layers)
    var random = SeededGenerator(seed: 9)
    let settings = [
      ("expert_count", 5), ("expert_used_count", 2), ("expert_feed_forward_length", hidden),
    ]
    for (name, value) in settings { tiny.set(tiny.key(name), .uint32(UInt32(value))) }
    for stem in (0..<layers).map({ "blk.\($0)." }) {
      tiny.addMatrix(stem + "ffn_gate_inp.weight", 5, width, &random)
      for (name, rows, columns) in [
        ("gate_up", 2 * hidden, width), ("down", width, hidden),
      ] {
        tiny.addMatrix(stem + "ffn_\(name)_exps.weight", 5 * rows, columns, &random)
        tiny.tensors[tiny.tensors.count - 1].dimensions = [columns, rows, 5]
      }
      tiny.addVector(stem + "ffn_down_exps.scale", 5, &random)
      for name in [
        "ffn_gate_inp.scale", "pre_ffw_norm_2.weight", "post_ffw_norm_1.weight",
        "post_ffw_norm_2.weight",
      ] {
        tiny.addVector(stem + name, width, &random)
      }
    }
    return tiny
  }
}
