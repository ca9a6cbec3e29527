import TensorFiles

/// Nothing is in the folder that does not belong there.
enum PackageExtraRule {
  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    package.folder.entries.filter { entry in
      (entry.kind == .file || entry.kind == .directory)
        && !PackageFile.known.contains(entry.name)
        && !isMisspelt(entry.name, package.folder)
    }.map {
      Finding(
        "package.extra", .warning, at: .init(printable($0.name)),
        $0.kind == .directory
          ? "The folder is no part of a package." : "The file is no part of a package.",
        remedy: "Remove it; it is neither installed nor published.")
    }
  }

  /// Whether another rule already asks for this entry to be renamed.
  private static func isMisspelt(_ name: String, _ folder: PackageFolder) -> Bool {
    let right = name.lowercased()
    return PackageFile.required.contains(right) && folder.entry(right) == nil
  }
}
