import AdapterStore
import Adapters

/// `install`: brings a package into the store.
enum InstallCommand {
  private static let package = Argument(
    "path", "Folder of a package, whatever its name", completion: .folders)
  private static let json = Flag("--json", "Print what was installed as JSON")

  static let command = Command(
    name: "install",
    summary: "Check an adapter and bring it into the store",
    details: [
      """
      The package is checked, copied, checked again and put in place by one rename: an adapter is \
      installed whole or not at all, and one that is in use stays what it was. Installing the same \
      package again changes nothing. Prints the adapter's identifier.
      """
    ],
    examples: [
      Example("fmadapter install adapters/playwriting.fmadapter", "Install a package"),
      Example(
        "FMADAPTER_HOME=/srv/adapters fmadapter install my.fmadapter", "Into a store elsewhere"),
    ],
    arguments: [package],
    options: [json],
    knownElsewhereAs: ["add", "pull", "get"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let path = arguments.required(package)
    try checkKind(path)
    let (adapter, outcome, report) = try await Shelf(terminal).store().installAdapter(path)
    let identifier = adapter.identifier.description
    for finding in report.warnings {
      terminal.warn("\(finding.message.printable) \(finding.remedy.printable)")
    }
    switch outcome {
    case .installed: terminal.note("installed \(identifier) (\(Figures.size(adapter.size)))")
    case .replaced: terminal.note("replaced \(identifier) (\(Figures.size(adapter.size)))")
    case .alreadyInstalled: terminal.note("\(identifier) is installed already; nothing to do")
    }
    if adapter.facts.contains(.obsolete) {
      terminal.note(
        "its base \(adapter.metadata.baseModelSignature) is not installed, so it cannot run yet")
    }
    if arguments.has(json) {
      try terminal.printJSON(AdapterEntry(adapter, outcome: outcome))
    } else {
      terminal.print(identifier)
    }
    return .done
  }

  /// Mistakes that deserve a better answer than "not a package".
  private static func checkKind(_ path: String) throws {
    if path.contains("://") {
      throw Failure(
        .notFound,
        "\(path.printable): this version installs from folders; fetch the package, then give its path"
      )
    }
    if path.hasSuffix(".gguf") {
      throw Failure(
        .invalid, "\(path.printable) is a base, not an adapter; use 'fmadapter base install'")
    }
  }
}
