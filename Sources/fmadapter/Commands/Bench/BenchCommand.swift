import LanguageModels
import SystemFiles

/// `bench`: how fast a base runs here, and how much memory it takes.
enum BenchCommand {
  private static let random = Option(
    "--random", .readableType,
    "Make a random base of 0.43 billion parameters at --base, if none is there")
  private static let prompt = Option(
    "--prompt-tokens", .integer(1...100_000), "Length of the prompt (default: 256)")
  static let generate = Option(
    "--generate-tokens", .integer(2...100_000), "Tokens to generate (default: 64)")
  static let rounds = Option(
    "--rounds", .integer(1...100), "Measure this often; the fastest counts (default: 3)")
  private static let details = Flag(
    "--details",
    "Also short passes, four sessions at once, known instructions, 4,000 tokens of context, opening"
  )
  private static let randomAdapter = Option(
    "--random-adapter", .integer(1...1024),
    "Apply an adapter of this rank with random weights to all seven projections")
  private static let json = Flag("--json", "Print the figures as JSON")

  // Joined with types spelled out: the compiler needs minutes to find them in one expression.
  private static var options: [any OptionDeclaration] {
    let first: [any OptionDeclaration] = [
      ModelOptions.base, random, ModelOptions.adapter, ModelOptions.scale, ModelOptions.cache,
      ModelOptions.threads, prompt, generate, rounds, details, randomAdapter,
    ]
    let last: [any OptionDeclaration] = [AnswerOptions.chatFormat, json]
    return first + BenchGuesses.all + BenchConstraint.all + last
  }

  static let command = Command(
    name: "bench",
    summary: "Measure speed and memory of a base",
    examples: [
      Example("fmadapter bench", "The base in use, all processors"),
      Example("fmadapter bench --base model.gguf --threads 2 --json", "A file, with two threads"),
      Example("fmadapter bench --adapter playwriting", "With an adapter's changes"),
      Example(
        "fmadapter bench --guesses --adapter tagging --prompts valid.jsonl --texts train.jsonl",
        "What guessing ahead saves"),
      Example(
        "fmadapter bench --schema person.json --values people.jsonl",
        "What it costs to keep to a form"),
      Example("fmadapter bench --details --random-adapter 32", "All that there is to measure"),
    ],
    options: options,
    knownElsewhereAs: ["benchmark", "perf"],
    optionsKnownElsewhere: KnownElsewhere.bench,
    remedyForWords: "give a base with --base, an adapter with --adapter",
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    if let schema = arguments.value(BenchConstraint.schema) {
      let report = try await BenchConstraint.run(invocation, schema: schema)
      try invocation.report(report) { invocation.terminal.print(report.facts) }
      return .done
    }
    try makeRandomBase(invocation)
    let loaded = try await Library(terminal).load(
      LoadRequest(invocation, adapters: arguments.values(ModelOptions.adapter)))
    defer { withExtendedLifetime(loaded.leases) {} }
    if arguments.has(BenchGuesses.flag) { return try guess(invocation, loaded) }
    let context = loaded.model.configuration.contextLength
    var options = Benchmark.Options()
    options.threads = arguments.value(ModelOptions.threads)
    options.cache = arguments.value(ModelOptions.cache)
    options.generatedTokens = arguments.value(generate) ?? min(64, context / 2)
    options.promptTokens =
      arguments.value(prompt) ?? min(256, context - options.generatedTokens)
    options.repetitions = arguments.value(rounds) ?? 3
    terminal.note("measuring \(loaded.model.path) ...")
    let adapters = loaded.adapters + randomAdapters(arguments, loaded.model, count: 1)
    let bench = try Benchmark.run(loaded.model, adapters: adapters, options)
    var report = BenchReport(
      bench, loaded, randomAdapterRank: arguments.value(randomAdapter))
    if arguments.has(details) {
      let opening = try Benchmark.opening(loaded.model.path, options)
      report.openMilliseconds = opening.open / .milliseconds(1)
      report.firstPassMilliseconds = opening.firstPass / .milliseconds(1)
      report.details = try measure(loaded.model, adapters, options, arguments)
    }
    try invocation.report(report) { invocation.terminal.print(report.facts) }
    return .done
  }

  private static func guess(
    _ invocation: Invocation, _ loaded: LoadedModel
  ) throws -> ExitCode {
    let terminal = invocation.terminal
    terminal.note("measuring \(loaded.model.path) ...")
    let report = try BenchGuesses.run(invocation, loaded)
    try invocation.report(report) { invocation.terminal.print(report.facts) }
    // What no guess may do.
    return report.isSame ? .done : .unexpected
  }

  private static func randomAdapters(
    _ arguments: ParsedArguments, _ model: BaseModel, count: Int
  ) -> [AppliedAdapter] {
    guard let rank = arguments.value(randomAdapter) else { return [] }
    return (1...count).map { seed in
      var adapter = RandomAdapter()
      (adapter.rank, adapter.seed) = (rank, UInt64(seed))
      return adapter.applied(to: model)
    }
  }

  private static func measure(
    _ model: BaseModel, _ adapters: [AppliedAdapter], _ benchmark: Benchmark.Options,
    _ arguments: ParsedArguments
  ) throws -> BenchReport.Details {
    var options = BenchmarkDetails.Options()
    let context = model.configuration.contextLength
    options.contextTokens = min(options.contextTokens, context - 16)
    options.prefixTokens = min(options.prefixTokens, context - 16 - options.promptTokens)
    let own = randomAdapters(arguments, model, count: options.sessions)
    return BenchReport.Details(
      try BenchmarkDetails.run(
        model, adapters: adapters, sessionAdapters: own.isEmpty ? adapters : own,
        benchmark: benchmark, options))
  }

  /// The speed of a shape does not depend on what its weights say.
  private static func makeRandomBase(_ invocation: Invocation) throws {
    guard let type = invocation.arguments.value(random) else { return }
    guard let path = invocation.arguments.value(ModelOptions.base), Library.isPath(path) else {
      throw invocation.conflict("--random needs --base with the path of a file to make")
    }
    var base = RandomBase()
    base.type = type
    try make(base, at: path, invocation)
    guard let path = invocation.arguments.value(BenchGuesses.draft) else { return }
    base.makeDraft()
    try make(base, at: path, invocation)
  }

  private static func make(
    _ base: RandomBase, at path: String, _ invocation: Invocation
  ) throws {
    guard try FileSystem.info(path) == nil else { return }
    invocation.terminal.note("making \(path) ...")
    try base.write(to: path)
  }
}
