import AdapterStore
import FoundationEssentials
import JSON
import SystemFiles

/// `catalog`: where adapters are found by name.
enum CatalogCommand {
  static let command = Command(
    name: "catalog",
    summary: "Choose the catalogs that names are looked up in",
    subcommands: [
      CommandGroup(
        title: "Catalogs",
        commands: [
          CatalogAddCommand.command, CatalogListCommand.command, CatalogShowCommand.command,
          CatalogRemoveCommand.command,
        ]),
      CommandGroup(
        title: "Of a folder that you publish",
        commands: [
          CatalogYankCommand.command, CatalogSignCommand.command, CatalogPushCommand.command,
        ]),
    ],
    knownElsewhereAs: ["catalogs", "repo", "registry", "remote", "tap"])
}

/// `catalog add`: one more place to find adapters.
enum CatalogAddCommand {
  static let address = Argument(
    "catalog",
    "Address or path of a catalog's folder, or of its index.json; or oci://HOST/REPO[:TAG]",
    completion: .folders)
  private static let keys = Option(
    "--key", .file, repeats: true,
    "Believe the catalog only if the key of this file signed it; given several times, any of the keys will do"
  )
  private static let unread = Flag("--no-check", "Add the catalog without reading it first")
  private static let json = Flag("--json", "Print the catalog as JSON")

  static let command = Command(
    name: "add",
    summary: "Add a catalog to find adapters in",
    details: [
      """
      A catalog is a folder of static files with an index.json, on a server, in an OCI registry or on \
      this machine; 'fmadapter publish' writes one. It is read once to see that it is one. Prints the address.
      """,
      """
      With --key the catalog has to be signed: nobody between its publisher and you can then change \
      it, give out an old one, or hold a new one back beyond the time that it is good for. Get the \
      key's file from the publisher in another way than from the catalog. The keys stay until the \
      catalog is removed; other ones are refused.
      """,
    ],
    examples: [
      Example("fmadapter catalog add https://adapters.example.org/", "On a server"),
      Example("fmadapter catalog add oci://ghcr.io/you/adapters", "In a registry"),
      Example("fmadapter catalog add /srv/adapters", "In a folder, such as a mounted share"),
      Example(
        "fmadapter catalog add https://adapters.example.org/ --key publisher.pub",
        "Only what its publisher signed"),
    ],
    arguments: [address],
    options: [keys, unread, NetworkArguments.allowHTTP, NetworkArguments.tokenFromInput, json],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let text = arguments.required(address)
    let source = try Library(terminal).catalog(text, isRead: !arguments.has(unread))
    let keys = try arguments.values(keys).map(PublicKey.init(file:))
    let store = try await NetworkArguments.store(invocation, [text])
    try store.checkKeys(keys, of: source)
    if !arguments.has(unread) {
      let catalog = try await store.readCatalog(source, keys: keys)
      terminal.note("found \(Figures.count(catalog.adapters.count, "version")) in \(source)")
      if catalog.issue != nil, try keys.isEmpty && store.keys(of: source).isEmpty {
        terminal.note("the catalog is signed; with --key, and its publisher's key, that is checked")
      }
    }
    let isNew = try store.addCatalog(source, keys: keys)
    if !isNew { terminal.note("\(source) is there already") }
    let outcome = isNew ? "added" : "unchanged"
    try invocation.report(
      source.json(try? store.keys(of: source), store.keptCatalog(source), outcome: outcome)
    ) {
      terminal.print(source.description)
    }
    return .done
  }
}

/// `catalog list`: where adapters are looked for.
enum CatalogListCommand {
  private static let json = Flag("--json", "Print the list as JSON")

  static let command = Command(
    name: "list",
    summary: "List the catalogs, in the order in which they are asked",
    details: ["Nothing is fetched: what is shown is from the last time that a catalog was read."],
    examples: [
      Example("fmadapter catalog list", "Addresses, and when each was read"),
      Example("fmadapter catalog list --json", "For a script"),
    ],
    options: [json],
    knownElsewhereAs: ["ls"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let terminal = invocation.terminal
    let store = try Library(terminal).store()
    try store.checkCatalogs()
    let (sources, problems) = store.catalogs()
    terminal.report(problems)
    if invocation.arguments.has(json) {
      try terminal.printJSON(
        sources.map { $0.json(try? store.keys(of: $0), store.keptCatalog($0)) })
    } else if sources.isEmpty {
      terminal.noteNoCatalog(problems)
    } else {
      var table = TextTable(
        headings: ["CATALOG", "VERSIONS", "LAST READ", "KEYS"], rightAligned: [1])
      table.rows = sources.map { source in
        let kept = store.keptCatalog(source)
        let keys = (try? store.keys(of: source)) ?? []
        return [
          source.description, kept.map { Figures.grouped($0.catalog.adapters.count) } ?? "",
          kept.map { Figures.time($0.read) } ?? "never",
          keys.map { String($0.fingerprint.prefix(12)) }.joined(separator: ", "),
        ]
      }
      terminal.print(table)
    }
    return .done
  }
}

/// `catalog remove`: a place that is not looked at any more.
enum CatalogRemoveCommand {
  private static let address = Argument(
    CatalogAddCommand.address.name, CatalogAddCommand.address.help, completion: .catalogs)
  private static let json = Flag("--json", "Print what was removed as JSON")

  static let command = Command(
    name: "remove",
    summary: "Remove a catalog; the adapters that came from it stay",
    details: ["Neither the catalog nor its disk or server need be there."],
    examples: [
      Example("fmadapter catalog remove https://adapters.example.org/", "As it was added")
    ],
    arguments: [address],
    options: [json],
    knownElsewhereAs: ["rm", "delete"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let library = Library(invocation.terminal)
    let source = try library.store()
      .removeCatalog(library.catalog(invocation.arguments.required(address)))
    invocation.terminal.note("removed \(source)")
    try invocation.report(removed: [source.address])
    return .done
  }
}

extension CatalogSource {
  /// The catalog as `--json` prints it: with its address, its place as people write it, the fingerprints of its keys, and, of
  /// what was last read, how many versions of adapters it had, when that was, and until when it is good; after a command that adds
  /// it, what that has changed.
  fileprivate func json(
    _ keys: [PublicKey]?, _ kept: (catalog: Catalog, read: Date)?, outcome: String? = nil
  ) -> JSONValue {
    .known([
      "outcome": outcome.map(JSONValue.string) ?? .null,
      "address": .string(address), "place": .string(description),
      "keys": .texts(keys?.map(\.fingerprint)),
      "versions": .whole(kept?.catalog.adapters.count), "read": .date(kept?.read),
      "serial": .whole(kept?.catalog.issue?.serial), "expires": .date(kept?.catalog.issue?.expires),
    ])
  }
}
