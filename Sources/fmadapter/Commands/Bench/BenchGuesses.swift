import AdapterTraining
import ChatTemplates
import LanguageModels
import SystemFiles
import Tokenization

/// `bench --guesses`: what evaluating ahead is worth.
enum BenchGuesses {
  static let flag = Flag(
    "--guesses", "Instead, what guessing ahead is worth, with texts that have to be the same")
  static let draft = Option(
    "--draft", .file,
    "With --guesses, a draft whose guesses are made right as often as --accepted says")
  static let accepted = Option(
    "--accepted", .share, "How often those of --draft are right (default: 80%)")
  static let prompts = Option(
    "--prompts", .file, "With --guesses, answer the prompts of this data set")
  static let texts = Option(
    "--texts", .file, "With --prompts, guess what came in the answers of this data set")
  static let all: [any OptionDeclaration] = [flag, draft, accepted, prompts, texts]

  static func run(_ invocation: Invocation, _ loaded: LoadedModel) throws -> GuessReport {
    let arguments = invocation.arguments
    var report = GuessReport(base: loaded.model.path, adapters: loaded.adapters.map(\.identifier))
    let rounds = arguments.value(BenchCommand.rounds) ?? 3
    if let path = arguments.value(draft) {
      var options = SpeculationBenchmark.Options()
      options.acceptance = arguments.value(accepted) ?? 0.8
      options.threads = arguments.value(ModelOptions.threads)
      options.repetitions = rounds
      options.tokens = arguments.value(BenchCommand.generate) ?? options.tokens
      let draft = try DraftModel(path: path, for: loaded.model)
      report.add(try SpeculationBenchmark.run(loaded.model, draft: draft, options), options)
    }
    guard let path = arguments.value(prompts) else { return report }
    let tokenizer = try loaded.model.tokenizer()
    let chat = try ChatRenderer(
      AnswerOptions.style(arguments, loaded.model.file), tokenizer: tokenizer)
    let renderer = ExampleRenderer(chat, tokenizer: tokenizer)
    func examples(_ path: String) throws -> [TokenizedExample] {
      try DataSet(path: path).examples.map(renderer.render)
    }
    let asked = try examples(path).map { example in
      Array(example.tokens[..<(example.trained.first?.lowerBound ?? example.tokens.count)])
    }
    var speculation = Speculation()
    if let path = arguments.value(texts) {
      speculation.store = try SuffixStore(
        examples(path), vocabularySize: loaded.model.configuration.vocabularySize)
    }
    var options = SamplingOptions(seed: GuessReport.seed)
    report.answers(options)
    options.maximumTokens = arguments.value(BenchCommand.generate) ?? 200
    // Adapters have forms of their own.
    let forms = loaded.adapters.isEmpty ? [("JSON of a form", AnswerBenchmark.form)] : []
    report.add(
      try PassCosts.measure(
        loaded.model, adapters: loaded.adapters, threads: arguments.value(ModelOptions.threads)))
    for (name, grammar) in [("answers", nil)] + forms {
      let bench = try AnswerBenchmark.run(
        loaded.model, adapters: loaded.adapters, prompts: asked, stopTokens: chat.stopTokens,
        options: options, grammar: grammar, speculation: speculation,
        threads: arguments.value(ModelOptions.threads), repetitions: rounds)
      report.add(name, bench)
    }
    return report
  }
}

/// What `bench --guesses` measured.
struct GuessReport: Encodable {
  /// One way of decoding beside the plain one.
  struct Row: Encodable {
    let name: String
    let tokensPerSecond: Double
    /// Times as fast as a token a pass.
    let times: Double
    let tokens: Int
    let passes: Int
    let tokensPerPass: Double
    /// By source, and by place behind what was known.
    let proposals: [String: Answer.Proposals]

    init(_ name: String, _ run: SpeculationBenchmark.Run, beside plain: SpeculationBenchmark.Run) {
      self.name = name
      tokensPerSecond = run.tokensPerSecond
      times = run.tokensPerSecond / plain.tokensPerSecond
      (tokens, passes) = (run.tokens, run.passes)
      tokensPerPass = Double(run.tokens) / Double(max(1, run.passes))
      proposals = Answer.Proposals.by(run.proposals)
    }
  }

  let base: String
  let adapters: [String]
  /// How the answers to --prompts were chosen.
  private(set) var temperature: Double?
  private(set) var seed: UInt64?
  /// By the tokens of a pass: how much longer it takes than a pass of one.
  private(set) var passRatios: [String: Double] = [:]
  /// What a token of the draft takes, on that scale.
  var draftRatio: Double?
  /// What these allow at most for the forced run, in times as fast.
  var bound: Double?
  var rows: [Row] = []
  /// Whether all texts were those without guesses.
  var isSame = true

  init(base: String, adapters: [String]) { (self.base, self.adapters) = (base, adapters) }

  /// With which prompts are answered.
  static let seed: UInt64 = 1

  mutating func answers(_ options: SamplingOptions) {
    (temperature, seed) = (options.temperature, options.seed)
  }

  private static let passes = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16]

  mutating func add(_ costs: PassCosts) {
    for rows in Self.passes { passRatios["\(rows)"] = costs.ratio(rows) }
  }

  mutating func add(_ bench: SpeculationBenchmark, _ options: SpeculationBenchmark.Options) {
    add(bench.costs)
    (draftRatio, bound) = (bench.draftCost, bench.bound)
    let share = Figures.fixed(options.acceptance * 100, 0) + " % right"
    rows += [
      Row("plain", bench.plain, beside: bench.plain), Row(share, bench.forced, beside: bench.plain),
      Row("none right", bench.refused, beside: bench.plain),
      Row("earlier text alone", bench.repeated, beside: bench.plain),
      Row("\(options.sessions) sessions", bench.batch.plain, beside: bench.batch.plain),
      Row("\(options.sessions) sessions, \(share)", bench.batch.forced, beside: bench.batch.plain),
    ]
  }

  mutating func add(_ name: String, _ bench: AnswerBenchmark) {
    // Without a grammar nothing is forced, and plain is a token a pass.
    let others =
      bench.single.map { [(", a token a pass", $0), (", forced tokens together", bench.plain)] }
      ?? [(", plain", bench.plain)]
    rows += (others + [("", bench.fast)]).map { Row(name + $0, $1, beside: others[0].1) }
    isSame = isSame && bench.isSame
  }

  var facts: FactList {
    var facts = FactList()
    facts.add("base", base)
    facts.add("adapters", adapters.joined(separator: ", "))
    for row in rows {
      let sources = row.proposals.sorted { $0.key < $1.key }.map { name, counts in
        let places = zip(counts.accepted, counts.proposed).map { "\($0)/\($1)" }
        return "; \(name) " + places.joined(separator: " ")
      }
      facts.add(
        row.name,
        "\(Figures.fixed(row.tokensPerSecond, 1)) tokens/s, \(Figures.fixed(row.times, 2)) times, "
          + "\(Figures.fixed(row.tokensPerPass, 2)) tokens a pass" + sources.joined())
    }
    if !passRatios.isEmpty {
      let passes = Self.passes.compactMap { rows in
        passRatios["\(rows)"].map { "\(rows): \(Figures.fixed($0, 2))" }
      }
      facts.add(
        "costs",
        "passes by tokens " + passes.joined(separator: ", ")
          + (draftRatio.map { ", draft \(Figures.fixed($0, 2)) a token" } ?? ""))
    }
    if let bound { facts.add("bound", "\(Figures.fixed(bound, 2)) times at these costs") }
    facts.add("texts", isSame ? "the same with and without" : "DIFFERENT with and without")
    return facts
  }
}
