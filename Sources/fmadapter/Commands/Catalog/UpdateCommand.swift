import AdapterStore
import Adapters
import FoundationEssentials
import JSON
import SystemFiles

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
      An adapter that came from a catalog is updated from there for as long as that catalog has \
      it, and one from a tag of a registry from that tag; others from any catalog that has them. Only releases count, not pre-releases, \
      and only those for the same base. An older version, or other bytes under the same version, \
      is refused with exit code 5 unless you ask for it with an option. So is, whatever you ask for, what does not have the \
      signature that was demanded of the installed one with --require-signed. A pre-release that was \
      installed by its version stays until a newer release is out. A version that its publisher \
      withdrew is never taken; one that is installed stays, with a word, until there is a newer one.
      """,
      """
      If a catalog cannot be read, the others go on. What came from it, or may be in it, is \
      reported as unreachable, and the exit code says why: 7 for the network, 3 if nothing is \
      there, 8 for a disk that refuses. An installed adapter that cannot be read is named, with \
      exit code 5, or 8 if permissions are missing.
      """,
    ],
    examples: [
      Example("fmadapter update --check", "See what is newer"),
      Example("fmadapter update", "Update all"),
      Example("fmadapter update playwriting --allow-downgrade", "Follow a catalog back"),
      Example("fmadapter update --check --allow-downgrade", "See what that would do"),
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
    let problems = store.catalogs().problems
    terminal.report(problems)
    let named = arguments.texts(names)
    let found = try await store.updates(of: named)
    let listed = named.isEmpty ? found.updates.filter { $0.state != .unlisted } : found.updates
    var code = tell(found, listed, isAll: named.isEmpty, terminal)
    var entries = found.unreadable.map(\.json)
    if listed.isEmpty, code != .done {
      if arguments.has(json) { try terminal.printJSON(entries) }
      return code
    }
    for update in listed {
      var outcome: String?
      if arguments.has(check) {
        if !arguments.has(json) {
          terminal.print(update.sentence(taking(update, store, arguments)))
        }
      } else {
        do {
          outcome = try await perform(update, store, invocation)
        } catch {
          let failure = Failure(error)
          outcome = isRefusal(error) ? "refused" : "failed"
          _ = failure.report(terminal)
          if code == .done || failure.code == .interrupted { code = failure.code }
        }
      }
      let wouldInstall = arguments.has(check) ? taking(update, store, arguments) : nil
      entries.append(update.json(outcome, wouldInstall: wouldInstall))
      // After Ctrl-C nothing new is begun, and what is done is still told.
      if code == .interrupted { break }
    }
    if arguments.has(json) { try terminal.printJSON(entries) }
    if listed.isEmpty { try await noteEmptiness(of: store, problems, terminal) }
    return code
  }

  /// Tells why there is nothing to update, and what to do about it.
  private static func noteEmptiness(
    of store: AdapterStore, _ problems: [StoreProblem], _ terminal: Terminal
  ) async throws {
    if try store.adapters().adapters.isEmpty {
      terminal.note(try await Library(terminal).absence())
    } else if store.catalogs().catalogs.isEmpty {
      terminal.noteNoCatalog(problems)
    } else {
      terminal.note("no installed adapter is in a catalog; 'fmadapter catalog show' shows what is")
    }
  }

  /// Whether `error` is what ``AdapterUpdate/check(allowDowngrade:force:)`` says, or that keys are missed, and not that something went
  /// wrong.
  private static func isRefusal(_ error: any Error) -> Bool {
    let code = (error as? StoreError)?.code
    return code == .olderVersion || code == .changedOffer || code == .otherSigner
  }

  /// Says which adapters and catalogs could not be read; the code of the first that matters to those that are `listed`.
  private static func tell(
    _ found: UpdateSurvey, _ listed: [AdapterUpdate], isAll: Bool, _ terminal: Terminal
  ) -> ExitCode {
    let needed = Set(listed.compactMap { $0.failure?.catalog })
    func matters(_ failure: CatalogSurvey.Failure) -> Bool {
      isAll || needed.contains(failure.catalog)
    }
    terminal.report(found.failures.filter { !matters($0) })
    let errors = found.failures.filter(matters).map(\.error) + found.unreadable.map(\.error)
    let codes = errors.map { Failure($0).report(terminal) }
    return codes.first ?? .done
  }

  /// Whether the update would be installed with the options that were given.
  private static func taking(
    _ update: AdapterUpdate, _ store: AdapterStore, _ arguments: ParsedArguments
  ) -> Bool {
    let (allows, forces) = (arguments.has(downgrade), arguments.has(force))
    guard update.isInstallable(allowDowngrade: allows), let offer = update.offer,
      (try? store.checkSigned(offer)) != nil
    else { return false }
    return (try? update.check(allowDowngrade: allows, force: forces)) != nil
  }

  /// Installs the update, if it may be; what became of it.
  private static func perform(
    _ update: AdapterUpdate, _ store: AdapterStore, _ invocation: Invocation
  ) async throws -> String {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let allows = arguments.has(downgrade)
    guard update.isInstallable(allowDowngrade: allows), let offer = update.offer else {
      terminal.note(update.sentence(false))
      return update.state == .unreachable ? "failed" : "unchanged"
    }
    try update.check(allowDowngrade: allows, force: arguments.has(force))
    let display = DownloadDisplay(terminal)
    defer { display.finish() }
    let result = try await display.following { control in
      try await OfferInstallation(terminal, control).run(offer, in: store)
    }
    display.finish()
    terminal.report(result)
    return "installed"
  }
}

extension AdapterUpdate {
  /// The adapter beside what catalogs offer, as `--json` prints it; `outcome` is `installed`, `unchanged`, `refused` or
  /// `failed`, and nil when nothing was to be done.
  fileprivate func json(_ outcome: String?, wouldInstall: Bool?) -> JSONValue {
    .known([
      "identifier": .string(identifier.description), "installed": .string(installed.description),
      "offered": .text(offer?.adapter.version.description),
      "catalog": .text((offer?.catalog ?? failure?.catalog)?.description),
      "state": .string(state.rawValue), "yanked": .text(yanked),
      "reason": .text(failure?.error.text.problem),
      "outcome": .text(outcome), "wouldInstall": wouldInstall.map(JSONValue.bool) ?? .null,
    ])
  }

  /// One line for people; `isTaken` where options take what is refused without them.
  fileprivate func sentence(_ isTaken: Bool) -> String {
    let offered = offer.map { "\($0.adapter.version)" } ?? ""
    return switch state {
    case .available where !isTaken:
      "\(identifier) \(installed) was installed as signed, and the catalog's \(offered) is not signed"
    case .available: "\(identifier) \(installed) -> \(offered)"
    case .upToDate: "\(identifier) \(installed) is up to date"
    case .older where isTaken, .prerelease where isTaken, .yanked where isTaken:
      "\(identifier) \(installed) -> \(offered), which is older"
    case .older: "\(identifier) \(installed) is newer than the catalog's \(offered)"
    case .prerelease where offer == nil:
      "\(identifier) \(installed) is a pre-release, and no release is out"
    case .prerelease:
      "\(identifier) \(installed) is a pre-release, newer than the catalog's \(offered)"
    case .changed where isTaken: "\(identifier) \(installed) -> other bytes of \(offered)"
    case .changed: "\(identifier) \(installed) is not what the catalog now has as \(offered)"
    case .yanked:
      "\(identifier) \(installed) was withdrawn by its publisher\(yanked.map { $0.isEmpty ? "" : ": \($0.printable)" } ?? "")"
        + (offer == nil ? ", and nothing else is out" : ", and the catalog's \(offered) is older")
    case .unlisted: "\(identifier) \(installed) is in no catalog"
    case .unreachable:
      "\(identifier) \(installed) is unreachable: \(failure?.error.text.problem ?? "")"
    }
  }
}

extension UnreadableAdapter {
  /// The adapter as `--json` prints it among those that could be compared.
  fileprivate var json: JSONValue {
    .known([
      "identifier": .string(identifier.description), "state": .string("unreadable"),
      "reason": .string(error.text.problem),
    ])
  }
}
