import TestSupport
import Testing

@testable import Kernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct OperationsAttentionTests {
  static let variants = CPUVariant.available

  private func operations(_ variant: CPUVariant) -> Operations {
    Operations(pool: WorkerPool(threads: 1), variant: variant)
  }

  private func activations(_ rows: [[Float]]) -> Activations {
    let result = Activations(capacity: rows.count, columns: rows[0].count)
    for (row, values) in rows.enumerated() {
      for (column, value) in values.enumerated() { result[row, column] = value }
    }
    return result
  }

  /// Rows go into the cache head by head, and out of it: attention to one position is its value.
  @Test(arguments: variants, CacheFormat.allCases)
  func cacheRoundTrip(variant: CPUVariant, format: CacheFormat) {
    var random = SeededGenerator(seed: 13)
    let (heads, size) = (2, 44)
    let cache = cacheRows(heads: heads, capacity: 4, headSize: size, format: format)
    let x = activations([random.floats(heads * size)])
    let operations = operations(variant)
    operations.heads(x, size: size, cache: cache, first: 0, batch: 1)
    let y = Activations(capacity: 1, columns: heads * size)
    operations.attention(
      x, keys: cache, values: cache, AttentionRule(scale: 1), into: y, first: 0, batch: 1)
    #expect(y.row(0) == Self.stored(x.row(0), headSize: size, format))
  }

  /// What comes out of a cache for the heads of a row.
  static func stored(_ row: [Float], headSize: Int, _ format: CacheFormat) -> [Float] {
    switch format {
    case .f32: row
    case .f16: row.map { Float(Float16($0)) }
    case .q8:
      stride(from: 0, to: row.count, by: headSize).flatMap { head in
        stride(from: head, to: head + headSize, by: 32).flatMap { first in
          let block = row[first..<min(first + 32, head + headSize)]
          let scale = Float(Float16((block.map(abs).max() ?? 0) / 127))
          return block.map { scale * min(127, max(-127, ($0 / scale).rounded(.toNearestOrEven))) }
        }
      }
    }
  }

  /// What is not a number stays visible: the logits that come of it are refused.
  @Test(arguments: [(1 << 20, 1 << 26, 512), (1 << 40, 1 << 40, 64)])
  func moreThanThereIsRoomForIsNoCache(heads: Int, capacity: Int, size: Int) {
    #expect(CacheRows(heads: heads, capacity: capacity, headSize: size, format: .f16) == nil)
  }

  @Test(arguments: variants, CacheFormat.allCases)
  func noFormatHidesWhatIsNotFinite(variant: CPUVariant, format: CacheFormat) {
    for value in [Float.nan, .infinity, -.infinity] {
      let cache = cacheRows(heads: 1, capacity: 1, headSize: 40, format: format)
      var row = [Float](repeating: 1, count: 40)
      row[33] = value
      let operations = operations(variant)
      let y = Activations(capacity: 1, columns: 40)
      operations.heads(activations([row]), size: 40, cache: cache, first: 0, batch: 1)
      operations.attention(
        activations([row]), keys: cache, values: cache, AttentionRule(scale: 1), into: y, first: 0,
        batch: 1)
      #expect(y.row(0).contains { !$0.isFinite }, "\(value)")
    }
  }

  struct AttentionCase: Sendable, CustomTestStringConvertible {
    let heads: Int, keyValueHeads: Int, size: Int, positions: Int, format: CacheFormat
    var window: Int?
    var cap: Float?
    var testDescription: String {
      "\(heads)/\(keyValueHeads) × \(size), \(positions), \(format), \(window ?? 0), \(cap ?? 0)"
    }
  }

  @Test(
    arguments: variants,
    [
      AttentionCase(heads: 2, keyValueHeads: 2, size: 8, positions: 1, format: .f32),
      AttentionCase(heads: 4, keyValueHeads: 2, size: 16, positions: 33, format: .f32),
      AttentionCase(heads: 9, keyValueHeads: 1, size: 36, positions: 70, format: .f16),
      AttentionCase(heads: 6, keyValueHeads: 3, size: 6, positions: 32, format: .f16),
      AttentionCase(heads: 4, keyValueHeads: 2, size: 64, positions: 70, format: .q8),
      AttentionCase(heads: 2, keyValueHeads: 1, size: 44, positions: 33, format: .q8),
      AttentionCase(heads: 4, keyValueHeads: 2, size: 16, positions: 99, format: .f32, window: 1),
      AttentionCase(heads: 4, keyValueHeads: 2, size: 16, positions: 99, format: .f16, window: 40),
      AttentionCase(heads: 4, keyValueHeads: 2, size: 16, positions: 50, format: .f32, window: 98),
      AttentionCase(heads: 6, keyValueHeads: 2, size: 24, positions: 70, format: .f32, cap: 3),
      AttentionCase(
        heads: 3, keyValueHeads: 1, size: 16, positions: 70, format: .q8, window: 33, cap: 50),
    ])
  func attention(variant: CPUVariant, test: AttentionCase) {
    var random = SeededGenerator(seed: 19)
    let (size, batch) = (test.size, min(3, test.positions))
    let first = test.positions - batch
    func rows(_ heads: Int, _ count: Int, _ limit: Float) -> [[Float]] {
      (0..<count).map { _ in random.floats(heads * size, in: -limit..<limit) }
    }
    // Wide scores: the largest so far changes often, and some weights vanish.
    let keys = rows(test.keyValueHeads, test.positions, 6)
    let values = rows(test.keyValueHeads, test.positions, 1)
    let queries = rows(test.heads, batch, 6)
    func cache(_ rows: [[Float]]) -> CacheRows {
      let cache = cacheRows(
        heads: test.keyValueHeads, capacity: test.positions + 2, headSize: size, format: test.format
      )
      operations(variant).heads(
        activations(rows), size: size, cache: cache, first: 0, batch: rows.count)
      return cache
    }
    let y = Activations(capacity: batch, columns: test.heads * size)
    operations(variant).attention(
      activations(queries), keys: cache(keys), values: cache(values),
      AttentionRule(scale: 0.25, window: test.window, cap: test.cap), into: y, first: first,
      batch: batch)
    func stored(_ rows: [[Float]]) -> [[Double]] {
      rows.map { Self.stored($0, headSize: size, test.format).map(Double.init) }
    }
    let (storedKeys, storedValues) = (stored(keys), stored(values))
    for row in 0..<batch {
      for head in 0..<test.heads {
        let source = head / (test.heads / test.keyValueHeads) * size
        let oldest = max(0, first + row + 1 - (test.window ?? 1000))
        let scores = (oldest...first + row).map { position in
          let score =
            (0..<size).reduce(0.0) {
              $0 + Double(queries[row][head * size + $1]) * storedKeys[position][source + $1]
            } * 0.25
          return test.cap.map { Double($0) * tanh(score / Double($0)) } ?? score
        }
        let top = scores.max() ?? 0
        let weights = scores.map { exp($0 - top) }
        let total = weights.reduce(0, +)
        for index in 0..<size {
          let expected = zip(weights, storedValues[oldest...]).reduce(0) {
            $0 + $1.0 * $1.1[source + index]
          }
          let error = abs(Double(y[row, head * size + index]) - expected / total)
          #expect(error < 2e-5, "row \(row) head \(head)")
        }
      }
    }
  }

  @Test(arguments: variants)
  func damageShowsInAttention(variant: CPUVariant) {
    let damaged = activations([[1, .nan, 1, 1, 1, 1, 1, 1]])
    let whole = activations([[Float](repeating: 1, count: 8)])
    let cache = cacheRows(heads: 1, capacity: 2, headSize: 8, format: .f16)
    operations(variant).heads(damaged, size: 8, cache: cache, first: 0, batch: 1)
    let y = Activations(capacity: 1, columns: 8)
    operations(variant).attention(
      whole, keys: cache, values: cache, AttentionRule(scale: 1), into: y, first: 0, batch: 1)
    #expect((0..<8).allSatisfy { y[0, $0].isNaN })
  }

  struct BatchCase: Sendable, CustomTestStringConvertible {
    let heads: Int, keyValueHeads: Int, size: Int
    var window: Int?
    var testDescription: String { "\(heads)/\(keyValueHeads) × \(size), \(window ?? 0)" }
  }

  /// Rows that share what is read of the cache get the bits that each gets alone, whatever their number.
  @Test(
    arguments: variants,
    [
      BatchCase(heads: 1, keyValueHeads: 1, size: 64),
      BatchCase(heads: 2, keyValueHeads: 2, size: 6),
      BatchCase(heads: 6, keyValueHeads: 2, size: 36),
      BatchCase(heads: 8, keyValueHeads: 2, size: 40),
      BatchCase(heads: 9, keyValueHeads: 1, size: 80),
      BatchCase(heads: 14, keyValueHeads: 2, size: 24, window: 33),
      BatchCase(heads: 4, keyValueHeads: 2, size: 128, window: 1),
    ])
  func rowsTogetherGetTheBitsOfEachAlone(variant: CPUVariant, test: BatchCase) {
    var random = SeededGenerator(seed: 23)
    let (positions, first) = (134, 37)
    let batch = positions - first
    func rows(_ heads: Int, _ count: Int, _ limit: Float) -> Activations {
      activations((0..<count).map { _ in random.floats(heads * test.size, in: -limit..<limit) })
    }
    let queries = rows(test.heads, batch, 6)
    let source = rows(test.keyValueHeads, positions, 4)
    let operations = operations(variant)
    let rule = AttentionRule(scale: 0.25, window: test.window)
    for format in CacheFormat.allCases {
      let cache = cacheRows(
        heads: test.keyValueHeads, capacity: positions, headSize: test.size, format: format)
      operations.heads(source, size: test.size, cache: cache, first: 0, batch: positions)
      func attend(_ length: Int) -> Activations {
        let y = Activations(capacity: batch, columns: test.heads * test.size)
        for row in stride(from: 0, to: batch, by: length) {
          operations.attention(
            queries, keys: cache, values: cache, rule, into: y, first: first + row, from: row,
            batch: min(length, batch - row))
        }
        return y
      }
      let alone = attend(1)
      for length in [2, 3, 5, 16, 40, batch] {
        let together = attend(length)
        let wrong = (0..<batch).first {
          together.row($0).map(\.bitPattern) != alone.row($0).map(\.bitPattern)
        }
        #expect(wrong == nil, "\(format), \(length) rows at once")
      }
    }
  }
}

private func cacheRows(
  heads: Int, capacity: Int, headSize: Int, format: CacheFormat
) -> CacheRows {
  guard
    let rows = CacheRows(heads: heads, capacity: capacity, headSize: headSize, format: format)
  else { preconditionFailure("no room for a few rows") }
  return rows
}
