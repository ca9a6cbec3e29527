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

  static func findings(in package: PackageReading) -> [Finding] {
    all.flatMap { $0(package) }
  }
}
