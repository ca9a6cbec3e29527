import AdapterTraining
import Adapters
import TensorFiles

/// A finding as a paragraph: severity, rule and place, then what is wrong and what to do.
struct FindingText {
  let severity: Finding.Severity
  let rule: String
  let place: String
  let message: String
  let remedy: String
  var category: String?
  /// The parts of the place, for programs; null for what is not known.
  var location: JSONObject = [:]

  /// The lines, and an empty one; `columns` bounds running text.
  func lines(columns: Int) -> [Line] {
    head(columns) + Self.indented(message, columns)
      + Self.indented("Remedy: " + remedy, columns) + [""]
  }

  /// Severity and rule, and the place beside them or below.
  private func head(_ columns: Int) -> [Line] {
    let name = "\(TextLayout.pad(severity.rawValue, 7), severity.emphasis)  \(rule)" as Line
    let whole = "\(name)  (\(place))" as Line
    return whole.text.cellWidth <= columns
      ? [whole] : [name] + Self.indented("in " + place, columns)
  }

  private static func indented(_ text: String, _ columns: Int) -> [Line] {
    Line("    " + text).wrapped(columns: columns)
  }
}

extension FindingText {
  init(_ finding: Finding) {
    let place = finding.place
    self.init(
      severity: finding.severity, rule: finding.rule, place: place.description,
      message: finding.message, remedy: finding.remedy, category: finding.category.rawValue)
    location = [
      "file": .string(place.file), "key": .text(place.key), "line": .whole(place.line),
      "tensor": .text(place.tensor), "offset": .whole(place.offset),
    ]
  }

  init(_ finding: DataFinding) {
    let place = finding.place
    self.init(
      severity: finding.severity, rule: finding.rule.rawValue, place: place.description,
      message: finding.message, remedy: finding.remedy)
    location = [
      "file": .string(place.file), "key": .text(place.key), "line": .whole(place.line),
      "offset": .whole(place.offset),
    ]
  }

  /// The finding as `--json` prints it; what is not known of its place is left out.
  var json: JSONValue {
    let known = location.members.filter { $0.value != .null }
    var object: JSONObject = [
      "rule": .string(rule), "severity": .string(severity.rawValue),
      "place": .object(JSONObject(known)), "message": .string(message), "remedy": .string(remedy),
    ]
    object["category"] = category.map(JSONValue.string)
    return .object(object)
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

extension JSONValue {
  fileprivate static func whole(_ value: Int?) -> JSONValue {
    value.map(JSONValue.integer) ?? .null
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
