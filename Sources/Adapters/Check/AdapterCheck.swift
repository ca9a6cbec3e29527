import SystemFiles

/// Holds a package against every rule of the format and reports all that it finds.
///
/// Reading goes on after an error wherever the rest can still be read. Nothing is ever written or removed.
/// Rules: the format's own reference, Apple's exporter and coremltools' blob storage.
public enum AdapterCheck {
  /// How much is looked at.
  public enum Depth: Sendable {
    /// Every rule.
    case complete
    /// What decides whether the adapter may be used: all but the norms of pairs that cannot have diverged, which only lead to
    /// warnings, and its signature, which installation has looked at.
    case usability
  }

  /// Checks the package at `path`, and against `base` if one is stated.
  ///
  /// - Throws: `AdapterError.notFound` or `.file` when there is nothing to look at, or when the system has no descriptor or
  ///   memory left to look. A bad package is no error here but a report.
  public static func run(
    package path: String, for base: BaseContract? = nil, depth: Depth = .complete
  ) throws(AdapterError) -> CheckReport {
    try examine(path, base: base, depth: depth).report
  }

  /// The report together with what was read; nil instead of the latter when there is no folder.
  static func examine(
    _ path: String, base: BaseContract?, depth: Depth
  ) throws(AdapterError) -> (report: CheckReport, package: PackageReading?) {
    guard let folder = try PackageFolder(listing: path) else {
      return (CheckReport(package: path, findings: [PackageNameRule.notAFolder(path)]), nil)
    }
    let package = try filing { () throws(FileError) in
      try PackageReading(folder, base: base, depth: depth)
    }
    let findings = PackageRules.findings(in: package)
    // What was found in a file that is being written says nothing about it.
    try filing { () throws(FileError) in try package.checkUnchanged() }
    return (CheckReport(package: path, findings: findings), package)
  }
}

/// The rules that a package is held against, in the order of their findings.
enum PackageRules {
  static let all: [@Sendable (PackageReading) -> [Finding]] = [
    PackageNameRule.findings,
    PackageEntriesRule.findings,
    PackageExtraRule.findings,
    { $0.metadata.map { MetadataRules.findings(in: $0) } ?? [] },
    CreatorRule.findings,
    { $0.scan.map { ContainerRule.findings(in: $0, file: PackageFile.weights) } ?? [] },
    WeightTypeRule.findings,
    WeightLayoutRule.findings,
    FiniteValuesRule.findings,
    TrainedValuesRule.findings,
    DivergedRule.findings,
    NormOutlierRule.findings,
    WeightDigestRule.findings,
    CompatibilityRule.findings,
    InvocationRule.findings(in:),
    DraftRule.findings,
    DraftModelRule.findings,
    SuffixRule.findings,
    { $0.draft.map { ContainerRule.findings(in: $0, file: PackageFile.draftWeights) } ?? [] },
    { $0.signatureFindings },
  ]

  /// Findings of one rule that are named; a hostile file can have millions.
  static let limit = 1000

  static func findings(in package: PackageReading) -> [Finding] {
    all.flatMap { limited($0(package)) }
  }

  private static func limited(_ findings: [Finding]) -> [Finding] {
    guard findings.count > limit, let last = findings.last else { return findings }
    // The worst first, so that none of the errors is lost behind a thousand notes.
    let sorted = Finding.Severity.allCases.flatMap { severity in
      findings.filter { $0.severity == severity }
    }
    return sorted.prefix(limit) + [
      Finding(
        "check.limit", .note, at: .init(last.place.file),
        "\(Figures.grouped(findings.count - limit)) further findings of this kind are left out.",
        remedy: "Repair what is named, then check again.")
    ]
  }
}

/// The rules that a metadata file is held against, in the order of their findings.
enum MetadataRules {
  static let all: [@Sendable (MetadataReading) -> [Finding]] = [
    MetadataTextRule.findings,
    MetadataKeysRule.findings,
    IdentifierRule.findings,
    SignatureRule.findings,
    RankRule.findings,
    SettingsRule.findings,
  ]

  static func findings(in metadata: MetadataReading) -> [Finding] {
    all.flatMap { $0(metadata) }
  }
}
