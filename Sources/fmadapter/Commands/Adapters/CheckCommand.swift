import Adapters
import LanguageModels

/// `check`: everything that is wrong with a package, at once.
enum CheckCommand {
  private static let package = Argument(
    "package", "A package's path, or the name of an installed adapter", completion: .adapters)

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
    options: [ModelOptions.base, FindingForm.json, AnalysisLog.flag],
    knownElsewhereAs: ["validate", "verify", "lint"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    try invocation.exclude(FindingForm.json, AnalysisLog.flag)
    let (arguments, library) = (invocation.arguments, Library(invocation.terminal))
    let path = try await library.packagePath(arguments.required(package))
    let base = try await library.contract(for: path, stated: arguments.value(ModelOptions.base))
    let report = try AdapterCheck.run(package: path, for: base).openingDraft()
    return FindingForm.report(report, in: report.package, invocation)
  }
}
