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
    NormOutlierRule.findings,
    WeightDigestRule.findings,
    CompatibilityRule.findings,
    DraftRule.findings,
    { $0.draft.map { ContainerRule.findings(in: $0, file: PackageFile.draftWeights) } ?? [] },
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
        "\(findings.count - limit) further findings of this kind are left out.",
        remedy: "Repair what is named, then check again.")
    ]
  }
}
