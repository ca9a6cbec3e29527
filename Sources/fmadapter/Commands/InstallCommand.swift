import AdapterStore
import Adapters

/// `install`: brings a package into the store.
enum InstallCommand {
  private static let package = Argument(
    "adapter", "A name in the catalogs, as NAME or NAME@VERSION, or a package's folder",
    completion: .folders)
  private static let force = Flag(
    "--force", "Take a version also where it has other bytes than the same version here")
  private static let json = Flag("--json", "Print what was installed as JSON")

  static let command = Command(
    name: "install",
    summary: "Check an adapter and bring it into the store",
    details: [
      """
      The package is checked, copied, checked again and put in place by one rename: an adapter is \
      installed whole or not at all, and one that is in use stays what it was. Installing the same \
      package again changes nothing. Prints the adapter's identifier.
      """,
      """
      A name is looked for in the catalogs of 'fmadapter catalog list'; the newest release that fits \
      the base in use is taken. An identifier means the adapter for its base, whichever is in use.
      """,
    ],
    examples: [
      Example("fmadapter install playwriting", "The newest version that fits, from the catalogs"),
      Example("fmadapter install playwriting@1.2.0", "A version of it"),
      Example("fmadapter install adapters/playwriting.fmadapter", "A package in a folder"),
      Example(
        "FMADAPTER_HOME=/srv/adapters fmadapter install my.fmadapter", "Into a store elsewhere"),
    ],
    arguments: [package],
    options: [force, json],
    knownElsewhereAs: ["add", "pull", "get"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let text = arguments.required(package)
    let store = try Shelf(terminal).store()
    let result: OfferInstallation.Result
    if let request = OfferInstallation.request(text) {
      result = try await OfferInstallation(terminal).run(
        request, force: arguments.has(force), in: store)
    } else {
      try checkKind(text)
      result = try await store.installAdapter(text)
    }
    terminal.report(result.adapter, result.outcome, result.report)
    if arguments.has(json) {
      try terminal.printJSON(AdapterEntry(result.adapter, outcome: result.outcome))
    } else {
      terminal.print(result.adapter.identifier.description)
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
