import JSON
import TensorFiles

/// What the settings of Gemma 4 say of each layer, and the keys of a base that it becomes.
struct UnlikeLayers {
  /// Those of each layer; sources are not read here.
  let sizes: [LayerSizes]
  /// The last layers that read the keys and values of others.
  let shared: Int
  /// Width of the embedding that each layer has of each token; 0 without.
  let tokenWidth: Int
  /// Whether layers without a window make values of what keys are made of.
  let hasOneForBoth: Bool

  private let hasWindow: [Bool]
  private let statesKeyValueHeads: Bool
  private let isWider: Bool

  /// Values per head in layers without a window, and in those with one.
  let headSizes: (full: Int, local: Int)

  /// - Throws: `BaseModelError.base` for what a base cannot say, or what is not supported.
  init(
    _ settings: CheckpointSettings, layers: Int, heads: Int
  ) throws(BaseModelError) {
    guard settings.string("use_bidirectional_attention") != "all" else {
      throw settings.unsupported(
        "use_bidirectional_attention", "lets tokens see those behind them")
    }
    let types = settings.value("layer_types")?.array ?? []
    guard types.count == layers else {
      throw settings.bad("layer_types", "has \(types.count) values for \(layers) layers")
    }
    let hasWindow = types.map { $0.string == "sliding_attention" }
    shared = try settings.integer("num_kv_shared_layers", in: 0...layers - 1, default: 0)
    tokenWidth = try settings.integer(
      "hidden_size_per_layer_input", in: 0...1 << 16, default: 0)
    hasOneForBoth = settings.bool("attention_k_eq_v") == true
    isWider = settings.bool("use_double_wide_mlp") == true
    let each = try PerLayerSettings(settings, hasOneForBoth: hasOneForBoth)
    statesKeyValueHeads = each.statesKeyValueHeads
    let width = try settings.integer("intermediate_size", in: 1...1 << 22)
    let isWider = isWider
    let regular = layers - shared
    var sizes: [LayerSizes] = []
    for layer in 0..<layers {
      let shape = try each.shape(layer, hasWindow: hasWindow[layer], heads: heads)
      let hidden = isWider && layer >= regular ? 2 * width : width
      sizes.append(LayerSizes(shape: shape, hiddenWidth: hidden, source: layer))
    }
    func size(_ isLocal: Bool) throws(BaseModelError) -> Int? {
      let all = Set(zip(sizes, hasWindow).filter { $1 == isLocal }.map(\.0.shape.size))
      guard all.count < 2 else {
        throw settings.unsupported(
          "per_layer_config", "gives layers of one kind heads of several sizes")
      }
      return all.first
    }
    let (full, local) = (try size(false), try size(true))
    guard let either = full ?? local else {
      throw settings.bad("layer_types", "is empty")
    }
    headSizes = (full ?? either, local ?? either)
    (self.sizes, self.hasWindow) = (sizes, hasWindow)
  }

  /// In the place of those that hold for all layers.
  var keys: [(String, GGUFValue)] {
    func number(_ value: Int) -> GGUFValue { .uint32(UInt32(value)) }
    func numbers(_ values: [Int]) -> GGUFValue { .integers(values.map { Int32($0) }) }
    var keys = [
      ("attention.shared_kv_layers", number(shared)),
      ("embedding_length_per_layer_input", number(tokenWidth)),
      ("attention.sliding_window_pattern", .bools(hasWindow)),
      ("attention.key_length", number(headSizes.full)),
      ("attention.value_length", number(headSizes.full)),
      ("attention.key_length_swa", number(headSizes.local)),
      ("attention.value_length_swa", number(headSizes.local)),
    ]
    if isWider { keys.append(("feed_forward_length", numbers(sizes.map(\.hiddenWidth)))) }
    if statesKeyValueHeads {
      keys.append(("attention.head_count_kv", numbers(sizes.map(\.shape.keyValueHeads))))
    }
    return keys
  }
}

/// The heads of layers: those without a window have settings of their own, by layer in newer files.
private struct PerLayerSettings {
  private let settings: CheckpointSettings
  private let each: CheckpointSettings?
  private let hasOneForBoth: Bool

  init(_ settings: CheckpointSettings, hasOneForBoth: Bool) throws(BaseModelError) {
    self.settings = settings
    self.hasOneForBoth = hasOneForBoth
    each = settings.part("per_layer_config")
  }

  /// Whether some layers have another number of keys.
  var statesKeyValueHeads: Bool {
    let stated = each?.object.members.contains { $0.value.object?["num_key_value_heads"] != nil }
    return stated ?? (hasOneForBoth && settings.has("num_global_key_value_heads"))
  }

  func shape(_ layer: Int, hasWindow: Bool, heads: Int) throws(BaseModelError) -> HeadShape {
    var size = try settings.integer("head_dim", in: 2...512)
    var keys = try settings.integer("num_key_value_heads", in: 1...heads)
    if let each {
      if let own = each.part("\(layer)") {
        size = try own.integer("head_dim", in: 2...512, default: size)
        keys = try own.integer("num_key_value_heads", in: 1...heads, default: keys)
      }
    } else if !hasWindow {
      size = try settings.integer("global_head_dim", in: 2...512, default: 512)
      if hasOneForBoth {
        keys = try settings.integer("num_global_key_value_heads", in: 1...heads, default: keys)
      }
    }
    guard size.isMultiple(of: 2) else { throw settings.bad("head_dim", "is \(size), which is odd") }
    guard heads.isMultiple(of: keys) else {
      throw settings.bad("num_key_value_heads", "is \(keys), which does not divide \(heads)")
    }
    return HeadShape(heads: heads, keyValueHeads: keys, size: size)
  }
}
