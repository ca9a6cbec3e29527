import Adapters
public import Grammars

/// What speculation is worth for answers: the same prompts without it and with it.
public struct AnswerBenchmark: Sendable {
  /// A token a pass, and what a grammar forces.
  public let plain: SpeculationBenchmark.Run
  /// With speculation.
  public let fast: SpeculationBenchmark.Run
  /// Whether both gave the same tokens.
  public let isSame: Bool

  /// How many times as many tokens a pass yields.
  public var passesSaved: Double {
    Double(fast.tokens) / Double(fast.passes) * Double(plain.passes) / Double(plain.tokens)
  }

  /// Answers `prompts`, each in a session of its own, without speculation and with it in turn; the faster of `repetitions`
  /// counts for each.
  ///
  /// - Throws: As ``ModelSession`` and ``TokenGenerator``.
  public static func run(
    _ model: LanguageModel, adapters: [AppliedAdapter] = [], prompts: [[Int32]],
    stopTokens: Set<Int32>, options: GenerationOptions, grammar: Grammar? = nil,
    speculation: Speculation, threads: Int? = nil, repetitions: Int = 3
  ) throws(LanguageModelError) -> AnswerBenchmark {
    let bench = Bench(
      model: model, adapters: adapters, stopTokens: stopTokens, options: options, grammar: grammar,
      threads: threads)
    var (plain, fast) = (SpeculationBenchmark.Run.none, SpeculationBenchmark.Run.none)
    var isSame = true
    for prompt in prompts {
      var runs: (plain: [SpeculationBenchmark.Run], fast: [SpeculationBenchmark.Run]) = ([], [])
      // In turn, so that a machine that changes its speed changes both.
      for _ in 0..<max(1, repetitions) {
        let (one, expected) = try bench.answer(prompt, nil)
        let (other, found) = try bench.answer(prompt, speculation)
        runs.plain.append(one)
        runs.fast.append(other)
        isSame = isSame && expected == found
      }
      if let one = runs.plain.min(by: { $0.time < $1.time }) { plain.add(one) }
      if let other = runs.fast.min(by: { $0.time < $1.time }) { fast.add(other) }
    }
    return AnswerBenchmark(plain: plain, fast: fast, isSame: isSame)
  }

  private struct Bench {
    let model: LanguageModel
    let adapters: [AppliedAdapter]
    let stopTokens: Set<Int32>
    let options: GenerationOptions
    let grammar: Grammar?
    let threads: Int?

    func answer(
      _ prompt: [Int32], _ speculation: Speculation?
    ) throws(LanguageModelError) -> (run: SpeculationBenchmark.Run, text: [Int32]) {
      let session = try ModelSession(model, adapters: adapters, threads: threads)
      var speculator: Speculator?
      if let speculation { speculator = try Speculator(speculation, for: session) }
      let generator = try TokenGenerator(
        session, prompt: prompt, options: options, stopTokens: stopTokens,
        constraint: try constraint(), speculator: speculator)
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

    private func constraint() throws(LanguageModelError) -> (any TokenConstraint)? {
      guard let grammar else { return nil }
      let tokenizer = try model.tokenizer()
      do throws(GrammarDefect) {
        return try GrammarConstraint(grammar, tokenizer: tokenizer, stopTokens: stopTokens)
      } catch {
        throw .grammar(error)
      }
    }
  }

  /// A form with free texts, choices and lists, as an application would ask for.
  public static let form = Grammar(
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
