import JSON
import Kernels
import TensorFiles

/// The hyperparameters in the `config.json` of a Hugging Face model, and the keys of a base that they become.
///
/// Settings that would change what the model computes, and that a base cannot say, are refused.
struct HuggingFaceConfiguration {
  let architecture: Architecture
  let vocabularySize: Int
  let width: Int
  let layers: Int
  let hiddenWidth: Int
  let experts: ExpertSettings?
  /// Nil where all layers have attention.
  let convolution: ConvolutionSettings?
  /// Nil in models without delta rules.
  let deltaRule: DeltaRuleSettings?
  /// Nil where all layers are alike.
  let unlike: UnlikeLayers?
  let heads: Int
  let keyValueHeads: Int
  let headSize: Int
  let contextLength: Int
  /// Whether the output head is the embedding; nil where the settings leave it to the weights.
  let tiesEmbeddings: Bool?
  let rotary: HuggingFaceRotary
  /// Whether all layers, or those of its family that have one, see the window that is stated.
  private let hasStatedWindow: Bool
  /// The settings of the text model.
  private let settings: CheckpointSettings

  /// The heads of a layer.
  func headShape(layer: Int) -> HeadShape {
    unlike?.sizes[layer].shape
      ?? HeadShape(heads: heads, keyValueHeads: keyValueHeads, size: headSize)
  }

  /// The width inside the feed-forward network of a layer.
  func hiddenWidth(layer: Int) -> Int { unlike?.sizes[layer].hiddenWidth ?? hiddenWidth }

  /// By `model_type`.
  static let architectures: [String: Architecture] = [
    "gemma2": .gemma2, "gemma3": .gemma3, "gemma3_text": .gemma3, "gemma4": .gemma4,
    "gemma4_text": .gemma4, "granite": .granite,
    "lfm2": .lfm2, "llama": .llama, "mistral": .llama, "phi3": .phi3, "qwen2": .qwen2,
    "qwen3": .qwen3, "qwen3_5": .qwen35, "qwen3_5_text": .qwen35, "qwen3_moe": .qwen3moe,
    "smollm3": .smollm3,
  ]

  private static func architecture(
    _ root: CheckpointSettings
  ) throws(BaseModelError) -> (name: String, Architecture) {
    let name = root.string("model_type") ?? ""
    guard let architecture = architectures[name] else {
      throw .base(.unsupportedModel(name: name), file: root.path)
    }
    if let model = root.value("architectures")?.array?.first?.string,
      model.hasSuffix("Classification")
    {
      throw root.unsupported("architectures", "names “\(model)”, which writes no text")
    }
    return (name, architecture)
  }

  /// Reads and bounds the settings.
  ///
  /// - Throws: `BaseModelError.base`.
  init(_ root: CheckpointSettings) throws(BaseModelError) {
    let (name, architecture) = try Self.architecture(root)
    let settings = root.part("text_config") ?? root
    // Gemma 3 leaves out what is as in its class.
    let isGemma3 = architecture == .gemma3
    self.architecture = architecture
    self.settings = settings
    // transformers reads none of models that are called Llama's.
    hasStatedWindow = architecture.isGemma || ["mistral", "phi3"].contains(name)
    width = try settings.integer("hidden_size", in: 1...1 << 20)
    layers = try settings.integer("num_hidden_layers", in: 1...4096)
    hiddenWidth =
      architecture == .lfm2
      ? try settings.hiddenWidthOfLFM()
      : try settings.integer("intermediate_size", in: 1...1 << 22)
    convolution =
      architecture.hasConvolutions ? try ConvolutionSettings(settings, layers: layers) : nil
    deltaRule =
      architecture.hasDeltaRules ? try DeltaRuleSettings(settings, layers: layers) : nil
    experts =
      try architecture.hasExperts
      ? ExpertSettings(settings)
      : architecture.mayAddExperts ? ExpertSettings(beside: settings) : nil
    heads = try settings.integer(
      "num_attention_heads", in: 1...4096, default: isGemma3 ? 8 : nil)
    keyValueHeads = try settings.integer(
      "num_key_value_heads", in: 1...heads, default: isGemma3 ? 4 : heads)
    headSize = try settings.integer(
      "head_dim", in: 2...512, default: isGemma3 ? 256 : width / heads)
    vocabularySize = try settings.integer(
      "vocab_size", in: 1...1 << 24, default: isGemma3 ? 262_208 : nil)
    contextLength = try settings.integer(
      "max_position_embeddings", in: 1...1 << 26, default: isGemma3 ? 131_072 : nil)
    tiesEmbeddings =
      settings.bool("tie_word_embeddings") ?? root.bool("tie_word_embeddings")
      ?? settings.bool("tie_embedding")
      ?? (architecture.isGemma || architecture == .lfm2 ? true : nil)
    if architecture.hasUnlikeLayers {
      let layers = try UnlikeLayers(settings, layers: layers, heads: heads)
      (unlike, rotary) = (layers, try HuggingFaceRotary(settings, layers))
    } else {
      unlike = nil
      rotary = try HuggingFaceRotary(
        settings, root: root, headSize: headSize, contextLength: contextLength,
        architecture: architecture)
    }
    guard headSize.isMultiple(of: 2) else {
      throw settings.bad("head_dim", "is \(headSize), which is odd")
    }
    guard heads.isMultiple(of: keyValueHeads) else {
      throw settings.bad("num_key_value_heads", "does not divide \(heads)")
    }
    try refuseWhatCannotBeSaid()
  }

  private func refuseWhatCannotBeSaid() throws(BaseModelError) {
    let activation = settings.string("hidden_activation") ?? settings.string("hidden_act")
    let expected = architecture.activation == .gelu ? "gelu_pytorch_tanh" : "silu"
    if let activation, activation != expected {
      throw settings.unsupported("hidden_act", "is “\(activation)”, not “\(expected)”")
    }
    if settings.bool("use_sliding_window") == true, !mayChooseWindows {
      throw settings.unsupported("use_sliding_window", "asks for windows in some layers")
    }
    if let scalar = settings.value("query_pre_attn_scalar")?.number?.double
      ?? architecture.unstated("query_pre_attn_scalar")
    {
      let size = architecture.scoreSize(
        layers: layers, width: width, heads: heads, headSize: headSize)
      guard scalar == Double(size) else {
        throw settings.unsupported(
          "query_pre_attn_scalar", "is \(scalar), where a base has \(size)")
      }
    }
    if architecture.gatesHeads, settings.bool("attn_output_gate") == false {
      throw settings.unsupported("attn_output_gate", "asks for attention without gates")
    }
    try refuseSightOfLaterTokens()
    // A base of Gemma 2 without the key has the caps that its models were made with.
    for key in ["attn_logit_softcapping", "final_logit_softcapping"]
    where architecture.defaultCaps != nil && settings.object[key] == .null {
      throw settings.unsupported(key, "is null, where such a base always has a cap")
    }
    try checkLayers()
  }

  /// Embedding models are made of some families so.
  private func refuseSightOfLaterTokens() throws(BaseModelError) {
    for key in ["use_bidirectional_attention", "is_causal"]
    where settings.bool(key) == (key != "is_causal") {
      throw settings.unsupported(key, "lets tokens see those behind them")
    }
  }

  /// Whether settings say which layers have a window.
  private var mayChooseWindows: Bool { [.qwen2, .qwen3, .qwen3moe].contains(architecture) }

  /// The window that is stated, or that of the class where none is; null is none.
  private func window() throws(BaseModelError) -> Int? {
    let isStated = settings.object["sliding_window"] != nil
    let unstated = isStated ? nil : architecture.unstated("sliding_window")
    guard settings.has("sliding_window") || unstated != nil || architecture.hasUnlikeLayers
    else { return nil }
    return try settings.integer(
      "sliding_window", in: 1...1 << 26, default: unstated.map { Int($0) })
  }

  /// The window of Qwen's models that use it, and which layers have it: those that a list says, or all from one on; with
  /// experts all.
  private func chosenWindows() throws(BaseModelError) -> [(String, GGUFValue)] {
    guard mayChooseWindows, settings.bool("use_sliding_window") == true, let window = try window()
    else { return [] }
    let first = try settings.integer("max_window_layers", in: 0...1 << 20, default: 28)
    var hasWindow = (0..<layers).map { architecture.hasExperts || $0 >= first }
    if !architecture.hasExperts, let types = settings.value("layer_types")?.array {
      guard types.count == layers else {
        throw settings.bad("layer_types", "has \(types.count) values for \(layers) layers")
      }
      hasWindow = types.map { $0.string == "sliding_attention" }
    }
    guard hasWindow.contains(true) else { return [] }
    return [
      ("attention.sliding_window", .uint32(UInt32(window))),
      ("attention.sliding_window_pattern", .bools(hasWindow)),
    ]
  }

  /// Which layers have windows or know no positions stands in no base: it has to be as in all models of the family.
  private func checkLayers() throws(BaseModelError) {
    for (index, value) in (settings.value("no_rope_layers")?.array ?? []).enumerated() {
      guard (value.integer == 1) == (architecture.rotation(layer: index, hasWindow: true) != nil)
      else { throw settings.unsupported("no_rope_layers", "differs at \(index) from other models") }
    }
    if architecture == .smollm3, !settings.has("no_rope_layers") {
      try requireInterval("no_rope_layer_interval", 4)
    }
    if architecture == .smollm3, settings.has("sliding_window"),
      settings.value("layer_types")?.array?.contains(where: { $0.string == "sliding_attention" })
        == true
    {
      throw settings.unsupported("layer_types", "asks for windows in some layers")
    }
    guard architecture.isGemma, unlike == nil else { return }
    if architecture == .gemma3, !settings.has("layer_types") {
      try requireInterval("sliding_window_pattern", 6)
    }
    for (index, value) in (settings.value("layer_types")?.array ?? []).enumerated() {
      guard (value.string == "sliding_attention") == architecture.hasWindow(layer: index) else {
        throw settings.unsupported("layer_types", "differs at \(index) from other models")
      }
    }
  }

  /// How often a layer is another one, where no list says which.
  private func requireInterval(_ key: String, _ expected: Int) throws(BaseModelError) {
    let interval = try settings.integer(key, in: 0...1 << 20, default: expected)
    guard interval == expected else {
      throw settings.unsupported(key, "is \(interval), not \(expected)")
    }
  }

  /// The keys of a base, without those of the tokenizer.
  func keys() throws(BaseModelError) -> [(name: String, value: GGUFValue)] {
    let integers = [
      ("vocab_size", vocabularySize), ("context_length", contextLength),
      ("embedding_length", width), ("block_count", layers), ("feed_forward_length", hiddenWidth),
      ("attention.head_count", heads),
      ("attention.key_length", headSize), ("attention.value_length", headSize),
    ]
    let experts = experts.map {
      [
        ("expert_count", $0.count), ("expert_used_count", $0.used),
        ("expert_feed_forward_length", $0.hiddenWidth),
      ]
    }
    var keys = (integers + (experts ?? [])).map { ($0, GGUFValue.uint32(UInt32($1))) }
    if let convolution {
      let heads = (0..<layers).map { convolution.layers.contains($0) ? 0 : Int32(keyValueHeads) }
      keys.append(("attention.head_count_kv", .integers(heads)))
      keys.append(("shortconv.l_cache", .uint32(UInt32(convolution.taps))))
    } else {
      keys.append(("attention.head_count_kv", .uint32(UInt32(keyValueHeads))))
    }
    if let deltaRule { keys += try deltaRuleKeys(deltaRule) }
    let epsilon = try settings.number(
      architecture == .lfm2 ? "norm_eps" : "rms_norm_eps",
      default: architecture == .gemma3 ? 1e-6 : nil)
    keys.append(("attention.layer_norm_rms_epsilon", .float32(Float(epsilon))))
    if hasStatedWindow, let window = try window() {
      keys.append(("attention.sliding_window", .uint32(UInt32(window))))
    }
    keys += try chosenWindows()
    // Where it is missing they add up to 1.
    if self.experts?.normalizes == false { keys.append(("expert_weights_norm", .bool(false))) }
    for (setting, key) in factors {
      let unstated = architecture.unstated(setting)
      guard settings.has(setting) || unstated != nil else {
        // Without the key llama.cpp caps at what published models of the family have.
        if architecture == .gemma4 { keys.append((key, .float32(0))) }
        continue
      }
      let factor = try settings.number(setting, default: unstated)
      keys.append((key, .float32(Float(factor))))
    }
    return (keys + (unlike?.keys ?? []) + rotary.keys).map {
      ("\(architecture.rawValue).\($0)", $1)
    }
  }

  private func deltaRuleKeys(
    _ rule: DeltaRuleSettings
  ) throws(BaseModelError) -> [(String, GGUFValue)] {
    let integers = [
      ("ssm.conv_kernel", rule.taps), ("ssm.state_size", rule.keySize),
      ("ssm.group_count", rule.keyHeads), ("ssm.time_step_rank", rule.valueHeads),
      ("ssm.inner_size", rule.shape.valueWidth),
      (
        "full_attention_interval",
        try settings.integer("full_attention_interval", in: 1...4096, default: 4)
      ),
    ]
    let isRecurrent = (0..<layers).map { rule.layers.contains($0) }
    // For positions in pictures; those of a text are alike, but llama.cpp wants the key.
    let stated = settings.part("rope_parameters")?.value("mrope_section")?.array
    let sections = (stated?.compactMap(\.integer) ?? [11, 11, 10]).map { Int32(clamping: $0) }
    return integers.map { ($0, .uint32(UInt32($1))) } + [
      ("attention.recurrent_layers", .bools(isRecurrent)),
      ("rope.dimension_sections", .integers(Array((sections + [0, 0, 0, 0]).prefix(4)))),
    ]
  }

  /// Settings that are one number, and their keys.
  private var factors: [(setting: String, key: String)] {
    switch architecture {
    case .gemma2, .gemma3:
      [
        ("attn_logit_softcapping", "attn_logit_softcapping"),
        ("final_logit_softcapping", "final_logit_softcapping"),
      ]
    case .gemma4: [("final_logit_softcapping", "final_logit_softcapping")]
    case .granite:
      [
        ("attention_multiplier", "attention.scale"), ("embedding_multiplier", "embedding_scale"),
        ("residual_multiplier", "residual_scale"), ("logits_scaling", "logit_scale"),
      ]
    default: []
    }
  }
}
