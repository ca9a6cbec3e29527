import AdapterStore
import Adapters
import JSON
import SystemFiles

/// `base`: the models that adapters change.
enum BaseCommand {
  static let command = Command(
    name: "base",
    summary: "Install, list, choose, inspect, convert and quantize bases",
    subcommands: [
      CommandGroup(
        title: "The store",
        commands: [
          BaseInstallCommand.command, BaseListCommand.command, BaseUseCommand.command,
          BaseRemoveCommand.command,
        ]),
      CommandGroup(
        title: "Files",
        commands: [
          BaseInfoCommand.command, BaseConvertCommand.command, BaseQuantizeCommand.command,
          BaseImportanceCommand.command,
        ]),
    ],
    knownElsewhereAs: ["bases", "model", "models"])
}

/// `base list`: the installed bases.
enum BaseListCommand {
  private static let names = Flag("--names", "Print signatures only, one per line")
  private static let suggest = Flag(
    "--suggest", "List models that can be had for free instead, and what they need")
  private static let json = Flag("--json", "Print the list as JSON")

  static let command = Command(
    name: "list",
    summary: "List the installed bases, or models to begin with",
    details: [
      """
      --suggest shows models of families that this program runs, the smallest first, with their \
      licences and the memory that they need before they read a word. FILE says whether the name \
      stands for one file of a known digest (pinned; with --from only where no place on the hub \
      is known), or for what the hub lists. HERE says whether that very model was run with this \
      program; of the others it is known that models of their layout compute what other \
      implementations compute.
      """
    ],
    examples: [
      Example("fmadapter base list", "Name, signature, size and which one is in use"),
      Example("fmadapter base list --suggest", "What to install to begin with"),
      Example("fmadapter base list --json", "For a script"),
    ],
    options: [names, suggest, json],
    knownElsewhereAs: ["ls"],
    action: run)

  /// Models that are not installed.
  private static func suggest(_ invocation: Invocation) throws -> ExitCode {
    let terminal = invocation.terminal
    guard !invocation.arguments.has(names) else {
      throw invocation.conflict("--names is for installed bases")
    }
    let (models, memory) = (SuggestedModel.all, MachineMemory.current)
    if invocation.arguments.has(json) {
      terminal.print(.array(models.map { $0.json(memory) }))
      return .done
    }
    let (table, columns) = (SuggestedModel.table(models, memory), terminal.tableColumns)
    let isWhole = table.width <= columns
    let shown = isWhole ? table : table.keeping(SuggestedModel.narrow)
    shown.lines(columns: columns).forEach(terminal.print)
    terminal.note("install one with 'fmadapter base install NAME'")
    if !isWhole {
      terminal.note("a terminal of \(table.width) columns shows the whole table, as does --json")
    }
    return .done
  }

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    if arguments.has(suggest) { return try suggest(invocation) }
    let store = try Library(terminal).store()
    let (bases, problems) = try store.bases()
    terminal.report(problems)
    if arguments.has(json) {
      try terminal.printJSON(bases.map { $0.json(isCompiled: store.compilation(of: $0) != nil) })
    } else if arguments.has(names) {
      bases.forEach { terminal.print($0.signature) }
    } else if bases.isEmpty {
      terminal.note("no base is installed; \(Bundled.firstSteps)")
      terminal.note("'fmadapter base list --suggest' names other models")
    } else {
      var table = TextTable(
        headings: ["NAME", "SIGNATURE", "KIND", "SIZE", "STATUS"], rightAligned: [3])
      table.rows = bases.map { base in
        [
          base.name, String(base.signature.prefix(7)), base.contract.architecture,
          Figures.size(base.receipt.size),
          base.status + (store.compilation(of: base) == nil ? "" : ", compiled"),
        ]
      }
      terminal.print(table)
    }
    return .done
  }
}

/// The base of the store that `base use` and `base remove` take.
private enum InstalledBaseName {
  static let argument = Argument(
    "base", "Name of an installed base, or the first 4 or more digits of its signature",
    completion: .installedBases)

  static func read(_ invocation: Invocation) throws -> String {
    let text = invocation.arguments.required(argument)
    guard !text.contains("/") else {
      throw invocation.conflict("<base> is the name of an installed base, not a path")
    }
    return text
  }
}

/// `base use`: chooses the base that commands take when none is named.
enum BaseUseCommand {
  private static let json = Flag("--json", "Print the base as JSON")

  static let command = Command(
    name: "use",
    summary: "Choose the base that is used when none is named",
    examples: [Example("fmadapter base use 0123456", "By the start of its signature")],
    arguments: [InstalledBaseName.argument],
    options: [json],
    knownElsewhereAs: ["select", "switch"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let text = try InstalledBaseName.read(invocation)
    let chosen = try Library(invocation.terminal).store().useBase(text)
    invocation.terminal.note("\(chosen.name) (\(chosen.signature)) is in use now")
    if invocation.arguments.has(json) { try invocation.terminal.printJSON(chosen.json()) }
    return .done
  }
}

/// `base remove`: takes a base out of the store.
enum BaseRemoveCommand {
  private static let json = Flag("--json", "Print what was removed as JSON")

  static let command = Command(
    name: "remove",
    summary: "Remove an installed base",
    details: ["Its adapters stay; they cannot run until a base with the same signature is back."],
    examples: [Example("fmadapter base remove 0123456", "By the start of its signature")],
    arguments: [InstalledBaseName.argument],
    options: [json],
    knownElsewhereAs: ["rm", "delete", "uninstall"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let text = try InstalledBaseName.read(invocation)
    let store = try Library(invocation.terminal).store()
    let removed = try store.removeBase(text)
    invocation.terminal.note("removed \(removed.name) (\(removed.signature))")
    if removed.isCurrent {
      let isLast = (try? store.bases()).map { $0.bases.isEmpty } ?? false
      let current = try? store.currentBase()
      invocation.terminal.note(
        current.map { "\($0.name) (\($0.signature)) is in use now" }
          ?? (isLast
            ? "no base is installed now; 'fmadapter base install' installs one"
            : "no base is in use now; 'fmadapter base use' chooses one"))
    }
    let left = ((try? store.adapters().adapters) ?? []).count {
      $0.metadata.baseModelSignature == removed.signature
    }
    if left > 0 {
      invocation.terminal.note(
        left == 1
          ? "1 adapter for it is obsolete now; 'fmadapter prune' removes it"
          : "\(left) adapters for it are obsolete now; 'fmadapter prune' removes them")
    }
    try invocation.report(removed: [removed.signature])
    return .done
  }
}
