import Kernels

/// What short convolutions read of the tokens before a row: of each layer the last rows that it sums, and those before some
/// positions.
///
/// Where so many tokens are cut away that the last rows are not at hand, they go back to such a position, and the tokens from
/// there on have to be evaluated again: with the same keys and values, as no row depends on which are computed with it.
final class ConvolutionCache: RunningState {
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

  private init(_ other: ConvolutionCache) {
    (taps, end, first, marks) = (other.taps, other.end, other.first, other.marks)
    rings = other.rings.mapValues { $0.copy() }
  }

  /// Another one that goes on from the same position.
  func copy() -> ConvolutionCache { ConvolutionCache(self) }

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
