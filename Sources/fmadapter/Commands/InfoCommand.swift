import AdapterStore
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
    let text = arguments.required(package)
    let path = try await shelf.packagePath(text)
    let unverified =
      Shelf.isPath(text)
      ? [] : (try await shelf.store().adapter(named: text).receipt?.unverified ?? [])
    let info = try AdapterInfo(package: path, base: try await shelf.contract(for: path))
    if arguments.has(json) {
      try terminal.printJSON(InstalledInfo(info: info, unverified: unverified.map(\.path)))
    } else {
      info.lines(terminal).forEach(terminal.print)
      if !unverified.isEmpty { terminal.print("\n" + terminal.style.bold("Unverified")) }
      for file in unverified {
        terminal.print("  \(file.path.printable): nothing vouched for it when it was fetched")
      }
    }
    return .done
  }
}

/// The preview of an adapter, and what of it nothing vouches for.
private struct InstalledInfo: Encodable {
  let info: AdapterInfo
  let unverified: [String]

  private enum Key: CodingKey { case unverified }

  func encode(to encoder: any Encoder) throws {
    try info.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(unverified, forKey: .unverified)
  }
}
