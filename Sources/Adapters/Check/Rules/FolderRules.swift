import SystemFiles

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

/// Both needed files are there, nothing is a link or has a name that is no text, and what the format names is a readable file.
enum PackageEntriesRule {
  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    missing(package) + names(package) + links(package) + kinds(package) + unreadable(package)
  }

  private static func missing(_ package: PackageReading) -> [Finding] {
    PackageFile.required.filter { package.folder.entry($0) == nil }.map { name in
      let similar = package.folder.entries.first { $0.name.text?.lowercased() == name }
      return similar.map { entry in
        Finding(
          "package.case", at: .init(entry.shown),
          "The name differs from \(name) in upper and lower case.",
          remedy: "Rename the file to \(name).")
      }
        ?? Finding(
          "package.missing", at: .init(name), "The file is missing.",
          remedy: "Copy or export the package again; both \(PackageFile.metadata) and "
            + "\(PackageFile.weights) are needed.")
    }
  }

  private static func names(_ package: PackageReading) -> [Finding] {
    package.folder.entries.filter { $0.name.text == nil }.map {
      Finding(
        "package.name", at: .init($0.shown), "The name is not UTF-8.",
        remedy: "Rename or remove it; no catalog and no receipt could list it.")
    }
  }

  private static func links(_ package: PackageReading) -> [Finding] {
    package.folder.entries.filter { $0.kind == .symbolicLink }.map {
      Finding(
        "package.link", at: .init($0.shown), "The entry is a symbolic link.",
        remedy: "Put the file itself into the package; links are never followed.")
    }
  }

  private static func kinds(_ package: PackageReading) -> [Finding] {
    package.folder.entries.filter {
      switch $0.kind {
      case .file, .symbolicLink: false
      case .directory: PackageFile.known.contains($0.name)
      case .other: true
      }
    }.map {
      Finding(
        "package.entry", at: .init($0.shown),
        $0.kind == .directory
          ? "The entry is a folder, not a file." : "The entry is no regular file.",
        remedy: "Replace it by the file, or remove it.")
    }
  }

  private static func unreadable(_ package: PackageReading) -> [Finding] {
    package.unreadable.map { name, error in
      Finding(
        "package.unreadable", at: .init(name), "\(error.text.problem).",
        remedy: error.remedySentence ?? "Make the file readable for this user.")
    }
  }
}

extension PackageFolder.Entry {
  /// The name as findings have it.
  fileprivate var shown: String { printable("\(name)") }
}

extension FileError {
  /// What to do, as findings say it; nil where there is nothing.
  var remedySentence: String? {
    remedy.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." }
  }
}

/// Nothing is in the folder that does not belong there.
enum PackageExtraRule {
  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    package.folder.entries.filter { entry in
      guard let name = entry.name.text, entry.kind == .file || entry.kind == .directory else {
        return false
      }
      return !PackageFile.known.contains(name) && !isMisspelt(name, package.folder)
    }.map {
      Finding(
        "package.extra", .warning, at: .init($0.shown),
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
