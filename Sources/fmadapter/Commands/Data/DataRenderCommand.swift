import AdapterTraining

/// `data render`: what the model sees of examples, and what it learns.
enum DataRenderCommand {
  private static let line = Option(
    "--line", short: "-l", .integer(1...Int.max), "Only the example on this line, from 1")
  private static let json = Flag("--json", "Print one JSON object a line: tokens, mask and text")

  static let command = Command(
    name: "render",
    summary: "Print examples as the model sees them",
    details: [
      """
      Special tokens are shown by their names and line ends as \\n. Lines that start with > are \
      learnt, all others only come before them; on a terminal they are green too. With --json the \
      mask is 1 for each token that is learnt.
      """
    ],
    examples: [
      Example("fmadapter data render train.jsonl --line 1", "The first example"),
      Example("fmadapter data render train.jsonl --base model.gguf", "All, by another base"),
      Example("fmadapter data render train.jsonl --line 1 --json", "Ids and mask, for a script"),
    ],
    arguments: [DataOptions.file],
    options: [line, ModelOptions.base, AnswerOptions.chatFormat, json],
    knownElsewhereAs: ["show", "preview", "tokenize", "print"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let path = arguments.required(DataOptions.file)
    let base = try await DataOptions.base(invocation)
    let examples =
      try arguments.value(line).map { [try DataSet.example(onLine: $0, of: path)] }
      ?? DataSet(path: path).examples
    for (index, example) in examples.enumerated() {
      try Task.checkCancellation()
      let text = RenderedExample(try base.renderer.render(example), base.tokenizer)
      if arguments.has(json) {
        try terminal.printJSONLine(text.entry)
      } else {
        if index > 0 { terminal.print("") }
        text.lines(terminal.style).forEach(terminal.print)
      }
    }
    return .done
  }
}
