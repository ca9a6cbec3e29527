import JSON

/// The adapter is for the stated base.
enum CompatibilityRule {
  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    guard let metadata = package.metadata, let signature = metadata.signature else { return [] }
    guard let base = package.base else { return apple(signature, metadata) }
    guard signature == base.signature else {
      return [
        Finding(
          "compatibility.signature", .error, .compatibility,
          at: metadata.place("baseModelSignature"),
          "The adapter is for the base \(signature); the stated base is \(base.signature).",
          remedy: signature == BaseContract.appleSignature
            ? "It needs Apple's on-device model of OS 26, whose weights are Apple's alone."
            : "Use the base that it was trained on, or an adapter for this base.")
      ]
    }
    let architecture = metadata.settings?["architecture"]?.string
    guard let architecture, architecture != base.architecture else { return [] }
    return [
      Finding(
        "compatibility.architecture", .error, .compatibility,
        at: metadata.place("creatorDefined.fmadapter.architecture"),
        "The adapter is for the architecture \(printable(architecture)); the base is "
          + "\(printable(base.architecture)).",
        remedy: "Correct the architecture, or use the base that the adapter was trained on.")
    ]
  }

  /// Without a stated base, the one that is needed is at least named.
  private static func apple(_ signature: String, _ metadata: MetadataReading) -> [Finding] {
    guard signature == BaseContract.appleSignature else { return [] }
    var findings = [
      Finding(
        "compatibility.apple", .note, .compatibility, at: metadata.place("baseModelSignature"),
        "The adapter needs Apple's on-device model of OS 26 (adapter training toolkit 26.0.0).",
        remedy: "Run it on OS 26; everywhere else it can be checked, stored and hosted.")
    ]
    if metadata.metadata?.settings.invocation != nil {
      findings.append(
        Finding(
          "compatibility.activated", .warning, .compatibility,
          at: metadata.place("creatorDefined.fmadapter.invocationTokens"),
          "The adapter begins at its invocation; OS 26 would apply it to all tokens.",
          remedy: "Expect other answers there; train one without an invocation for OS 26."))
    }
    if let rank = metadata.rank, rank != 32 {
      findings.append(
        Finding(
          "compatibility.rank", .warning, .compatibility, at: metadata.place("loraRank"),
          "The rank is \(rank); Apple's toolkit trains and exports rank 32 only.",
          remedy: "Expect OS 26 to refuse it; train with rank 32."))
    }
    return findings
  }
}
