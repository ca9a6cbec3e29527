public import Kernels

/// What a pass over a base costs by the number of its tokens: what speculation weighs proposals against.
///
/// Learned from the passes as they are run, beginning with what was measured, or with what is usual.
public struct PassCosts: Sendable, Equatable {
  /// How many times as long as a pass of one token one of `index + 1` tokens takes.
  public private(set) var ratios: [Double]

  // What each number of tokens takes beyond a pass of one, where `slope` is 1.
  private let shape: [Double]
  // How many times as dear further tokens are on this machine at the moment.
  private var slope = 1.0
  // Of a pass of one token; nil before any was run.
  private var seconds: Double?

  /// Passes that are told apart; beyond, each further token costs what the last one does.
  public static let count = 16
  /// Weights of at most so many bytes stay in a processor's caches.
  private static let cachedBytes = 16_000_000

  /// Usual costs over `bytes` of weights: as long as memory has to give them, a further token costs little; where a cache
  /// does, half a pass.
  public init(bytes: Int = .max) {
    let (step, growth) = bytes > Self.cachedBytes ? (0.06, 0.002) : (0.5, 0)
    self.init(
      ratios: (0..<Self.count).map { more in
        let more = Double(more)
        return 1 + step * more + growth * more * more
      })
  }

  /// Measured costs, from one token on; those that are missing are continued.
  ///
  /// Traps unless there are some, finite and above 0.
  public init(ratios: [Double]) {
    precondition(!ratios.isEmpty && ratios.allSatisfy { $0 > 0 && $0.isFinite }, "no costs")
    let step = ratios.count > 1 ? max(0, ratios[ratios.count - 1] - ratios[ratios.count - 2]) : 0.1
    let first = (0..<Self.count).map { index in
      let beyond = max(0, index - ratios.count + 1)
      return (ratios[index - beyond] + step * Double(beyond)) / ratios[0]
    }
    // Nothing is for nothing.
    shape = first.indices.map { max(first[$0] - 1, 0.02 * Double($0)) }
    self.ratios = first
  }

  /// How many times as long as one of one token a pass of `rows` takes: never less than one of fewer.
  public func ratio(_ rows: Int) -> Double {
    let known = ratios.prefix(max(1, rows)).max() ?? 1
    let beyond = Double(max(0, rows - ratios.count))
    let half = ratios.count / 2
    let step = max(0.02, (ratios[ratios.count - 1] - ratios[half - 1]) / Double(half))
    // Even where it costs nothing a guess that cannot be right is not tried.
    return (known + beyond * step) + 0.005 * Double(rows - 1)
  }

  /// Seconds of a pass of `rows` tokens; of an unknown unit before any was run.
  package func time(_ rows: Int) -> Double { ratio(rows) * (seconds ?? 1) }

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

  /// Learns from a pass of `rows` tokens.
  ///
  /// A pass of one token tells how fast the machine is at the moment. What others take beyond tells what further tokens
  /// cost, also in passes that were never run.
  mutating func note(_ rows: Int, _ time: Duration) {
    guard (1...ratios.count).contains(rows), time > .zero else { return }
    let measured = time / .seconds(1)
    guard let seconds else { return self.seconds = measured / ratios[rows - 1] }
    // A pass that was disturbed says little.
    let surprise = min(max(measured / (seconds * ratios[rows - 1]), 0.5), 1.5)
    if rows == 1 {
      self.seconds = seconds * (1 + 0.2 * (surprise - 1))
      // What is not tried any more becomes usual again, or it would never be tried.
      slope += 0.002 * (1 - slope)
    } else {
      self.seconds = seconds * (1 + 0.05 * (surprise - 1))
      // The more a pass takes beyond one token, the more it tells; normalized least mean squares, Nagumo and Noda 1967.
      let (input, error) = (shape[rows - 1], (surprise - 1) * ratios[rows - 1])
      slope = min(max(slope + 0.2 * error * input / (input * input + 0.05), 0.2), 50)
    }
    ratios = shape.map { 1 + slope * $0 }
  }

  /// How many of each turn's proposals a pass should take so that most tokens come per time.
  ///
  /// `expected` are for each turn the probabilities that its proposals come, falling; `rows` are the tokens of the pass
  /// that come for sure.
  ///
  /// - Returns: A number for each turn.
  func best(_ expected: [[Double]], rows: Int) -> [Int] {
    var counts = [Int](repeating: 0, count: expected.count)
    // Passes for several texts are never of one token, which all else is measured by: there it has to be worth more.
    let margin = expected.count > 1 ? 1.1 : 1
    var (best, most) = (counts, margin * Double(expected.count) / ratio(rows))
    var tokens = Double(expected.count)
    for more in 1..<max(1, expected.reduce(1) { $0 + $1.count }) {
      let next = expected.indices.filter { counts[$0] < expected[$0].count }
        .max { expected[$0][counts[$0]] < expected[$1][counts[$1]] }
      guard let next else { break }
      tokens += expected[next][counts[next]]
      counts[next] += 1
      let gain = tokens / ratio(rows + more)
      if gain > most { (best, most) = (counts, gain) }
    }
    return best
  }

  /// Tokens per time of a pass in which each of `turns` has such proposals, all of which took `before` seconds to make.
  func yield(_ expected: [Double], rows: Int, turns: Int, before: Double = 0) -> Double {
    let tokens = Double(turns) * expected.reduce(1, +)
    return tokens / (time(rows + turns * expected.count) + before)
  }

  /// Measures passes of 1 to 8 tokens of `model` with `adapters`; the fastest of `repetitions` counts.
  ///
  /// - Throws: as ``ModelSession/evaluate(_:isCancelled:)``.
  public static func measure(
    _ model: LanguageModel, adapters: [AppliedAdapter] = [], cache: CacheFormat? = nil,
    threads: Int? = nil, repetitions: Int = 5, isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(LanguageModelError) -> PassCosts {
    let length = min(model.configuration.contextLength, 24)
    let session = try ModelSession(
      model, adapters: adapters, contextLength: length, cache: cache, threads: threads)
    let counts = 1...max(1, min(8, length / 2))
    let tokens = [Int32](repeating: 0, count: counts.upperBound)
    var times = [Double](repeating: .infinity, count: counts.count)
    // In turn, so that a machine that changes its speed changes all of them.
    for _ in 0...max(1, repetitions) {
      for count in counts {
        session.truncate(to: min(session.count, length / 3))
        let begin = ContinuousClock.now
        try session.evaluate(
          [0], proposing: Array(tokens.dropFirst().prefix(count - 1)), isCancelled: isCancelled)
        times[count - 1] = min(
          times[count - 1], begin.duration(to: .now) / .seconds(1))
      }
    }
    var costs = PassCosts(ratios: times.map { $0 / times[0] })
    costs.seconds = times[0]
    return costs
  }
}
