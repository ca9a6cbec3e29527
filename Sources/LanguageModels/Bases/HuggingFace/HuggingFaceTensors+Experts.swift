import Kernels
import SystemFiles
import TensorFiles

extension HuggingFaceTensors {
  /// The experts of a layer, stacked: the source has each by itself, or all in two tensors with gate and up in one.
  mutating func addExperts(
    _ experts: ExpertSettings, _ block: String, _ place: String
  ) throws(BaseModelError) {
    let (count, hidden, width) = (experts.count, experts.hiddenWidth, configuration.width)
    try add(block + "ffn_gate_inp", from: place + "gate", [count, width])
    let stacked = prefix + place + "experts."
    if tensor(stacked + "gate_up_proj") != nil {
      let both = try find(stacked + "gate_up_proj", [count, 2 * hidden, width])
      let halves = both.bytes.parts(2 * count)
      for (name, first) in [("ffn_gate_exps", 0), ("ffn_up_exps", 1)] {
        let parts = stride(from: first, to: halves.count, by: 2).map { halves[$0] }
        append(block + name, [width, hidden, count], both.type, parts)
      }
      let down = try find(stacked + "down_proj", [count, width, hidden])
      return append(block + "ffn_down_exps", [hidden, width, count], down.type, [down.bytes])
    }
    let kinds = [("gate", hidden, width), ("up", hidden, width), ("down", width, hidden)]
    for (name, rows, columns) in kinds {
      var parts: [TensorBytes] = []
      var type: TensorType?
      for expert in 0..<count {
        let source = stacked + "\(expert).\(name)_proj.weight"
        let found = try find(source, [rows, columns])
        guard type ?? found.type == found.type else {
          throw .base(.unreadableType(tensor: source, type: found.type.name), file: files[0].path)
        }
        type = found.type
        parts.append(found.bytes)
      }
      append(block + "ffn_\(name)_exps", [columns, rows, count], type ?? .f32, parts)
    }
  }

  /// The experts beside a network, what chooses them, and the norms around both.
  mutating func addParallelExperts(
    _ experts: ExpertSettings, _ block: String, _ place: String
  ) throws(BaseModelError) {
    let (count, hidden, width) = (experts.count, experts.hiddenWidth, configuration.width)
    let router = prefix + place + "router."
    try add(block + "ffn_gate_inp", part: "weight", whole: router + "proj.weight", [count, width])
    try add(block + "ffn_gate_inp", part: "scale", whole: router + "scale", [width])
    try add(block + "ffn_down_exps", part: "scale", whole: router + "per_expert_scale", [count])
    for (name, source, shape) in [
      ("ffn_gate_up_exps", "gate_up_proj", [count, 2 * hidden, width]),
      ("ffn_down_exps", "down_proj", [count, width, hidden]),
    ] {
      try add(block + name, part: "weight", whole: prefix + place + "experts." + source, shape)
    }
    for (name, source) in [
      ("post_ffw_norm_1", "post_feedforward_layernorm_1"),
      ("pre_ffw_norm_2", "pre_feedforward_layernorm_2"),
      ("post_ffw_norm_2", "post_feedforward_layernorm_2"),
    ] {
      try addNorm(block + name, from: place + source, count: width)
    }
  }
}

extension TensorBytes {
  /// `count` parts of the same size.
  fileprivate func parts(_ count: Int) -> [TensorBytes] {
    let size = self.count / count
    return (0..<count).map { slice($0 * size..<($0 + 1) * size) }
  }
}
