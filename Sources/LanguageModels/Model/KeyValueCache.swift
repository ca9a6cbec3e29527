import Kernels

/// Keys and values of the tokens that a session has evaluated, and what else its layers keep of them.
///
/// They belong to one base and one list of adapters: ``ModelSession`` owns its cache and never changes either.
package final class KeyValueCache {
  /// Per regular layer, `(key/value heads, capacity, head size)`; keys are rotated.
  ///
  /// Nil of layers without attention.
  let keys: [CacheRows?]
  /// Per regular layer, as `keys`.
  let values: [CacheRows?]
  /// Nil in models without convolutions.
  let convolutions: ConvolutionCache?
  /// Tokens that there is room for.
  package let capacity: Int
  /// The tokens that are held, in order.
  package private(set) var tokens: [Int32] = []

  /// Reserves room; pages are taken from the system as they are filled.
  init(_ configuration: ModelConfiguration, capacity: Int, format: CacheFormat) {
    self.capacity = capacity
    func rows() -> [CacheRows?] {
      (0..<configuration.regularLayers).map { layer in
        guard !configuration.hasConvolution(layer: layer) else { return nil }
        return CacheRows(
          heads: configuration.keyValueHeads, capacity: capacity,
          headSize: configuration.headSize, format: format)
      }
    }
    keys = rows()
    values = rows()
    convolutions = configuration.convolution.map {
      ConvolutionCache($0, width: configuration.width)
    }
    tokens.reserveCapacity(min(capacity, 1 << 16))
  }

  /// Bytes per token.
  package var bytesPerToken: Int {
    keys.reduce(convolutions?.bytesPerToken ?? 0) { $0 + 2 * ($1?.bytes ?? 0) / capacity }
  }

  /// Where the next row of a pass goes: behind all tokens, or before those that have to be evaluated again.
  var position: Int { convolutions?.end ?? tokens.count }

  /// Tokens whose rows have to be computed again before any other: what they left in a convolution was cut away with others.
  var missing: Range<Int> { position..<tokens.count }

  /// Counts `tokens` as held; their rows have been written by a forward pass.
  func append(_ tokens: some Collection<Int32>) {
    let known = min(missing.count, tokens.count)
    self.tokens.append(contentsOf: tokens.dropFirst(known))
    convolutions?.advance(by: tokens.count)
    precondition(self.tokens.count <= capacity, "more tokens than the cache holds")
  }

  /// Forgets all tokens from position `count` on.
  package func truncate(to count: Int) {
    precondition((0...tokens.count).contains(count), "cannot truncate to \(count) tokens")
    tokens.removeLast(tokens.count - count)
    convolutions?.truncate(to: count)
  }
}

/// What short convolutions read of the tokens before a row: of each layer the last rows that it sums, and those before some
/// positions.
///
/// Where so many tokens are cut away that the last rows are not at hand, they go back to such a position, and the tokens from
/// there on have to be evaluated again: with the same keys and values, as no row depends on which are computed with it.
final class ConvolutionCache {
  /// By layer, `(rows, width)`: position p in row p % rows.
  let rings: [Int: Activations]
  /// Positions whose rows were written: all before it, as far as the rings go back.
  private(set) var end = 0

  private let taps: Int
  // From this position on the rings hold the rows.
  private var first = 0
  // Positions, and the rows before each, layer by layer.
  private var marks: [(position: Int, rows: [[Float]])] = []

  /// Rows of a ring: a pass, and as many tokens as may be taken back without evaluating any again.
  static let rows = 2 * ModelSession.batch
  /// Tokens from one mark to the next.
  static let interval = ModelSession.batch

  init(_ settings: ConvolutionSettings, width: Int) {
    taps = settings.taps
    rings = settings.layers.reduce(into: [:]) {
      $0[$1] = Activations(capacity: Self.rows, columns: width)
    }
  }

  /// Bytes of the marks.
  var bytesPerToken: Int {
    rings.values.reduce(0) { $0 + $1.columns * 4 * (taps - 1) } / Self.interval
  }

  /// Rows of `count` more positions are about to be written, over the oldest ones.
  func willWrite(_ count: Int) { first = max(first, end + count - Self.rows) }

  /// Counts rows of `count` positions as written.
  func advance(by count: Int) {
    let known = marks.last?.position ?? 0
    for position in stride(from: known + Self.interval, through: end + count, by: Self.interval) {
      let before = max(0, position - taps + 1)..<position
      guard before.lowerBound >= first else { continue }
      let rows = sorted.flatMap { ring in before.map { ring.row($0 % Self.rows) } }
      marks.append((position, rows))
    }
    end += count
  }

  /// Forgets all positions from `count` on, and where that is not enough those back to a mark.
  func truncate(to count: Int) {
    marks.removeAll { $0.position > count }
    guard count < end else { return }
    guard max(0, count - taps + 1) < first else { return end = count }
    end = marks.last?.position ?? 0
    first = max(0, end - taps + 1)
    guard var rows = marks.last?.rows[...] else { return }
    for ring in sorted {
      for position in first..<end {
        guard let row = rows.popFirst() else { return }
        ring.setRow(position % Self.rows, to: row)
      }
    }
  }

  private var sorted: [Activations] { rings.sorted { $0.key < $1.key }.map(\.value) }
}
