package import Grammars
import JSON

/// What speculation is worth for answers: the same prompts without it and with it.
package struct AnswerBenchmark: Sendable {
  /// A token a pass, whether a grammar forces it or not; nil without a grammar.
  package let single: SpeculationBenchmark.Run?
  /// A token a pass, and what a grammar forces before it.
  package let plain: SpeculationBenchmark.Run
  /// With speculation.
  package let fast: SpeculationBenchmark.Run
  /// Whether all gave the same tokens.
  package let isSame: Bool

  /// Answers `prompts`, each in a session of its own, without speculation and with it in turn; the fastest of `repetitions`
  /// counts for each.
  package static func run(
    _ model: BaseModel, adapters: [AppliedAdapter] = [], prompts: [[Int32]],
    stopTokens: Set<Int32>, options: SamplingOptions, grammar: Grammar? = nil,
    speculation: Speculation, threads: Int? = nil, repetitions: Int = 3
  ) throws(BaseModelError) -> AnswerBenchmark {
    let bench = Bench(
      model: model, adapters: adapters, stopTokens: stopTokens, options: options, grammar: grammar,
      speculation: speculation, threads: threads)
    let ways: [Way] = grammar == nil ? [.plain, .fast] : [.single, .plain, .fast]
    var sums: [Way: SpeculationBenchmark.Run] = [:]
    var isSame = true
    for prompt in prompts {
      var best: [Way: SpeculationBenchmark.Run] = [:]
      var texts: Set<[Int32]> = []
      // In turn, so that a machine that changes its speed changes all.
      for _ in 0..<max(1, repetitions) {
        for way in ways {
          let (run, text) = try bench.answer(prompt, way)
          texts.insert(text)
          if best[way].map({ run.time < $0.time }) ?? true { best[way] = run }
        }
      }
      isSame = isSame && texts.count == 1
      for (way, run) in best { sums[way, default: .none].add(run) }
    }
    return AnswerBenchmark(
      single: sums[.single], plain: sums[.plain] ?? .none, fast: sums[.fast] ?? .none,
      isSame: isSame)
  }

  private enum Way { case single, plain, fast }

  private struct Bench {
    let model: BaseModel
    let adapters: [AppliedAdapter]
    let stopTokens: Set<Int32>
    let options: SamplingOptions
    let grammar: Grammar?
    let speculation: Speculation
    let threads: Int?

    func answer(
      _ prompt: [Int32], _ way: Way
    ) throws(BaseModelError) -> (run: SpeculationBenchmark.Run, text: [Int32]) {
      let session = try ModelSession(model, adapters: adapters, threads: threads)
      var speculator: Speculator?
      var constraint: (any TokenConstraint)? = try constraint()
      switch way {
      case .plain: break
      case .single: constraint = constraint.map(SingleSteps.init)
      case .fast: speculator = try Speculator(speculation, for: session)
      }
      let generator = try TokenGenerator(
        session, prompt: prompt, options: options, stopTokens: stopTokens,
        constraint: constraint, speculator: speculator)
      var text: [Int32] = []
      let begin = ContinuousClock.now
      while let token = try generator.next() { text.append(token) }
      let statistics = generator.statistics
      // What a text takes behind its prompt: grammar and sampling count, too.
      let run = SpeculationBenchmark.Run(
        tokens: statistics.decodedTokens, passes: statistics.decodePasses,
        time: begin.duration(to: .now) - statistics.prefillTime, proposals: statistics.proposals)
      return (run, text)
    }

    private func constraint() throws(BaseModelError) -> (any TokenConstraint)? {
      guard let grammar else { return nil }
      let tokenizer = try model.tokenizer()
      do throws(GrammarDefect) {
        return try GrammarConstraint(grammar, tokenizer: tokenizer, stopTokens: stopTokens)
      } catch {
        throw .grammar(error)
      }
    }
  }

  /// Takes each forced token for a choice of one, which costs a pass.
  private struct SingleSteps: TokenConstraint {
    private var constraint: any TokenConstraint
    private var forced: ArraySlice<Int32> = []

    init(_ constraint: any TokenConstraint) { self.constraint = constraint }

    mutating func limit(to tokens: Int) { constraint.limit(to: tokens) }

    mutating func markAllowed(in mask: inout TokenMask) throws(GrammarDefect) {
      if forced.isEmpty { forced = try constraint.forcedTokens()[...] }
      guard let token = forced.first else { return try constraint.markAllowed(in: &mask) }
      mask[token] = true
    }

    mutating func advance(past token: Int32) throws(GrammarDefect) {
      forced = forced.dropFirst()
      try constraint.advance(past: token)
    }
  }

  /// A form with free texts, choices and lists, as an application would ask for.
  package static let form = Grammar(
    .list(
      .object([
        .init("name", .text),
        .init("age", .integer(minimum: JSONNumber(0), maximum: JSONNumber(120))),
        .init("profession", .texts(["baker", "teacher", "sailor", "gardener"])),
        .init(
          "hobbies", .list(.texts(["music", "books", "sports", "food"]), minimum: 1, maximum: 3)),
        .init("isMember", .boolean),
      ]), minimum: 3, maximum: 6))
}
