import JSON

/// The hyperparameters in the `config.json` of an AFM checkpoint.
struct CheckpointConfiguration: Equatable {
  let vocabularySize: Int
  let width: Int
  /// All layers, with those that share keys and values.
  let layers: Int
  let sharedLayers: Int
  let heads: Int
  let keyValueHeads: Int
  let hiddenWidth: Int
  let headSize: Int
  let rotationBase: Double
  let epsilon: Double
  let contextLength: Int
  /// Codes of the languages that it speaks, such as `en`; none where it does not say.
  let languages: [String]

  var queryWidth: Int { heads * headSize }
  var keyValueWidth: Int { keyValueHeads * headSize }
  var regularLayers: Int { layers - sharedLayers }

  /// Reads and bounds the settings; unknown ones are left alone.
  ///
  /// - Throws: `BaseModelError.base` for a setting that is missing or impossible, or `.file`.
  init(path: String) throws(BaseModelError) {
    try self.init(CheckpointSettings(path: path))
  }

  init(_ settings: CheckpointSettings) throws(BaseModelError) {
    width = try settings.integer("hidden_dim", in: 1...1 << 20)
    layers = try settings.integer("num_layers", in: 1...4096)
    sharedLayers = try settings.integer("num_kv_reuse_layers", in: 0...layers - 1)
    heads = try settings.integer("num_heads", in: 1...4096)
    keyValueHeads = try settings.integer("num_kv_heads", in: 1...heads)
    hiddenWidth = try settings.integer("ffn_dim", in: 1...1 << 22)
    vocabularySize = try settings.integer("vocab_size", in: 1...1 << 24)
    contextLength = try settings.integer("context_length", in: 1...1 << 26, default: 4096)
    rotationBase = try settings.number("rope_theta")
    epsilon = try settings.number("norm_eps")
    headSize = try settings.integer("head_dim", in: 2...512, default: width / heads)
    languages = try Self.languages(settings)
    guard headSize.isMultiple(of: 2) else {
      throw settings.bad("head_dim", "is \(headSize), which is odd")
    }
    guard settings.has("head_dim") || width.isMultiple(of: heads) else {
      throw settings.bad("num_heads", "is \(heads), which does not divide hidden_dim \(width)")
    }
    guard heads.isMultiple(of: keyValueHeads) else {
      throw settings.bad("num_kv_heads", "is \(keyValueHeads), which does not divide \(heads)")
    }
  }

  private static func languages(
    _ settings: CheckpointSettings
  ) throws(BaseModelError) -> [String] {
    guard let value = settings.value("languages") else { return [] }
    let codes = value.array?.map(\.string) ?? [nil]
    guard !codes.contains(nil) else {
      throw settings.bad("languages", "is not a list of codes such as \"en\"")
    }
    return codes.compactMap(\.self)
  }
}
