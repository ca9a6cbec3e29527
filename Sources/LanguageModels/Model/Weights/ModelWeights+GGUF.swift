import Kernels
import TensorFiles

extension ModelWeights {
  /// Finds the tensors of `file` and compares each with the shape that `configuration` gives it.
  ///
  /// - Throws: `BaseModelError` for a tensor that is missing, of another shape or type, or unknown: an
  ///   ignored tensor would be a model that silently computes something else.
  ///
  /// A draft may have fewer `outputs` than tokens.
  init(
    _ file: GGUFFile, _ configuration: ModelConfiguration, outputs: Int? = nil
  ) throws(BaseModelError) {
    var finder = TensorFinder(file)
    let (width, vocabulary) = (configuration.width, configuration.vocabularySize)
    embedding = try finder.matrix("token_embd.weight", rows: vocabulary, columns: width)
    var layers: [LayerWeights] = []
    for index in 0..<configuration.layers {
      layers.append(try LayerWeights(index, &finder, configuration))
    }
    self.layers = layers
    // Files of Ollama have the usual name.
    let norm = [configuration.architecture.outputNorm, "output_norm"].map { $0 + ".weight" }
    outputNorm = try finder.vector(norm.first(where: finder.has) ?? norm[0], count: width)
    output =
      outputs != nil || finder.has("output.weight")
      ? try finder.matrix("output.weight", rows: outputs ?? vocabulary, columns: width) : embedding
    rotary = try RotaryTables(
      configuration.rotary, &finder, needsDivisors: configuration.hasUnturnedValues)
    tokens = try configuration.tokenWidth.map { (each) throws(BaseModelError) in
      try TokenEmbedding(configuration, each, &finder)
    }
    let behind = configuration.layers..<configuration.layers + configuration.blocksBehind
    try finder.refuseOthers(but: behind)
  }
}

extension TokenEmbedding {
  fileprivate init(
    _ c: ModelConfiguration, _ width: Int, _ finder: inout TensorFinder
  ) throws(BaseModelError) {
    let all = c.layers * width
    table = try finder.matrix("per_layer_token_embd.weight", rows: c.vocabularySize, columns: all)
    projection = try finder.matrix("per_layer_model_proj.weight", rows: all, columns: c.width)
    norm = try finder.vector("per_layer_proj_norm.weight", count: width)
  }
}

extension ModelConfiguration {
  /// Whether heads of layers without a window turn in part, which their divisors say.
  fileprivate var hasUnturnedValues: Bool {
    architecture == .gemma4 && attention.contains { $0.rotation == .main }
  }
}

extension RotaryTables {
  /// The tables that `settings` ask for, with the file's own divisors.
  fileprivate init(
    _ settings: RotarySettings, _ finder: inout TensorFinder, needsDivisors: Bool
  ) throws(BaseModelError) {
    let ones = [Float](repeating: 1, count: settings.size / 2)
    func table(_ divisors: [Float], magnitude: Float = 1) -> RotaryTable {
      RotaryTable(
        size: settings.size, base: settings.base, divisors: divisors, magnitude: magnitude)
    }
    let localSize = settings.localSize ?? settings.size
    let local = settings.localBase.map {
      RotaryTable(
        size: localSize, base: $0, divisors: [Float](repeating: 1, count: localSize / 2))
    }
    switch settings.scaling {
    case .linear(let factor):
      let own =
        needsDivisors || finder.has("rope_freqs.weight")
        ? try finder.vector("rope_freqs.weight", count: ones.count).values : ones
      self.init(short: table(own.map { $0 * factor }), local: local)
    case .yarn(let yarn):
      let divisors = yarn.divisors(size: settings.size, base: settings.base)
      self.init(short: table(divisors, magnitude: yarn.magnitude), local: local)
    case .long(let length, let magnitude):
      let short = try finder.vector("rope_factors_short.weight", count: ones.count).values
      let long = try finder.vector("rope_factors_long.weight", count: ones.count).values
      self.init(
        short: table(short, magnitude: magnitude),
        long: (table(long, magnitude: magnitude), above: length), local: local)
    }
  }
}

extension LayerWeights {
  fileprivate init(
    _ index: Int, _ finder: inout TensorFinder, _ configuration: ModelConfiguration
  ) throws(BaseModelError) {
    let c = configuration
    let prefix = "blk.\(index)."
    attentionNorm = try finder.vector(prefix + "attn_norm.weight", count: c.width)
    if let delta = c.deltaRule, delta.layers.contains(index) {
      mixer = .delta(try DeltaWeights(prefix, &finder, delta, width: c.width))
      output = try finder.projection(
        prefix + "ssm_out", rows: c.width, columns: delta.shape.valueWidth)
    } else if !c.hasAttention(layer: index) {
      mixer = .convolution(try ConvolutionWeights(prefix, &finder, c))
      output = try finder.projection(
        prefix + "shortconv.out_proj", rows: c.width, columns: c.width)
    } else {
      mixer = .attention(try AttentionWeights(index, &finder, c))
      output = try finder.projection(
        prefix + "attn_output", rows: c.width, columns: c.headShape(layer: index).queryWidth)
    }
    feedForwardNorm = try finder.vector(
      prefix + c.architecture.feedForwardNorm + ".weight", count: c.width)
    feedForward = try FeedForwardWeights(
      prefix, &finder, c, hidden: c.hiddenWidth(layer: index))
    func resultNorm(
      _ name: String, _ finder: inout TensorFinder
    ) throws(BaseModelError) -> FloatVector? {
      guard c.architecture.normalizesResults else { return nil }
      return try finder.vector(prefix + name, count: c.width)
    }
    attentionResultNorm = try resultNorm("post_attention_norm.weight", &finder)
    feedForwardResultNorm = try resultNorm("post_ffw_norm.weight", &finder)
    if c.architecture.mayAddExperts, let settings = c.experts {
      parallel = try ParallelExperts(prefix, &finder, settings, width: c.width)
    }
    if let width = c.tokenWidth {
      token = TokenWeights(
        gate: try finder.projection(prefix + "inp_gate", rows: width, columns: c.width),
        projection: try finder.projection(prefix + "proj", rows: c.width, columns: width),
        norm: try finder.vector(prefix + "post_norm.weight", count: c.width))
    }
    let factor = prefix + "layer_output_scale.weight"
    if c.architecture.hasUnlikeLayers, finder.has(factor) {
      scale = try finder.vector(factor, count: 1).values[0]
    }
  }
}

extension ConvolutionWeights {
  /// Files have the taps of a column side by side.
  fileprivate init(
    _ prefix: String, _ finder: inout TensorFinder, _ c: ModelConfiguration
  ) throws(BaseModelError) {
    let (taps, width) = (c.convolution?.taps ?? 0, c.width)
    input = try finder.projection(prefix + "shortconv.in_proj", rows: 3 * width, columns: width)
    let stored = try finder.floats(prefix + "shortconv.conv.weight", rows: width, columns: taps)
    kernel = FloatVector(stored.transposed().values)
  }
}

extension DeltaWeights {
  /// Files have the taps of a channel side by side.
  fileprivate init(
    _ prefix: String, _ finder: inout TensorFinder, _ settings: DeltaRuleSettings, width: Int
  ) throws(BaseModelError) {
    let (shape, heads) = (settings.shape, settings.valueHeads)
    input = try finder.projection(prefix + "attn_qkv", rows: shape.channels, columns: width)
    gate = try finder.projection(prefix + "attn_gate", rows: shape.valueWidth, columns: width)
    alpha = try finder.projection(prefix + "ssm_alpha", rows: heads, columns: width)
    beta = try finder.projection(prefix + "ssm_beta", rows: heads, columns: width)
    let stored = try finder.floats(
      prefix + "ssm_conv1d.weight", rows: shape.channels, columns: settings.taps)
    constants = DeltaConstants(
      kernel: FloatVector(stored.transposed().values),
      rate: try finder.vector(prefix + "ssm_a", count: heads),
      bias: try finder.vector(prefix + "ssm_dt.bias", count: heads))
    norm = try finder.vector(prefix + "ssm_norm.weight", count: settings.valueSize)
  }
}

extension AttentionWeights {
  fileprivate init(
    _ index: Int, _ finder: inout TensorFinder, _ configuration: ModelConfiguration
  ) throws(BaseModelError) {
    let c = configuration
    let prefix = "blk.\(index)."
    let isRegular = index < c.regularLayers
    let shape = c.headShape(layer: index)
    let queryRows = 0..<(c.architecture.gatesHeads ? 2 : 1) * shape.queryWidth
    let keyRows = queryRows.upperBound..<queryRows.upperBound + shape.keyValueWidth
    let valueRows = keyRows.upperBound..<keyRows.upperBound + shape.keyValueWidth
    let fused = isRegular && finder.has(prefix + "attn_qkv.weight")
    func part(
      _ name: String, _ rows: Range<Int>, _ finder: inout TensorFinder
    ) throws(BaseModelError) -> Projection {
      guard fused else {
        return try finder.projection(
          prefix + name, rows: rows.count, columns: c.width, biased: c.architecture.requiresBiases)
      }
      let all = try finder.projection(
        prefix + "attn_qkv", rows: valueRows.upperBound, columns: c.width,
        biased: c.architecture.requiresBiases)
      return all.slice(rows)
    }
    func headNorm(
      _ name: String, _ finder: inout TensorFinder
    ) throws(BaseModelError) -> FloatVector? {
      guard c.architecture.normalizesHeads else { return nil }
      return try finder.vector(prefix + name, count: shape.size)
    }
    // Gemma 4 may have one matrix for keys and values, in layers without a window.
    let hasValue =
      !c.architecture.hasUnlikeLayers || c.attention[index].window != nil || fused
      || finder.has(prefix + "attn_v.weight")
    // Files may have keys and values of layers that read those of others.
    if !isRegular, c.architecture.hasUnlikeLayers {
      for name in ["attn_k", "attn_v", "attn_k_norm"] {
        finder.ignore(prefix + name + ".weight")
      }
    }
    query = try part("attn_q", queryRows, &finder)
    queryNorm = try headNorm("attn_q_norm.weight", &finder)
    keyValue =
      isRegular
      ? KeyValueWeights(
        key: try part("attn_k", keyRows, &finder),
        value: hasValue ? try part("attn_v", valueRows, &finder) : nil,
        keyNorm: try headNorm("attn_k_norm.weight", &finder),
        valueNorm: c.architecture.normalizesValues
          ? FloatVector([Float](repeating: 1, count: shape.size)) : nil) : nil
  }
}

extension FeedForwardWeights {
  fileprivate init(
    _ prefix: String, _ finder: inout TensorFinder, _ c: ModelConfiguration, hidden: Int
  ) throws(BaseModelError) {
    let width = c.width
    if c.architecture.hasExperts, let settings = c.experts {
      self = .experts(try ExpertMatrices(prefix, &finder, settings, width: width))
      return
    }
    let (gate, up): (Projection, Projection)
    if c.architecture.fusesGate {
      let both = try finder.projection(prefix + "ffn_up", rows: 2 * hidden, columns: width)
      (gate, up) = (both.slice(0..<hidden), both.slice(hidden..<2 * hidden))
    } else {
      gate = try finder.projection(prefix + "ffn_gate", rows: hidden, columns: width)
      up = try finder.projection(prefix + "ffn_up", rows: hidden, columns: width)
    }
    let down = try finder.projection(prefix + "ffn_down", rows: width, columns: hidden)
    self = .dense(gate: gate, up: up, down: down)
  }
}

extension Projection {
  /// The outputs `rows` alone, of a matrix that fuses several.
  fileprivate func slice(_ rows: Range<Int>) -> Projection {
    Projection(
      weights: weights.slice(rows: rows), bias: bias.map { FloatVector(Array($0.values[rows])) })
  }
}
