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
      damaged one; whoever has that one open keeps it. Each entry that was repaired is printed with \
      what was fetched from where; 0 means that all are right now.
      """,
      """
      With --quiet nothing is printed of what is right, so that whatever is printed is damage, what \
      was repaired, or why it could not be. With --json each entry has an outcome: intact, repaired, \
      damaged or unread; and a repair, where one was tried.
      """,
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
    let report = VerifyReport(results, names: try await Shelf(terminal).baseTitles())
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
        if case .cancelled = error { return error }
        let failure = Failure(error)
        outcomes[index].repair = .init(failure)
        terminal.error(failure)
      }
    }
    return nil
  }
}

/// What was found of an entry, and what became of it; as JSON one object.
struct VerifyOutcome: Encodable {
  /// How the entry is now.
  enum Outcome: String, Encodable {
    case intact, repaired, damaged, unread
  }

  /// What an attempt to repair came to.
  struct Repair: Encodable {
    let fetched: Int
    let sources: [String]
    /// Why nothing changed; nil where it is right now.
    let reason: String?
    /// The code of that.
    let code: ExitCode

    init(_ result: RepairResult) {
      (fetched, sources, reason, code) = (result.fetched, result.sources, nil, .done)
    }

    init(_ failure: Failure) {
      (fetched, sources, reason, code) = (0, [], failure.text.description, failure.code)
    }

    private enum CodingKeys: CodingKey {
      case fetched, sources, reason
    }
  }

  let verification: EntryVerification
  /// Nil where nothing was to be repaired, or nobody asked for it.
  var repair: Repair?

  init(_ verification: EntryVerification) { self.verification = verification }

  var outcome: Outcome {
    if verification.isIntact { return .intact }
    if let repair, repair.reason == nil { return .repaired }
    return verification.isDamaged ? .damaged : .unread
  }

  /// Whether every byte is the recorded one now.
  var isRight: Bool { outcome == .intact || outcome == .repaired }

  private enum CodingKeys: CodingKey {
    case outcome, repair
  }

  func encode(to encoder: any Encoder) throws {
    try verification.encode(to: encoder)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(outcome, forKey: .outcome)
    try members.encodeIfPresent(repair, forKey: .repair)
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

  /// A line for each entry, and below it one for each thing that is wrong; when quiet of those alone where something is.
  func lines(quiet: Bool) -> [Line] {
    results.filter { !quiet || !$0.isIntact }.flatMap { result -> [Line] in
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

  static func summary(_ outcomes: [VerifyOutcome], time: Duration) -> String {
    guard !outcomes.isEmpty else { return "the store is empty; \(Bundled.firstSteps)" }
    let bytes = outcomes.reduce(0) { $0 + $1.verification.bytes }
    let rate = Int(Double(bytes) / max(time.inSeconds, 1e-6))
    let repaired = outcomes.count { $0.outcome == .repaired }
    return
      "\(Figures.grouped(outcomes.count)) \(outcomes.count == 1 ? "entry" : "entries") right"
      + (repaired == 0 ? "" : ", \(Figures.grouped(repaired)) of them repaired")
      + ", \(Figures.size(bytes)) in "
      + "\(Figures.duration(time.inSeconds)) (\(Figures.size(rate))/s)"
  }

  /// What is to be done about the entries that are not right, with the code of a disk that refuses before that of damage.
  static func failure(_ outcomes: [VerifyOutcome], afterRepair: Bool) -> Failure? {
    let left = outcomes.filter { !$0.isRight }
    guard !left.isEmpty else { return nil }
    let isRefused = left.contains { $0.repair?.code == .storage }
    let isDamaged = afterRepair || left.contains { $0.outcome == .damaged }
    return Failure(
      isRefused || !isDamaged ? .storage : .integrity,
      verdict(left: left.map(\.verification), of: outcomes.count, afterRepair: afterRepair))
  }

  private static func verdict(
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

  /// A line as those of what was found.
  func mended(_ result: RepairResult) -> Line {
    let name = names[result.entry.name] ?? result.entry.name
    let start: Line = "\("repaired", .green)  \(name)  "
    guard result.fetched > 0 else { return start + "nothing had to be fetched" }
    return start + "\(Figures.size(result.fetched)) from \(result.sources.joined(separator: ", "))"
  }
}
