import AdapterStore

/// `verify`: whether every byte in the store is the one that was installed.
enum VerifyCommand {
  private static let entry = Argument(
    "name", "Adapter or base: name, identifier or signature; all of them without one",
    arity: .any, completion: .adapters)
  private static let json = Flag("--json", "Print what was found as JSON")

  static let command = Command(
    name: "verify",
    summary: "Compare installed files with what was recorded",
    details: [
      """
      Reads every file of adapters and bases and holds each part of 8 MiB against its SHA-256 in the \
      receipt. Exits with 0 when all are right and with 5 when something is damaged.
      """
    ],
    examples: [
      Example("fmadapter verify", "Everything in the store"),
      Example("fmadapter verify playwriting", "One adapter"),
      Example("fmadapter verify --json", "For a script, with the damaged bytes"),
    ],
    arguments: [entry],
    options: [json],
    knownElsewhereAs: ["fsck", "scrub", "audit"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let store = try Shelf(terminal).store()
    terminal.note("verifying \(store.root.printable) ...")
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
      VerifyReport(results).lines(terminal.style).forEach(terminal.print)
    }
    let damaged = results.count { !$0.isIntact }
    guard damaged == 0 else {
      throw Failure(.integrity, VerifyReport.verdict(damaged: damaged, of: results.count))
    }
    let bytes = results.reduce(0) { $0 + $1.bytes }
    terminal.note(VerifyReport.summary(entries: results.count, bytes: bytes, time: time))
    return .done
  }
}
