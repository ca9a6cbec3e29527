import Adapters
import AdapterStore

/// `list`: what is installed.
enum ListCommand {
  private static let names = Flag("--names", "Print identifiers only, one a line")
  private static let json = Flag("--json", "Print the list as JSON")

  static let command = Command(
    name: "list",
    summary: "List the installed adapters",
    details: [
      "An adapter is ready when it is for the base in use; 'fmadapter base list' shows which that is."
    ],
    examples: [
      Example("fmadapter list", "Identifier, rank, size and whether it can run now"),
      Example("fmadapter list --json", "For a script, with paths and sources"),
    ],
    options: [names, json],
    knownElsewhereAs: ["ls", "ps", "models"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let (adapters, problems) = try await Shelf(terminal).store().adapters()
    terminal.report(problems)
    if arguments.has(json) {
      try terminal.printJSON(adapters.map { AdapterEntry($0) })
    } else if arguments.has(names) {
      adapters.forEach { terminal.print($0.identifier.description) }
    } else if adapters.isEmpty {
      terminal.note("no adapter is installed; install one with 'fmadapter install PATH'")
    } else {
      table(adapters).lines(columns: terminal.tableColumns, style: terminal.style)
        .forEach(terminal.print)
    }
    return .done
  }

  private static func table(_ adapters: [InstalledAdapter]) -> TextTable {
    var table = TextTable(
      headings: ["IDENTIFIER", "RANK", "SIZE", "STATUS"], rightAligned: [1, 2])
    table.rows = adapters.map { adapter in
      [
        adapter.identifier.description, "\(adapter.metadata.loraRank)",
        adapter.receipt.map { Figures.size($0.size) } ?? "", adapter.status,
      ]
    }
    return table
  }
}
