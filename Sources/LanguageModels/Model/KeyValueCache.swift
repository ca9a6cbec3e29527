import Kernels

/// Keys and values of the tokens that a session has evaluated.
///
/// They belong to one base and one list of adapters: ``ModelSession`` owns its cache and never changes either.
package final class KeyValueCache {
  /// Per regular layer, `(key/value heads, capacity, head size)`; keys are rotated.
  let keys: [CacheRows]
  /// Per regular layer, as `keys`.
  let values: [CacheRows]
  /// Tokens that there is room for.
  package let capacity: Int
  /// The tokens whose keys and values are held, in order.
  package private(set) var tokens: [Int32] = []

  /// Reserves room; pages are taken from the system as they are filled.
  init(_ configuration: ModelConfiguration, capacity: Int, format: CacheFormat) {
    self.capacity = capacity
    func rows() -> [CacheRows] {
      (0..<configuration.regularLayers).map { _ in
        CacheRows(
          heads: configuration.keyValueHeads, capacity: capacity,
          headSize: configuration.headSize, format: format)
      }
    }
    keys = rows()
    values = rows()
    tokens.reserveCapacity(min(capacity, 1 << 16))
  }

  /// Bytes per token.
  package var bytesPerToken: Int { keys.reduce(0) { $0 + 2 * $1.bytes / capacity } }

  /// Counts `tokens` as held; their rows have been written by a forward pass.
  func append(_ tokens: some Sequence<Int32>) {
    self.tokens.append(contentsOf: tokens)
    precondition(self.tokens.count <= capacity, "more tokens than the cache holds")
  }

  /// Forgets all tokens from position `count` on.
  package func truncate(to count: Int) {
    precondition((0...tokens.count).contains(count), "cannot truncate to \(count) tokens")
    tokens.removeLast(tokens.count - count)
  }
}
