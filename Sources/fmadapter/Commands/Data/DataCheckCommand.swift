import Adapters
import AdapterTraining
import LanguageModels
import TensorFiles

/// `data check`: everything that is wrong with data sets, at once.
enum DataCheckCommand {
  private static let json = Flag("--json", "Print the findings as JSON")

  static let command = Command(
    name: "check",
    summary: "Check data sets before training on them",
    details: [
      """
      Every finding is reported in one run: rule, severity, line, byte and remedy. Errors are lines \
      that cannot be trained on as they are meant; warnings are doubtful ones, such as repeated \
      examples, answers with marks of a chat format, or examples longer than the base's context. \
      Several files are held against each other: an example of the second that stands in the first \
      is no longer held out. Exits with 0 without errors, else with 4.
      """
    ],
    examples: [
      Example("fmadapter data check train.jsonl", "All findings of a file"),
      Example("fmadapter data check train.jsonl valid.jsonl", "Is the second really held out?"),
      Example(
        "fmadapter data check train.jsonl --base model.gguf --json",
        "With the tokens of a base in a file, for a script"),
    ],
    arguments: [DataOptions.files],
    options: [ModelOptions.base, AnswerOptions.chatFormat, json, AnalysisLog.flag],
    knownElsewhereAs: ["validate", "lint", "verify"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    try invocation.exclude(json, AnalysisLog.flag)
    let base = try await DataOptions.baseIfAny(invocation)
    var check = DataCheck()
    check.renderer = base?.renderer
    check.contextLength = base?.model.configuration.contextLength
    let bar = ProgressLine("checking", terminal)
    defer { bar.finish() }
    let report = try check.run(
      arguments.texts(DataOptions.files),
      progress: { bar.update(done: $0, total: $1, $2) },
      isCancelled: { Task.isCancelled })
    bar.finish()
    if arguments.has(AnalysisLog.flag) {
      terminal.print(AnalysisLog.json(report.findings.map { FindingText($0) }))
    } else if arguments.has(json) {
      terminal.print(report.json)
    } else {
      report.lines(columns: terminal.columns).forEach(terminal.print)
    }
    return ExitCode(rawValue: report.exitCode) ?? .invalid
  }
}

extension DataReport {
  /// Every finding as a paragraph, then a line for each file and the verdict.
  func lines(columns: Int) -> [Line] {
    findings.flatMap { FindingText($0).lines(columns: columns) } + verdict.map { Line($0) }
  }

  /// What each file holds, and whether all may be trained on.
  var verdict: [String] {
    files.map { file in
      let own = findings.filter { $0.place.file == file.path }
      let found = FindingText.counts(own.map(\.severity))
      let refused = own.contains { $0.severity == .error }
      return "\(file.path): \(refused ? "refused" : "accepted"), "
        + "\(Figures.count(file.examples, "example")), \(found)"
    }
  }

  /// The report as `--json` prints it.
  var json: JSONValue {
    .object([
      "accepted": .bool(isAccepted),
      "exitCode": .integer(Int(exitCode)),
      "files": .array(
        files.map { .object(["path": .string($0.path), "examples": .integer($0.examples)]) }),
      "findings": .array(findings.map { FindingText($0).json }),
    ])
  }
}
