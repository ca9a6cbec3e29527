import AdapterTraining
import Adapters
import Grammars
import JSON
import Kernels
import SystemFiles

/// `eval`: what a base and adapters make of a file with the right answers.
enum EvalCommand {
  static let data = Argument(
    "data", "Lines with what is asked and what is right, or a folder of .jsonl files",
    completion: .files)
  static let adapters = Argument(
    "adapter", "Adapters to measure beside their base: installed names or packages' paths",
    arity: .any, completion: .adapters)
  static let outside = Option(
    "--outside", .file, "A second file, outside the domain, that shows what was forgotten")
  static let schema = Option(
    "--schema", .file, "A JSON Schema that answers should fit; they are not forced to")
  static let pattern = Option(
    "--pattern", .text("regex"), "A regular expression that each answer has to match")
  static let require = Option(
    "--require", .requirement, repeats: true,
    "Exit with 4 unless a figure is as stated, such as 'exactMatch>=0.9'; may be given again")
  static let record = Flag(
    "--record", "Write the figures of each adapter into its package, which has to be a path")
  static let noBase = Flag("--no-base", "Measure the adapters alone")
  static let shard = Option(
    "--shard", .shard, "Measure this part of the lines alone, such as 1/4, for --from")
  static let from = Option(
    "--from", .file, repeats: true,
    "Join what --shard has written instead of measuring: one of its files, or a folder of them; may be given again"
  )
  static let limit = Option(
    "--limit", .integer(1...Int.max), "Only so many lines of each file, the first ones")
  static let batch = Option(
    "--batch", .integer(1...64), "Prompts that are answered at once (default: 8)")
  static let worst = Option(
    "--worst", .integer(0...1000), "Answers to show, the worst first (default: 3)")
  static let output = Option(
    "--output", short: "-o", .file, "Write figures and all answers as JSON to this file")
  static let report = Option(
    "--report", .file, "Write a page of HTML to this file, which needs nothing else")
  static let force = Flag("--force", "Replace files of --output and --report that exist")
  /// Whatever bases and adapters state: figures are to be compared.
  static let temperature = Option(
    "--temperature", short: "-t", AnswerOptions.temperature.type,
    "How varied the answers are; 0 always takes the likeliest token (default: 0)")
  static let seed = Option(
    "--seed", .seed, "Same seed, same answers and intervals (default: 0)")
  static let json = Flag("--json", "Print figures and all answers as JSON")

  private static var options: [any OptionDeclaration] {
    let first: [any OptionDeclaration] = [outside, schema, pattern, require, record]
    let second: [any OptionDeclaration] = [output, report, force, worst, limit, noBase]
    let shards: [any OptionDeclaration] = [shard, from]
    let third: [any OptionDeclaration] = [
      AnswerOptions.maximumTokens, temperature, seed, AnswerOptions.instructions,
      AnswerOptions.noThink, AnswerOptions.chatFormat, AnswerOptions.draft,
    ]
    let last: [any OptionDeclaration] = [
      ModelOptions.base, batch, ModelOptions.cache, ModelOptions.threads, json,
    ]
    return first + second + shards + third + last
  }

  /// The names of all measures, for the help.
  private static var measures: String {
    let names = Measure.all.map { "\($0.name) (\($0.meaningInCommand))" }
    return names.joined(separator: "; ")
  }

  static let command = Command(
    name: "eval",
    summary: "Compare adapters with their base, on a file with right answers",
    details: [
      """
      Asks the base and each adapter every line, several at once, and compares the answers with \
      what the line says is right. Answers are greedy, the likeliest token each time, unless \
      --temperature says otherwise. What is right is the last answer of an example, as 'train' \
      takes them; or, beside a prompt, an answer, a list of answers that are equally good, a \
      rule, or options to choose from by their likelihood. The loss counts the tokens that \
      training counts. Keys that nothing reads are named.
      """,
      """
      Measures: \(measures); fields.NAME (one field of JSON); rule.TASK (the lines of one task). With --outside each also \
      as outside.MEASURE, and forgotten: by how much the loss there is above that of the base. A measure is there \
      where lines have what it needs.
      """,
      """
      Each figure is followed by its 95 % interval, from 2,000 resamples of the lines. Ctrl-C \
      shows what was measured until then. --record writes the figures into \
      creatorDefined.fmadapter.evaluation of the package, with digests of data, base and \
      weights.
      """,
      """
      Several machines can share the lines: each measures its --shard, with --output, and the same \
      words with --from in place of --shard join all of them to the report of one run. A shard that is \
      missing, given twice, stopped or measured otherwise is an error.
      """,
    ],
    examples: [
      Example("fmadapter eval valid.jsonl mine.fmadapter", "Base and adapter side by side"),
      Example(
        "fmadapter eval valid.jsonl mine.fmadapter --outside all.jsonl --report mine.html",
        "Also what was forgotten, and a page to look at"),
      Example(
        "fmadapter eval valid.jsonl mine.fmadapter --require 'exactMatch>=0' --record",
        "Fail a script if it is worse, and record the figures in the package"),
      Example(
        "fmadapter eval valid.jsonl mine.fmadapter my.fmadapter --limit 2 --json",
        "Two adapters, on the first lines"),
      Example("fmadapter eval valid.jsonl", "The base in use alone"),
    ],
    arguments: [data, adapters],
    options: options,
    knownElsewhereAs: ["evaluate", "test", "measure", "score", "perplexity"],
    optionsKnownElsewhere: KnownElsewhere.base,
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    try check(invocation)
    let shape = try arguments.value(schema).map { (json: try InputText.json($0), path: $0) }
    let scheme = try shape.map { try schemaCheck($0.json, $0.path) }
    let instructions = arguments.value(AnswerOptions.instructions)
    let set = try EvaluationSet(
      path: arguments.required(data), instructions: instructions, schema: scheme,
      isJudged: scheme != nil || arguments.value(pattern) != nil)
    let other = try arguments.value(outside).map {
      try EvaluationSet(path: $0, instructions: instructions)
    }
    for set in [set, other].compactMap(\.self) { tellUnread(set, terminal) }
    let sources = try EvaluationSources(
      set, outside: other, limit: arguments.value(limit), pattern: arguments.value(pattern),
      conditions: conditions(arguments, schema: shape?.json))
    try check(arguments.values(require), sources, invocation)
    let names = arguments.texts(adapters)
    let library = Library(terminal)
    let loaded = try await library.load(try LoadRequest(invocation, adapters: names))
    defer { withExtendedLifetime(loaded.leases) {} }
    var packages: [String] = []
    for name in names { packages.append(try await library.packagePath(name)) }
    for package in packages { warnOfLearnt(set, package, terminal) }
    tellFrequent(sources.main.examples, terminal)
    var evaluation = try Evaluation(
      loaded, packages: packages, sources, invocation,
      hasBase: names.isEmpty || !arguments.has(noBase))
    let (report, recorded) = try terminal.tellingMeasured {
      try evaluation.run()
      let report = EvaluationReport(evaluation, requirements: arguments.values(require))
      // Whoever reads what is printed may close the pipe before its end, which ends the program.
      let records = arguments.has(record) && evaluation.isComplete
      let recorded = Result { records ? try report.record() : [] }
      try report.write(invocation)
      return (report, recorded)
    }
    guard evaluation.isComplete else { return .interrupted }
    for package in try recorded.get() { terminal.note("recorded in \(package)") }
    return try report.judge(terminal)
  }

  /// What else than data, base, adapter, temperature, seed and length answers and figures follow from, where it was said.
  private static func conditions(_ arguments: ParsedArguments, schema: JSONValue?) -> JSONObject {
    var object: JSONObject = [:]
    object["limit"] = arguments.value(limit).map(JSONValue.integer)
    object["instructions"] = arguments.value(AnswerOptions.instructions).map(JSONValue.string)
    object["chatFormat"] = arguments.value(AnswerOptions.chatFormat).map(JSONValue.string)
    object["noThink"] = arguments.has(AnswerOptions.noThink) ? .bool(true) : nil
    object["kv"] = arguments.value(ModelOptions.cache).map { .string($0.rawValue) }
    object["pattern"] = arguments.value(pattern).map(JSONValue.string)
    object["schemaSHA256"] = schema.map { .string(SHA256.hex(Array($0.line.utf8))) }
    return object
  }

  /// Says which keys of the lines nothing reads, and warns of those that are nearly ones that are
  /// read.
  private static func tellUnread(_ set: EvaluationSet, _ terminal: Terminal) {
    for (file, unread) in set.unread {
      for key in unread.keys {
        guard let meant = key.meant else { continue }
        terminal.warn(
          "\(file): line \(Figures.grouped(key.line)): '\(key.name)' is not read\(remedy: "did you mean '\(meant)'?")"
        )
      }
      if let names = unread.text("line", where: { $0.meant == nil }) {
        terminal.note("\(file): not read: \(names)")
      }
    }
  }

  /// Warns of a file that the adapter was trained on, by what its package says: figures of it are mostly of memory.
  private static func warnOfLearnt(_ set: EvaluationSet, _ package: String, _ terminal: Terminal) {
    let facts = (try? Library.metadata(of: package))?.settings.trainedOn?.object
    guard facts?["dataSHA256"]?.string == set.digest else { return }
    terminal.warn(
      "\(package) was trained on \(set.path): how it does on lines that it never saw is not measured"
    )
  }

  /// Says how far one gets with always the same answer, where that is right on most lines.
  private static func tellFrequent(_ examples: [EvaluationExample], _ terminal: Terminal) {
    let right = examples.filter { $0.isAsked && $0.options.isEmpty }.compactMap(\.expected)
    let counts = Dictionary(right.map { ($0, 1) }, uniquingKeysWith: +)
    guard right.count >= 10,
      let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }),
      2 * most.value >= right.count
    else { return }
    let share = Figures.fixed(Double(most.value) / Double(right.count), 3)
    terminal.note(
      "the right answer of \(Figures.grouped(most.value)) of \(Figures.count(right.count, "line")) is "
        + "'\(TextLayout.cut(most.key, 40))': always answering that makes exactMatch \(share)"
    )
  }

  private static func check(_ invocation: Invocation) throws {
    let arguments = invocation.arguments
    let names = arguments.texts(adapters)
    guard Set(names).count == names.count else {
      throw invocation.conflict("an adapter is named twice")
    }
    try checkShards(invocation)
    for target in [arguments.value(output), arguments.value(report)].compactMap(\.self) {
      try checkTarget(target, invocation)
    }
    guard arguments.has(record) else { return }
    if names.isEmpty { throw invocation.conflict("--record needs an adapter") }
    if let name = names.first(where: { !Library.isPath($0) }) {
      throw invocation.conflict(
        "--record cannot write into '\(name)', which is installed"
          + "\(remedy: "give the path of its package, and install that again")")
    }
  }

  /// Refuses what is of all lines where only some of them are measured.
  private static func checkShards(_ invocation: Invocation) throws {
    let arguments = invocation.arguments
    try invocation.exclude(shard, from)
    if arguments.has(from) {
      let stray = arguments.texts(adapters).first { $0.hasSuffix(".json") }
      guard let stray else { return }
      throw invocation.conflict(
        "\(stray) is no adapter\(remedy: "give --from before each shard, or once with a folder of them")"
      )
    }
    guard arguments.has(shard) else { return }
    for other: any OptionDeclaration in [require, record, report] where arguments.has(other) {
      throw invocation.conflict(
        "\(other.name) is for all lines\(remedy: "give it with --from, once all shards are measured")"
      )
    }
    if !arguments.has(output), !arguments.has(json) {
      throw invocation.conflict("--shard needs --output: what it has measured is to be joined")
    }
  }

  /// Refuses, before anything is measured, what could not be written behind it.
  private static func checkTarget(_ path: String, _ invocation: Invocation) throws {
    let arguments = invocation.arguments
    try Library.checkFolder(FilePath.parent(of: path), for: "report")
    guard let there = try FileSystem.info(path) else { return }
    guard there.kind != .directory else { throw invocation.conflict("\(path) is a folder") }
    // Nothing takes the place of a device, which is known before anything is measured.
    guard there.kind != .other else { throw FileError.notRegular(path: path) }
    let read =
      [arguments.required(data), arguments.value(outside), arguments.value(schema)]
      + arguments.values(from)
    let folder = try FileSystem.info(FilePath.parent(of: path))
    let packages = try arguments.texts(adapters).filter(Library.isPath).compactMap(FileSystem.info)
    if try read.contains(where: { try $0.flatMap(FileSystem.info)?.isSame(as: there) == true })
      || packages.contains(where: { folder?.isSame(as: $0) == true })
    {
      throw invocation.conflict(
        "\(path) is a file that is read\(remedy: "give the report another name")")
    }
    guard arguments.has(force) else {
      throw invocation.conflict(
        "\(path) exists already\(remedy: "give another path, or --force to replace it")")
    }
  }

  private static func schemaCheck(_ json: JSONValue, _ path: String) throws -> SchemaCheck {
    do throws(GrammarDefect) {
      return try SchemaCheck(json)
    } catch {
      throw Failure(.invalid, "\(path): \(error)")
    }
  }

  /// Refuses requirements that nothing here can be held against, before anything is measured.
  private static func check(
    _ requirements: [Requirement], _ sources: EvaluationSources, _ invocation: Invocation
  ) throws {
    for requirement in requirements {
      guard requirement.isKnown else {
        throw invocation.conflict(
          "there is no measure '\(requirement.name)'\(remedy: "this file has \(sources.names.joined(separator: ", "))")"
        )
      }
      guard sources.names.contains(requirement.name) else {
        throw invocation.conflict(
          "nothing here can be measured by \(requirement.name)\(remedy: "this file has \(sources.names.joined(separator: ", "))")"
        )
      }
    }
    if requirements.contains(where: { $0.name == Requirement.forgotten }),
      invocation.arguments.has(noBase) || invocation.arguments.texts(adapters).isEmpty
    {
      throw invocation.conflict("forgotten is measured beside the base, and of an adapter")
    }
  }
}

extension Terminal {
  /// Measures, and tells what was measured, for which a signal leaves the time; what cannot be written is said then, too.
  fileprivate func tellingMeasured<R>(_ body: () throws -> R) throws -> R {
    try Interruption.shared.keeping(
      { note("telling what was measured; a second signal ends the program at once, without it") }
    ) {
      do { return try body() } catch {
        let failure = Failure(error)
        if Interruption.shared.ending != nil, failure.code != .interrupted { self.error(failure) }
        throw error
      }
    }
  }
}
