import AdapterStore

/// `catalog add`: one more place to find adapters.
enum CatalogAddCommand {
  static let address = Argument(
    "catalog", "Address or path of a catalog's folder, or of its index.json", completion: .folders)
  private static let unread = Flag("--no-check", "Add the catalog without reading it first")
  private static let json = Flag("--json", "Print the catalog as JSON")

  static let command = Command(
    name: "add",
    summary: "Add a catalog to find adapters in",
    details: [
      """
      A catalog is a folder of static files with an index.json, on a server or on this machine; \
      'fmadapter publish' writes one. It is read once to see that it is one. Prints the address.
      """
    ],
    examples: [
      Example("fmadapter catalog add https://adapters.example.org/", "On a server"),
      Example("fmadapter catalog add /srv/adapters", "In a folder, such as a mounted share"),
    ],
    arguments: [address],
    options: [unread, NetworkArguments.allowHTTP, NetworkArguments.tokenFromInput, json],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let text = arguments.required(address)
    let source = try Shelf(terminal).catalog(text)
    let store = try await NetworkArguments.store(invocation, [text])
    if !arguments.has(unread) {
      let catalog = try await store.readCatalog(source)
      terminal.note("found \(Figures.count(catalog.adapters.count, "version")) in \(source.text)")
    }
    if try await !store.addCatalog(source) { terminal.note("\(source.text) is there already") }
    if arguments.has(json) {
      try terminal.printJSON(CatalogEntry(source, kept: await store.keptCatalog(source)))
    } else {
      terminal.print(source.text)
    }
    return .done
  }
}
