import Kernels

extension ExpertMatrices {
  /// The experts that the file has one behind the other, gate and up in one tensor or in two.
  init(
    _ prefix: String, _ finder: inout TensorFinder, _ settings: ExpertSettings, width: Int
  ) throws(BaseModelError) {
    let (count, hidden) = (settings.count, settings.hiddenWidth)
    func matrices(
      _ name: String, _ rows: Int, _ columns: Int, _ finder: inout TensorFinder
    ) throws(BaseModelError) -> [WeightMatrix] {
      try finder.matrices(prefix + name + ".weight", count: count, rows: rows, columns: columns)
    }
    let router = try finder.matrix(prefix + "ffn_gate_inp.weight", rows: count, columns: width)
    let (gate, up): ([WeightMatrix], [WeightMatrix])
    if finder.has(prefix + "ffn_gate_up_exps.weight") {
      let both = try matrices("ffn_gate_up_exps", 2 * hidden, width, &finder)
      gate = both.map { $0.slice(rows: 0..<hidden) }
      up = both.map { $0.slice(rows: hidden..<2 * hidden) }
    } else {
      gate = try matrices("ffn_gate_exps", hidden, width, &finder)
      up = try matrices("ffn_up_exps", hidden, width, &finder)
    }
    let scales = prefix + "ffn_down_exps.scale"
    self.init(
      router: router, gate: gate, up: up,
      down: try matrices("ffn_down_exps", width, hidden, &finder),
      used: settings.used, normalizes: settings.normalizes,
      scales: finder.has(scales) ? try finder.vector(scales, count: count).values : nil)
  }
}

extension ParallelExperts {
  init(
    _ prefix: String, _ finder: inout TensorFinder, _ settings: ExpertSettings, width: Int
  ) throws(BaseModelError) {
    func norm(
      _ name: String, _ finder: inout TensorFinder
    ) throws(BaseModelError) -> FloatVector {
      try finder.vector(prefix + name, count: width)
    }
    experts = try ExpertMatrices(prefix, &finder, settings, width: width)
    let factor = 1 / Float(width).squareRoot()
    let scale = try norm("ffn_gate_inp.scale", &finder)
    routerNorm = FloatVector(scale.values.map { $0 * factor })
    inputNorm = try norm("pre_ffw_norm_2.weight", &finder)
    resultNorm = try norm("post_ffw_norm_2.weight", &finder)
    networkNorm = try norm("post_ffw_norm_1.weight", &finder)
  }
}
