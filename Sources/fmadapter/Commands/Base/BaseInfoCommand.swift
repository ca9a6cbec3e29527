import AdapterStore
import LanguageModels

/// `base info`: what a base is.
enum BaseInfoCommand {
  private static let base = Argument(
    "base", "A GGUF file, or an installed base; without it the one in use", arity: .optional,
    completion: .bases)
  private static let json = Flag("--json", "Print everything as JSON")

  static let command = Command(
    name: "info",
    summary: "Show a base's signature, shapes, types and tokenizer",
    examples: [
      Example("fmadapter base info", "The base in use"),
      Example("fmadapter base info model.gguf --json", "A file, for a script"),
    ],
    arguments: [base],
    options: [json],
    knownElsewhereAs: ["show", "inspect"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let library = Library(terminal)
    let (path, name) = try await library.base(arguments.text(base))
    let installed = try? library.store().bases().bases.first { $0.path == path }
    let compilation = installed.flatMap { (try? library.store())?.compilation(of: $0) }
    let report = try BaseReport(BaseModel(path: path), name: name, installed, compilation)
    try invocation.report(report) { terminal.print(report.facts) }
    return .done
  }
}
