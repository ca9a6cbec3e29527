import Adapters

extension CheckReport {
  /// Every finding as rule, place, message and remedy, then a summary; `columns` bounds running text.
  func lines(columns: Int, style: TextStyle) -> [String] {
    findings.flatMap { FindingText($0).lines(columns: columns, style: style) } + [verdict]
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
