import AdapterStore
import Adapters
import FoundationEssentials
import JSON
import SystemFiles

/// `list`: what is installed.
enum ListCommand {
  private static let names = Flag("--names", "Print identifiers only, one per line")
  private static let partials = Flag(
    "--partials", "List the downloads that were not finished, and nothing else")
  private static let json = Flag("--json", "Print the list as JSON")

  static let command = Command(
    name: "list",
    summary: "List the installed adapters",
    details: [
      "An adapter is ready when it is for the base in use; 'fmadapter base list' shows which that is.",
      "One that is compiled has had its draft measured on this machine; one that is yanked was withdrawn by its publisher.",
      "One that is signed was installed with --require-signed, and no update takes it from its keys; a signature that is unchecked proves nothing.",
      "Downloads that were not finished follow; installing from the same address goes on with one.",
    ],
    examples: [
      Example("fmadapter list", "Identifier, version, rank, size and whether it can run now"),
      Example("fmadapter list --json", "For a script, with paths and sources"),
    ],
    options: [names, partials, json],
    knownElsewhereAs: ["ls", "ps", "models"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let store = try Library(terminal).store()
    let unfinished = try store.partials()
    if arguments.has(partials) {
      return try show(unfinished, arguments, terminal)
    }
    let (adapters, problems) = try store.adapters()
    let needed = Set(adapters.map(\.metadata.baseModelSignature))
    let unusable = try store.bases().problems.filter {
      needed.contains(FilePath.name(of: $0.path))
    }
    terminal.report(problems + unusable)
    if arguments.has(json) {
      try terminal.printJSON(
        adapters.map { $0.json(isCompiled: store.compilation(of: $0) != nil) })
    } else if arguments.has(names) {
      adapters.forEach { terminal.print($0.identifier.description) }
    } else if adapters.isEmpty {
      terminal.note(try await Library(terminal).absence())
    } else {
      terminal.print(
        table(adapters, unusable: Set(unusable.map { FilePath.name(of: $0.path) }), store))
    }
    if !unfinished.isEmpty, !arguments.has(json), !arguments.has(names) {
      if !adapters.isEmpty { terminal.print("") }
      _ = try show(unfinished, arguments, terminal)
    }
    return .done
  }

  /// The downloads that were not finished.
  private static func show(
    _ unfinished: [PartialDownload], _ arguments: ParsedArguments, _ terminal: Terminal
  ) throws -> ExitCode {
    if arguments.has(json) {
      try terminal.printJSON(unfinished.map(\.json))
    } else if arguments.has(names) {
      unfinished.forEach { terminal.print($0.name) }
    } else if unfinished.isEmpty {
      terminal.note("every download was finished")
    } else {
      terminal.print(PartialDownload.table(unfinished, now: Date()))
      terminal.note(
        "install from the same address to go on with a download; remove it with "
          + "'fmadapter remove \(unfinished[0].name)'")
    }
    return .done
  }

  private static func table(
    _ adapters: [InstalledAdapter], unusable: Set<String>, _ store: AdapterStore
  ) -> TextTable {
    var table = TextTable(
      headings: ["IDENTIFIER", "VERSION", "RANK", "SIZE", "STATUS"], rightAligned: [2, 3])
    table.rows = adapters.map { adapter in
      [
        adapter.identifier.description, adapter.version == .unstated ? "" : "\(adapter.version)",
        "\(adapter.metadata.loraRank)",
        adapter.receipt.map { Figures.size($0.size) } ?? "",
        adapter.status(unusable: unusable)
          + (store.compilation(of: adapter) == nil ? "" : ", compiled"),
      ]
    }
    return table
  }
}
