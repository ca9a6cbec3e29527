import AdapterTraining
import JSON
import LanguageModels

/// `data check`: everything that is wrong with data sets, at once.
enum DataCheckCommand {
  static let command = Command(
    name: "check",
    summary: "Check data sets before training on them",
    details: [
      """
      Every finding is reported in one run: rule, severity, line, byte and remedy. Errors are \
      lines that cannot be trained on as they are meant. Warnings are doubtful ones, such as \
      repeated examples, answers with marks of a chat format, or examples longer than the base's \
      context. Several files are compared with each other: an example of the second that is also \
      in the first is no longer held out. A folder is one set, whose files are its parts. Exits \
      with 0 without errors, otherwise with 4.
      """
    ],
    examples: [
      Example("fmadapter data check train.jsonl", "All findings of a file"),
      Example("fmadapter data check train.jsonl valid.jsonl", "Is the second really held out?"),
      Example("fmadapter data check parts", "A set in several files, which are in a folder"),
      Example(
        "fmadapter data check train.jsonl --base model.gguf --json",
        "With the tokens of a base in a file, for a script"),
    ],
    arguments: [DataOptions.files],
    options: [ModelOptions.base, AnswerOptions.chatFormat, FindingForm.json, AnalysisLog.flag],
    knownElsewhereAs: ["validate", "lint", "verify"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    try invocation.exclude(FindingForm.json, AnalysisLog.flag)
    let base = try await DataOptions.baseIfAny(invocation)
    var check = DataCheck()
    check.renderer = base?.renderer
    check.contextLength = base?.model.configuration.contextLength
    let bar = ProgressLine("checking", invocation.terminal)
    defer { bar.finish() }
    let report = try check.run(
      DataOptions.sets(invocation),
      progress: { bar.update(done: $0, total: $1, $2) },
      isCancelled: { Task.isCancelled })
    bar.finish()
    return FindingForm.report(report, invocation)
  }
}
