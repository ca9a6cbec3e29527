/// All that one check found, in the order of the rules.
public struct CheckReport: Sendable, Equatable, Codable {
  /// Path of the package as it was given.
  public let package: String
  /// Every finding of the run.
  public let findings: [Finding]

  /// A report on `package`.
  public init(package: String, findings: [Finding]) {
    self.package = package
    self.findings = findings
  }

  /// The findings for which the package is refused.
  public var errors: [Finding] { findings.filter { $0.severity == .error } }

  /// The findings that do not stop the package from being used.
  public var warnings: [Finding] { findings.filter { $0.severity == .warning } }

  /// Whether the package may be used: no errors.
  public var isAccepted: Bool { errors.isEmpty }

  /// 0 accepted, 4 invalid, 5 not the recorded bytes, 6 for another base; the lowest of several.
  public var exitCode: Int32 {
    errors.map(\.category.exitCode).min() ?? 0
  }
}

extension Finding.Category {
  /// The exit code of an error of this category.
  public var exitCode: Int32 {
    switch self {
    case .package: 4
    case .integrity: 5
    case .compatibility: 6
    }
  }
}

extension CheckReport: CustomStringConvertible {
  /// One line for the package, then one for each finding.
  public var description: String {
    let counts = Finding.Severity.allCases.compactMap { severity -> String? in
      let count = findings.count { $0.severity == severity }
      return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
    }
    let summary = counts.isEmpty ? "nothing to report" : counts.joined(separator: ", ")
    return (["\(package): \(summary)"] + findings.map { "  \($0)" }).joined(separator: "\n")
  }
}
