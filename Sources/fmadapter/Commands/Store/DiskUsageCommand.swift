import AdapterStore
import SystemFiles

/// `df`: what the store takes on the disk.
enum DiskUsageCommand {
  private static let json = Flag("--json", "Print the figures as JSON")

  static let command = Command(
    name: "df",
    summary: "Show what takes up space in the store",
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
    let usage = try Library(terminal).store().usage()
    if invocation.arguments.has(json) {
      try terminal.printJSON(usage)
      return .done
    }
    if !usage.items.isEmpty {
      terminal.print(usage.table(names: try await Library(terminal).baseTitles()))
      terminal.print("")
    }
    terminal.print(usage.facts)
    if usage.items.isEmpty { terminal.note("the store is empty; \(Bundled.firstSteps)") }
    return .done
  }
}

extension StoreUsage {
  /// Everything in the store, one line each; `names` are those of bases by their signatures.
  func table(names: [String: String]) -> TextTable {
    var table = TextTable(headings: ["KIND", "NAME", "SIZE", ""], rightAligned: [2])
    table.rows = items.map {
      [
        $0.kind.rawValue, names[$0.name] ?? $0.name, Figures.size($0.size),
        $0.note,
      ]
    }
    return table
  }

  /// The sums, and what they leave out.
  var facts: FactList {
    var facts = FactList()
    facts.add("store", root)
    for kind in Kind.allCases where items.contains(where: { $0.kind == kind }) {
      let count = items.count { $0.kind == kind }
      facts.add(kind.rawValue, "\(Figures.size(size(of: kind))) in \(Figures.count(count, "item"))")
    }
    facts.add("on disk", Figures.size(allocated))
    facts.add("free", "\(Figures.size(free)) of \(Figures.size(capacity))")
    return facts
  }
}

extension StoreUsage.Item {
  /// What the size does not say.
  fileprivate var note: String {
    [isShared ? "shared" : nil, isPartlyHidden ? "not all of it readable" : nil]
      .compactMap { $0 }.joined(separator: ", ")
  }
}
