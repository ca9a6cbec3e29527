import AdapterTraining
import Adapters

extension DataReport {
  /// Every finding as a paragraph, then a line for each file and the verdict.
  func lines(columns: Int, style: TextStyle) -> [String] {
    findings.flatMap { FindingText($0).lines(columns: columns, style: style) } + verdict
  }

  /// What each file holds, and whether all may be trained on.
  var verdict: [String] {
    files.map { file in
      let own = findings.filter { $0.place.file == file.path }
      let counts = Finding.Severity.allCases.compactMap { severity -> String? in
        let count = own.count { $0.severity == severity }
        return count == 0 ? nil : Figures.count(count, severity.rawValue)
      }
      let found = counts.isEmpty ? "no findings" : counts.joined(separator: ", ")
      let refused = own.contains { $0.severity == .error }
      return "\(file.path.printable): \(refused ? "refused" : "accepted"), "
        + "\(Figures.count(file.examples, "example")), \(found)"
    }
  }

  /// The report as `--json` prints it.
  var json: JSONValue {
    .object([
      "accepted": .bool(isAccepted),
      "exitCode": .integer(Int(exitCode)),
      "files": .array(
        files.map { .object(["path": .string($0.path), "examples": .integer($0.examples)]) }),
      "findings": .array(findings.map(\.json)),
    ])
  }
}

extension DataFinding {
  fileprivate var json: JSONValue {
    var place: JSONObject = ["file": .string(self.place.file)]
    place["line"] = self.place.line.map(JSONValue.integer)
    place["offset"] = self.place.offset.map(JSONValue.integer)
    place["key"] = self.place.key.map(JSONValue.string)
    return .object([
      "rule": .string(rule.rawValue),
      "severity": .string(severity.rawValue),
      "place": .object(place),
      "message": .string(message),
      "remedy": .string(remedy),
    ])
  }
}
