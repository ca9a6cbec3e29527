import TensorFiles

/// The model families that the forward pass knows, by their names in `general.architecture`.
public enum Architecture: String, CaseIterable, Sendable {
  /// Apple Foundation Models text: heads are normalized after the rotation, and the last layers share the
  /// keys and values of one layer.
  case afm
  /// Llama and what shares its form: Mistral, SmolLM, TinyLlama.
  case llama
  /// Qwen 2 and 2.5: queries, keys and values have biases.
  case qwen2
  /// Qwen 3: heads are normalized before the rotation.
  case qwen3

  /// Whether the rotation pairs neighbours instead of halves: such files have their Q and K rows permuted.
  package var rotatesAdjacentPairs: Bool { self == .llama }

  /// Whether Q and K have a norm per head.
  var normalizesHeads: Bool { self == .afm || self == .qwen3 }

  /// Whether that norm comes before the rotation.
  package var normalizesBeforeRotation: Bool { self == .qwen3 }

  /// Whether Q, K and V must have biases; any architecture may.
  var requiresBiases: Bool { self == .qwen2 }
}

/// The hyperparameters of a base model; sizes are in values, lengths in tokens.
public struct ModelConfiguration: Sendable, Equatable {
  /// The model family.
  public let architecture: Architecture
  /// Number of layers.
  public let layers: Int
  /// Last layers that have no keys and values and read those of the last regular layer.
  public let sharedKeyValueLayers: Int
  /// Width of the residual stream.
  public let width: Int
  /// Width inside the feed-forward network.
  public let hiddenWidth: Int
  /// Query heads.
  public let heads: Int
  /// Key/value heads; a divisor of `heads`.
  public let keyValueHeads: Int
  /// Values per head.
  public let headSize: Int
  /// Leading values of each head that the rotation turns; even.
  public let rotatedSize: Int
  /// Base of the rotation's frequencies.
  public let rotationBase: Float
  /// Positions are divided by this before the rotation.
  public let rotationScale: Float
  /// Added to the mean square by the norms.
  public let epsilon: Float
  /// Tokens that the model was trained to see at once.
  public let contextLength: Int
  /// Pieces in the vocabulary.
  public let vocabularySize: Int

  /// Width of all query heads together.
  public var queryWidth: Int { heads * headSize }
  /// Width of all key heads together, and of all value heads.
  public var keyValueWidth: Int { keyValueHeads * headSize }
  /// Layers that have keys and values of their own.
  public var regularLayers: Int { layers - sharedKeyValueLayers }
}

extension ModelConfiguration {
  /// Reads and bounds the hyperparameters of `file`; tensors are compared with them afterwards.
  ///
  /// - Throws: `LanguageModelError`, for the first key that is missing or impossible.
  init(_ file: GGUFFile) throws(LanguageModelError) {
    let reader = try HyperparameterReader(file)
    let architecture = reader.architecture
    let width = try reader.count("embedding_length", in: 1...1 << 20)
    let heads = try reader.count("attention.head_count", in: 1...4096)
    let keyValueHeads = try reader.keyValueHeads(default: heads)
    let headSize = try reader.headSize(width: width, heads: heads)
    let layers = try reader.count("block_count", in: 1...4096)
    let shared =
      architecture == .afm
      ? try reader.count("attention.shared_kv_layers", in: 0...layers - 1, default: 0) : 0
    try reader.refuseExperts()
    self.init(
      architecture: architecture, layers: layers, sharedKeyValueLayers: shared, width: width,
      hiddenWidth: try reader.count("feed_forward_length", in: 1...1 << 22), heads: heads,
      keyValueHeads: keyValueHeads, headSize: headSize,
      rotatedSize: try reader.rotatedSize(headSize: headSize),
      rotationBase: try reader.number("rope.freq_base", default: 10_000, above: 1),
      rotationScale: try reader.rotationScale(),
      epsilon: try reader.number("attention.layer_norm_rms_epsilon", above: 0),
      contextLength: try reader.count("context_length", in: 1...1 << 26),
      vocabularySize: try reader.vocabularySize())
  }
}

/// Reads the keys that begin with the architecture's name.
private struct HyperparameterReader {
  let file: GGUFFile
  let architecture: Architecture

  init(_ file: GGUFFile) throws(LanguageModelError) {
    self.file = file
    guard let name = try Self.read(file, GGUFMetadata.string, "general.architecture") else {
      throw .missingKey(file: file.path, key: "general.architecture")
    }
    guard let architecture = Architecture(rawValue: name) else {
      throw .unsupportedArchitecture(file: file.path, name: name)
    }
    self.architecture = architecture
  }

  private static func read<Value>(
    _ file: GGUFFile, _ get: (GGUFMetadata) -> (String) throws(TensorFileError) -> Value,
    _ key: String
  ) throws(LanguageModelError) -> Value {
    do { return try get(file.metadata)(key) } catch { throw .tensorFile(error) }
  }

  func key(_ name: String) -> String { "\(architecture.rawValue).\(name)" }

  private func invalid(_ key: String, _ value: some Any, _ rule: String) -> LanguageModelError {
    .invalidValue(file: file.path, key: key, value: "\(value)", rule: rule)
  }

  private func integer(_ name: String) throws(LanguageModelError) -> Int? {
    try Self.read(file, GGUFMetadata.integer, key(name))
  }

  func count(
    _ name: String, in range: ClosedRange<Int>, default standard: Int? = nil
  ) throws(LanguageModelError) -> Int {
    guard let value = try integer(name) ?? standard else {
      throw .missingKey(file: file.path, key: key(name))
    }
    guard range.contains(value) else {
      throw invalid(
        key(name), value, "has to be between \(range.lowerBound) and \(range.upperBound)")
    }
    return value
  }

  func number(
    _ name: String, default standard: Double? = nil, above limit: Double
  ) throws(LanguageModelError) -> Float {
    guard let value = try Self.read(file, GGUFMetadata.float, key(name)) ?? standard else {
      throw .missingKey(file: file.path, key: key(name))
    }
    // A float that is neither finite nor above the limit would poison every value of the model.
    guard value > limit, Float(value).isFinite else {
      throw invalid(key(name), value, "has to be finite and above \(limit)")
    }
    return Float(value)
  }

  /// One number for all layers, or an array that says the same for each.
  func keyValueHeads(default heads: Int) throws(LanguageModelError) -> Int {
    let name = "attention.head_count_kv"
    var value: Int
    if case .array? = file.metadata[key(name)] {
      let values = try Self.read(file, GGUFMetadata.integers, key(name)) ?? []
      guard let first = values.first, values.allSatisfy({ $0 == first }) else {
        throw invalid(key(name), values, "has to be the same for all layers")
      }
      value = first
    } else {
      value = try integer(name) ?? heads
    }
    guard (1...heads).contains(value), heads.isMultiple(of: value) else {
      throw invalid(key(name), value, "has to divide the \(heads) query heads")
    }
    return value
  }

  func headSize(width: Int, heads: Int) throws(LanguageModelError) -> Int {
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

  func rotatedSize(headSize: Int) throws(LanguageModelError) -> Int {
    let name = "rope.dimension_count"
    let size = try integer(name) ?? headSize
    guard (2...headSize).contains(size), size.isMultiple(of: 2) else {
      throw invalid(key(name), size, "has to be even and between 2 and \(headSize)")
    }
    return size
  }

  func rotationScale() throws(LanguageModelError) -> Float {
    switch try Self.read(file, GGUFMetadata.string, key("rope.scaling.type")) {
    case nil, "none": return 1
    case "linear": return try number("rope.scaling.factor", default: 1, above: 0)
    case let type?: throw .unsupportedRopeScaling(file: file.path, name: type)
    }
  }

  /// The embedding's rows; the file may also say so.
  func vocabularySize() throws(LanguageModelError) -> Int {
    guard let embedding = file.tensor(named: "token_embd.weight") else {
      throw .missingTensor(file: file.path, tensor: "token_embd.weight")
    }
    guard (1...1 << 24).contains(embedding.rows) else {
      throw .wrongShape(
        file: file.path, tensor: embedding.name, expected: [embedding.columns, 1 << 24],
        actual: embedding.dimensions)
    }
    let stated = try integer("vocab_size") ?? embedding.rows
    guard stated == embedding.rows else {
      throw invalid(
        key("vocab_size"), stated, "token_embd.weight has \(Figures.grouped(embedding.rows)) rows")
    }
    return stated
  }

  func refuseExperts() throws(LanguageModelError) {
    let experts = try integer("expert_count") ?? 0
    guard experts == 0 else {
      throw invalid(key("expert_count"), experts, "mixtures of experts are not supported")
    }
  }
}
