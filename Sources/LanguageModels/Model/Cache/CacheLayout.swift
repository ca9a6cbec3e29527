import Kernels

/// What the pages of a base are made of: the keys and values of each layer that has some of its own.
struct CacheLayout: Sendable {
  /// By layer; nil where it has none, or reads those of another layer.
  let layers: [CachePart?]
  /// Bytes of a page.
  let pageBytes: Int

  init(_ configuration: ModelConfiguration, _ format: CacheFormat) {
    var end = 0
    layers = (0..<configuration.regularLayers).map { layer in
      let isOwn = configuration.keyValueSource(layer: layer) == layer
      guard configuration.hasAttention(layer: layer), isOwn else { return nil }
      let shape = configuration.headShape(layer: layer)
      let part = CachePart(
        heads: shape.keyValueHeads, headSize: shape.size, format: format, offset: end)
      end = part.end
      return part
    }
    // Also where no layer has any.
    pageBytes = max(end, 64)
  }

  var parts: [CachePart] { layers.compactMap(\.self) }
}
