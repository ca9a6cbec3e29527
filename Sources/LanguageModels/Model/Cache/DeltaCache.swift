import Kernels

/// What gated delta layers keep of the tokens before a row: of each layer a state, which cannot go back, and the rows that it was
/// made of last.
///
/// So that tokens can be cut off, each layer has the state in front of the last pass, too, from which those rows lead to any position
/// behind it: a guess that did not come costs no pass. Further in front there are marks, the fewer the further away; from these
/// on tokens have to be evaluated again.
final class DeltaCache: RunningState {
  /// By index in the model.
  let layers: [Int: Layer]
  private(set) var end = 0

  /// Of one layer.
  final class Layer {
    /// What rows are made of, position p in row p % rows.
    let rows: DeltaRows
    /// At a position that the session holds.
    fileprivate(set) var base: State
    /// At the end of the last pass; at no position when that was cut off.
    fileprivate(set) var last: State

    fileprivate init(_ shape: DeltaShape) {
      rows = DeltaRows(shape, capacity: DeltaCache.rows)
      (base, last) = (State(shape, position: 0), State(shape, position: nil))
    }

    fileprivate init(_ other: Layer) {
      rows = other.rows.copy()
      (base, last) = (State(other.base), State(other.last))
    }
  }

  /// `(value heads · key size, value size)`, behind all rows before a position.
  struct State {
    let values: Activations
    var position: Int?

    fileprivate init(_ shape: DeltaShape, position: Int?) {
      values = Activations(
        capacity: shape.valueHeads * shape.keySize, columns: shape.valueSize)
      self.position = position
    }

    fileprivate init(_ other: State) {
      (values, position) = (other.values.copy(), other.position)
    }
  }

  /// What a layer needs to go on at a position.
  private struct Mark {
    let state: Activations
    /// Of the convolution, those before the position.
    let rows: [[Float]]
  }

  /// Rows that are kept: a pass, and those that are computed again from the state in front of it.
  static let rows = 2 * ModelSession.batch
  /// Tokens from one possible mark to the next.
  static let interval = ModelSession.batch

  private let shape: DeltaShape
  private let taps: Int
  // From this position on the rows are those of the session.
  private var first = 0
  // By position, then by layer.
  private var marks: [Int: [Int: Mark]] = [:]

  init(_ settings: DeltaRuleSettings) {
    (shape, taps) = (settings.shape, settings.taps)
    layers = settings.layers.reduce(into: [:]) { $0[$1] = Layer(settings.shape) }
  }

  private init(_ other: DeltaCache) {
    (shape, taps, end, first) = (other.shape, other.taps, other.end, other.first)
    // A mark is not changed any more.
    marks = other.marks
    layers = other.layers.mapValues { Layer($0) }
  }

  /// Another one that goes on from the same position.
  func copy() -> DeltaCache { DeltaCache(self) }

  var bytesPerToken: Int { 0 }

  func willWrite(_ count: Int) { first = max(first, end + count - Self.rows) }

  func advance(by count: Int) {
    end += count
    for position in marks.keys where !isKept(position) { marks[position] = nil }
  }

  /// Of the positions that are multiples of the same power of 2, but not of the next one, the last has a mark: a cut by some tokens
  /// finds one no more than about twice as far back.
  private func isKept(_ position: Int) -> Bool {
    let number = position / Self.interval
    return position + 2 * Self.interval << number.trailingZeroBitCount > end
  }

  func truncate(to count: Int) {
    let target = min(count, end)
    for position in marks.keys where position > target { marks[position] = nil }
    for layer in layers.values where layer.last.position ?? 0 > target { layer.last.position = nil }
    guard !layers.values.allSatisfy({ canGo($0, to: target) }) else { return end = target }
    end = marks.keys.max() ?? 0
    first = max(0, end - taps + 1)
    for (index, layer) in layers { restore(layer, marks[end]?[index]) }
  }

  /// Whether the state of a layer at `position`, or one in front of it and all rows that lead there, are at hand.
  private func canGo(_ layer: Layer, to position: Int) -> Bool {
    let start = layer.last.position == position ? position : layer.base.position ?? .max
    return start <= position && max(0, start - taps + 1) >= first
  }

  private func restore(_ layer: Layer, _ mark: Mark?) {
    (layer.base.position, layer.last.position) = (end, nil)
    guard let mark else { return layer.base.values.clear() }
    layer.base.values.copy(from: mark.state)
    for (position, row) in zip(first..<end, mark.rows) {
      layer.rows.channels.setRow(position % Self.rows, to: row)
    }
  }

  /// Puts a mark behind the rows before `position`, which the last state of layer `index` has seen.
  private func mark(_ index: Int, at position: Int) {
    guard let layer = layers[index], position.isMultiple(of: Self.interval) else { return }
    let state = Activations(capacity: shape.valueHeads * shape.keySize, columns: shape.valueSize)
    state.copy(from: layer.last.values)
    let rows = (max(0, position - taps + 1)..<position).map {
      layer.rows.channels.row($0 % Self.rows)
    }
    marks[position, default: [:]][index] = Mark(state: state, rows: rows)
  }
}

extension DeltaCache {
  /// Lets the state of layer `index` see what it lacks up to `end`, and then `count` rows more.
  ///
  /// `step` is asked to let rows of a range of positions pass from one state to another: those before `end` are kept already
  /// and give nothing.
  func pass(
    _ index: Int, _ count: Int,
    step: (_ layer: Layer, _ positions: Range<Int>, _ source: Activations, _ target: Activations)
      -> Void
  ) {
    guard let layer = layers[index] else { preconditionFailure("a cache of another model") }
    if layer.last.position == end { swap(&layer.base, &layer.last) }
    layer.last.position = nil
    guard let start = layer.base.position, start <= end else {
      preconditionFailure("a state behind the end")
    }
    for part in Self.parts(start..<end) {
      step(layer, part, layer.base.values, layer.base.values)
      layer.base.position = part.upperBound
    }
    var source = layer.base.values
    for part in Self.parts(end..<end + count) {
      step(layer, part, source, layer.last.values)
      source = layer.last.values
      mark(index, at: part.upperBound)
    }
    layer.last.position = end + count
  }

  /// Parts that end where a mark may be.
  private static func parts(_ positions: Range<Int>) -> [Range<Int>] {
    var (parts, start): ([Range<Int>], Int) = ([], positions.lowerBound)
    while start < positions.upperBound {
      let end = min((start / interval + 1) * interval, positions.upperBound)
      parts.append(start..<end)
      start = end
    }
    return parts
  }
}
