public import Adapters
import JSON
import SystemFiles

/// All that one check of data sets found.
public struct DataReport: Sendable, Equatable {
  /// A file that was read.
  package struct File: Sendable, Equatable {
    /// The path as it was given.
    package let path: String
    /// Lines that are examples without errors.
    package let examples: Int
  }

  /// The files in the order in which they were given.
  package let files: [File]
  /// Every finding, file by file and line by line; at most 1,000 of a rule, with a note on the rest.
  public let findings: [Finding]

  init(files: [File], _ found: FindingList) {
    self.files = files
    findings = found.all
  }

  /// The findings for which the data is refused.
  public var errors: [Finding] { findings.errors }
  /// Whether every line can be used: no errors.
  public var isAccepted: Bool { errors.isEmpty }
}

extension DataReport: CustomStringConvertible {
  /// One line for each file, then one for each finding.
  public var description: String {
    let heads = files.map { file in
      let count = findings.count { $0.place.file == file.path }
      return
        "\(file.path): \(Figures.count(file.examples, "example")), "
        + "\(count == 0 ? "nothing" : Figures.grouped(count)) to report"
    }
    return (heads + findings.map { "  \($0)" }).joined(separator: "\n")
  }
}

/// Findings in the order in which they come, a bounded number of each rule.
struct FindingList {
  /// Findings of one rule that are named; a file can have millions.
  static let limit = 1000

  private(set) var named: [Finding] = []
  private var counts: [String: Int] = [:]
  private var lastPlaces: [String: Finding.Place] = [:]

  mutating func add(_ finding: Finding) {
    let count = counts[finding.rule, default: 0]
    counts[finding.rule] = count + 1
    lastPlaces[finding.rule] = finding.place
    if count < Self.limit { named.append(finding) }
  }

  mutating func add(_ findings: [Finding]) {
    for finding in findings { add(finding) }
  }

  /// Lines that are no JSON or no UTF-8 and are named, where a file has nothing else.
  private static let few = 10

  /// Reports a file that has neither examples nor errors; and one that is no text, or is written otherwise, such as a table, of
  /// which each line would be named, by that or by the first of them, unless it is being converted.
  mutating func addEmptyFile(_ path: String, examples: Int, isConverted: Bool = false) {
    guard examples == 0 else { return }
    let errors = named.filter { $0.severity == .error && $0.place.file == path }
    guard !errors.isEmpty else {
      return add(Finding(.emptyFile, at: .init(path), "The file has no examples."))
    }
    guard !isConverted else { return }
    let broken = errors.filter {
      [DataRule.json, .encoding].map(\.rawValue).contains($0.rule)
    }
    if let kind = BinaryKind.name(ofFile: path) {
      remove(path)
      add(
        Self.empty(
          path, "The file is \(kind).",
          remedy:
            "Give its examples as JSON, one a line, or convert its records from CSV."
        ))
    } else if let first = broken.first, broken.count > max(Self.few, errors.count / 2) {
      let isText = broken.allSatisfy { $0.rule == DataRule.json.rawValue }
      remove(path)
      add(first)
      add(
        Self.empty(
          path,
          "The file has no examples: other lines are no JSON\(isText ? "" : " in UTF-8"), either.",
          remedy: isText
            ? "Make a data set of a table, or of JSON over several lines, by converting it."
            : "Make a data set of it by converting it from its encoding."))
    }
  }

  private static func empty(_ path: String, _ message: String, remedy: String) -> Finding {
    Finding(DataRule.emptyFile.rawValue, .error, nil, at: .init(path), message, remedy: remedy)
  }

  /// Takes back what was found in the file at `path`.
  private mutating func remove(_ path: String) {
    let rules = Set(named.filter { $0.place.file == path }.map(\.rule))
    named.removeAll { $0.place.file == path }
    for rule in rules { counts[rule] = named.count { $0.rule == rule } }
  }

  /// Accepts `path` as the only file of these findings.
  ///
  /// - Throws: `DataSetError.refused` when it has errors, or no examples.
  mutating func accept(
    _ path: String, examples: Int, isConverted: Bool = false
  ) throws(DataSetError) {
    try accept([.init(path: path, examples: examples)], isConverted: isConverted)
  }

  /// Accepts `files`, of which all of these findings are.
  ///
  /// - Throws: as above, where one has errors, or no examples.
  mutating func accept(
    _ files: [DataReport.File], isConverted: Bool = false
  ) throws(DataSetError) {
    for file in files {
      addEmptyFile(file.path, examples: file.examples, isConverted: isConverted)
    }
    let report = DataReport(files: files, self)
    guard report.isAccepted else { throw .refused(report) }
  }

  /// All findings, with a note on every rule of which some were left out.
  var all: [Finding] {
    named
      + DataRule.allCases.map(\.rawValue).compactMap { rule -> Finding? in
        guard let count = counts[rule], count > Self.limit, let place = lastPlaces[rule] else {
          return nil
        }
        return Finding(
          .limit, at: .init(place.file),
          "\(Figures.grouped(count - Self.limit)) further findings of \(rule) are left out.")
      }
  }
}
