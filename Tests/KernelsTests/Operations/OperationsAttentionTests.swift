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

  private func operations(_ variant: CPUVariant, threads: Int = 1) -> Operations {
    Operations(pool: WorkerPool(threads: threads), variant: variant)
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
    let x = activations([random.floats(heads * size)])
    let cache = Cache(heads: heads, capacity: 4, headSize: size, format: format)
    let operations = operations(variant)
    cache.store(x, x, operations, batch: 1)
    let y = Activations(capacity: 1, columns: heads * size)
    cache.attend(x, AttentionRule(scale: 1), into: y, operations, first: 0, batch: 1)
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
  @Test(arguments: variants, CacheFormat.allCases)
  func noFormatHidesWhatIsNotFinite(variant: CPUVariant, format: CacheFormat) {
    for value in [Float.nan, .infinity, -.infinity] {
      let cache = Cache(heads: 1, capacity: 1, headSize: 40, format: format)
      var row = [Float](repeating: 1, count: 40)
      row[33] = value
      let operations = operations(variant)
      let y = Activations(capacity: 1, columns: 40)
      cache.store(activations([row]), activations([row]), operations, batch: 1)
      cache.attend(
        activations([row]), AttentionRule(scale: 1), into: y, operations, first: 0, batch: 1)
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
      AttentionCase(heads: 9, keyValueHeads: 3, size: 64, positions: 300, format: .f16),
      AttentionCase(heads: 7, keyValueHeads: 1, size: 32, positions: 65, format: .q8),
      AttentionCase(heads: 5, keyValueHeads: 1, size: 80, positions: 64, format: .f16),
      AttentionCase(heads: 8, keyValueHeads: 1, size: 96, positions: 31, format: .f32),
      AttentionCase(heads: 6, keyValueHeads: 1, size: 112, positions: 97, format: .f16),
      AttentionCase(heads: 2, keyValueHeads: 2, size: 128, positions: 129, format: .f16),
      AttentionCase(
        heads: 4, keyValueHeads: 1, size: 256, positions: 96, format: .f16, window: 50),
      AttentionCase(heads: 3, keyValueHeads: 1, size: 512, positions: 40, format: .q8),
      AttentionCase(heads: 3, keyValueHeads: 1, size: 5, positions: 200, format: .f32, window: 64),
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
    let cache = Cache(
      heads: test.keyValueHeads, capacity: test.positions + 2, headSize: size, format: test.format)
    let operations = operations(variant)
    cache.store(activations(keys), activations(values), operations, batch: test.positions)
    let y = Activations(capacity: batch, columns: test.heads * size)
    let scale = size > 80 ? 0.0625 : 0.25
    cache.attend(
      activations(queries),
      AttentionRule(scale: Float(scale), window: test.window, cap: test.cap), into: y, operations,
      first: first, batch: batch)
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
            } * scale
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
    let cache = Cache(heads: 1, capacity: 2, headSize: 8, format: .f16)
    cache.store(damaged, damaged, operations(variant), batch: 1)
    let y = Activations(capacity: 1, columns: 8)
    cache.attend(
      whole, AttentionRule(scale: 1), into: y, operations(variant), first: 0, batch: 1)
    #expect((0..<8).allSatisfy { y[0, $0].isNaN })
  }

  /// Rows of one block of positions, the last of which is damaged: those before it get what they get without it.
  @Test(arguments: variants, CacheFormat.allCases)
  func whatComesAfterARowDoesNotReachIt(variant: CPUVariant, format: CacheFormat) {
    var random = SeededGenerator(seed: 29)
    let (batch, size) = (13, 24)
    var rows = (0..<batch).map { _ in random.floats(size) }
    func attend() -> Activations {
      let cache = Cache(heads: 1, capacity: batch, headSize: size, format: format)
      let (x, operations) = (activations(rows), operations(variant))
      cache.store(x, x, operations, batch: batch)
      let y = Activations(capacity: batch, columns: size)
      cache.attend(x, AttentionRule(scale: 1), into: y, operations, first: 0, batch: batch)
      return y
    }
    let whole = attend()
    rows[batch - 1] = [Float](repeating: .nan, count: size)
    let damaged = attend()
    for row in 0..<batch - 1 {
      #expect(damaged.row(row).map(\.bitPattern) == whole.row(row).map(\.bitPattern), "row \(row)")
    }
    #expect(damaged.row(batch - 1).allSatisfy { $0.isNaN })
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
      BatchCase(heads: 9, keyValueHeads: 3, size: 64),
      BatchCase(heads: 7, keyValueHeads: 1, size: 32, window: 50),
      BatchCase(heads: 4, keyValueHeads: 1, size: 256),
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
    let rule = AttentionRule(scale: 0.25, window: test.window)
    for format in CacheFormat.allCases {
      let cache = Cache(
        heads: test.keyValueHeads, capacity: positions, headSize: test.size, format: format)
      cache.store(source, source, operations(variant), batch: positions)
      func attend(_ length: Int, threads: Int = 1) -> Activations {
        let y = Activations(capacity: batch, columns: test.heads * test.size)
        let operations = operations(variant, threads: threads)
        for row in stride(from: 0, to: batch, by: length) {
          cache.attend(
            queries, rule, into: y, operations, first: first + row, from: row,
            batch: min(length, batch - row))
        }
        return y
      }
      let alone = attend(1)
      for (length, threads) in [(2, 1), (3, 1), (5, 1), (16, 1), (40, 1), (batch, 1), (batch, 3)] {
        let together = attend(length, threads: threads)
        let wrong = (0..<batch).first {
          together.row($0).map(\.bitPattern) != alone.row($0).map(\.bitPattern)
        }
        #expect(wrong == nil, "\(format), \(length) rows at once, \(threads) threads")
      }
    }
  }

  /// Keys that are stored a few at a time, from any position on, lie where those that are stored at once do.
  @Test(arguments: variants, CacheFormat.allCases)
  func keysStoredInParts(variant: CPUVariant, format: CacheFormat) {
    var random = SeededGenerator(seed: 31)
    let (positions, size, heads) = (75, 40, 2)
    let source = activations((0..<positions).map { _ in random.floats(heads * size) })
    func attend(_ length: Int) -> [UInt32] {
      let cache = Cache(heads: heads, capacity: positions, headSize: size, format: format)
      let operations = operations(variant)
      for row in stride(from: 0, to: positions, by: length) {
        cache.store(
          source, source, operations, from: row, batch: min(length, positions - row))
      }
      let y = Activations(capacity: positions, columns: heads * size)
      cache.attend(
        source, AttentionRule(scale: 0.5), into: y, operations, first: 0, batch: positions)
      return (0..<positions).flatMap { y.row($0).map(\.bitPattern) }
    }
    let whole = attend(positions)
    for length in [1, 7, 32, 33] { #expect(attend(length) == whole, "\(length) at a time") }
  }

  /// Rows of several sequences in one step get the bits of each alone, and nobody else's rows are touched.
  @Test(arguments: variants, [1, 3])
  func severalSequences(variant: CPUVariant, threads: Int) {
    var random = SeededGenerator(seed: 37)
    let (size, heads, batch) = (40, 2, 9)
    let sequences = [(held: 70, row: 0, count: 1), (held: 3, row: 1, count: 5), (200, 7, 2)]
      .map { sequence in
        let source = activations((0..<sequence.0).map { _ in random.floats(heads * size) })
        let cache = Cache(heads: heads, capacity: sequence.0, headSize: size, format: .f16)
        cache.store(source, source, operations(variant), batch: sequence.0)
        let count = min(sequence.2, sequence.0)
        return cache.span(first: sequence.0 - count, from: sequence.1, batch: count)
      }
    let queries = activations((0..<batch).map { _ in random.floats(heads * size) })
    func attend(_ spans: [AttentionSpan]) -> [UInt32] {
      let y = activations(.init(repeating: .init(repeating: 7, count: heads * size), count: batch))
      for span in spans.isEmpty ? sequences.map({ [$0] }) : [spans] {
        operations(variant, threads: threads)
          .attention(queries, AttentionRule(scale: 0.5), into: y, of: span)
      }
      return (0..<batch).flatMap { y.row($0).map(\.bitPattern) }
    }
    let alone = attend([])
    #expect(attend(sequences) == alone)
    for row in [4, 5, 6] {
      #expect(
        alone[row * heads * size..<(row + 1) * heads * size].allSatisfy {
          $0 == Float(7).bitPattern
        })
    }
  }
}

/// Keys and values of one layer.
private struct Cache {
  let keys: CacheRows
  let values: CacheRows

  init(heads: Int, capacity: Int, headSize: Int, format: CacheFormat) {
    let part = CachePart(heads: heads, headSize: headSize, format: format, offset: 64)
    let memory = CacheMemory(pageBytes: part.end)
    guard let pages = CachePages(capacity: capacity) else { preconditionFailure("no room") }
    while pages.count * CachePage.positions < capacity {
      guard let page = CachePage(in: memory) else {
        preconditionFailure("no room")
      }
      pages.append(page)
    }
    (keys, values) = (CacheRows(part, .columns, in: pages), CacheRows(part, .rows, in: pages))
  }

  /// Rows from `row` on, at positions with the same numbers.
  func store(
    _ keys: Activations, _ values: Activations, _ operations: Operations, from row: Int = 0,
    batch: Int
  ) {
    for (x, cache) in [(keys, self.keys), (values, self.values)] {
      operations.heads(
        x, size: cache.part.headSize, cache: cache, first: row, from: row, batch: batch)
    }
  }

  func attend(
    _ q: Activations, _ rule: AttentionRule, into y: Activations, _ operations: Operations,
    first: Int, from row: Int = 0, batch: Int
  ) {
    operations.attention(q, rule, into: y, of: [span(first: first, from: row, batch: batch)])
  }

  func span(first: Int, from row: Int = 0, batch: Int) -> AttentionSpan {
    AttentionSpan(keys: keys, values: values, first: first, row: row, count: batch)
  }
}
