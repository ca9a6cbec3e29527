import Adapters
import AdapterTraining
import TensorFiles

/// `data convert`: somebody else's data as a data set.
enum DataConvertCommand {
  private static let source = Option(
    "--from", .word("csv|tsv|json", DataConversion.Source.allCases.map(\.rawValue)),
    "How the file is written; by its name unless given")
  private static let prompt = Option(
    "--prompt", .text, "The column or key that asks, where its name does not tell")
  private static let answer = Option(
    "--answer", .text, "The column or key that answers, where its name does not tell")
  private static let system = Option(
    "--system", .text, "The column or key with instructions, where its name does not tell")
  private static let skip = Flag("--skip", "Leave out records with errors instead of refusing all")
  private static let output = Option(
    "--output", short: "-o", .file, "The data set to write; standard output unless given")
  private static let force = Flag("--force", "Replace the file of --output when it exists")
  private static let json = Flag("--json", "Print the file and its counts as JSON; needs --output")

  static let command = Command(
    name: "convert",
    summary: "Make a data set of tables, Alpaca, ShareGPT, preferences and the like",
    details: [
      """
      Tables are CSV or TSV with the names of their columns in the first row. JSON is objects, in a list or one \
      after the other: with instruction, input and output as Alpaca has them, with conversations as ShareGPT \
      has them, or with a question and an answer under usual names, such as prompt and completion. Any other \
      names are said with --prompt and --answer.
      """,
      """
      Records with chosen and rejected become pairs of answers with the messages before them, as trl has them: answers and prompts may be \
      texts or lists of messages, and of whole conversations the prompt is what both begin with.
      """,
      """
      Any other record becomes a list of messages, as Apple's toolkit has it. All records with errors are named at once, \
      and then nothing is written.
      """,
    ],
    examples: [
      Example("fmadapter data convert alpaca.json -o data.jsonl", "Instruction, input and output"),
      Example(
        "fmadapter data convert mail.csv --prompt Body --answer Queue -o data.jsonl",
        "Two columns of a table"),
      Example(
        "fmadapter data convert chats.json --skip > data.jsonl",
        "Conversations as ShareGPT has them, without those that cannot be used"),
      Example(
        "fmadapter data convert ultrafeedback.json -o preferences.jsonl", "Chosen and rejected"),
    ],
    arguments: [DataOptions.file],
    options: [source, prompt, answer, system, skip, output, force, json],
    knownElsewhereAs: ["import", "from-csv"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let input = arguments.required(DataOptions.file)
    var conversion = DataConversion()
    conversion.source = arguments.value(source).flatMap(DataConversion.Source.init)
    conversion.prompt = arguments.value(prompt)
    conversion.answer = arguments.value(answer)
    conversion.system = arguments.value(system)
    conversion.skips = arguments.has(skip)
    let path = arguments.value(output)
    guard path != nil || !arguments.has(json) else {
      throw invocation.conflict("--json needs --output, as the data set goes to standard output")
    }
    let bar = ProgressLine("converting", terminal)
    defer { bar.finish() }
    let result: DataConversion.Result
    if let path {
      result = try convert(input, conversion, to: path, replaces: arguments.has(force), bar)
    } else {
      // Found before anything is printed: half a data set must not be taken for a whole one.
      _ = try conversion.run(input, isCancelled: { Task.isCancelled }) { _ in }
      result = try conversion.run(input, isCancelled: { Task.isCancelled }) {
        terminal.stream(String(decoding: $0, as: UTF8.self))
      }
    }
    bar.finish()
    let skipped = result.skipped > 0 ? ", \(Figures.grouped(result.skipped)) left out" : ""
    terminal.note("\(Figures.count(result.examples, "example"))\(skipped)")
    if arguments.has(json), let path {
      terminal.print(
        .object([
          "path": .string(path), "examples": .integer(result.examples),
          "skipped": .integer(result.skipped),
        ]))
    } else if let path {
      terminal.print(path)
    }
    return .done
  }

  private static func convert(
    _ input: String, _ conversion: DataConversion, to path: String, replaces: Bool,
    _ bar: ProgressLine
  ) throws -> DataConversion.Result {
    try DataSetError.checkTarget(path, input: input, replaces: replaces)
    var file = try AtomicFile(path: path)
    let result = try conversion.run(
      input, progress: { bar.update(done: $0, total: $1) }, isCancelled: { Task.isCancelled }
    ) { (line) throws(TensorFileError) in try file.write(line) }
    try file.commit()
    return result
  }
}
