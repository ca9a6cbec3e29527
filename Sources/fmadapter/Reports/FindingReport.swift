import AdapterTraining
import Adapters
import JSON
import SystemFiles

/// What a check of packages or of data sets found, as a command shows it.
protocol FindingReport {
  var findings: [Finding] { get }
  var exitCode: ExitCode { get }
  /// What was checked, a line each: whether it may be used, and how many findings of each severity it has.
  var verdict: [String] { get }
  /// What `--json` prints before the findings.
  var facts: JSONObject { get }
}

extension FindingReport {
  /// The findings as the command says them.
  var told: [Finding] { findings.map(\.inCommand) }

  /// Every finding as rule, place, message and remedy, then the verdict; `columns` bounds running text.
  func lines(columns: Int) -> [Line] {
    told.flatMap { $0.lines(columns: columns) } + verdict.map { Line($0) }
  }

  /// The report as `--json` prints it.
  var json: JSONValue {
    var object = facts
    object["findings"] = .array(told.map(\.json))
    return .object(object)
  }
}

extension CheckReport: FindingReport {
  var verdict: [String] {
    ["\(package): \(isAccepted ? "accepted" : "refused"), \(findings.counts ?? "no findings")"]
  }

  var facts: JSONObject {
    [
      "package": .string(package), "accepted": .bool(isAccepted),
      "exitCode": .integer(Int(exitCode.rawValue)),
    ]
  }
}

extension DataReport: FindingReport {
  var verdict: [String] {
    files.map { file in
      let own = findings.filter { $0.place.file == file.path }
      return "\(file.path): \(own.errors.isEmpty ? "accepted" : "refused"), "
        + "\(Figures.count(file.examples, "example")), \(own.counts ?? "no findings")"
    }
  }

  var facts: JSONObject {
    [
      "accepted": .bool(isAccepted), "exitCode": .integer(Int(exitCode.rawValue)),
      "files": .array(
        files.map { .object(["path": .string($0.path), "examples": .integer($0.examples)]) }),
    ]
  }
}

/// The forms in which a check prints its findings.
enum FindingForm {
  static let json = Flag("--json", "Print the findings as JSON")

  /// Prints the report in the form that was asked for; its files are in `folder`, or are named by their paths where that is nil.
  static func report(
    _ report: some FindingReport, in folder: String? = nil, _ invocation: Invocation
  ) -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    if arguments.has(AnalysisLog.flag) {
      terminal.print(AnalysisLog.json(report.told, in: folder))
    } else if arguments.has(json) {
      terminal.print(report.json)
    } else {
      report.lines(columns: terminal.columns).forEach(terminal.print)
    }
    return report.exitCode
  }
}

extension Finding {
  /// A paragraph: severity, rule and place, then what is wrong and what to do, and an empty line; `columns` bounds running text.
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

  /// The finding as `--json` prints it; what is not known of its place is left out.
  var json: JSONValue {
    .known([
      "rule": .string(rule), "severity": .string(severity.rawValue), "place": location,
      "message": .string(message), "remedy": .string(remedy), "category": .text(category?.rawValue),
    ])
  }

  private var location: JSONValue {
    .known([
      "file": .string(place.file), "key": .text(place.key), "line": .whole(place.line),
      "tensor": .text(place.tensor), "offset": .whole(place.offset),
    ])
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
