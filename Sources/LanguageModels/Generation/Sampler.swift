import Grammars

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Chooses tokens from logits, in this order: repetition penalty, temperature, top-k, top-p, min-p, draw.
///
/// Probabilities are those after the temperature; ties go to the lower token. Buffers are kept, so a token
/// costs no allocation.
struct Sampler {
  private var options: SamplingOptions
  private var random: SplitMix64
  /// Logits after the penalty, then weights relative to the most likely token.
  private var weights: [Double]
  private var heap: TokenHeap

  /// Tokens that the repetition penalty looks back on.
  static let penalizedTokens = 64

  init(_ options: SamplingOptions, seed: UInt64, vocabularySize: Int) {
    self.options = options
    random = SplitMix64(seed: seed)
    weights = Array(repeating: 0, count: vocabularySize)
    heap = TokenHeap(capacity: vocabularySize)
  }

  /// Tokens that it chooses from.
  var vocabularySize: Int { weights.count }

  /// Whether it always takes the most likely token, the lowest of several.
  var takesMostLikely: Bool { options.temperature == 0 && options.repetitionPenalty == 1 }

  /// Draws as `other` would from now on; its vocabulary may be another one.
  mutating func follow(_ other: Sampler) { (options, random) = (other.options, other.random) }

  /// Passes over `count` draws.
  mutating func skip(_ count: Int) {
    guard options.temperature > 0 else { return }
    for _ in 0..<count { _ = random.unit() }
  }

  /// The next token after `history`, one of `allowed` if that is given; nil when a logit is not finite.
  mutating func next(
    _ logits: Span<Float>, after history: [Int32], allowed: TokenMask? = nil
  ) -> Int32? {
    guard load(logits) else { return nil }
    penalize(history)
    if let allowed { restrict(to: allowed) }
    let best = mostLikely()
    guard options.temperature > 0 else { return Int32(best) }
    let top = weights[best]
    for index in weights.indices {
      weights[index] = exp((weights[index] - top) / options.temperature)
    }
    let filters = options.topK > 0 || options.topP < 1 || options.minP > 0
    return Int32(filters ? drawFiltered() : draw())
  }

  private mutating func load(_ logits: Span<Float>) -> Bool {
    precondition(logits.count == weights.count, "logits of another vocabulary")
    for index in weights.indices {
      let value = logits[index]
      guard value.isFinite else { return false }
      weights[index] = Double(value)
    }
    return true
  }

  private mutating func penalize(_ history: [Int32]) {
    guard options.repetitionPenalty != 1 else { return }
    let recent = history.suffix(Sampler.penalizedTokens)
    for (offset, token) in recent.enumerated() where !recent.prefix(offset).contains(token) {
      let value = weights[Int(token)]
      weights[Int(token)] =
        value > 0 ? value / options.repetitionPenalty : value * options.repetitionPenalty
    }
  }

  /// Takes what is not allowed out of the draw: its weight becomes 0, whatever the temperature.
  private mutating func restrict(to allowed: TokenMask) {
    precondition(allowed.count == weights.count && !allowed.isEmpty, "no mask of this vocabulary")
    for (index, word) in allowed.words.enumerated() where word != .max {
      for token in index * 64..<min(index * 64 + 64, weights.count)
      where word & (1 << UInt64(token % 64)) == 0 {
        weights[token] = -.infinity
      }
    }
  }

  private func mostLikely() -> Int {
    var best = 0
    for index in weights.indices where weights[index] > weights[best] { best = index }
    return best
  }

  /// Draws from all tokens.
  private mutating func draw() -> Int {
    var left = random.unit() * weights.reduce(0, +)
    for index in weights.indices {
      left -= weights[index]
      if left < 0 { return index }
    }
    return mostLikely()
  }

  /// Draws from the tokens that pass the filters: a prefix of all tokens in falling order.
  private mutating func drawFiltered() -> Int {
    heap.fill(weights)
    let limit = options.topK > 0 ? min(options.topK, weights.count) : weights.count
    let total =
      options.topK > 0
      ? (0..<limit).reduce(0) { $0 + weights[heap.token(ranked: $1, weights)] }
      : weights.reduce(0, +)
    var (sum, count) = (0.0, 0)
    while count < limit {
      let weight = weights[heap.token(ranked: count, weights)]
      // The most likely token has the weight 1, which min-p compares with; it is always kept.
      if count > 0, weight < options.minP { break }
      sum += weight
      count += 1
      if options.topP < 1, sum >= options.topP * total { break }
    }
    var left = random.unit() * sum
    for rank in 0..<count {
      let token = heap.token(ranked: rank, weights)
      left -= weights[token]
      if left < 0 { return token }
    }
    return heap.token(ranked: 0, weights)
  }
}

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
