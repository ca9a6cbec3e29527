import Kernels

/// Keys and values of the tokens that a session has evaluated, and what else its layers keep of them.
///
/// They belong to one base and one list of adapters: ``ModelSession`` owns its cache and never changes either.
package final class KeyValueCache {
  /// Per regular layer; keys are rotated.
  ///
  /// Nil of layers without attention.
  let keys: [CacheRows?]
  /// Per regular layer, as `keys`.
  let values: [CacheRows?]
  /// Nil in models without convolutions.
  let convolutions: ConvolutionCache?
  /// Nil in models without delta rules.
  let deltaRules: DeltaCache?
  /// Tokens that there is room for.
  package let capacity: Int
  /// The tokens that are held, in order.
  package private(set) var tokens: [Int32] = []

  /// Reserves room; pages are taken from the system as they are filled.
  ///
  /// - Throws: `BaseModelError.noRoom` where the address space of the process ends before.
  init(
    _ configuration: ModelConfiguration, capacity: Int, format: CacheFormat
  ) throws(BaseModelError) {
    self.capacity = capacity
    func rows(_ order: CacheOrder) throws(BaseModelError) -> [CacheRows?] {
      var rows: [CacheRows?] = []
      for layer in 0..<configuration.regularLayers {
        guard configuration.hasAttention(layer: layer) else {
          rows.append(nil)
          continue
        }
        let shape = configuration.headShape(layer: layer)
        let reserved = CacheRows(
          heads: shape.keyValueHeads, capacity: capacity, headSize: shape.size, format: format,
          order: order)
        guard let reserved else { throw .noRoom(context: capacity) }
        rows.append(reserved)
      }
      return rows
    }
    keys = try rows(.columns)
    values = try rows(.rows)
    convolutions = configuration.convolution.map {
      ConvolutionCache($0, width: configuration.width)
    }
    deltaRules = configuration.deltaRule.map { DeltaCache($0) }
    tokens.reserveCapacity(min(capacity, 1 << 16))
  }

  /// Bytes per token.
  package var bytesPerToken: Int {
    keys.reduce(running?.bytesPerToken ?? 0) { $0 + 2 * ($1?.bytes ?? 0) / capacity }
  }

  /// Where the next row of a pass goes: behind all tokens, or before those that have to be evaluated again.
  var position: Int { running?.end ?? tokens.count }

  /// What is not a row per token; nil where there is nothing else.
  private var running: (any RunningState)? { deltaRules ?? convolutions }

  /// Tokens whose rows have to be computed again before any other: what they left elsewhere was cut away with others.
  var missing: Range<Int> { position..<tokens.count }

  /// Expects rows of `count` more positions.
  func willWrite(_ count: Int) { running?.willWrite(count) }

  /// Counts `tokens` as held; their rows have been written by a forward pass.
  func append(_ tokens: some Collection<Int32>) {
    let known = min(missing.count, tokens.count)
    self.tokens.append(contentsOf: tokens.dropFirst(known))
    running?.advance(by: tokens.count)
    precondition(self.tokens.count <= capacity, "more tokens than the cache holds")
  }

  /// Forgets all tokens from position `count` on.
  package func truncate(to count: Int) {
    precondition((0...tokens.count).contains(count), "cannot truncate to \(count) tokens")
    tokens.removeLast(tokens.count - count)
    running?.truncate(to: count)
  }
}

/// What layers keep of the tokens before a row that is not a row per token, and so cannot be cut off at any of them.
///
/// Where it cannot go back to a position, it goes to one further in front, and the tokens from there on have to be evaluated
/// again: with the same keys and values, as no row depends on which are computed with it.
protocol RunningState: AnyObject {
  /// The position of the next row.
  var end: Int { get }
  /// Bytes that a token takes for as long as the session lasts.
  var bytesPerToken: Int { get }
  /// Expects rows of `count` more positions; a pass that is cancelled has written some of them.
  func willWrite(_ count: Int)
  /// Counts rows of `count` positions as written.
  func advance(by count: Int)
  /// Forgets all positions from `count` on, and where that is not possible some before it.
  func truncate(to count: Int)
}
