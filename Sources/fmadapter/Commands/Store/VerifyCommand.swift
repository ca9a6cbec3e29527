import AdapterStore
import Adapters
import JSON
import SystemFiles

/// `verify`: whether every byte in the store is the one that was installed.
enum VerifyCommand {
  private static let entry = Argument(
    "name",
    "Adapter or base: name, identifier or signature; all of them without one. With --key also a package's path",
    arity: .any, completion: .adapters)
  private static let repair = Flag(
    "--repair", "Fetch what is damaged, and only that, from where it came from")
  private static let key = Option(
    "--key", .file, repeats: true,
    "See that one of the public keys in these files signed the adapters")
  private static let json = Flag("--json", "Print what was found as JSON")

  static let command = Command(
    name: "verify",
    summary: "Find damaged files in the store, and repair them",
    details: [
      """
      Reads every file of adapters and bases, and compares each part of 8 MiB with its SHA-256 \
      in the receipt, the record made at installation. Exits with 0 when all are right, with 5 \
      when something is damaged, and with 8 when nothing is damaged but something cannot be \
      read. --repair reads only the damaged parts again, from the folder or the address that the \
      entry came from, and puts a new copy in place of the damaged one; a program that has that \
      one open keeps it. Each repaired entry is printed with what was fetched from where; 0 then \
      means that all are right now.
      """,
      """
      With --quiet nothing is printed about what is right: whatever is printed is damage, what \
      was repaired, or why it could not be. With --json each entry has an outcome, intact, \
      repaired, damaged or unread, and a repair if one was tried.
      """,
      """
      With --key the adapters are held against their signatures by OpenSSF model signing, in the \
      place of their receipts: files that differ, are missing or were not signed, and links, are \
      errors, for which it exits with 5; a folder that was renamed is a warning. Signatures by \
      certificates, by Sigstore and in formats before version 1 are refused.
      """,
    ],
    examples: [
      Example("fmadapter verify", "Everything in the store"),
      Example("fmadapter verify playwriting", "One adapter"),
      Example("fmadapter verify my.fmadapter --key author.pub", "Who signed a package?"),
      Example("fmadapter verify --repair", "Repair what is damaged"),
      Example("fmadapter verify --json", "For a script, with the damaged bytes"),
    ],
    arguments: [entry],
    options: [key, repair, NetworkArguments.allowHTTP, json],
    knownElsewhereAs: ["fsck", "scrub", "audit"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    if arguments.has(key) { return try await checkSignatures(invocation) }
    let store = try await NetworkArguments.store(invocation, isUpkeep: true)
    terminal.note("verifying \(store.root) ...")
    let bar = ProgressLine("verifying", terminal)
    let start = ContinuousClock.now
    defer { bar.finish() }
    let results = try await store.verify(arguments.texts(entry)) { progress in
      bar.update(done: progress.done, total: progress.total, progress.entry)
    }
    let time = start.duration(to: .now)
    bar.finish()
    let report = VerifyReport(results, names: try await Library(terminal).baseTitles())
    if !arguments.has(json) { report.lines(quiet: terminal.quiet).forEach(terminal.print) }
    var outcomes = results.map { VerifyOutcome($0) }
    var end: StoreError?
    if arguments.has(repair) { end = await mend(&outcomes, report, store, invocation) }
    if arguments.has(json) { try terminal.printJSON(outcomes) }
    if let end { throw end }
    if let failure = VerifyReport.failure(outcomes, afterRepair: arguments.has(repair)) {
      throw failure
    }
    terminal.note(VerifyReport.summary(outcomes, time: time))
    return .done
  }

  /// Holds the named adapters and packages, or all installed adapters, against the keys; the worst one's code.
  private static func checkSignatures(_ invocation: Invocation) async throws -> ExitCode {
    try invocation.exclude(key, repair)
    let (arguments, library) = (invocation.arguments, Library(invocation.terminal))
    let keys = try arguments.values(key).map(PublicKey.init(file:))
    var places: [(path: String, isStored: Bool)] = []
    for text in arguments.texts(entry) {
      places.append((try await library.packagePath(text), !Library.exists(text)))
    }
    if places.isEmpty { places = try library.store().adapters().adapters.map { ($0.path, true) } }
    let reports = try places.map {
      try PackageSignature.check(package: $0.path, by: keys, isStored: $0.isStored)
    }
    if arguments.has(json) {
      invocation.terminal.print(JSONValue.array(reports.map(\.json)))
    } else {
      reports.flatMap { $0.lines(columns: invocation.terminal.columns) }
        .forEach(invocation.terminal.print)
    }
    return reports.first { !$0.isAccepted }?.exitCode ?? .done
  }

  /// Repairs what it can, and says so where no program reads; an interruption ends it.
  private static func mend(
    _ outcomes: inout [VerifyOutcome], _ report: VerifyReport, _ store: AdapterStore,
    _ invocation: Invocation
  ) async -> StoreError? {
    let terminal = invocation.terminal
    for index in outcomes.indices where !outcomes[index].verification.isIntact {
      terminal.note("repairing \(outcomes[index].verification.entry.name) ...")
      do throws(StoreError) {
        let result = try await store.repair(outcomes[index].verification)
        outcomes[index].repair = .init(result)
        if !invocation.arguments.has(json) { terminal.print(report.mended(result)) }
      } catch {
        if error.code == .cancelled { return error }
        let failure = Failure(error)
        outcomes[index].repair = .init(failure)
        terminal.error(failure)
      }
    }
    return nil
  }
}
