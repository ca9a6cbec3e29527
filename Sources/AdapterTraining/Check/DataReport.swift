public import Adapters

/// All that one check of data sets found.
public struct DataReport: Sendable, Equatable {
  /// A file that was read.
  public struct File: Sendable, Equatable {
    /// The path as it was given.
    public let path: String
    /// Lines that are examples without errors.
    public let examples: Int

    /// A file with the number of its good examples.
    public init(path: String, examples: Int) {
      self.path = path
      self.examples = examples
    }
  }

  /// The files in the order in which they were given.
  public let files: [File]
  /// Every finding, file by file and line by line; at most 1,000 of a rule, with a note on the rest.
  public let findings: [DataFinding]

  init(files: [File], _ found: FindingList) {
    self.files = files
    findings = found.all
  }

  /// The findings for which the data is refused.
  public var errors: [DataFinding] { findings.filter { $0.severity == .error } }
  /// Whether every line can be used: no errors.
  public var isAccepted: Bool { errors.isEmpty }
  /// 0 accepted, 4 refused.
  public var exitCode: Int32 { isAccepted ? 0 : 4 }

  /// How many findings of a severity there are.
  public func count(_ severity: Finding.Severity) -> Int {
    findings.count { $0.severity == severity }
  }
}

extension DataReport: CustomStringConvertible {
  /// One line for each file, then one for each finding.
  public var description: String {
    let heads = files.map { file in
      let count = findings.count { $0.place.file == file.path }
      return
        "\(file.path): \(file.examples) examples, \(count == 0 ? "nothing" : "\(count)") to report"
    }
    return (heads + findings.map { "  \($0)" }).joined(separator: "\n")
  }
}
