/// The author says something about the adapter, so that two of them can be told apart.
enum CreatorRule {
  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    guard let metadata = package.metadata, let object = metadata.object,
      object["creatorDefined"]?.object?.isEmpty ?? (object["creatorDefined"] == nil)
    else { return [] }
    return [
      Finding(
        "identity.creator", .warning, at: metadata.place("creatorDefined"),
        "creatorDefined is empty: nothing tells this adapter from others of its name.",
        remedy: "Record version, training data and scores there.")
    ]
  }
}
