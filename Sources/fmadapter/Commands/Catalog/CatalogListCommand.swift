import AdapterStore

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
    let store = try Shelf(terminal).store()
    let (sources, problems) = await store.catalogs()
    terminal.report(problems)
    var entries: [CatalogEntry] = []
    for source in sources {
      entries.append(CatalogEntry(source, kept: await store.keptCatalog(source)))
    }
    if invocation.arguments.has(json) {
      try terminal.printJSON(entries)
    } else if entries.isEmpty {
      terminal.note("no catalog is configured; add one with 'fmadapter catalog add ADDRESS'")
    } else {
      var table = TextTable(headings: ["CATALOG", "VERSIONS", "LAST READ"], rightAligned: [1])
      table.rows = entries.map { entry in
        [
          entry.place, entry.versions.map { "\($0)" } ?? "",
          entry.read.map(Figures.time) ?? "never",
        ]
      }
      table.lines(columns: terminal.tableColumns, style: terminal.style).forEach(terminal.print)
    }
    return .done
  }
}
