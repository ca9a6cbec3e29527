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
