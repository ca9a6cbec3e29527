/// The weights are those whose digest the author recorded.
enum WeightDigestRule {
  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    let recorded = package.metadata?.settings?["weightsSHA256"]?.string
    guard let recorded, let actual = package.weightsDigest, recorded != actual,
      recorded.utf8.count == 64, recorded.utf8.allSatisfy(isLowercaseHex)
    else { return [] }
    return [
      Finding(
        "identity.weights", .error, .integrity, at: .init(PackageFile.weights),
        "The SHA-256 is \(actual); \(PackageFile.metadata) records \(recorded).",
        remedy: "Get the package again from its source: the weights are not the ones that were "
          + "measured.")
    ]
  }
}
