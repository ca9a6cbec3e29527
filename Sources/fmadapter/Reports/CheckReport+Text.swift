import Adapters

extension CheckReport {
  /// Every finding as rule, place, message and remedy, then a summary; `columns` bounds running text.
  func lines(columns: Int, style: TextStyle) -> [String] {
    let blocks = findings.flatMap { finding in
      Self.head(finding, columns, style)
        + Self.indented(finding.message, columns)
        + Self.indented("Remedy: " + finding.remedy, columns)
        + [""]
    }
    return blocks + [verdict]
  }

  /// One line: how many findings of each severity, and whether the package may be used.
  var verdict: String {
    let counts = Finding.Severity.allCases.compactMap { severity -> String? in
      let count = findings.count { $0.severity == severity }
      return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
    }
    let found = counts.isEmpty ? "no findings" : counts.joined(separator: ", ")
    return "\(package.printable): \(isAccepted ? "accepted" : "refused"), \(found)"
  }

  /// Severity and rule, and the place beside them or below.
  private static func head(_ finding: Finding, _ columns: Int, _ style: TextStyle) -> [String] {
    let name = style.severity(finding.severity) + "  " + finding.rule
    let place = finding.place.description.printable
    let width = 9 + finding.rule.cellWidth + 4 + place.cellWidth
    return width <= columns ? [name + "  (\(place))"] : [name] + indented("in " + place, columns)
  }

  private static func indented(_ text: String, _ columns: Int) -> [String] {
    TextLayout.wrap(text.printable, columns: columns - 4).map { "    " + $0 }
  }

  /// The report as `--json` prints it.
  var json: JSONValue {
    .object([
      "package": .string(package),
      "accepted": .bool(isAccepted),
      "exitCode": .integer(Int(exitCode)),
      "findings": .array(findings.map(\.json)),
    ])
  }
}

extension Finding {
  fileprivate var json: JSONValue {
    .object([
      "rule": .string(rule),
      "severity": .string(severity.rawValue),
      "category": .string(category.rawValue),
      "place": .object(place.json),
      "message": .string(message),
      "remedy": .string(remedy),
    ])
  }
}

extension Finding.Place {
  /// What is known of the place; what is not known is left out.
  fileprivate var json: JSONObject {
    var object: JSONObject = ["file": .string(file)]
    object["key"] = key.map(JSONValue.string)
    object["line"] = line.map(JSONValue.integer)
    object["tensor"] = tensor.map(JSONValue.string)
    object["offset"] = offset.map(JSONValue.integer)
    return object
  }
}

extension TextStyle {
  fileprivate func severity(_ severity: Finding.Severity) -> String {
    let text = TextLayout.pad(severity.rawValue, 7)
    switch severity {
    case .error: return red(text)
    case .warning: return yellow(text)
    case .note: return dim(text)
    }
  }
}
