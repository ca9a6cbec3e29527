package import Kernels

/// How fast a base runs on this machine, and how near that is to what its memory allows.
package struct Benchmark: Sendable {
  /// What to measure.
  package struct Options: Sendable {
    /// Tokens of the prompt.
    package var promptTokens = 256
    /// Tokens after it, one pass each.
    package var generatedTokens = 64
    /// Runs; the fastest counts, as everything that disturbs a run makes it slower.
    package var repetitions = 3
    /// Worker threads; one per processor if nil.
    package var threads: Int?
    /// How keys and values are kept; as ``ModelSession`` decides if nil.
    package var cache: CacheFormat?

    package init() {}
  }

  /// One phase: how many tokens, in how many passes over the weights, in how much time.
  package struct Phase: Sendable, Equatable {
    /// Tokens evaluated.
    package let tokens: Int
    /// Passes over the weights.
    let passes: Int
    /// Time for all of them.
    let time: Duration
    /// Bytes of weights that a pass reads.
    let bytesPerPass: Int

    /// Tokens per second.
    package var tokensPerSecond: Double { Double(tokens) / (time / .seconds(1)) }
    /// Bytes of weights per second, in 10^9.
    package var gigabytesPerSecond: Double {
      Double(passes) * Double(bytesPerPass) / (time / .seconds(1)) / 1e9
    }
  }

  /// The threads that worked.
  package let threads: Int
  /// Name of the instruction set that the kernels used.
  package let instructions: String
  /// The prompt.
  package let prefill: Phase
  /// The first tokens of a prompt of at least two ``partTokens``, and the last ones, behind all others.
  package let prefillParts: (first: Phase, last: Phase)?
  /// The passes of one token.
  package let decode: Phase
  /// What the same threads read of the same weights without computing, in 10^9 bytes per second.
  package let readBandwidth: Double
  /// FNV-1a hash of the last logits: the same for any number of threads.
  package let logitsHash: UInt32
  /// The most bytes that the process had in memory, the mapped base included.
  package let peakMemory: Int

  /// Tokens of a part of the prompt that is measured by itself.
  package static let partTokens = 512

  /// Measures `model` with `adapters`.
  package static func run(
    _ model: BaseModel, adapters: [AppliedAdapter] = [], _ options: Options = Options()
  ) throws(BaseModelError) -> Benchmark {
    let operations = Operations(pool: WorkerPool.shared(threads: options.threads))
    let session = try ModelSession(
      model, adapters: adapters.map(\.everywhere),
      contextLength: options.promptTokens + options.generatedTokens, cache: options.cache,
      operations: operations)
    let vocabulary = model.configuration.vocabularySize
    let tokens = (0..<session.contextLength).map { Int32($0 &* 7919 % vocabulary) }
    var bandwidth = 0.0
    var best: Times?
    // What the first passes make of the weights is no part of any figure.
    for _ in 0..<WeightMatrix.settlingPasses {
      session.truncate(to: 0)
      try session.evaluate([0])
    }
    for _ in 0..<max(1, options.repetitions) {
      session.truncate(to: 0)
      let times = try time(session, tokens, prompt: options.promptTokens)
      best = best.map { $0.fastest(times) } ?? times
      bandwidth = max(bandwidth, measureBandwidth(model, operations))
    }
    let bytes = model.weights.bytesPerPass
    func prompt(_ tokens: Int, _ time: Duration?) -> Phase {
      let batches = (tokens + ModelSession.batch - 1) / ModelSession.batch
      return Phase(tokens: tokens, passes: batches, time: time ?? .zero, bytesPerPass: bytes)
    }
    return Benchmark(
      threads: operations.pool.threads, instructions: operations.variant.rawValue,
      prefill: prompt(options.promptTokens, best?.prefill),
      prefillParts: best?.parts.map { (prompt(partTokens, $0.first), prompt(partTokens, $0.last)) },
      decode: Phase(
        tokens: options.generatedTokens, passes: options.generatedTokens,
        time: best?.decode ?? .zero,
        bytesPerPass: bytes),
      readBandwidth: bandwidth, logitsHash: session.logitsHash ?? 0, peakMemory: ProcessMemory.peak)
  }

  /// Time to open the base at `path` anew, and of the first pass of one token after that.
  package static func opening(
    _ path: String, _ options: Options = Options()
  ) throws(BaseModelError) -> (open: Duration, firstPass: Duration) {
    let clock = ContinuousClock()
    let start = clock.now
    let session = try ModelSession(
      BaseModel(path: path), contextLength: 16, threads: options.threads)
    let opened = clock.now
    try session.evaluate([0])
    return (start.duration(to: opened), opened.duration(to: clock.now))
  }

  private struct Times {
    var prefill: Duration
    var parts: (first: Duration, last: Duration)?
    var decode: Duration

    func fastest(_ other: Times) -> Times {
      var times = self
      times.prefill = min(prefill, other.prefill)
      times.decode = min(decode, other.decode)
      if let parts, let others = other.parts {
        times.parts = (min(parts.first, others.first), min(parts.last, others.last))
      }
      return times
    }
  }

  private static func time(
    _ session: ModelSession, _ tokens: [Int32], prompt: Int
  ) throws(BaseModelError) -> Times {
    let clock = ContinuousClock()
    let ends = prompt < 2 * partTokens ? [prompt] : [partTokens, prompt - partTokens, prompt]
    var (instants, start) = ([clock.now], 0)
    for end in ends {
      try session.evaluate(Array(tokens[start..<end]))
      instants.append(clock.now)
      start = end
    }
    let middle = instants[ends.count]
    for token in tokens.dropFirst(prompt) { try session.evaluate([token]) }
    return Times(
      prefill: instants[0].duration(to: middle),
      parts: ends.count == 1
        ? nil : (instants[0].duration(to: instants[1]), instants[2].duration(to: middle)),
      decode: middle.duration(to: clock.now))
  }

  /// Reads once what a pass reads.
  private static func measureBandwidth(_ model: BaseModel, _ operations: Operations) -> Double {
    let clock = ContinuousClock()
    let time = clock.measure {
      for weights in model.weights.matricesPerPass { operations.read(weights) }
    }
    return Double(model.weights.bytesPerPass) / (time / .seconds(1)) / 1e9
  }
}
