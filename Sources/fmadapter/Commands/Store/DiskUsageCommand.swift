import AdapterStore

/// `df`: what the store takes on the disk.
enum DiskUsageCommand {
  private static let json = Flag("--json", "Print the figures as JSON")

  static let command = Command(
    name: "df",
    summary: "Show what uses the space of the store",
    details: [
      """
      A file that has a name elsewhere too, such as a base installed with --link, is shared: removing \
      it here gives nothing back.
      """
    ],
    examples: [
      Example("fmadapter df", "Everything in the store, with sizes"),
      Example("fmadapter df --json", "For a script, in bytes"),
    ],
    options: [json],
    knownElsewhereAs: ["du", "usage", "disk", "space"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let terminal = invocation.terminal
    let usage = try await Shelf(terminal).store().usage()
    if invocation.arguments.has(json) {
      try terminal.printJSON(usage)
      return .done
    }
    if !usage.items.isEmpty {
      usage.table.lines(columns: terminal.tableColumns, style: terminal.style)
        .forEach(terminal.print)
      terminal.print("")
    }
    usage.facts.lines(columns: terminal.columns).forEach(terminal.print)
    return .done
  }
}
