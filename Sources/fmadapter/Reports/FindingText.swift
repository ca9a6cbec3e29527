import AdapterTraining
import Adapters
import TensorFiles

/// A finding as a paragraph: severity, rule and place, then what is wrong and what to do.
struct FindingText {
  let severity: Finding.Severity
  let rule: String
  let place: Finding.Place
  let message: String
  let remedy: String
  var category: String?

  /// The lines, and an empty one; `columns` bounds running text.
  func lines(columns: Int) -> [Line] {
    head(columns) + Self.indented(message, columns)
      + Self.indented("Remedy: " + remedy, columns) + [""]
  }

  /// Severity and rule, and the place beside them or below.
  private func head(_ columns: Int) -> [Line] {
    let name = "\(TextLayout.pad(severity.rawValue, 7), severity.emphasis)  \(rule)" as Line
    let whole = "\(name)  (\(place.description))" as Line
    return whole.text.cellWidth <= columns
      ? [whole] : [name] + Self.indented("in \(place.description)", columns)
  }

  private static func indented(_ text: String, _ columns: Int) -> [Line] {
    Line("    " + text).wrapped(columns: columns)
  }
}

extension FindingText {
  init(_ finding: Finding) {
    self.init(
      severity: finding.severity, rule: finding.rule, place: finding.place,
      message: finding.message, remedy: finding.remedy, category: finding.category.rawValue)
  }

  init(_ finding: DataFinding) {
    self.init(
      severity: finding.severity, rule: finding.rule.rawValue, place: finding.place,
      message: finding.message, remedy: finding.remedy)
  }

  /// The finding as `--json` prints it; what is not known of its place is left out.
  var json: JSONValue {
    .known([
      "rule": .string(rule), "severity": .string(severity.rawValue), "place": location,
      "message": .string(message), "remedy": .string(remedy), "category": .text(category),
    ])
  }

  private var location: JSONValue {
    .known([
      "file": .string(place.file), "key": .text(place.key), "line": .whole(place.line),
      "tensor": .text(place.tensor), "offset": .whole(place.offset),
    ])
  }

  /// How many there are of each severity.
  static func counts(_ severities: [Finding.Severity]) -> String {
    let counts = Finding.Severity.allCases.compactMap { severity -> String? in
      let count = severities.count { $0 == severity }
      return count == 0 ? nil : Figures.count(count, severity.rawValue)
    }
    return counts.isEmpty ? "no findings" : counts.joined(separator: ", ")
  }
}

extension Finding.Severity {
  fileprivate var emphasis: Line.Emphasis {
    switch self {
    case .error: .red
    case .warning: .yellow
    case .note: .dim
    }
  }
}
