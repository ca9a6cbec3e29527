import Kernels

/// What a base costs beyond prompts and single tokens: short passes, shared passes, warm prefixes, long contexts.
package struct BenchmarkDetails: Sendable {
  /// What to measure.
  package struct Options: Sendable {
    /// Passes of so many tokens are set beside one of one token.
    var passes = [2, 3, 4, 6, 8]
    /// Sessions that decode together.
    package var sessions = 4
    /// Tokens of the instructions that are there already when a prompt comes.
    package var prefixTokens = 500
    /// Tokens of that prompt.
    package var promptTokens = 20
    /// Tokens of the long context.
    package var contextTokens = 4000
    /// Runs; the fastest counts.
    var repetitions = 5

    package init() {}
  }

  /// How much longer a pass of several tokens takes than one of one token, by their number.
  package let passes: [(tokens: Int, ratio: Double)]
  /// How many times as many tokens sessions get together as one after the other.
  package let sessionsGain: Double
  /// Time to the logits of the first answer token after a prefix that was not there, and after one that was.
  package let firstToken: (cold: Duration, warm: Duration)
  /// Time to make a session with other adapters over the base that is in use.
  package let swap: Duration
  /// What a long context adds to a pass.
  package let longContext: LongContext

  /// The cost of attention.
  package struct LongContext: Sendable {
    /// Tokens in the cache.
    package let tokens: Int
    /// What they add to a pass of one token.
    package let added: Duration
    /// Bytes of keys and values that a pass reads.
    let bytes: Int

    /// Bytes of keys and values per second, in 10^9.
    package var gigabytesPerSecond: Double { Double(bytes) / (added / .seconds(1)) / 1e9 }
  }

  /// Measures `model` with `adapters`; those of the sessions that decode together are `sessionAdapters`, in turn.
  package static func run(
    _ model: BaseModel, adapters: [AppliedAdapter] = [],
    sessionAdapters: [AppliedAdapter] = [], benchmark: Benchmark.Options, _ options: Options
  ) throws(BaseModelError) -> BenchmarkDetails {
    let operations = Operations(pool: WorkerPool.shared(threads: benchmark.threads))
    let most = max(options.contextTokens, options.prefixTokens + options.promptTokens)
    let session = try ModelSession(
      model, adapters: adapters.map(\.everywhere), contextLength: most + 16, cache: benchmark.cache,
      operations: operations)
    let bench = Run(session: session, options: options)
    let single = try bench.pass(1, after: 16)
    var passes: [(tokens: Int, ratio: Double)] = []
    for count in options.passes {
      passes.append((count, try bench.pass(count, after: 16) / single))
    }
    var group: [ModelSession] = []
    for index in 0..<options.sessions {
      let own = sessionAdapters.isEmpty ? [] : [sessionAdapters[index % sessionAdapters.count]]
      group.append(
        try ModelSession(model, adapters: own, contextLength: 64, operations: operations))
    }
    return BenchmarkDetails(
      passes: passes, sessionsGain: try bench.gain(group), firstToken: try bench.firstToken(),
      swap: try bench.swap(sessionAdapters), longContext: try bench.longContext(single))
  }

  /// The session that is measured.
  private struct Run {
    let session: ModelSession
    let options: Options
    private let clock = ContinuousClock()

    init(session: ModelSession, options: Options) {
      (self.session, self.options) = (session, options)
    }

    private func tokens(_ count: Int) -> [Int32] {
      (0..<count).map { Int32($0 &* 7919 % session.model.configuration.vocabularySize) }
    }

    private func fastest(
      _ body: () throws(BaseModelError) -> Duration
    ) throws(BaseModelError) -> Duration {
      var best = Duration.seconds(3600)
      for _ in 0..<max(1, options.repetitions) { best = min(best, try body()) }
      return best
    }

    private func time(_ session: ModelSession, _ tokens: [Int32]) throws(BaseModelError) -> Duration
    {
      let start = clock.now
      try session.evaluate(tokens)
      return start.duration(to: clock.now)
    }

    /// Time of a pass of `count` tokens after `context` others.
    func pass(_ count: Int, after context: Int) throws(BaseModelError) -> Duration {
      try hold(context)
      return try fastest { () throws(BaseModelError) in
        session.truncate(to: context)
        return try time(session, tokens(count))
      }
    }

    private func hold(_ count: Int) throws(BaseModelError) {
      session.truncate(to: min(count, session.tokens.count))
      let missing = count - session.tokens.count
      if missing > 0 { try session.evaluate(tokens(missing)) }
    }

    func gain(_ sessions: [ModelSession]) throws(BaseModelError) -> Double {
      let scheduler = Scheduler(
        session.model, width: sessions.count, operations: session.operations)
      let step = zip(sessions, tokens(sessions.count)).map { session, token in
        SequenceSlice(session, [token], logits: 1)
      }
      let apart = try fastest { () throws(BaseModelError) in
        var sum = Duration.zero
        for session in sessions {
          session.truncate(to: 0)
          sum += try time(session, [1])
        }
        return sum
      }
      let together = try fastest { () throws(BaseModelError) in
        for session in sessions { session.truncate(to: 0) }
        let start = clock.now
        for session in sessions { try session.cache.reserve(1) }
        _ = try scheduler.evaluate(step, { false })
        return start.duration(to: clock.now)
      }
      return apart / together
    }

    func firstToken() throws(BaseModelError) -> (cold: Duration, warm: Duration) {
      let (prefix, prompt) = (tokens(options.prefixTokens), tokens(options.promptTokens))
      let cold = try fastest { () throws(BaseModelError) in
        session.truncate(to: 0)
        return try time(session, prefix + prompt)
      }
      let warm = try fastest { () throws(BaseModelError) in
        session.truncate(to: prefix.count)
        return try time(session, prompt)
      }
      return (cold, warm)
    }

    func swap(_ adapters: [AppliedAdapter]) throws(BaseModelError) -> Duration {
      try fastest { () throws(BaseModelError) in
        let start = clock.now
        let other = try ModelSession(
          session.model, adapters: adapters, operations: session.operations)
        other.alone.prepare([other])
        return start.duration(to: clock.now)
      }
    }

    func longContext(_ short: Duration) throws(BaseModelError) -> LongContext {
      let long = try pass(1, after: options.contextTokens)
      return LongContext(
        tokens: options.contextTokens, added: max(long - short, .nanoseconds(1)),
        bytes: session.cache.bytesPerToken * options.contextTokens)
    }
  }
}
