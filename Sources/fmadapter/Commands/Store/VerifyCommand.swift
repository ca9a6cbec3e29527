import AdapterStore
import TensorFiles

/// `verify`: whether every byte in the store is the one that was installed.
enum VerifyCommand {
  private static let entry = Argument(
    "name", "Adapter or base: name, identifier or signature; all of them without one",
    arity: .any, completion: .adapters)
  private static let repair = Flag(
    "--repair", "Fetch what is damaged, and only that, from where it came from")
  private static let json = Flag("--json", "Print what was found as JSON")

  static let command = Command(
    name: "verify",
    summary: "Compare installed files with what was recorded",
    details: [
      """
      Reads every file of adapters and bases and holds each part of 8 MiB against its SHA-256 in the \
      receipt. Exits with 0 when all are right, with 5 when something is damaged, and with 8 when \
      nothing is but something cannot be read. With --repair the damaged parts alone are read again \
      from the folder or the address that the entry came from, and a new copy takes the place of the \
      damaged one; whoever has that one open keeps it.
      """
    ],
    examples: [
      Example("fmadapter verify", "Everything in the store"),
      Example("fmadapter verify playwriting", "One adapter"),
      Example("fmadapter verify --repair", "Mend what is damaged"),
      Example("fmadapter verify --json", "For a script, with the damaged bytes"),
    ],
    arguments: [entry],
    options: [repair, NetworkArguments.allowHTTP, json],
    knownElsewhereAs: ["fsck", "scrub", "audit"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let store = try await NetworkArguments.store(invocation)
    terminal.note("verifying \(store.root) ...")
    let bar = ProgressLine("verifying", terminal)
    let start = ContinuousClock.now
    defer { bar.finish() }
    let results = try await store.verify(arguments.texts(entry)) { progress in
      bar.update(done: progress.done, total: progress.total, progress.entry)
    }
    let time = start.duration(to: .now)
    bar.finish()
    if arguments.has(json) {
      try terminal.printJSON(results)
    } else {
      VerifyReport(results, names: try await Shelf(terminal).baseTitles()).lines
        .forEach(terminal.print)
    }
    var damaged = results.filter { !$0.isIntact }
    var code = damaged.contains(where: \.isDamaged) ? ExitCode.integrity : .storage
    if arguments.has(repair) { (damaged, code) = try await mend(damaged, store, terminal) }
    guard damaged.isEmpty else {
      let repairing = arguments.has(repair)
      throw Failure(
        code, VerifyReport.verdict(left: damaged, of: results.count, afterRepair: repairing))
    }
    let bytes = results.reduce(0) { $0 + $1.bytes }
    terminal.note(VerifyReport.summary(entries: results.count, bytes: bytes, time: time))
    return .done
  }

  /// Repairs what it can; what is left, and the code for it: that of a disk that refuses before that of damage.
  private static func mend(
    _ damaged: [EntryVerification], _ store: AdapterStore, _ terminal: Terminal
  ) async throws -> (left: [EntryVerification], code: ExitCode) {
    var left: [EntryVerification] = []
    var code = ExitCode.integrity
    for verification in damaged {
      let name = verification.entry.name
      terminal.note("repairing \(name) ...")
      do throws(StoreError) {
        let result = try await store.repair(verification)
        terminal.note(VerifyReport.mended(result))
      } catch {
        if case .cancelled = error { throw error }
        left.append(verification)
        let failure = Failure(error)
        if failure.code == .storage { code = .storage }
        terminal.error(failure)
      }
    }
    return (left, code)
  }
}

/// What `verify` found, for people.
struct VerifyReport {
  let results: [EntryVerification]
  /// Those of bases, by their signatures.
  let names: [String: String]

  init(_ results: [EntryVerification], names: [String: String]) {
    (self.results, self.names) = (results, names)
  }

  /// A line for each entry, and below it one for each thing that is wrong.
  var lines: [Line] {
    results.flatMap { result -> [Line] in
      let word =
        result.isIntact
        ? Line("ok     ", .green) : Line(result.isDamaged ? "damaged" : "unread ", .red)
      let name = names[result.entry.name] ?? result.entry.name
      let doubts = result.unverified.map {
        "  unverified: nothing vouched for \($0) when it was fetched" as Line
      }
      return ["\(word)  \(name)  \(Figures.size(result.bytes))"] + doubts
        + result.damage.map { "  \($0.description)" }
    }
  }

  static func summary(entries: Int, bytes: Int, time: Duration) -> String {
    guard entries > 0 else { return "the store is empty; \(Bundled.firstSteps)" }
    let rate = Int(Double(bytes) / max(time.inSeconds, 1e-6))
    return
      "\(Figures.grouped(entries)) \(entries == 1 ? "entry" : "entries") right, \(Figures.size(bytes)) in "
      + "\(Figures.duration(time.inSeconds)) (\(Figures.size(rate))/s)"
  }

  /// What is to be done about the entries that are `left`.
  static func verdict(
    left: [EntryVerification], of count: Int, afterRepair: Bool
  ) -> ErrorText {
    let damaged = left.count(where: \.isDamaged)
    let place = "of \(Figures.grouped(count)) \(count == 1 ? "entry" : "entries")"
    guard damaged > 0 else {
      return "\(Figures.grouped(left.count)) \(place) cannot be read"
        + "\(remedy: "'fmadapter doctor' says why, and with --fix gives permissions back")"
    }
    let them = damaged == 1 ? "it" : "them"
    let mend = "mend \(them) with 'fmadapter verify --repair', or "
    return "\(Figures.grouped(damaged)) \(place) \(afterRepair ? "still " : "")damaged"
      + "\(remedy: "\(afterRepair ? "" : mend)install \(them) again")"
  }

  static func mended(_ result: RepairResult) -> String {
    let name = "repaired \(result.entry.name)"
    guard result.fetched > 0 else { return name + "; nothing had to be fetched" }
    let places = result.sources.joined(separator: ", ")
    return name + ": \(Figures.size(result.fetched)) from \(places)"
  }
}
