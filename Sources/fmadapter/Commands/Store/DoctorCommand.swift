import AdapterStore
import SystemFiles

/// `doctor`: what is wrong with the store and the system under it, and what to do about it.
enum DoctorCommand {
  private static let fix = Flag("--fix", "Repair what can be repaired without losing anything")
  private static let json = Flag("--json", "Print facts and findings as JSON")

  static let command = Command(
    name: "doctor",
    summary: "Find out what is wrong with the store, and repair it",
    details: [
      """
      Examines the system, the store's folders and state, every byte of every entry, and why an \
      adapter cannot be used. Each finding says what is wrong, where, and what to do. --fix does \
      it: it writes receipts again, fetches damaged parts, sets permissions and removes the rest \
      of interrupted installations. What does not belong to the store is moved to lost+found, \
      never removed. Exits with 0 when all is well, otherwise with 8 for the system, 5 for \
      damage, 6 for an adapter without its base. With --quiet only findings are printed.
      """
    ],
    examples: [
      Example("fmadapter doctor", "What is wrong, and what to do"),
      Example("fmadapter doctor --fix", "Do it"),
      Example("fmadapter doctor --json", "For a script or a report of a bug"),
    ],
    options: [fix, NetworkArguments.allowHTTP, json],
    knownElsewhereAs: ["diagnose", "env", "repair", "status"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let store = try await NetworkArguments.store(invocation, isUpkeep: true)
    terminal.note("examining \(store.root) ...")
    let bar = ProgressLine("reading", terminal)
    defer { bar.finish() }
    let report = try await store.examine(
      fixing: arguments.has(fix), environment: terminal.environment
    ) { progress in
      bar.update(done: progress.done, total: progress.total, progress.entry)
    }
    bar.finish()
    try invocation.report(DoctorOutcome(report)) {
      report.lines(columns: terminal.columns, quiet: terminal.quiet).forEach(terminal.print)
    }
    terminal.note(report.verdict)
    if report.open.isEmpty, try await Library(terminal).isEmpty() {
      terminal.note("the store is empty; \(Bundled.firstSteps)")
    }
    return report.category.exitCode
  }
}

/// A report as `--json` prints it.
private struct DoctorOutcome: Encodable {
  let facts: [DoctorFact]
  let findings: [Finding]

  struct Finding: Encodable {
    let rule: String
    let severity: String
    let place: String
    let message: String
    let remedy: String
    let exitCode: Int32
    let canFix: Bool
    let state: String
    let reason: String?
    let outcome: String?
  }

  init(_ report: DoctorReport) {
    facts = report.facts
    findings = report.findings.map { finding in
      Finding(
        rule: finding.rule, severity: finding.severity.rawValue, place: finding.place,
        message: finding.message, remedy: finding.stepInCommand,
        exitCode: finding.category.exitCode.rawValue, canFix: finding.canFix,
        state: finding.state.rawValue, reason: finding.reason?.inCommand.description,
        outcome: finding.outcome)
    }
  }
}

extension DoctorReport {
  /// Facts, unless it is to be quiet; then one paragraph for each finding.
  func lines(columns: Int, quiet: Bool) -> [Line] {
    var list = FactList()
    for fact in facts { list.add(fact.name, fact.value) }
    let paragraphs = findings.flatMap { finding -> [Line] in
      [""] + finding.lines(columns: columns)
    }
    return quiet ? Array(paragraphs.dropFirst()) : list.lines(columns: columns) + paragraphs
  }

  /// The whole in a sentence.
  var verdict: String {
    let fixed = findings.count - open.count
    let mended = fixed == 0 ? "" : "; fixed \(fixed)"
    let errors = open.count { $0.severity == .error }
    guard !open.isEmpty else { return "all is well" + mended }
    let fixable = open.contains { $0.canFix && $0.reason == nil } && fixed == 0
    return Figures.count(errors, "error") + ", "
      + Figures.count(open.count - errors, "warning") + mended
      + (fixable ? "; 'fmadapter doctor --fix' can mend some of it" : "")
  }
}

extension DoctorFinding {
  /// Severity, rule and place, then what is wrong and what to do.
  func lines(columns: Int) -> [Line] {
    let word: Line =
      switch (state, severity) {
      case (.fixed, _): Line("fixed  ", .green)
      case (.open, .error): Line("error  ", .red)
      case (.open, .warning): Line("warning", .yellow)
      }
    var texts = [message, stepInCommand]
    if let outcome { texts.append(outcome) }
    if let reason { texts.append("It could not be mended: \(reason.inCommand).") }
    return ["\(word)  \(rule)  \(place)"]
      + texts.flatMap { Line("  " + $0).wrapped(columns: columns) }
  }
}
