import Adapters

/// Findings in the order in which they come, a bounded number of each rule.
struct FindingList {
  /// Findings of one rule that are named; a file can have millions.
  static let limit = 1000

  private(set) var named: [DataFinding] = []
  private var counts: [DataRule: Int] = [:]
  private var lastPlaces: [DataRule: DataFinding.Place] = [:]

  mutating func add(_ finding: DataFinding) {
    let count = counts[finding.rule, default: 0]
    counts[finding.rule] = count + 1
    lastPlaces[finding.rule] = finding.place
    if count < Self.limit { named.append(finding) }
  }

  mutating func add(_ findings: [DataFinding]) {
    for finding in findings { add(finding) }
  }

  /// Reports a file that has neither examples nor errors.
  mutating func addEmptyFile(_ path: String, examples: Int) {
    guard examples == 0, !named.contains(where: { $0.severity == .error && $0.place.file == path })
    else { return }
    add(DataFinding(.emptyFile, at: .init(path), "The file has no examples."))
  }

  /// All findings, with a note on every rule of which some were left out.
  var all: [DataFinding] {
    named
      + DataRule.allCases.compactMap { rule -> DataFinding? in
        guard let count = counts[rule], count > Self.limit, let place = lastPlaces[rule] else {
          return nil
        }
        return DataFinding(
          .limit, at: .init(place.file),
          "\(count - Self.limit) further findings of \(rule.rawValue) are left out.")
      }
  }
}
