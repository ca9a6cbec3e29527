import AdapterStore
import FoundationEssentials
import SystemFiles

/// `prune`: removes what is of no more use.
enum PruneCommand {
  private static let obsoleteOnly = Flag(
    "--obsolete-only", "Only adapters without their base, and what was compiled")
  private static let partialsOnly = Flag(
    "--partials-only", "Only downloads and installations that were not finished")
  private static let olderThan = Option(
    "--older-than", .age, "Only what was recorded longer ago than this, such as 7d or 12h")
  private static let json = Flag("--json", "Print what was found, or what became of it, as JSON")

  static let command = Command(
    name: "prune",
    summary: "Remove what is no longer needed",
    details: [
      """
      Removes adapters whose base is not installed, what was compiled for something that is \
      gone or by an earlier version of the program, and unfinished downloads and installations. \
      Lists all of it and asks before anything is removed; what a session has open stays. A download of the last 7 days stays, because it \
      can still go on, unless --partials-only or --older-than is given. Ages come from what was \
      recorded, not from the times of files.
      """
    ],
    examples: [
      Example("fmadapter prune --dry-run", "What would go, with sizes and reasons"),
      Example("fmadapter prune", "Look, then decide"),
      Example("fmadapter prune --partials-only --older-than 7d --yes", "In a script"),
    ],
    options: Confirmation.options + [obsoleteOnly, partialsOnly, olderThan, json],
    knownElsewhereAs: ["gc", "clean", "cleanup", "autoremove", "purge"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let selection = try selection(invocation)
    let store = try Library(terminal).store()
    let found = try store.prunable(selection)
    let items = found.filter { !$0.isInUse }
    if arguments.has(Confirmation.dryRun) {
      if arguments.has(json) { try terminal.printJSON(found) } else { show(found, terminal) }
      if items.isEmpty { return try await noteNothing(terminal) }
      terminal.note(total(items, "would be removed"))
      return .done
    }
    if !arguments.has(json) { show(found, terminal) }
    guard !items.isEmpty else {
      if arguments.has(json) { try terminal.printJSON([PruneResult]()) }
      return try await noteNothing(terminal)
    }
    let question = "remove \(count(items)), \(size(items))?"
    guard try Confirmation.isGiven(invocation, question) else {
      terminal.note("nothing was removed")
      return .done
    }
    let results = try store.prune(items)
    if arguments.has(json) { try terminal.printJSON(results) }
    return report(results, terminal)
  }

  private static func noteNothing(_ terminal: Terminal) async throws -> ExitCode {
    let isEmpty = try await Library(terminal).isEmpty()
    terminal.note(
      isEmpty ? "the store is empty; \(Bundled.firstSteps)" : "there is nothing to prune")
    return .done
  }

  private static func selection(_ invocation: Invocation) throws -> PruneSelection {
    let arguments = invocation.arguments
    var selection = PruneSelection()
    try invocation.exclude(obsoleteOnly, partialsOnly)
    if arguments.has(obsoleteOnly) { selection.kinds = [.adapter, .compiled] }
    if arguments.has(partialsOnly) { selection.kinds = [.partial, .ingest] }
    selection.olderThan = arguments.value(olderThan)?.inSeconds ?? 0
    selection.sparesFreshPartials =
      !arguments.has(partialsOnly) && arguments.value(olderThan) == nil
    return selection
  }

  private static func show(_ items: [Prunable], _ terminal: Terminal) {
    guard !items.isEmpty else { return }
    var table = TextTable(headings: ["KIND", "NAME", "SIZE", "REASON"], rightAligned: [2])
    table.rows = items.map {
      let stays = $0.isInUse ? "; in use, so it stays" : ""
      return [$0.kind.rawValue, $0.name, Figures.size($0.size), $0.reason + stays]
    }
    terminal.print(table)
  }

  private static func report(_ results: [PruneResult], _ terminal: Terminal) -> ExitCode {
    for result in results where result.outcome == .kept {
      let reason = result.reason ?? "it is in use or of use again"
      terminal.note("\(result.item.name) stays: \(reason)")
    }
    let failed = results.filter { $0.outcome == .failed }
    for result in failed {
      terminal.error(Failure(.storage, ErrorText(result.reason ?? result.item.path)))
    }
    let removed = results.filter { $0.outcome == .removed }.map(\.item)
    terminal.note(removed.isEmpty ? "nothing was removed" : total(removed, "removed"))
    return failed.isEmpty ? .done : .storage
  }

  private static func total(_ items: [Prunable], _ verb: String) -> String {
    "\(count(items)) \(verb), \(size(items))"
  }

  private static func count(_ items: [Prunable]) -> String {
    items.count == 1 ? "1 entry" : "\(Figures.grouped(items.count)) entries"
  }

  private static func size(_ items: [Prunable]) -> String {
    Figures.size(items.reduce(0) { $0 + $1.size })
  }
}
