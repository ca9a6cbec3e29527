/// The folder's name ends in `.fmadapter`.
enum PackageNameRule {
  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    let name = package.folder.name
    guard !name.hasSuffix(PackageFile.suffix) else { return [] }
    return [
      Finding(
        "package.suffix", at: .init(printable(name)),
        "The folder's name does not end in \(PackageFile.suffix).",
        remedy: "Rename the folder to \(printable(name))\(PackageFile.suffix).")
    ]
  }

  /// What is at the path is no folder at all.
  static func notAFolder(_ path: String) -> Finding {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return Finding(
      "package.folder", at: .init(printable(name)), "A package is a folder; this is none.",
      remedy: "Give the folder that holds \(PackageFile.metadata) and \(PackageFile.weights); "
        + "unpack an archive first.")
  }
}
