import Adapters
import LanguageModels

/// `check`: everything that is wrong with a package, at once.
enum CheckCommand {
  private static let package = Argument(
    "package", "A package's path, or the name of an installed adapter", completion: .adapters)
  private static let json = Flag("--json", "Print the findings as JSON")

  static let command = Command(
    name: "check",
    summary: "Check a package against every rule of the format",
    details: [
      """
      Every finding is reported in one run: rule, severity, place and remedy. Exits with 0 when the \
      package may be used, 4 when it breaks the format, 5 when its bytes are not the recorded ones, 6 \
      when it is for another base than --base names.
      """
    ],
    examples: [
      Example("fmadapter check my.fmadapter", "All findings for a package before it ships"),
      Example("fmadapter check my.fmadapter --base base.gguf", "Does it fit this base?"),
      Example("fmadapter check playwriting --json", "An installed adapter, for a script"),
      Example("fmadapter check my.fmadapter --sarif > my.sarif", "For a code host or an editor"),
    ],
    arguments: [package],
    options: [ModelOptions.base, json, AnalysisLog.flag],
    knownElsewhereAs: ["validate", "verify", "lint"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let shelf = Shelf(terminal)
    let path = try await shelf.packagePath(arguments.required(package))
    let base = try await shelf.contract(for: path, stated: arguments.value(ModelOptions.base))
    let report = try AdapterCheck.run(package: path, for: base).openingDraft()
    try invocation.exclude(json, AnalysisLog.flag)
    if arguments.has(AnalysisLog.flag) {
      terminal.print(AnalysisLog.json(report.findings.map { FindingText($0) }, in: report.package))
    } else if arguments.has(json) {
      terminal.print(report.json)
    } else {
      report.lines(columns: terminal.columns).forEach(terminal.print)
    }
    return ExitCode(rawValue: report.exitCode) ?? .invalid
  }
}

extension CheckReport {
  /// Every finding as rule, place, message and remedy, then a summary; `columns` bounds running text.
  func lines(columns: Int) -> [Line] {
    findings.flatMap { FindingText($0).lines(columns: columns) } + [Line(verdict)]
  }

  /// One line: how many findings of each severity, and whether the package may be used.
  var verdict: String {
    let found = FindingText.counts(findings.map(\.severity))
    return "\(package): \(isAccepted ? "accepted" : "refused"), \(found)"
  }

  /// The report as `--json` prints it.
  var json: JSONValue {
    .object([
      "package": .string(package),
      "accepted": .bool(isAccepted),
      "exitCode": .integer(Int(exitCode)),
      "findings": .array(findings.map { FindingText($0).json }),
    ])
  }
}
