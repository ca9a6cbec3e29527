import AdapterStore
import SystemFiles

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
        + result.damage.map { "  \($0.inCommand)" }
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
    let damage = "\(Figures.grouped(damaged)) \(place) \(afterRepair ? "still " : "")damaged"
    let them = damaged == 1 ? "it" : "them"
    // What has no receipt can be fetched from nowhere, and a wrong name is not mended by bytes.
    func all(_ kind: Damage.Kind) -> Bool {
      left.allSatisfy { $0.damage.contains { $0.kind == kind } || !$0.isDamaged }
    }
    if all(.misplaced) { return "\(damage)\(remedy: "'fmadapter doctor' says what to do")" }
    let tool = all(.noReceipt) ? "doctor --fix" : afterRepair ? nil : "verify --repair"
    let mend = tool.map { "mend \(them) with 'fmadapter \($0)', or " } ?? ""
    return "\(damage)\(remedy: "\(mend)install \(them) again")"
  }

  /// A line as those of what was found.
  func mended(_ result: RepairResult) -> Line {
    let name = names[result.entry.name] ?? result.entry.name
    let start: Line = "\("repaired", .green)  \(name)  "
    guard result.fetched > 0 else { return start + "nothing had to be fetched" }
    return start + "\(Figures.size(result.fetched)) from \(result.sources.joined(separator: ", "))"
  }
}
