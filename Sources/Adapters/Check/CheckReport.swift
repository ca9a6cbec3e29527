import SystemFiles

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
  public var errors: [Finding] { findings.errors }

  /// The findings that do not stop the package from being used.
  public var warnings: [Finding] { findings.filter { $0.severity == .warning } }

  /// Whether the package may be used: no errors.
  public var isAccepted: Bool { errors.isEmpty }

  /// What the errors say of the package, the first of several in the order of the categories; nil where it is accepted.
  public var category: Finding.Category? {
    let categories = Set(errors.compactMap(\.category))
    return Finding.Category.allCases.first(where: categories.contains)
  }
}

extension CheckReport: CustomStringConvertible {
  /// One line for the package, then one for each finding.
  public var description: String {
    let summary = findings.counts ?? "nothing to report"
    return (["\(package): \(summary)"] + findings.map { "  \($0)" }).joined(separator: "\n")
  }
}

/// One thing that a check found wrong or worth knowing about a package or a data set.
public struct Finding: Sendable, Equatable, Codable {
  /// How much it matters.
  public enum Severity: String, Sendable, Codable, CaseIterable {
    /// The package, or the line of a data set, is refused.
    case error
    /// It is used, but probably not what its author meant.
    case warning
    /// Worth knowing; nothing to repair.
    case note
  }

  /// What an error says about the package.
  public enum Category: String, Sendable, Codable, CaseIterable {
    /// The package breaks its format.
    case package
    /// The bytes are not those that were recorded.
    case integrity
    /// The package is for another base.
    case compatibility
  }

  /// Stable name of the broken rule, such as `container.sentinel`.
  public let rule: String
  /// How much it matters.
  public let severity: Severity
  /// What it says about the package; nil for a data set.
  public let category: Category?
  /// Where it is.
  public let place: Place
  /// One sentence that says what is wrong.
  public let message: String
  /// One sentence that says what to do.
  public let remedy: String

  /// A finding; `severity` is an error of the package unless said otherwise.
  public init(
    _ rule: String, _ severity: Severity = .error, _ category: Category? = .package,
    at place: Place, _ message: String, remedy: String
  ) {
    self.rule = rule
    self.severity = severity
    self.category = category
    self.place = place
    self.message = message
    self.remedy = remedy
  }
}

extension Finding {
  /// Where in a package or a data set something is, as exactly as is known.
  public struct Place: Sendable, Equatable, Codable {
    /// Name of the file within the package, or the package's own name; path of a data set as it was given.
    public var file: String
    /// Path of a JSON key, as in `creatorDefined.fmadapter.alpha`.
    public var key: String?
    /// Line of a text file, from 1.
    public var line: Int?
    /// Name of a tensor.
    public var tensor: String?
    /// Bytes from the start of the file.
    public var offset: Int?

    /// A place in `file`.
    public init(
      _ file: String, key: String? = nil, line: Int? = nil, tensor: String? = nil,
      offset: Int? = nil
    ) {
      self.file = file
      self.key = key
      self.line = line
      self.tensor = tensor
      self.offset = offset
    }
  }
}

extension Finding.Place: CustomStringConvertible {
  /// File, line, key, tensor and byte, those that are known, separated by commas.
  public var description: String {
    [
      file, line.map { "line \($0)" }, key, tensor,
      offset.map { "byte \(Figures.grouped($0))" },
    ].compactMap { $0 }.joined(separator: ", ")
  }
}

extension Finding: CustomStringConvertible {
  /// One line: severity, rule, place, message and remedy.
  public var description: String {
    "\(severity.rawValue): \(place): \(message) [\(rule)] \(remedy)"
  }
}

extension [Finding] {
  /// Those for which something is refused.
  package var errors: [Finding] { filter { $0.severity == .error } }

  /// How many there are of each severity, the worst first; nil when there are none.
  package var counts: String? {
    let counts = Finding.Severity.allCases.compactMap { severity -> String? in
      let count = self.count { $0.severity == severity }
      return count == 0 ? nil : Figures.count(count, severity.rawValue)
    }
    return counts.isEmpty ? nil : counts.joined(separator: ", ")
  }
}
