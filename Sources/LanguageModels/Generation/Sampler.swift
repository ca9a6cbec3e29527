import Grammars
import Kernels

/// Chooses tokens from logits, in this order: biases, repetition penalty, penalties of the answer's tokens, temperature, top-k, top-p,
/// min-p, draw.
///
/// Probabilities are those after the temperature; ties go to the lower token. Buffers are kept, so a token
/// costs no allocation.
struct Sampler {
  private var options: SamplingOptions
  private var random: SplitMix64
  /// Logits after the penalty, then weights relative to the most likely token.
  private var weights: RelativeWeights
  private var heap: TokenHeap
  /// Tokens that the repetition penalty is for.
  private var recent: Set<Int32> = []
  /// How often the answer has each of its tokens, and how much of the history that counts.
  private var counts: [Int32: Int] = [:]
  private var counted: Int

  /// Tokens of `promptCount` stand before the answer.
  init(_ options: SamplingOptions, seed: UInt64, vocabularySize: Int, promptCount: Int = 0) {
    (self.options, counted) = (options, promptCount)
    random = SplitMix64(seed: seed)
    weights = RelativeWeights(count: vocabularySize)
    heap = TokenHeap()
  }

  /// Tokens that it chooses from.
  var vocabularySize: Int { weights.values.count }

  /// Whether it always takes the most likely token, the lowest of several.
  var takesMostLikely: Bool { options.temperature == 0 && changesNothing }

  /// Whether logits are taken as they are.
  private var changesNothing: Bool { options.repetitionPenalty == 1 && options.shifts.isEmpty }

  /// Tokens that it has to know to choose the next one, beside those of the answer.
  var penalizedTokens: Int { options.repetitionPenalty == 1 ? 0 : options.penalizedTokens }

  /// Draws as `other` would from now on, but for shifts of single tokens: its vocabulary may be another one.
  mutating func follow(_ other: Sampler) {
    (options, random) = (other.options, other.random)
    options.shifts = LogitShifts()
  }

  /// Passes over `count` draws.
  mutating func skip(_ count: Int) {
    guard options.temperature > 0 else { return }
    for _ in 0..<count { _ = random.unit() }
  }

  /// The next token after `history`, one of `allowed` if that is given; nil when a logit is not finite.
  mutating func next(
    _ logits: Span<Float>, after history: [Int32], allowed: TokenMask? = nil
  ) -> Int32? {
    let known = weights.load(logits)
    guard var best = known ?? allowed.flatMap({ first(of: $0, in: logits) }) else { return nil }
    for (token, bias) in options.shifts.biases { weights[Int(token)] += Float(bias) }
    penalize(history)
    penalizeAnswer(history)
    if let allowed { restrict(to: allowed) }
    if allowed != nil || !changesNothing { best = mostLikely() }
    guard options.temperature > 0 else { return Int32(best) }
    weights.weigh(top: weights[best], temperature: options.temperature)
    let filters = options.topK > 0 || options.topP < 1 || options.minP > 0
    return Int32(filters ? drawFiltered() : draw(best))
  }

  /// A token of `allowed`; nil where the logit of one is not finite.
  ///
  /// Those of other tokens may not have been computed.
  private func first(of allowed: TokenMask, in logits: Span<Float>) -> Int? {
    var first: Int?
    var isFinite = true
    allowed.forEach { token in
      first = first ?? Int(token)
      isFinite = isFinite && logits[Int(token)].isFinite
    }
    return isFinite ? first : nil
  }

  private mutating func penalize(_ history: [Int32]) {
    guard options.repetitionPenalty != 1 else { return }
    recent.removeAll(keepingCapacity: true)
    recent.formUnion(history.suffix(options.penalizedTokens))
    let penalty = Float(options.repetitionPenalty)
    for token in recent {
      let value = weights[Int(token)]
      weights[Int(token)] = value > 0 ? value / penalty : value * penalty
    }
  }

  private mutating func penalizeAnswer(_ history: [Int32]) {
    let (presence, frequency) = (options.shifts.presence, options.shifts.frequency)
    guard presence != 0 || frequency != 0 else { return }
    for token in history.dropFirst(counted) { counts[token, default: 0] += 1 }
    counted = max(counted, history.count)
    for (token, count) in counts {
      weights[Int(token)] -= Float(presence + frequency * Double(count))
    }
  }

  /// Takes what is not allowed out of the draw: its weight becomes 0, whatever the temperature.
  private mutating func restrict(to allowed: TokenMask) {
    precondition(
      allowed.count == vocabularySize && !allowed.isEmpty, "no mask of this vocabulary")
    for (index, word) in allowed.words.enumerated() where word != .max {
      for token in index * 64..<min(index * 64 + 64, vocabularySize)
      where word & (1 << UInt64(token % 64)) == 0 {
        weights[token] = -.infinity
      }
    }
  }

  private func mostLikely() -> Int {
    let values = weights.values
    var best = 0
    for index in values.indices where values[index] > values[best] { best = index }
    return best
  }

  /// Draws from all tokens; `best` where rounding leaves none.
  private mutating func draw(_ best: Int) -> Int {
    var left = random.unit() * total
    for (block, sum) in weights.sums.enumerated() {
      guard left < Double(sum) else {
        left -= Double(sum)
        continue
      }
      let first = block * RelativeWeights.block
      for token in first..<min(first + RelativeWeights.block, vocabularySize) {
        left -= Double(weights[token])
        if left < 0 { return token }
      }
      left = 0
    }
    return best
  }

  private var total: Double { weights.sums.reduce(0) { $0 + Double($1) } }

  // Smaller and smaller weights, from which on tokens are sorted until enough of them are: all in the end.
  private static let cutoffs: [Float] = [0x1p-10, 0x1p-20, 0]

  /// Draws from the tokens that pass the filters: a prefix of all tokens in falling order.
  private mutating func drawFiltered() -> Int {
    var (count, sum) = (0, 0.0)
    for cutoff in Sampler.cutoffs {
      heap.fill(weights.values, from: cutoff)
      guard let kept = keep(isAll: cutoff == 0) else { continue }
      (count, sum) = kept
      break
    }
    var left = random.unit() * sum
    for rank in 0..<count {
      let token = heap.token(ranked: rank, weights.values)
      left -= Double(weights[token])
      if left < 0 { return token }
    }
    return heap.token(ranked: 0, weights.values)
  }

  /// How many tokens of the heap pass the filters, and the sum of their weights; nil where one might that is not in it.
  private mutating func keep(isAll: Bool) -> (count: Int, sum: Double)? {
    let limit = options.topK > 0 ? min(options.topK, vocabularySize) : vocabularySize
    guard isAll || options.topK == 0 || limit <= heap.count else { return nil }
    let total =
      options.topK > 0 ? (0..<limit).reduce(0) { $0 + weight(ranked: $1) } : self.total
    var (sum, count) = (0.0, 0)
    while count < min(limit, heap.count) {
      let weight = weight(ranked: count)
      // The most likely token has the weight 1, which min-p compares with; it is always kept.
      if count > 0, weight < options.minP { return (count, sum) }
      sum += weight
      count += 1
      if options.topP < 1, sum >= options.topP * total { return (count, sum) }
    }
    return isAll || count == limit ? (count, sum) : nil
  }

  private mutating func weight(ranked rank: Int) -> Double {
    Double(weights[heap.token(ranked: rank, weights.values)])
  }
}

/// Tokens in falling order of weight, sorted only as far as they are asked for; ties go to the lower token.
struct TokenHeap {
  // A binary heap in front, its largest first; behind it what has been taken, the last taken first.
  private var tokens: [Int32] = []
  private var size = 0

  /// Tokens in it, those that have been taken included.
  var count: Int { tokens.count }

  /// Starts over with the tokens whose weights are at least `cutoff`.
  mutating func fill(_ weights: [Float], from cutoff: Float = 0) {
    tokens.removeAll(keepingCapacity: true)
    for token in weights.indices where weights[token] >= cutoff { tokens.append(Int32(token)) }
    size = tokens.count
    for root in stride(from: size / 2 - 1, through: 0, by: -1) { sink(root, weights) }
  }

  /// The token of rank `rank`, 0 being the most likely.
  mutating func token(ranked rank: Int, _ weights: [Float]) -> Int {
    precondition(tokens.indices.contains(rank))
    while tokens.count - size <= rank {
      size -= 1
      tokens.swapAt(0, size)
      sink(0, weights)
    }
    return Int(tokens[tokens.count - 1 - rank])
  }

  private func precedes(_ a: Int32, _ b: Int32, _ weights: [Float]) -> Bool {
    let (first, second) = (weights[Int(a)], weights[Int(b)])
    return first > second || (first == second && a < b)
  }

  private mutating func sink(_ start: Int, _ weights: [Float]) {
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
