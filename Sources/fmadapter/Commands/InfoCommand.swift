import Adapters

/// `info`: what an adapter is, before it is trusted.
enum InfoCommand {
  private static let package = Argument(
    "package", "The name of an installed adapter, or a package's path", completion: .adapters)
  private static let json = Flag("--json", "Print everything as JSON")

  static let command = Command(
    name: "info",
    summary: "Preview an adapter: base, shapes, norms, digests, author",
    examples: [
      Example("fmadapter info playwriting", "An installed adapter"),
      Example("fmadapter info ~/Downloads/my.fmadapter --json", "A package, for a script"),
    ],
    arguments: [package],
    options: [json],
    knownElsewhereAs: ["show", "inspect", "preview"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let shelf = Shelf(terminal)
    let path = try await shelf.packagePath(arguments.required(package))
    let info = try AdapterInfo(package: path, base: try await shelf.contract(for: path))
    if arguments.has(json) {
      try terminal.printJSON(info)
    } else {
      info.lines(terminal).forEach(terminal.print)
    }
    return .done
  }
}
