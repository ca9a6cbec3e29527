import AdapterStore

/// What `verify` found, for people.
struct VerifyReport {
  let results: [EntryVerification]

  init(_ results: [EntryVerification]) { self.results = results }

  /// A line for each entry, and below it one for each thing that is wrong.
  func lines(_ style: TextStyle) -> [String] {
    results.flatMap { result -> [String] in
      let word = result.isIntact ? style.green("ok     ") : style.red("damaged")
      let line = "\(word)  \(result.entry.name.printable)  \(Figures.size(result.bytes))"
      let doubts = result.unverified.map {
        "  unverified: nothing vouched for \($0) when it was fetched".printable
      }
      return [line] + doubts + result.damage.map { "  " + $0.description.printable }
    }
  }

  static func summary(entries: Int, bytes: Int, time: Duration) -> String {
    guard entries > 0 else { return "the store is empty; there is nothing to verify" }
    let rate = Int(Double(bytes) / max(time.inSeconds, 1e-6))
    return "\(entries) \(entries == 1 ? "entry" : "entries") right, \(Figures.size(bytes)) in "
      + "\(Figures.seconds(time)) (\(Figures.size(rate))/s)"
  }

  static func verdict(damaged: Int, of count: Int, afterRepair: Bool) -> String {
    let them = damaged == 1 ? "it" : "them"
    return "\(damaged) of \(count) \(count == 1 ? "entry" : "entries") "
      + (afterRepair
        ? "still damaged; install \(them) again"
        : "damaged; mend \(them) with 'fmadapter verify --repair', or install \(them) again")
  }

  static func mended(_ result: RepairResult) -> String {
    let name = "repaired \(result.entry.name.printable)"
    guard result.fetched > 0 else { return name + "; nothing had to be fetched" }
    let places = result.sources.map(\.printable).joined(separator: ", ")
    return name + ": \(Figures.size(result.fetched)) from \(places)"
  }
}
