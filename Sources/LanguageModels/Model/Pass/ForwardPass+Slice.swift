import Kernels

extension ForwardPass {
  /// Tokens of one sequence, in the rows of a pass from `row` on.
  struct Slice {
    private(set) var tokens: ArraySlice<Int32>
    let cache: KeyValueCache
    /// Of so many of its last tokens logits are computed.
    let logits: Int
    private(set) var row: Int
    // Tokens of the pass in front of these.
    private var done = 0

    init(tokens: ArraySlice<Int32>, cache: KeyValueCache, logits: Int, row: Int = 0) {
      (self.tokens, self.cache, self.logits, self.row) = (tokens, cache, logits, row)
    }

    var end: Int { row + tokens.count }

    /// The position of its first token.
    var first: Int { cache.position + done }

    /// The tokens whose logits are asked for, in the rows from `row` on.
    fileprivate func asked(in row: Int) -> Slice {
      var slice = Slice(tokens: tokens.suffix(logits), cache: cache, logits: logits, row: row)
      slice.done = done + tokens.count - logits
      return slice
    }
  }

  /// Goes on with the rows of `slices` whose logits are asked for, one behind the other: in `rows`, and in what layers read of those before
  /// them.
  func narrow(_ slices: inout [Slice], _ rows: [Activations] = []) {
    let asked = slices.flatMap { $0.end - $0.logits..<$0.end }
    guard asked.count < slices.rows else { return }
    let angles = state.angles.values.flatMap { [$0.cosine, $0.sine] }
    let tokens = state.tokens.map { [$0.embeddings] } ?? []
    for rows in [state.x] + rows + angles + tokens {
      for (place, row) in asked.enumerated() { rows.copyRow(row, to: place) }
    }
    func place(_ row: Int) -> Int { asked.prefix { $0 < row }.count }
    let narrowed = ranges.map { place($0.rows.lowerBound)..<place($0.rows.upperBound) }
    for (range, rows) in zip(ranges, narrowed) { range.rows = rows }
    var row = 0
    slices = slices.filter { $0.logits > 0 }.map { slice in
      defer { row += slice.logits }
      return slice.asked(in: row)
    }
  }
}

extension [ForwardPass.Slice] {
  /// Rows of all.
  var rows: Int { reduce(0) { $0 + $1.tokens.count } }
}
