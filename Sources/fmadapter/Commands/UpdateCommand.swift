import Adapters
import AdapterStore
import FoundationEssentials
import TensorFiles

/// `update`: newer versions of what is installed.
enum UpdateCommand {
  private static let names = Argument(
    "adapter", "Names or identifiers of installed adapters; without any, all that catalogs offer",
    arity: .any, completion: .adapters)
  private static let check = Flag("--check", "Only say what there is; change nothing")
  private static let downgrade = Flag(
    "--allow-downgrade", "Take the catalog's version also where it is older")
  private static let force = Flag(
    "--force", "Take a version also where it has other bytes than the same version here")
  private static let json = Flag("--json", "Print the adapters as JSON")

  static let command = Command(
    name: "update",
    summary: "Install newer versions of adapters from their catalogs",
    details: [
      """
      An adapter that came from a catalog is updated from there for as long as that catalog has it; \
      other adapters from any catalog that has them. Only releases count, not pre-releases, and \
      only those for the same base. An older version, or other bytes under the same version, is \
      refused with exit code 5 unless it is asked for.
      """
    ],
    examples: [
      Example("fmadapter update --check", "See what is newer"),
      Example("fmadapter update", "Update all"),
      Example("fmadapter update playwriting --allow-downgrade", "Follow a catalog back"),
    ],
    arguments: [names],
    options: [
      check, downgrade, force, NetworkArguments.allowHTTP, NetworkArguments.tokenFromInput, json,
    ],
    knownElsewhereAs: ["upgrade", "outdated", "refresh"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let store = try await NetworkArguments.store(invocation)
    let named = arguments.texts(names)
    let (updates, failures) = try await store.updates(of: named)
    terminal.report(failures)
    let listed = named.isEmpty ? updates.filter { $0.state != .unlisted } : updates
    var entries: [JSONValue] = []
    var code = ExitCode.done
    for update in listed {
      var outcome: String?
      if arguments.has(check) {
        if !arguments.has(json) { terminal.print(update.sentence) }
      } else {
        do {
          outcome = try await perform(update, store, invocation)
        } catch {
          let failure = Failure(error)
          outcome = isRefusal(error) ? "refused" : "failed"
          _ = failure.report(terminal)
          if code == .done { code = failure.code }
        }
      }
      entries.append(update.json(outcome))
      // After Ctrl-C nothing new is begun, and what is done is still told.
      if code == .interrupted { break }
    }
    if arguments.has(json) { try terminal.printJSON(entries) }
    if listed.isEmpty { terminal.note(try await emptiness(of: store, terminal)) }
    return code
  }

  /// Why there is nothing to update, and what to do about it.
  private static func emptiness(
    of store: AdapterStore, _ terminal: Terminal
  ) async throws -> String {
    if try await store.adapters().adapters.isEmpty { return try await Shelf(terminal).absence() }
    return await store.catalogs().catalogs.isEmpty
      ? "no catalog is configured; add one with 'fmadapter catalog add ADDRESS'"
      : "no installed adapter is in a catalog; 'fmadapter catalog show' shows what is"
  }

  /// Whether `error` is what ``AdapterUpdate/check(allowDowngrade:force:)`` says, and not that something went wrong.
  private static func isRefusal(_ error: any Error) -> Bool {
    switch error {
    case StoreError.olderVersion, StoreError.changedVersion: true
    default: false
    }
  }

  /// Installs the update, if it may be; what became of it.
  private static func perform(
    _ update: AdapterUpdate, _ store: AdapterStore, _ invocation: Invocation
  ) async throws -> String {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    guard update.isInstallable, let offer = update.offer else {
      terminal.note(update.sentence)
      return "unchanged"
    }
    try update.check(allowDowngrade: arguments.has(downgrade), force: arguments.has(force))
    let display = DownloadDisplay(terminal)
    defer { display.finish() }
    let result = try await OfferInstallation(terminal, display.observer(""))
      .run(offer, in: store)
    display.finish()
    terminal.report(result)
    return "installed"
  }
}

extension AdapterUpdate {
  /// The adapter beside what catalogs offer, as `--json` prints it; `outcome` is `installed`, `unchanged`, `refused` or
  /// `failed`, and nil when nothing was to be done.
  fileprivate func json(_ outcome: String?) -> JSONValue {
    .known([
      "identifier": .string(identifier.description), "installed": .string(installed.description),
      "offered": .text(offer?.adapter.version.description),
      "catalog": .text(offer?.catalog.description), "state": .string(state.rawValue),
      "outcome": .text(outcome),
    ])
  }

  /// One line for people.
  var sentence: String {
    let offered = offer.map { "\($0.adapter.version)" } ?? ""
    return switch state {
    case .available: "\(identifier) \(installed) -> \(offered)"
    case .upToDate: "\(identifier) \(installed) is up to date"
    case .older: "\(identifier) \(installed) is newer than the catalog's \(offered)"
    case .changed: "\(identifier) \(installed) is not what the catalog now has as \(offered)"
    case .unlisted: "\(identifier) \(installed) is in no catalog"
    }
  }
}
