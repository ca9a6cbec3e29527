/// What speculation is worth on this machine, with proposals that are right as often as was asked for.
package struct SpeculationBenchmark: Sendable {
  /// What to measure.
  package struct Options: Sendable {
    /// The share of proposals that are right, in each place behind those that are.
    package var acceptance = 0.8
    /// Tokens to generate.
    package var tokens = 256
    /// Sessions that decode together.
    package var sessions = 4
    /// Runs; the fastest counts.
    package var repetitions = 3
    /// Worker threads; one per processor if nil.
    package var threads: Int?

    package init() {}
  }

  /// One way of decoding.
  package struct Run: Sendable {
    /// Tokens after the first, of all sessions.
    package internal(set) var tokens: Int
    /// Passes over the base's weights.
    package internal(set) var passes: Int
    /// Time of all.
    package internal(set) var time: Duration
    /// Tokens that were proposed, and those of them that came.
    package internal(set) var proposals: [ProposalSource: ProposalCounts]

    static let none = Run(tokens: 0, passes: 0, time: .zero, proposals: [:])

    mutating func add(_ other: Run) {
      tokens += other.tokens
      passes += other.passes
      time += other.time
      for (source, counts) in other.proposals {
        proposals[source, default: ProposalCounts()].add(counts)
      }
    }

    /// Tokens per second.
    package var tokensPerSecond: Double { Double(tokens) / (time / .seconds(1)) }
  }

  /// What passes of 1, 2 and more tokens cost, a pass of one token being 1.
  package let costs: PassCosts
  /// What a token of the draft costs, on that scale.
  package let draftCost: Double
  /// A token a pass.
  package let plain: Run
  /// With the draft, proposals being right as often as was asked for.
  package let forced: Run
  /// With the draft, no proposal being right.
  package let refused: Run
  /// Without the draft, with what came earlier in the text.
  package let repeated: Run
  /// Sessions together: a token of each a pass, and with proposals.
  package let batch: (plain: Run, forced: Run)
  /// How many times as many tokens the measured costs allow for the forced run: the best number of proposals each time.
  package let bound: Double

  /// Measures `model` with `draft`, whose tokens are computed and then replaced.
  package static func run(
    _ model: BaseModel, draft: DraftModel, _ options: Options = Options()
  ) throws(BaseModelError) -> SpeculationBenchmark {
    let bench = Bench(model: model, draft: draft, options: options)
    let costs = try PassCosts.measure(model, threads: options.threads)
    let script = try bench.script()
    var runs: [[Run]] = Array(repeating: [], count: 6)
    // In turn, so that a machine that changes its speed changes all of them.
    for _ in 0..<max(1, options.repetitions) {
      runs[0].append(try bench.decode(1, script, acceptance: nil, costs))
      runs[1].append(try bench.decode(1, script, acceptance: options.acceptance, costs))
      runs[2].append(try bench.decode(1, script, acceptance: 0, costs))
      runs[5].append(try bench.decode(1, script, acceptance: nil, costs, looksBack: true))
      runs[3].append(try bench.decode(options.sessions, script, acceptance: nil, costs))
      runs[4].append(
        try bench.decode(options.sessions, script, acceptance: options.acceptance, costs))
    }
    let best = runs.map { $0.min { $0.time < $1.time } ?? $0[0] }
    let draftCost =
      try draft.secondsPerToken(beside: model, threads: options.threads) / costs.time(1)
    let replacement = Replacement(script, acceptance: options.acceptance, seed: 0)
    let right = script.indices.filter { replacement[$0] == script[$0] }.count
    let acceptance = Double(right) / Double(script.count)
    return SpeculationBenchmark(
      costs: costs, draftCost: draftCost, plain: best[0], forced: best[1], refused: best[2],
      repeated: best[5], batch: (best[3], best[4]),
      bound: costs.bestProposals(acceptance: acceptance, draftCost: draftCost).speedup)
  }

  private struct Bench {
    let model: BaseModel
    let draft: DraftModel
    let options: Options

    private func session() throws(BaseModelError) -> ModelSession {
      try ModelSession(
        model, contextLength: min(model.configuration.contextLength, options.tokens + 32),
        threads: options.threads)
    }

    private var generation: SamplingOptions {
      SamplingOptions(maximumTokens: options.tokens)
    }

    private static let prompt: [Int32] = [1, 2, 3, 4, 5, 6, 7, 8]

    /// What comes, prompt included.
    func script() throws(BaseModelError) -> [Int32] {
      let generator = try TokenGenerator(
        session(), prompt: Self.prompt, options: generation)
      var tokens = Self.prompt
      while let token = try generator.next() { tokens.append(token) }
      return tokens
    }

    /// Decodes with so many sessions; without a draft where `acceptance` is nil.
    func decode(
      _ sessions: Int, _ script: [Int32], acceptance: Double?, _ costs: PassCosts,
      looksBack: Bool = false
    ) throws(BaseModelError) -> Run {
      var generators: [TokenGenerator] = []
      for index in 0..<sessions {
        let session = try session()
        var speculator = looksBack ? Speculator(costs: costs.over(model)) : nil
        if let acceptance {
          let proposer = try DraftProposer(
            draft, contextLength: session.contextLength, operations: session.operations)
          proposer.replacement = Replacement(script, acceptance: acceptance, seed: UInt64(index))
          speculator = Speculator(only: [], draft: proposer, costs: costs.over(model))
        }
        generators.append(
          try TokenGenerator(
            session, prompt: Self.prompt, options: generation, speculator: speculator))
      }
      let scheduler = Scheduler(model, width: sessions, threads: options.threads)
      for generator in generators { scheduler.admit(generator) }
      // The prompts' passes are not what is measured.
      _ = try scheduler.step { _, _ in }
      let begin = ContinuousClock.now
      var tokens = 0
      while try scheduler.step(eachToken: { _, _ in tokens += 1 }) {}
      if let failure = generators.compactMap(\.failure).first { throw failure }
      let time = begin.duration(to: .now)
      let passes = generators.map(\.statistics.decodePasses).max() ?? 0
      var proposals: [ProposalSource: ProposalCounts] = [:]
      for generator in generators {
        for (source, counts) in generator.statistics.proposals {
          proposals[source, default: ProposalCounts()].add(counts)
        }
      }
      return Run(tokens: tokens, passes: passes, time: time, proposals: proposals)
    }
  }
}

/// Proposals that are right with a probability that is given: what was going to come, or something else.
struct Replacement {
  private let script: [Int32]
  private let acceptance: Double
  private let seed: UInt64

  init(_ script: [Int32], acceptance: Double, seed: UInt64) {
    (self.script, self.acceptance, self.seed) = (script, acceptance, seed)
  }

  /// What is proposed in the place `position` of the text; the same each time.
  subscript(position: Int) -> Int32 {
    guard position < script.count else { return 0 }
    var random = SplitMix64(seed: seed &* 1_000_003 &+ UInt64(position))
    let token = script[position]
    return random.unit() < acceptance ? token : (token == 0 ? 1 : 0)
  }
}
