/// Models whose layers are not alike: Gemma 4.
extension HyperparameterReader {
  /// The hyperparameters of such a model.
  ///
  /// What the file says of heads holds for layers without a window; those with one have keys that end with `_swa`.
  func unlikeLayers(
    layers: Int, width: Int, heads: Int
  ) throws(BaseModelError) -> ModelConfiguration {
    let attention = try attention(layers: layers)
    let headSize = try headSize(width: width, heads: heads)
    let shared = try count("attention.shared_kv_layers", in: 0...layers - 1, default: 0)
    let sizes = try layerSizes(attention, heads: heads, headSize: headSize, shared: shared)
    let hiddenWidth = sizes.map(\.hiddenWidth).max() ?? 0
    let tokenWidth = try count("embedding_length_per_layer_input", in: 0...1 << 16, default: 0)
    return ModelConfiguration(
      architecture: architecture, layers: layers, sharedKeyValueLayers: shared, width: width,
      hiddenWidth: hiddenWidth, experts: try experts(hiddenWidth: hiddenWidth), heads: heads,
      keyValueHeads: sizes.map(\.shape.keyValueHeads).max() ?? heads, headSize: headSize,
      rotary: try rotary(headSize: headSize), attention: attention,
      scales: try scales(
        width: width,
        scoreSize: architecture.scoreSize(
          layers: layers, width: width, heads: heads, headSize: headSize)),
      epsilon: try number("attention.layer_norm_rms_epsilon", above: 0),
      contextLength: try count("context_length", in: 1...1 << 26),
      vocabularySize: try vocabularySize(), layerSizes: sizes,
      tokenWidth: tokenWidth > 0 ? tokenWidth : nil)
  }

  private func layerSizes(
    _ attention: [LayerAttention], heads: Int, headSize: Int, shared: Int
  ) throws(BaseModelError) -> [LayerSizes] {
    let local = try localHeadSize(default: headSize)
    let keyValueHeads = try counts(
      "attention.head_count_kv", in: 1...heads, layers: attention.count, default: heads)
    if let odd = keyValueHeads.first(where: { !heads.isMultiple(of: $0) }) {
      throw invalid(
        key("attention.head_count_kv"), odd, "has to divide the \(heads) query heads")
    }
    let hidden = try counts("feed_forward_length", in: 1...1 << 22, layers: attention.count)
    let regular = attention.count - shared
    var sizes: [LayerSizes] = []
    for (index, layer) in attention.enumerated() {
      let shape = HeadShape(
        heads: heads, keyValueHeads: keyValueHeads[index],
        size: layer.window == nil ? headSize : local)
      // The last layer of the same kind that has keys and values.
      let source =
        index < regular
        ? index : attention[..<regular].lastIndex { ($0.window == nil) == (layer.window == nil) }
      guard let source, index == source || sizes[source].shape == shape else {
        throw invalid(
          key("attention.shared_kv_layers"), shared,
          "layer \(index) has no layer of its kind whose keys and values it could read")
      }
      sizes.append(LayerSizes(shape: shape, hiddenWidth: hidden[index], source: source))
    }
    return sizes
  }

  /// Values per head in layers with a window.
  private func localHeadSize(default standard: Int) throws(BaseModelError) -> Int {
    let size = try count("attention.key_length_swa", in: 2...512, default: standard)
    guard size.isMultiple(of: 2) else {
      throw invalid(key("attention.key_length_swa"), size, "has to be even")
    }
    let values = try count("attention.value_length_swa", in: 2...512, default: size)
    guard values == size else {
      throw invalid(
        key("attention.value_length_swa"), values, "has to equal the key length of \(size)")
    }
    return size
  }

  /// Leading values that turn in heads of layers with a window.
  func localRotarySize(default standard: Int) throws(BaseModelError) -> Int? {
    guard architecture.hasUnlikeLayers else { return nil }
    let head = try localHeadSize(default: standard)
    let name = "rope.dimension_count_swa"
    let size = try count(name, in: 2...head, default: head)
    guard size.isMultiple(of: 2) else { throw invalid(key(name), size, "has to be even") }
    return size
  }

  /// One number for all layers, or an array with one for each.
  private func counts(
    _ name: String, in range: ClosedRange<Int>, layers: Int, default standard: Int? = nil
  ) throws(BaseModelError) -> [Int] {
    guard let values = try integers(name) else {
      return Array(repeating: try count(name, in: range, default: standard), count: layers)
    }
    guard values.count == layers else {
      throw invalid(
        key(name), "an array of \(values.count)", "has to have one value per layer")
    }
    if let odd = values.first(where: { !range.contains($0) }) {
      throw invalid(key(name), odd, "has to be between \(range.lowerBound) and \(range.upperBound)")
    }
    return values
  }
}
