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
      return [line] + result.damage.map { "  " + $0.description.printable }
    }
  }

  static func summary(entries: Int, bytes: Int, time: Duration) -> String {
    guard entries > 0 else { return "the store is empty; there is nothing to verify" }
    let rate = Int(Double(bytes) / max(time.inSeconds, 1e-6))
    return "\(entries) \(entries == 1 ? "entry" : "entries") right, \(Figures.size(bytes)) in "
      + "\(Figures.seconds(time)) (\(Figures.size(rate))/s)"
  }

  static func verdict(damaged: Int, of count: Int) -> String {
    "\(damaged) of \(count) \(count == 1 ? "entry" : "entries") damaged; install "
      + (damaged == 1 ? "it" : "them") + " again"
  }
}
