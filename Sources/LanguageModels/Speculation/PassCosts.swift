public import Kernels

/// What a pass over a base costs by the number of its tokens: what speculation weighs proposals against.
///
/// Learned from the passes as they are run, beginning with what was measured, or with what is usual.
public struct PassCosts: Sendable, Equatable {
  /// How many times as long as a pass of one token one of `index + 1` tokens takes, over a short context.
  public var ratios: [Double] { Array(table.prefix(Self.count)) }

  // What each number of tokens was said to take beyond a pass of one.
  private let shape: [Double]
  // What it has turned out to take; rising.
  private var table: [Double]
  // Passes that this was learned from.
  private var trials: [Int]
  // What each token in the cache adds to each row, a pass of one token over none being 1.
  private let attention: Double
  // Of a pass of one token over a short context; nil before any was run.
  private var seconds: Double?
  // Passes that still may make tiles of the weights, and tell nothing.
  private var unsettled = 0
  // Passes without proposals since what is not tried was last made a little more usual.
  private var rest = 0

  /// Numbers of tokens that are measured and kept.
  package static let count = 16
  /// Tokens of the largest pass that is told apart; beyond, each further token costs what the last one does.
  private static let limit = 64
  /// Weights of at most so many bytes stay in a processor's caches.
  private static let cachedBytes = 16_000_000

  /// Usual costs over `bytes` of weights, with `cacheBytes` of keys and values for each token: as long as memory has to
  /// give the weights, a further token costs little; where a cache does, half a pass.
  ///
  /// Further tokens read further `experts`: those of a token are a share of `bytes`, and a share of all experts.
  init(
    bytes: Int = .max, cacheBytes: Int = 0, experts: (ofBytes: Double, ofAll: Double)? = nil
  ) {
    let (step, growth) = bytes > Self.cachedBytes ? (0.08, 0.006) : (0.45, 0)
    self.init(
      ratios: (0..<Self.count).map { more in
        var reads = 0.0
        if let (ofBytes, ofAll) = experts {
          // Each token takes its experts as if by lot: so many times those of one are taken by some.
          let left = (0...more).reduce(1.0) { left, _ in left * (1 - ofAll) }
          reads = ofBytes * ((1 - left) / ofAll - 1)
        }
        let more = Double(more)
        return 1 + step * more + growth * more * more + reads
      }, attention: Double(cacheBytes) / Double(bytes))
  }

  /// Usual costs over a base.
  init(of weights: ModelWeights, _ configuration: ModelConfiguration) {
    let bytes = weights.bytesPerPass
    self.init(
      bytes: bytes, cacheBytes: configuration.cacheBytes,
      experts: configuration.experts.map {
        (
          Double(weights.expertBytesPerPass) / Double(bytes), Double($0.used) / Double($0.count)
        )
      })
    unsettled = WeightMatrix.settlingPasses
  }

  /// Measured costs, from one token on; those that are missing are continued.
  ///
  /// Traps unless there are some, finite and above 0.
  public init(ratios: [Double]) { self.init(ratios: ratios, attention: 0) }

  private init(ratios: [Double], attention: Double) {
    precondition(!ratios.isEmpty && ratios.allSatisfy { $0 > 0 && $0.isFinite }, "no costs")
    let half = max(1, ratios.count / 2)
    let rise = ratios.count > 1 ? ratios[ratios.count - 1] - ratios[half - 1] : 0.1
    let step = max(0, rise / Double(max(1, ratios.count - half)))
    shape = (0..<Self.limit).map { index in
      let beyond = max(0, index - ratios.count + 1)
      let ratio = (ratios[index - beyond] + step * Double(beyond)) / ratios[0]
      // Nothing is for nothing.
      return max(ratio - 1, 0.02 * Double(index))
    }
    trials = Array(repeating: 0, count: Self.limit)
    self.attention = attention
    table = shape.map { 1 + $0 }
    keepRising()
  }

  /// The same with what attention over a long context adds in passes over `model`.
  func over(_ model: BaseModel) -> PassCosts {
    let attention = Double(model.configuration.cacheBytes) / Double(model.weights.bytesPerPass)
    var costs = PassCosts(ratios: ratios, attention: attention)
    costs.seconds = seconds
    costs.unsettled = WeightMatrix.settlingPasses
    return costs
  }

  private mutating func keepRising() {
    for index in table.indices.dropFirst() {
      // Even where it costs nothing a guess that cannot be right is not tried.
      table[index] = max(table[index], table[index - 1] + 0.005)
    }
  }

  /// How many times as long as one of one token over a short context a pass of `rows` takes, each after about `context`
  /// tokens.
  package func ratio(_ rows: Int, after context: Int = 0) -> Double {
    let known = min(max(rows, 1), Self.limit)
    let step = (table[Self.limit - 1] - table[Self.limit / 2 - 1]) / Double(Self.limit / 2)
    return table[known - 1] + Double(rows - known) * step
      + Double(rows) * Double(context) * attention
  }

  /// Seconds of a pass of `rows` tokens; of an unknown unit before any was run.
  package func time(_ rows: Int, after context: Int = 0) -> Double {
    ratio(rows, after: context) * (seconds ?? 1)
  }

  /// The number of proposals a pass that brings most tokens per time, and how many times as many as a pass of one token.
  ///
  /// A proposal is right with the probability `acceptance` where all before it are, and takes `draftCost` of a pass to
  /// make; with k of them 1 + a + … + aᵏ tokens come.
  package func bestProposals(
    acceptance: Double, draftCost: Double
  ) -> (count: Int, speedup: Double) {
    var best = (count: 0, speedup: 1.0)
    var (tokens, probability) = (1.0, 1.0)
    for count in 1..<Self.count {
      probability *= acceptance
      tokens += probability
      let speedup = tokens / (ratio(count + 1) + Double(count) * draftCost)
      if speedup > best.speedup { best = (count, speedup) }
    }
    return best
  }

  /// Learns from a pass of `rows` tokens for `turns` texts, each after about `context` tokens.
  ///
  /// A pass of a token for each text tells how fast the machine is at the moment. What others take beyond tells what
  /// further tokens cost, also in passes that were never run.
  mutating func note(_ rows: Int, turns: Int = 1, after context: Int = 0, _ time: Duration) {
    guard (1...Self.limit).contains(rows), turns > 0, time > .zero else { return }
    guard unsettled == 0 else { return unsettled -= 1 }
    let (measured, expected) = (time / .seconds(1), ratio(rows, after: context))
    guard let seconds else { return self.seconds = measured / expected }
    // A pass that was disturbed says little.
    let surprise = min(max(measured / (seconds * expected), 0.5), 1.5) - 1
    if rows <= turns {
      self.seconds = seconds * (1 + 0.2 * surprise)
      forget()
    } else {
      self.seconds = seconds * (1 + 0.05 * surprise)
      learn(rows, beyond: turns, error: surprise * expected)
    }
  }

  /// Normalized least mean squares, Nagumo and Noda 1967: the more a pass takes beyond one of `turns`, the more it tells.
  private mutating func learn(_ rows: Int, beyond turns: Int, error: Double) {
    let (place, base) = (rows - 1, shape[turns - 1])
    let input = shape[place] - base
    let rate = max(0.2, 0.5 / Double(1 + trials[place]))
    let change = rate * error * input / (input * input + 0.02)
    trials[place] = min(trials[place] + 1, Self.mostTrials)
    for index in turns..<Self.limit {
      // What was never run follows; what was does so the less the farther away it is.
      let distance = Double(abs(index - place)) / (1 + Double(place) / 4)
      let share = trials[index] == 0 ? 1 : max(0, 1 - distance)
      let ratio = table[index] + share * change * (shape[index] - base)
      table[index] = min(max(ratio, 1 + 0.2 * shape[index]), 1 + 50 * shape[index])
    }
    keepRising()
  }

  /// What is not tried any more becomes usual again, or it would never be tried: the slower the more often it was.
  private mutating func forget() {
    rest += 1
    guard rest == Self.patience else { return }
    rest = 0
    for index in table.indices.dropFirst() {
      let usual = 1 + shape[index]
      table[index] += (usual - table[index]) * 0.04 / (1 + Double(trials[index]) / 32)
    }
    keepRising()
  }

  private static let patience = 16
  private static let mostTrials = 128
  /// What proposals have to promise: less than that is lost in what is not known so well.
  private static let margin = 1.03

  /// How many of each turn's proposals a pass should take so that most tokens come per time.
  ///
  /// `expected` are for each turn the probabilities that its proposals come, falling; `rows` are the tokens of the pass
  /// that come for sure.
  ///
  /// - Returns: A number for each turn.
  func best(_ expected: [[Double]], rows: Int, after context: Int = 0) -> [Int] {
    var counts = [Int](repeating: 0, count: expected.count)
    var tokens = Double(expected.count)
    var (best, most) = (counts, Self.margin * tokens / ratio(rows, after: context))
    for more in 1..<max(1, expected.reduce(1) { $0 + $1.count }) {
      let next = expected.indices.filter { counts[$0] < expected[$0].count }
        .max { expected[$0][counts[$0]] < expected[$1][counts[$1]] }
      guard let next else { break }
      tokens += expected[next][counts[next]]
      counts[next] += 1
      let gain = tokens / ratio(rows + more, after: context)
      if gain > most { (best, most) = (counts, gain) }
    }
    return best
  }

  /// Tokens per time of a pass in which each of `turns` has such proposals, all of which took `before` seconds to make.
  func yield(
    _ expected: [Double], rows: Int, turns: Int, after context: Int = 0, before: Double = 0
  ) -> Double {
    let tokens = Double(turns) * expected.reduce(1, +)
    return tokens / (time(rows + turns * expected.count, after: context) + before)
  }

  /// Measures passes of 1 to 8, 12 and 16 tokens of `model` with `adapters`; the fastest of `repetitions` counts.
  ///
  /// - Throws: as ``ModelSession/evaluate(_:isCancelled:)``.
  public static func measure(
    _ model: BaseModel, adapters: [AppliedAdapter] = [], cache: CacheFormat? = nil,
    threads: Int? = nil, repetitions: Int = 5, isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(BaseModelError) -> PassCosts {
    let length = min(model.configuration.contextLength, 24)
    let held = length / 3
    let session = try ModelSession(
      model, adapters: adapters.map(\.everywhere), contextLength: length, cache: cache,
      threads: threads)
    let counts = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16].filter { $0 == 1 || $0 <= length - held }
    // Others each time, as experts are not the same for all.
    let vocabulary = model.configuration.vocabularySize
    let tokens = (0..<count).map { Int32(($0 + 1) &* 7919 % vocabulary) }
    var times = [Double](repeating: .infinity, count: counts.count)
    // In turn, so that a machine that changes its speed changes all of them.
    for _ in 0...max(1, repetitions) {
      for (index, count) in counts.enumerated() {
        session.truncate(to: min(session.count, held))
        let begin = ContinuousClock.now
        try session.evaluate(
          [0], proposing: Array(tokens.prefix(count - 1)), isCancelled: isCancelled)
        times[index] = min(times[index], begin.duration(to: .now) / .seconds(1))
      }
    }
    let last = counts[counts.count - 1]
    var costs = PassCosts(
      ratios: (1...last).map { rows in
        let index = counts.firstIndex { $0 >= rows } ?? 0
        let (next, before) = (counts[index], index > 0 ? counts[index - 1] : 0)
        let share = Double(rows - before) / Double(next - before)
        let time =
          index > 0 ? times[index - 1] + share * (times[index] - times[index - 1]) : times[0]
        return time / times[0]
      })
    costs.seconds = times[0]
    return costs
  }
}
