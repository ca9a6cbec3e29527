import Adapters
import JSON
import SystemFiles

/// Findings as a log of a static analysis, which code hosts and editors show at their places.
///
/// Source: SARIF 2.1.0, OASIS Standard.
enum AnalysisLog {
  static let flag = Flag("--sarif", "Print the findings as SARIF 2.1.0, for code hosts and editors")

  /// The log of `findings` on files that are in `folder`, or are named by their paths where that is nil.
  static func json(_ findings: [Finding], in folder: String? = nil) -> JSONValue {
    .object([
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json".json,
      "version": "2.1.0".json,
      "runs": .array([
        .object([
          "tool": .object([
            "driver": .object([
              "name": "fmadapter".json, "version": programVersion.json,
              "rules": .array(rules(of: findings)),
            ])
          ]),
          "results": .array(findings.map { result(of: $0, in: folder) }),
        ])
      ]),
    ])
  }

  /// Each rule once, with what to do.
  private static func rules(of findings: [Finding]) -> [JSONValue] {
    var seen: Set<String> = []
    return findings.filter { seen.insert($0.rule).inserted }.map {
      .object(["id": $0.rule.json, "help": .object(["text": $0.remedy.json])])
    }
  }

  private static func result(of finding: Finding, in folder: String?) -> JSONValue {
    let (place, file) = (finding.place, finding.place.file)
    let path = folder.map { FilePath.name(of: $0) == file ? $0 : FilePath.join($0, file) } ?? file
    var physical: JSONObject = ["artifactLocation": .object(["uri": address(of: path).json])]
    if let line = place.line {
      physical["region"] = .object(["startLine": .integer(line)])
    } else if let offset = place.offset {
      physical["region"] = .object(["byteOffset": .integer(offset), "byteLength": .integer(0)])
    }
    var location: JSONObject = ["physicalLocation": .object(physical)]
    if let name = place.tensor ?? place.key {
      location["logicalLocations"] = .array([.object(["fullyQualifiedName": name.json])])
    }
    return .object([
      "ruleId": finding.rule.json, "level": finding.severity.rawValue.json,
      "message": .object(["text": "\(finding.message) \(finding.remedy)".json]),
      "locations": .array([.object(location)]),
    ])
  }

  /// A path as a reference of RFC 3986; relative ones stay so.
  private static func address(of path: String) -> String {
    (path.utf8.first == UInt8(ascii: "/") ? "file://" : "") + path.percentEncoded
  }
}

extension String {
  fileprivate var json: JSONValue { .string(self) }
}
