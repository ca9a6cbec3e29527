import AdapterStore

/// `catalog remove`: a place that is not looked at any more.
enum CatalogRemoveCommand {
  static let command = Command(
    name: "remove",
    summary: "Remove a catalog; the adapters that came from it stay",
    examples: [
      Example("fmadapter catalog remove https://adapters.example.org/", "As it was added")
    ],
    arguments: [CatalogAddCommand.address],
    knownElsewhereAs: ["rm", "delete"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let shelf = Shelf(invocation.terminal)
    let source = try shelf.catalog(invocation.arguments.required(CatalogAddCommand.address))
    try await shelf.store().removeCatalog(source)
    invocation.terminal.note("removed \(source.text)")
    return .done
  }
}
