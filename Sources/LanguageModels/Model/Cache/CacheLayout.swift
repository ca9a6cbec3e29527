import Kernels

/// What the pages of a base are made of: the keys and values of each layer that has some of its own.
struct CacheLayout: Sendable {
  /// By layer; nil where it has none, or reads those of another layer.
  let keys: [CachePart?]
  /// By layer, as `keys`.
  let values: [CachePart?]
  /// Bytes of a page.
  let pageBytes: Int

  init(_ configuration: ModelConfiguration, _ format: CacheFormat) {
    var (keys, values, end): ([CachePart?], [CachePart?], Int) = ([], [], 0)
    for layer in 0..<configuration.regularLayers {
      let isOwn = configuration.keyValueSource(layer: layer) == layer
      guard configuration.hasAttention(layer: layer), isOwn else {
        keys.append(nil)
        values.append(nil)
        continue
      }
      let shape = configuration.headShape(layer: layer)
      func part(_ order: CacheOrder) -> CachePart {
        let part = CachePart(
          heads: shape.keyValueHeads, headSize: shape.size, format: format, order: order,
          offset: end)
        end = part.end
        return part
      }
      keys.append(part(.columns))
      values.append(part(.rows))
    }
    (self.keys, self.values, pageBytes) = (keys, values, end)
  }

  var parts: [CachePart] { (keys + values).compactMap(\.self) }
}
