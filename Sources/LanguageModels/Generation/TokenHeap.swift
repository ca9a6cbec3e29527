/// Tokens in falling order of weight, sorted only as far as they are asked for; ties go to the lower token.
struct TokenHeap {
  // A binary heap in front, its largest first; behind it what has been taken, the last taken first.
  private var tokens: [Int32]
  private var size = 0

  init(capacity: Int) {
    tokens = Array(0..<Int32(capacity))
  }

  /// Starts over with new weights, one per token.
  mutating func fill(_ weights: [Double]) {
    precondition(weights.count == tokens.count)
    for index in tokens.indices { tokens[index] = Int32(index) }
    size = tokens.count
    for root in stride(from: size / 2 - 1, through: 0, by: -1) { sink(root, weights) }
  }

  /// The token of rank `rank`, 0 being the most likely.
  mutating func token(ranked rank: Int, _ weights: [Double]) -> Int {
    precondition(tokens.indices.contains(rank))
    while tokens.count - size <= rank {
      size -= 1
      tokens.swapAt(0, size)
      sink(0, weights)
    }
    return Int(tokens[tokens.count - 1 - rank])
  }

  private func precedes(_ a: Int32, _ b: Int32, _ weights: [Double]) -> Bool {
    let (first, second) = (weights[Int(a)], weights[Int(b)])
    return first > second || (first == second && a < b)
  }

  private mutating func sink(_ start: Int, _ weights: [Double]) {
    var parent = start
    while true {
      var best = parent
      for child in 2 * parent + 1..<max(2 * parent + 1, min(2 * parent + 3, size)) {
        if precedes(tokens[child], tokens[best], weights) { best = child }
      }
      guard best != parent else { return }
      tokens.swapAt(parent, best)
      parent = best
    }
  }
}
