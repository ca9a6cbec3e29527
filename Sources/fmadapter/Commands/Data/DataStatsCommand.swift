import AdapterTraining
import Adapters

/// `data stats`: how much there is to learn, and how long the examples are.
enum DataStatsCommand {
  private static let json = Flag("--json", "Print the figures as JSON")

  static let command = Command(
    name: "stats",
    summary: "Count examples, messages and tokens",
    details: [
      """
      Tokens are those of the base and its chat format. Learnt are the tokens of the answers, with \
      the marks that end them; all others only come before them. P95 is the length that 95 of 100 \
      examples do not exceed. Lines with errors are counted as refused and left out.
      """
    ],
    examples: [
      Example("fmadapter data stats train.jsonl", "Figures by the base in use"),
      Example("fmadapter data stats train.jsonl valid.jsonl --base model.gguf", "By another base"),
      Example("fmadapter data stats train.jsonl --json", "For a script"),
    ],
    arguments: [DataOptions.files],
    options: [ModelOptions.base, AnswerOptions.chatFormat, json],
    knownElsewhereAs: ["count", "info", "summary"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let base = try await DataOptions.baseIfAny(invocation)
    let paths = arguments.texts(DataOptions.files)
    let all = try paths.map { path in
      try DataStatistics(
        reading: path, renderer: base?.renderer, isCancelled: { Task.isCancelled })
    }
    if arguments.has(json) {
      let files = zip(paths, all).map { path, statistics in statistics.json(path: path) }
      terminal.print(.object(["files": .array(files)]))
      return .done
    }
    for (index, (path, statistics)) in zip(paths, all).enumerated() {
      if index > 0 { terminal.print("") }
      let lines = statistics.lines(
        path: path, columns: terminal.columns, unicode: terminal.showsUnicode,
        style: terminal.style)
      lines.forEach(terminal.print)
    }
    return .done
  }
}
