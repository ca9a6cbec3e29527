import Kernels
import SystemFiles
import TensorFiles

/// Reads the keys that begin with the architecture's name.
struct HyperparameterReader {
  let file: GGUFFile
  let architecture: Architecture

  init(_ file: GGUFFile) throws(BaseModelError) {
    self.file = file
    if case .string(let type)? = file.metadata["general.type"] {
      switch String(decoding: type, as: UTF8.self) {
      case "adapter": throw .isAdapter(file: file.path)
      case "imatrix": throw .isImportanceMatrix(file: file.path)
      default: break
      }
    }
    guard let name = try Self.read(file, GGUFMetadata.string, "general.architecture") else {
      throw .missingKey(file: file.path, key: "general.architecture")
    }
    architecture = try Architecture(named: name, in: file.path)
    // How vectors of tokens become one of the text: 1 to 4; 0 is not at all.
    if let pooling = try integer("pooling_type"), 1...4 ~= pooling {
      throw .writesNothing(file: file.path)
    }
  }

  static func read<Value>(
    _ file: GGUFFile, _ get: (GGUFMetadata) -> (String) throws(FileError) -> Value,
    _ key: String
  ) throws(BaseModelError) -> Value {
    do { return try get(file.metadata)(key) } catch { throw .file(error) }
  }

  func key(_ name: String) -> String { "\(architecture.rawValue).\(name)" }

  func invalid(_ key: String, _ value: some Any, _ rule: String) -> BaseModelError {
    .invalidValue(file: file.path, key: key, value: "\(value)", rule: rule)
  }

  /// One number for all layers, or an array that has it for each.
  func integer(_ name: String) throws(BaseModelError) -> Int? {
    guard let values = try integers(name) else {
      return try Self.read(file, GGUFMetadata.integer, key(name))
    }
    return try only(values, name)
  }

  /// As `integer`.
  func float(_ name: String) throws(BaseModelError) -> Double? {
    guard case .array? = file.metadata[key(name)] else {
      return try Self.read(file, GGUFMetadata.float, key(name))
    }
    return try only(Self.read(file, GGUFMetadata.floats, key(name)) ?? [], name).map(Double.init)
  }

  private func only<Value: Equatable>(
    _ values: [Value], _ name: String
  ) throws(BaseModelError) -> Value? {
    guard let first = values.first, values.allSatisfy({ $0 == first }) else {
      throw invalid(key(name), Self.shown(values), "has to be the same for all layers")
    }
    return first
  }

  /// The first of `values`: an array of a damaged file may have millions.
  private static func shown<Value>(_ values: [Value]) -> String {
    let shown = values.prefix(8).map { "\($0)" } + (values.count > 8 ? ["…"] : [])
    return "[" + shown.joined(separator: ", ") + "]"
  }

  /// Nil where the value is none or no array.
  func integers(_ name: String) throws(BaseModelError) -> [Int]? {
    guard case .array? = file.metadata[key(name)] else { return nil }
    return try Self.read(file, GGUFMetadata.integers, key(name))
  }

  func count(
    _ name: String, in range: ClosedRange<Int>, default standard: Int? = nil
  ) throws(BaseModelError) -> Int {
    guard let value = try integer(name) ?? standard else {
      throw .missingKey(file: file.path, key: key(name))
    }
    guard range.contains(value) else {
      throw invalid(
        key(name), value, "has to be between \(range.lowerBound) and \(range.upperBound)")
    }
    return value
  }

  /// The layers, and the blocks behind them.
  func layers() throws(BaseModelError) -> (layers: Int, behind: Int) {
    let blocks = try count("block_count", in: 1...4096)
    guard architecture.hasDeltaRules else { return (blocks, 0) }
    let behind = try count("nextn_predict_layers", in: 0...blocks - 1, default: 0)
    return (blocks - behind, behind)
  }

  func number(
    _ name: String, default standard: Double? = nil, above limit: Double
  ) throws(BaseModelError) -> Float {
    guard let value = try float(name) ?? standard else {
      throw .missingKey(file: file.path, key: key(name))
    }
    // A float that is neither finite nor above the limit would poison every value of the model.
    guard value > limit, Float(value).isFinite else {
      throw invalid(key(name), value, "has to be finite and above \(limit)")
    }
    return Float(value)
  }

  /// A number above 0, which may be missing; 0 says the same, but where `standard` is in the place of a missing one.
  func optionalNumber(
    _ name: String, _ standard: Double? = nil
  ) throws(BaseModelError) -> Float? {
    guard let value = try float(name) ?? standard, value != 0 || standard != nil else { return nil }
    return try number(name, default: standard, above: 0)
  }

  /// One number for all layers, or an array that says the same for each, or 0 of those that have convolutions.
  func keyValueHeads(
    default heads: Int, layers: Int
  ) throws(BaseModelError) -> (Int, ConvolutionSettings?) {
    let name = "attention.head_count_kv"
    var value: Int
    var convolution: ConvolutionSettings?
    if case .array? = file.metadata[key(name)] {
      let values = try Self.read(file, GGUFMetadata.integers, key(name)) ?? []
      let without = architecture.hasConvolutions ? values.indices.filter { values[$0] == 0 } : []
      guard let first = values.first(where: { !architecture.hasConvolutions || $0 != 0 }),
        values.allSatisfy({ $0 == first || architecture.hasConvolutions && $0 == 0 })
      else {
        throw invalid(key(name), Self.shown(values), "has to be the same for all layers")
      }
      guard without.isEmpty || values.count == layers else {
        throw invalid(key(name), Self.shown(values), "has to have one value per layer")
      }
      value = first
      if !without.isEmpty {
        convolution = ConvolutionSettings(
          taps: try count("shortconv.l_cache", in: 2...64), layers: Set(without))
      }
    } else {
      value = try integer(name) ?? heads
    }
    guard (1...heads).contains(value), heads.isMultiple(of: value) else {
      throw invalid(key(name), value, "has to divide the \(heads) query heads")
    }
    return (value, convolution)
  }

  func headSize(width: Int, heads: Int) throws(BaseModelError) -> Int {
    let name = "attention.key_length"
    let size: Int
    if let stored = try integer(name) {
      size = stored
    } else {
      guard width.isMultiple(of: heads) else {
        throw invalid(key("attention.head_count"), heads, "has to divide the width of \(width)")
      }
      size = width / heads
    }
    guard (2...512).contains(size), size.isMultiple(of: 2) else {
      throw invalid(key(name), size, "has to be even and between 2 and 512")
    }
    let values = try integer("attention.value_length") ?? size
    guard values == size else {
      throw invalid(key("attention.value_length"), values, "has to equal the key length of \(size)")
    }
    return size
  }

  /// The embedding's rows; the file may also say how many of them are tokens.
  func vocabularySize() throws(BaseModelError) -> Int {
    guard let embedding = file.tensor(named: "token_embd.weight") else {
      throw .missingTensor(file: file.path, tensor: "token_embd.weight")
    }
    guard (1...1 << 24).contains(embedding.rows) else {
      throw .wrongShape(
        file: file.path, tensor: embedding.name, expected: [embedding.columns, 1 << 24],
        actual: embedding.dimensions)
    }
    let stated = try integer("vocab_size") ?? embedding.rows
    // Rows beyond it fill up the embedding.
    guard (1...embedding.rows).contains(stated) else {
      throw invalid(
        key("vocab_size"), stated, "token_embd.weight has \(Figures.grouped(embedding.rows)) rows")
    }
    return embedding.rows
  }

  /// The experts, whose width follows from `hiddenWidth` where they take its place and the file does not say it.
  func experts(hiddenWidth: Int) throws(BaseModelError) -> ExpertSettings? {
    let stated = try integer("expert_count") ?? 0
    if !architecture.hasExperts {
      guard stated != 0 else { return nil }
      guard architecture.mayAddExperts else {
        throw invalid(
          key("expert_count"), stated,
          "experts are supported in \(Architecture.gemma4) and \(Architecture.qwen3moe) alone")
      }
    }
    let count = try count("expert_count", in: 1...4096)
    let used = try self.count("expert_used_count", in: 1...count)
    let normalizes = try Self.read(file, GGUFMetadata.bool, key("expert_weights_norm"))
    // Ollama's name for it.
    let isNormed = try Self.read(file, GGUFMetadata.bool, key("norm_top_k_prob"))
    return ExpertSettings(
      count: count, used: used,
      hiddenWidth: try self.count(
        "expert_feed_forward_length", in: 1...1 << 22,
        default: architecture.hasExperts ? max(1, hiddenWidth / used) : nil),
      normalizes: normalizes ?? isNormed ?? true)
  }

  /// What each layer sees, and how its heads are turned.
  func attention(layers: Int) throws(BaseModelError) -> [LayerAttention] {
    guard try Self.read(file, GGUFMetadata.bool, key("attention.causal")) != false else {
      throw invalid(
        key("attention.causal"), false, "models that see tokens behind a token cannot be run")
    }
    let isNeeded = architecture.hasUnlikeLayers
    let window = try count(
      "attention.sliding_window", in: (isNeeded ? 1 : 0)...1 << 26,
      default: isNeeded ? nil : architecture.defaultWindow ?? 0)
    let hasWindow = try windowPattern(layers: layers)
    let turns = try Self.read(file, GGUFMetadata.bool, key("rope.scaling.finetuned")) != false
    return (0..<layers).map { index in
      let isWindowed = window > 0 && hasWindow(index)
      let rotation = architecture.rotation(layer: index, hasWindow: isWindowed)
      return LayerAttention(
        window: isWindowed ? window : nil,
        // Granite has this key for models without positions.
        rotation: architecture == .granite && !turns ? nil : rotation)
    }
  }

  /// Which layers have a window: each that an array says, all but every n-th, or as in all models of the family.
  private func windowPattern(layers: Int) throws(BaseModelError) -> (Int) -> Bool {
    let name = "attention.sliding_window_pattern"
    guard case .array? = file.metadata[key(name)] else {
      let period = try count(
        name, in: 0...4096, default: architecture.hasUnlikeLayers ? nil : 0)
      if period > 0 { return { !($0 + 1).isMultiple(of: period) } }
      return architecture.hasWindow(layer:)
    }
    let stated = try flags(name, count: layers)
    return { stated?[$0] ?? false }
  }

  /// An array of a truth for each of `count` layers; nil where there is no array.
  private func flags(_ name: String, count: Int) throws(BaseModelError) -> [Bool]? {
    guard case .array(let array)? = file.metadata[key(name)] else { return nil }
    guard array.count == count else {
      throw invalid(key(name), "an array of \(array.count)", "has to have one value per layer")
    }
    return (0..<count).map { index in
      if case .bool(let value)? = array.scalar(at: index) { value } else { false }
    }
  }

  func scales(width: Int, scoreSize: Int) throws(BaseModelError) -> ModelScales {
    var scales = ModelScales(attention: 1 / Float(scoreSize).squareRoot())
    switch architecture {
    case .gemma2, .gemma3, .gemma4:
      scales.embedding = Float(width).squareRoot()
      let caps = architecture.defaultCaps
      scales.attentionCap = try optionalNumber("attn_logit_softcapping", caps?.scores)
      scales.logitCap = try optionalNumber("final_logit_softcapping", caps?.logits)
    case .granite:
      scales.embedding = try optionalNumber("embedding_scale") ?? 1
      scales.residual = try optionalNumber("residual_scale") ?? 1
      scales.attention = try optionalNumber("attention.scale") ?? scales.attention
      scales.logits = 1 / (try number("logit_scale", default: 1, above: 0))
    default: break
    }
    return scales
  }
}

extension HyperparameterReader {
  /// Values in the state of a layer, which sessions have several of; those of models there are have a tenth of it.
  private static let stateLimit = 1 << 23

  /// The gated delta rules, in those layers that an array says, or all but every n-th; `behind` are blocks that an array has, too.
  func deltaRule(
    layers: Int, behind: Int
  ) throws(BaseModelError) -> DeltaRuleSettings? {
    guard architecture.hasDeltaRules else { return nil }
    let interval = try count("full_attention_interval", in: 1...4096, default: 4)
    let stated = try flags("attention.recurrent_layers", count: layers + behind)
    let without = (0..<layers).filter { stated?[$0] ?? !($0 + 1).isMultiple(of: interval) }
    guard !without.isEmpty else { return nil }
    let limit = DeltaShape.largestHead
    let keySize = try count("ssm.state_size", in: 2...limit)
    let keyHeads = try count("ssm.group_count", in: 1...4096)
    let valueHeads = try count("ssm.time_step_rank", in: keyHeads...4096)
    let width = try count("ssm.inner_size", in: valueHeads...valueHeads * limit)
    guard keySize.isMultiple(of: 2) else {
      throw invalid(key("ssm.state_size"), keySize, "has to be even")
    }
    guard valueHeads.isMultiple(of: keyHeads) else {
      throw invalid(
        key("ssm.time_step_rank"), valueHeads, "has to be a multiple of the \(keyHeads) key heads")
    }
    guard width.isMultiple(of: valueHeads) else {
      throw invalid(
        key("ssm.inner_size"), width, "has to be a multiple of the \(valueHeads) value heads")
    }
    guard valueHeads * keySize * (width / valueHeads) <= Self.stateLimit else {
      throw invalid(
        key("ssm.inner_size"), width,
        "a state of \(Figures.grouped(Self.stateLimit)) values is the largest that is supported")
    }
    return DeltaRuleSettings(
      keyHeads: keyHeads, keySize: keySize, valueHeads: valueHeads, valueSize: width / valueHeads,
      taps: try count("ssm.conv_kernel", in: 2...64), layers: Set(without))
  }
}
