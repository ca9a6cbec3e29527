import AdapterTraining
import JSON
import SystemFiles

/// `data convert`: somebody else's data as a data set.
enum DataConvertCommand {
  private static let input = Argument(
    "file", "A table, a file of JSON, or a folder of them; - is standard input", arity: .several,
    completion: .files)
  private static let source = Option(
    "--from", .word("csv|tsv|json", DataConversion.Source.allCases.map(\.rawValue)),
    "Format of the file (default: by its name or its first character)")
  private static let prompt = Option(
    "--prompt", .text, "The column or key that asks, where its name does not tell")
  private static let answer = Option(
    "--answer", .text, "The column or key that answers, where its name does not tell")
  private static let system = Option(
    "--system", .text, "The column or key with instructions, where its name does not tell")
  private static let encoding = Option(
    "--encoding", .text("name"),
    "The encoding of the text where it is neither UTF-8 nor UTF-16, such as windows-1252, shift_jis or gb18030"
  )
  private static let skip = Flag("--skip", "Leave out records with errors instead of refusing all")
  private static let output = Option(
    "--output", short: "-o", .file, "The data set to write (default: standard output)")
  private static let force = Flag("--force", "Replace the file of --output when it exists")
  private static let json = Flag("--json", "Print the file and its counts as JSON; needs --output")

  static let command = Command(
    name: "convert",
    summary: "Make a data set of tables, Alpaca, ShareGPT, preferences and the like",
    details: [
      """
      Tables are CSV or TSV with the names of their columns in the first row, also as Excel \
      writes them: with semicolons, with a first line such as sep=;, in UTF-16, or in the encoding \
      that --encoding names. JSON is objects, \
      in a list or one after the other: with instruction, input and output as in Alpaca, with \
      conversations as in ShareGPT, or with a question and an answer under usual names, such as \
      prompt and completion. Name any other columns or keys with --prompt and --answer.
      """,
      """
      Records with chosen and rejected become pairs of answers with the messages before them, in \
      trl's form. Answers and prompts may be texts or lists of messages; of whole conversations \
      the prompt is what both begin with.
      """,
      """
      Any other record becomes a list of messages, in the form of Apple's toolkit. Each record \
      is read by its own keys; null and empty tools count as absent, as Arrow and Parquet pad \
      records, and tools may be JSON text. Texts with the marks of Hermes (<tools>, <tool_call>, \
      <tool_response>) become tools, calls and results. What is not read is named, with how often \
      it occurs.
      """,
      """
      Records are left out if their label is false, as in trl's unpaired preferences, or 0 where \
      every label is 0 or 1, if their kto_tag is false, as in LLaMA-Factory, or if their weight is \
      0. A message is not learnt if its weight is 0, or if its loss (ms-swift) or train (axolotl) \
      is false.
      """,
      """
      Several files, or those of a folder by their names, become one data set. All records with \
      errors are named at once, and then nothing is written.
      """,
    ],
    examples: [
      Example("fmadapter data convert alpaca.json -o data.jsonl", "Instruction, input and output"),
      Example(
        "fmadapter data convert mail.csv --prompt Body --answer Queue -o data.jsonl",
        "Two columns of a table"),
      Example(
        "fmadapter data convert - --from csv --prompt Body --answer Queue < mail.csv",
        "A table on standard input"),
      Example(
        "fmadapter data convert chats.json --skip > data.jsonl",
        "Conversations as ShareGPT has them, without those that cannot be used"),
      Example(
        "fmadapter data convert ultrafeedback.json -o preferences.jsonl", "Chosen and rejected"),
      Example(
        "fmadapter data convert alpaca.json chats.json -o data.jsonl", "Several files as one set"),
    ],
    arguments: [input],
    options: [source, prompt, answer, system, encoding, skip, output, force, json],
    knownElsewhereAs: ["import", "from-csv"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    var conversion = DataConversion()
    conversion.source = arguments.value(source).flatMap(DataConversion.Source.init)
    conversion.prompt = arguments.value(prompt)
    conversion.answer = arguments.value(answer)
    conversion.system = arguments.value(system)
    conversion.encoding = arguments.value(encoding)
    conversion.skips = arguments.has(skip)
    let path = arguments.value(output)
    guard path != nil || !arguments.has(json) else {
      throw invocation.conflict("--json needs --output, as the data set goes to standard output")
    }
    let bar = ProgressLine("converting", terminal)
    defer { bar.finish() }
    let text = try Input(invocation, arguments.texts(input))
    let result: DataConversion.Result
    if let path {
      result = try convert(text, conversion, to: path, replaces: arguments.has(force), bar)
    } else {
      // Found before anything is printed: half a data set must not be taken for a whole one.
      _ = try text.convert(conversion, nil) { _ in }
      result = try text.convert(conversion, nil) {
        terminal.stream(String(decoding: $0, as: UTF8.self))
      }
    }
    bar.finish()
    tell(result, terminal)
    if arguments.has(json), let path {
      terminal.print(result.json(path))
    } else if let path {
      terminal.print(path)
    }
    return .done
  }

  private static func tell(_ result: DataConversion.Result, _ terminal: Terminal) {
    var parts = [Figures.count(result.examples, "example")]
    if result.notToLearn > 0 {
      parts.append("\(Figures.grouped(result.notToLearn)) not to be learnt (label or weight)")
    }
    if result.skipped > 0 { parts.append("\(Figures.grouped(result.skipped)) left out") }
    terminal.note(parts.joined(separator: ", "))
    if let names = result.unread.text("record") { terminal.note("not read: \(names)") }
  }

  private static func convert(
    _ input: Input, _ conversion: DataConversion, to path: String, replaces: Bool,
    _ bar: ProgressLine
  ) throws -> DataConversion.Result {
    for name in input.paths {
      try DataSetError.checkTarget(path, input: name, replaces: replaces)
    }
    var file = try AtomicFile(path: path)
    let result = try input.convert(conversion, bar) { (line) throws(DataSetError) in
      do throws(FileError) { try file.write(line) } catch { throw .file(error) }
    }
    try file.commit()
    return result
  }
}

extension DataConvertCommand {
  /// What is converted: files, or standard input, which can be read but once.
  private struct Input {
    /// Paths of the files; what standard input is called where that is read.
    let paths: [String]
    private let text: [UInt8]?

    init(_ invocation: Invocation, _ paths: [String]) throws {
      guard paths.contains("-") else {
        self.paths = try DataParts.all(paths, takesTables: true).flatMap(\.paths)
        text = nil
        return
      }
      guard paths.count == 1 else {
        throw invocation.conflict("standard input cannot be one of several files")
      }
      self.paths = ["standard input"]
      text = try InputText.standardInput(invocation.terminal)
    }

    func convert(
      _ conversion: DataConversion, _ bar: ProgressLine?,
      _ write: ([UInt8]) throws(DataSetError) -> Void
    ) throws(DataSetError) -> DataConversion.Result {
      if let text {
        return try conversion.run(
          text, named: paths[0], isCancelled: { Task.isCancelled }, write: write)
      }
      return try conversion.run(
        paths, progress: { bar?.update(done: $0, total: $1) }, isCancelled: { Task.isCancelled },
        write: write)
    }
  }
}

extension DataConversion.Result {
  fileprivate func json(_ path: String) -> JSONValue {
    .object([
      "path": .string(path), "examples": .integer(examples), "skipped": .integer(skipped),
      "notToLearn": .integer(notToLearn),
      "unread": .object(
        JSONObject(unread.keys.map { .init(key: $0.name, value: .integer($0.count)) })),
      "unreadIsCut": .bool(unread.isCut),
    ])
  }
}

extension UnreadKeys {
  /// Keys that are named in a sentence, at most.
  private static var shown: Int { 12 }

  /// The keys that are meant, and how many things called `noun` have each; nil where there are
  /// none.
  func text(_ noun: String, where isMeant: (Key) -> Bool = { _ in true }) -> String? {
    let meant = keys.filter(isMeant)
    guard !meant.isEmpty else { return nil }
    let names = meant.prefix(Self.shown).map { key in
      "'\(key.name.prefix(40))' (\(Figures.count(key.count, noun)))"
    }
    let rest = meant.count - names.count
    return names.joined(separator: ", ")
      + (isCut ? " and others" : rest > 0 ? " and \(Figures.grouped(rest)) more" : "")
  }
}
