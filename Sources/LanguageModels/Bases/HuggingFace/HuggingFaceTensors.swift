import Kernels
import SystemFiles
import TensorFiles

/// Finds the tensors of a Hugging Face model in its files and gives them their names in a base.
struct HuggingFaceTensors {
  let files: [SafetensorsFile]
  let configuration: HuggingFaceConfiguration
  /// What all names of the text model begin with.
  let prefix: String
  private var sources: [TensorSource] = []
  private var found: Set<String> = []

  /// The tensors in the order of the file to be written.
  ///
  /// - Throws: `BaseModelError.base` for one that is missing, unknown, or of another shape or type. Those of other
  ///   parts of the model, such as one for pictures, are left out.
  static func sources(
    of files: [SafetensorsFile], _ configuration: HuggingFaceConfiguration
  ) throws(BaseModelError) -> [TensorSource] {
    var tensors = HuggingFaceTensors(files, configuration)
    try tensors.collect()
    try tensors.refuseOthers()
    return tensors.sources
  }

  private init(_ files: [SafetensorsFile], _ configuration: HuggingFaceConfiguration) {
    (self.files, self.configuration) = (files, configuration)
    let prefixes = ["model.", "model.language_model.", "language_model.model.", ""]
    prefix =
      prefixes.first { prefix in
        files.contains { $0.tensor(named: prefix + "embed_tokens.weight") != nil }
      } ?? "model."
  }

  private mutating func collect() throws(BaseModelError) {
    let c = configuration
    try add("token_embd", from: "embed_tokens", [c.vocabularySize, c.width])
    if let width = c.unlike?.tokenWidth, width > 0 {
      let all = c.layers * width
      try add("per_layer_token_embd", from: "embed_tokens_per_layer", [c.vocabularySize, all])
      try add("per_layer_model_proj", from: "per_layer_model_projection", [all, c.width])
      try addNorm("per_layer_proj_norm", from: "per_layer_projection_norm", count: width)
    }
    for layer in 0..<c.layers { try addLayer(layer) }
    try addNorm(
      c.architecture.outputNorm, from: c.architecture == .lfm2 ? "embedding_norm" : "norm",
      count: c.width)
    for (name, values) in c.rotary.vectors {
      sources.append(
        TensorSource(
          name: name, dimensions: [values.count], type: .f32,
          parts: [
            TensorBytes(
              values.flatMap { value in
                (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) }
              })
          ]))
    }
    let head = ["lm_head.weight", "language_model.lm_head.weight"].first { tensor($0) != nil }
    guard let head else {
      guard c.tiesEmbeddings == false else { return }
      throw .base(.missingTensor("lm_head.weight"), file: files[0].path)
    }
    // As transformers: a head of its own counts, whatever the settings say.
    if c.tiesEmbeddings == true, isEmbedding(head) { return found.formUnion([head]) }
    try add("output", part: "weight", whole: head, [c.vocabularySize, c.width])
  }

  /// Whether a tensor is the embedding once more.
  private func isEmbedding(_ name: String) -> Bool {
    guard let (one, _) = tensor(name), let (other, _) = tensor(prefix + "embed_tokens.weight"),
      one.type == other.type, one.shape == other.shape
    else { return false }
    let step = 1 << 20
    return stride(from: 0, to: one.bytes.count, by: step).allSatisfy { start in
      let range = start..<min(one.bytes.count, start + step)
      return one.bytes.slice(range).array == other.bytes.slice(range).array
    }
  }

  private mutating func addLayer(_ layer: Int) throws(BaseModelError) {
    let c = configuration
    let (block, place) = ("blk.\(layer).", "layers.\(layer).")
    if c.architecture == .lfm2 { return try addLayerOfLFM(layer, block, place) }
    let isAround = c.architecture.normalizesResults
    try addNorm(block + "attn_norm", from: place + "input_layernorm", count: c.width)
    if let rule = c.deltaRule, rule.layers.contains(layer) {
      try addDeltaRule(rule, block, place + "linear_attn.")
    } else {
      try addAttention(layer, block, place + "self_attn.")
    }
    if let unlike = c.unlike { try addEnd(unlike, block, place) }
    if isAround {
      try addNorm(
        block + "post_attention_norm", from: place + "post_attention_layernorm", count: c.width)
      try addNorm(
        block + "post_ffw_norm", from: place + "post_feedforward_layernorm", count: c.width)
    }
    try addNorm(
      block + c.architecture.feedForwardNorm,
      from: place + (isAround ? "pre_feedforward_layernorm" : "post_attention_layernorm"),
      count: c.width)
    if let experts = c.experts {
      guard c.architecture.mayAddExperts else {
        return try addExperts(experts, block, place + "mlp.")
      }
      try addParallelExperts(experts, block, place)
    }
    let hidden = c.hiddenWidth(layer: layer)
    if c.architecture.fusesGate {
      try add(block + "ffn_up", from: place + "mlp.gate_up_proj", [2 * hidden, c.width])
    } else {
      try add(block + "ffn_gate", from: place + "mlp.gate_proj", [hidden, c.width])
      try add(block + "ffn_up", from: place + "mlp.up_proj", [hidden, c.width])
    }
    try add(block + "ffn_down", from: place + "mlp.down_proj", [c.width, hidden])
  }

  /// What Gemma 4 does at the end of a layer.
  private mutating func addEnd(
    _ unlike: UnlikeLayers, _ block: String, _ place: String
  ) throws(BaseModelError) {
    let (width, size) = (configuration.width, unlike.tokenWidth)
    try add(
      block + "layer_output_scale", part: "weight", whole: prefix + place + "layer_scalar", [1])
    guard size > 0 else { return }
    try add(block + "inp_gate", from: place + "per_layer_input_gate", [size, width])
    try add(block + "proj", from: place + "per_layer_projection", [width, size])
    try addNorm(block + "post_norm", from: place + "post_per_layer_input_norm", count: width)
  }

  /// A layer under the names of LFM 2.
  private mutating func addLayerOfLFM(
    _ layer: Int, _ block: String, _ place: String
  ) throws(BaseModelError) {
    let c = configuration
    try addNorm(block + "attn_norm", from: place + "operator_norm", count: c.width)
    if let convolution = c.convolution, convolution.layers.contains(layer) {
      try add(block + "shortconv.in_proj", from: place + "conv.in_proj", [3 * c.width, c.width])
      let kernel = try find(
        prefix + place + "conv.conv.weight", [c.width, 1, convolution.taps])
      append(
        block + "shortconv.conv", [convolution.taps, c.width], kernel.type, [kernel.bytes])
      try add(block + "shortconv.out_proj", from: place + "conv.out_proj", [c.width, c.width])
    } else {
      try addAttention(layer, block, place + "self_attn.")
    }
    try addNorm(block + "ffn_norm", from: place + "ffn_norm", count: c.width)
    try add(block + "ffn_gate", from: place + "feed_forward.w1", [c.hiddenWidth, c.width])
    try add(block + "ffn_up", from: place + "feed_forward.w3", [c.hiddenWidth, c.width])
    try add(block + "ffn_down", from: place + "feed_forward.w2", [c.width, c.hiddenWidth])
  }

  /// A gated delta rule, with its heads of values in the order of a base.
  private mutating func addDeltaRule(
    _ rule: DeltaRuleSettings, _ block: String, _ place: String
  ) throws(BaseModelError) {
    let (shape, width, heads) = (rule.shape, configuration.width, rule.valueHeads)
    func order(_ unit: Int, size: Int, behind first: Int = 0) -> ValueHeadOrder {
      ValueHeadOrder(
        keyHeads: shape.keyHeads, valueHeads: heads, size: size, behind: first, unit: unit)
    }
    let queries = order(width, size: rule.valueSize, behind: 2 * shape.keyWidth)
    try addMatrix(block + "attn_qkv", place + "in_proj_qkv", [shape.channels, width], queries)
    let rows = order(width, size: rule.valueSize)
    try addMatrix(block + "attn_gate", place + "in_proj_z", [shape.valueWidth, width], rows)
    let gates = order(width, size: 1)
    try addMatrix(block + "ssm_alpha", place + "in_proj_a", [heads, width], gates)
    try addMatrix(block + "ssm_beta", place + "in_proj_b", [heads, width], gates)
    let columns = order(rule.valueSize, size: 1)
    try addMatrix(block + "ssm_out", place + "out_proj", [width, shape.valueWidth], columns)
    let kernel = try find(
      prefix + place + "conv1d.weight", [shape.channels, 1, rule.taps])
    sources.append(
      TensorSource(
        name: block + "ssm_conv1d.weight", dimensions: [rule.taps, shape.channels],
        type: kernel.type, parts: [kernel.bytes],
        heads: order(rule.taps, size: rule.valueSize, behind: 2 * shape.keyWidth)))
    // Both are a number for each head.
    try addVector(block + "ssm_a", place + "A_log", gates) { -exponential($0) }
    try addVector(block + "ssm_dt.bias", place + "dt_bias", gates) { $0 }
    try add(
      block + "ssm_norm", part: "weight", whole: prefix + place + "norm.weight", [rule.valueSize])
  }

  private mutating func addMatrix(
    _ name: String, _ source: String, _ shape: [Int], _ heads: ValueHeadOrder
  ) throws(BaseModelError) {
    let (type, bytes) = try find(prefix + source + ".weight", shape)
    sources.append(
      TensorSource(
        name: name + ".weight", dimensions: shape.reversed(), type: type, parts: [bytes],
        heads: heads))
  }

  /// A few numbers, in full precision.
  private mutating func addVector(
    _ name: String, _ source: String, _ heads: ValueHeadOrder, _ change: (Float) -> Float
  ) throws(BaseModelError) {
    let (type, bytes) = try find(prefix + source, [heads.valueHeads])
    let values = dequantize(type, bytes: bytes).map(change)
    let ordered = FloatMatrix(
      rows: 1, columns: values.count, values: values.indices.map { values[heads.source(of: $0)] })
    sources.append(
      TensorSource(
        name: name, dimensions: [values.count], type: .f32, parts: [ordered.bytes]))
  }

  mutating func append(
    _ name: String, _ dimensions: [Int], _ type: TensorType, _ parts: [TensorBytes]
  ) {
    sources.append(
      TensorSource(name: name + ".weight", dimensions: dimensions, type: type, parts: parts))
  }

  private mutating func addAttention(
    _ layer: Int, _ block: String, _ place: String
  ) throws(BaseModelError) {
    let c = configuration
    let shape = c.headShape(layer: layer)
    // Some files have keys and values of layers that read those of others; they are kept, and not read.
    func isNeeded(_ name: String) -> Bool {
      guard let unlike = c.unlike else { return true }
      let mayLack = layer >= c.layers - unlike.shared || name == "v_proj" && unlike.hasOneForBoth
      return !mayLack || tensor(prefix + place + name + ".weight") != nil
    }
    let order =
      c.architecture.rotatesAdjacentPairs
      ? RotaryOrder(headSize: c.headSize, makesNeighbours: true) : nil
    if tensor(prefix + place + "qkv_proj.weight") != nil {
      try add(
        block + "attn_qkv", from: place + "qkv_proj",
        [shape.queryWidth + 2 * shape.keyValueWidth, c.width])
    } else {
      let queries = (c.architecture.gatesHeads ? 2 : 1) * shape.queryWidth
      let keys = [shape.keyValueWidth, c.width]
      try add(block + "attn_q", from: place + "q_proj", [queries, c.width], order)
      if c.architecture.requiresBiases { try requireBiases(place) }
      if isNeeded("k_proj") { try add(block + "attn_k", from: place + "k_proj", keys, order) }
      if isNeeded("v_proj") { try add(block + "attn_v", from: place + "v_proj", keys) }
    }
    let isLFM = c.architecture == .lfm2
    if c.architecture.normalizesHeads {
      let norm = isLFM ? "layernorm" : "norm"
      try addNorm(block + "attn_q_norm", from: place + "q_\(norm)", count: shape.size)
      if isNeeded("k_\(norm)") {
        try addNorm(block + "attn_k_norm", from: place + "k_\(norm)", count: shape.size)
      }
    }
    try add(
      block + "attn_output", from: place + (isLFM ? "out_proj" : "o_proj"),
      [c.width, shape.queryWidth])
  }

  private func requireBiases(_ place: String) throws(BaseModelError) {
    let names = ["q", "k", "v"].map { "\(prefix)\(place)\($0)_proj.bias" }
    if let missing = names.first(where: { tensor($0) == nil }) {
      throw .base(.missingTensor(missing), file: files[0].path)
    }
  }

  /// Some multiply by 1 + weight; a base has the sum.
  mutating func addNorm(
    _ name: String, from source: String, count: Int
  ) throws(BaseModelError) {
    try add(
      name, part: "weight", whole: prefix + source + ".weight", [count],
      shift: configuration.architecture.centresNorms ? 1 : 0)
  }

  /// A matrix, and its bias if it has one.
  mutating func add(
    _ name: String, from source: String, _ shape: [Int], _ order: RotaryOrder? = nil
  ) throws(BaseModelError) {
    let stem = prefix + source
    try add(name, part: "weight", whole: stem + ".weight", shape, order)
    guard tensor(stem + ".bias") != nil else { return }
    try add(name, part: "bias", whole: stem + ".bias", [shape[0]], order)
  }

  mutating func add(
    _ name: String, part: String, whole source: String, _ shape: [Int],
    _ order: RotaryOrder? = nil, shift: Float = 0
  ) throws(BaseModelError) {
    let (type, bytes) = try find(source, shape)
    sources.append(
      TensorSource(
        name: "\(name).\(part)", dimensions: shape.reversed(), type: type, parts: [bytes],
        order: order, shift: shift))
  }

  mutating func find(
    _ source: String, _ shape: [Int]
  ) throws(BaseModelError) -> (type: TensorType, bytes: TensorBytes) {
    guard let (tensor, file) = tensor(source) else {
      throw .base(.missingTensor(source), file: files[0].path)
    }
    guard tensor.shape == shape else {
      throw .base(
        .wrongShape(tensor: source, expected: shape, actual: tensor.shape), file: file.path)
    }
    guard let type = tensor.type.tensorType else {
      throw .base(
        .unreadableType(tensor: source, type: tensor.type.rawValue), file: file.path)
    }
    found.insert(source)
    return (type, tensor.bytes)
  }

  func tensor(_ name: String) -> (SafetensorsTensor, SafetensorsFile)? {
    for file in files {
      if let tensor = file.tensor(named: name) { return (tensor, file) }
    }
    return nil
  }

  private func refuseOthers() throws(BaseModelError) {
    for file in files {
      for tensor in file.tensors where !found.contains(tensor.name) && isOfText(tensor.name) {
        throw .base(.unknownTensor(tensor.name), file: file.path)
      }
    }
  }

  /// Frequencies that older files keep are computed anew.
  private func isOfText(_ name: String) -> Bool {
    let others = [
      "mtp.", "model.mtp.", "visual.", "model.visual.", "vision_tower.", "multi_modal_projector.",
      "model.vision_tower.", "model.multi_modal_projector.", "model.audio_tower.",
      "model.embed_vision.", "model.embed_audio.",
    ]
    return !name.hasSuffix("rotary_emb.inv_freq") && !others.contains { name.hasPrefix($0) }
  }
}
