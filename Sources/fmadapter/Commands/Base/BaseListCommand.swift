import Adapters
import AdapterStore

/// `base list`: the installed bases.
enum BaseListCommand {
  private static let names = Flag("--names", "Print signatures only, one a line")
  private static let json = Flag("--json", "Print the list as JSON")

  static let command = Command(
    name: "list",
    summary: "List the installed bases",
    examples: [
      Example("fmadapter base list", "Name, signature, size and which one is in use"),
      Example("fmadapter base list --json", "For a script"),
    ],
    options: [names, json],
    knownElsewhereAs: ["ls"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let (bases, problems) = try await Shelf(terminal).store().bases()
    terminal.report(problems)
    if arguments.has(json) {
      try terminal.printJSON(bases.map { BaseEntry($0) })
    } else if arguments.has(names) {
      bases.forEach { terminal.print($0.signature) }
    } else if bases.isEmpty {
      terminal.note("no base is installed; install one with 'fmadapter base install PATH'")
    } else {
      var table = TextTable(
        headings: ["NAME", "SIGNATURE", "KIND", "SIZE", "STATUS"], rightAligned: [3])
      table.rows = bases.map { base in
        [
          base.name, String(base.signature.prefix(7)), base.contract.architecture,
          Figures.size(base.receipt.size), base.status,
        ]
      }
      table.lines(columns: terminal.tableColumns, style: terminal.style).forEach(terminal.print)
    }
    return .done
  }
}
