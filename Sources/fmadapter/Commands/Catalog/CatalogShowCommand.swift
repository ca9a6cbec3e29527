import AdapterStore
import Adapters
import FoundationEssentials
import JSON
import SystemFiles

/// `catalog show`: what can be installed by name.
enum CatalogShowCommand {
  private static let address = Argument(
    "catalog", "Address or path of one catalog, added or not; without it all added ones",
    arity: .optional, completion: .catalogs)
  private static let all = Flag("--all", "Show older versions and pre-releases too")
  private static let json = Flag("--json", "Print the adapters as JSON")

  static let command = Command(
    name: "show",
    summary: "Show the adapters that catalogs offer",
    details: [
      """
      Shows the newest release of each adapter, whether it is installed, and if not, whether it \
      fits the base in use. With --all every version has a line and a status of its own; \
      'changed' is one that is installed with other bytes, 'yanked' one that its publisher withdrew.
      """
    ],
    examples: [
      Example("fmadapter catalog show", "All that can be installed by name"),
      Example("fmadapter catalog show --all --json", "Every version, for a script"),
      Example("fmadapter catalog show https://adapters.example.org/", "One that is not added yet"),
    ],
    arguments: [address],
    options: [all, NetworkArguments.allowHTTP, NetworkArguments.tokenFromInput, json],
    knownElsewhereAs: ["search", "browse", "find"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let store = try await NetworkArguments.store(
      invocation, arguments.text(address).map { [$0] } ?? [])
    let survey: CatalogSurvey
    var problems: [StoreProblem] = []
    if let text = arguments.text(address) {
      survey = try await store.surveyCatalogs([Library(terminal).catalog(text, isRead: true)])
    } else {
      problems = store.catalogs().problems
      terminal.report(problems)
      survey = try await store.surveyCatalogs()
    }
    if let failure = survey.failures.first, survey.offers.isEmpty { throw failure.error }
    terminal.report(survey.failures)
    let offers = arguments.has(all) ? survey.offers : survey.newestReleases
    let entries = zip(offers, try store.status(of: offers)).map {
      OfferEntry($0, status: $1)
    }
    if survey.isEmpty, !arguments.has(json) {
      terminal.noteNoCatalog(problems)
      return .done
    }
    try show(entries, current: try? store.currentBase(), invocation)
    return .done
  }

  private static func show(
    _ entries: [OfferEntry], current: InstalledBase?, _ invocation: Invocation
  ) throws {
    let terminal = invocation.terminal
    if invocation.arguments.has(json) { return try terminal.printJSON(entries) }
    if entries.isEmpty {
      return terminal.note(
        "no catalog offers an adapter; 'fmadapter catalog list' shows which catalogs there are")
    }
    var table = TextTable(
      headings: ["NAME", "VERSION", "BASE", "SIZE", "STATUS", "DESCRIPTION"], rightAligned: [3])
    table.rows = entries.map { entry in
      [
        entry.name, entry.version, String(entry.baseModelSignature.prefix(7)),
        Figures.size(entry.size), entry.state(current: current?.signature),
        TextLayout.cut((entry.description ?? "").printable, 60),
      ]
    }
    terminal.print(table)
  }
}

/// A version of an adapter in a catalog as `--json` prints it.
struct OfferEntry: Encodable {
  let identifier: String
  let name: String
  let version: String
  let baseModelSignature: String
  let description: String?
  let license: String?
  let size: Int
  let catalog: String
  /// Why it was withdrawn; nil where it is not.
  let yanked: String?
  /// What holds for this version: names of ``AdapterStatus``.
  let facts: [String]

  init(_ offer: CatalogOffer, status: AdapterStatus) {
    identifier = offer.adapter.identifier.description
    name = offer.adapter.name
    version = offer.adapter.version.description
    baseModelSignature = offer.adapter.baseModelSignature
    description = offer.adapter.description
    license = offer.adapter.license
    size = offer.adapter.size
    catalog = offer.catalog.description
    yanked = offer.adapter.yanked
    facts = status.names
  }

  /// Whether it is here, and if not, whether it could run.
  func state(current: String?) -> String {
    if yanked != nil { return facts.contains("downloaded") ? "installed, yanked" : "yanked" }
    if facts.contains("downloaded") { return "installed" }
    if facts.contains("updateAvailable") { return "update available" }
    if facts.contains("outOfDate") { return "changed" }
    return baseModelSignature == current ? "fits" : "other base"
  }
}

extension Terminal {
  /// Tells that no catalog is configured, unless the list has one that cannot be used, as `problems` say.
  func noteNoCatalog(_ problems: [StoreProblem]) {
    guard problems.isEmpty else { return }
    note("no catalog is configured; add one with 'fmadapter catalog add ADDRESS'")
  }

  /// Tells which catalogs could not be read.
  func report(_ failures: [CatalogSurvey.Failure]) {
    for failure in failures {
      warn("passed over: \(failure.error.inCommand)" as ErrorText)
    }
  }
}
