import SystemFiles

/// `merge-answers`: the answers of all shards of a file of prompts, as one run writes them.
enum MergeAnswersCommand {
  private static let prompts = Argument(
    "prompts", "The file of 'run --input'", completion: .files)
  private static let shards = Argument(
    "answers", "Files of 'run --shard', in the order of their shards", arity: .several,
    completion: .files)
  private static let output = Option(
    "--output", short: "-o", .file, "Where the answers go (default: standard output)")
  private static let force = Flag("--force", "Replace the file of --output")

  static let command = Command(
    name: "merge-answers",
    summary: "Join the answers of shards",
    details: [
      """
      Each line has to answer the prompt that is due, and all have to be made with the same base, \
      adapters and options: a shard that is missing, cut, given twice or of another run is an \
      error, and nothing is written. What is written has the bytes of one run over all prompts.
      """
    ],
    examples: [
      Example(
        "fmadapter merge-answers notes.jsonl tags-1.jsonl tags-2.jsonl --output tags.jsonl",
        "Two halves, of 'run --input notes.jsonl --shard 1/2' and 2/2")
    ],
    arguments: [prompts, shards],
    options: [output, force],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let file = try PromptFile(path: arguments.required(prompts), terminal)
    var merged = MergedAnswers(file)
    for path in arguments.texts(shards) { try merged.add(InputText.file(path), path) }
    try merged.checkWhole()
    if let path = arguments.value(output) {
      guard try arguments.has(force) || FileSystem.info(path) == nil else {
        throw Failure(.usage, "\(path) exists already\(remedy: "replace it by --force")")
      }
      try AtomicFile.write(merged.bytes, to: path)
      terminal.note("\(Figures.count(merged.count, "answer")) written")
    } else {
      terminal.write(json: String(decoding: merged.bytes, as: UTF8.self))
    }
    return .done
  }
}
