import TensorFiles

/// Both needed files are there, nothing is a link, and what the format names is a readable file.
enum PackageEntriesRule {
  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    missing(package) + links(package) + kinds(package) + unreadable(package)
  }

  private static func missing(_ package: PackageReading) -> [Finding] {
    PackageFile.required.filter { package.folder.entry($0) == nil }.map { name in
      let similar = package.folder.entries.first { $0.name.lowercased() == name }
      return similar.map { entry in
        Finding(
          "package.case", at: .init(printable(entry.name)),
          "The name differs from \(name) in upper and lower case.",
          remedy: "Rename the file to \(name).")
      }
        ?? Finding(
          "package.missing", at: .init(name), "The file is missing.",
          remedy: "Copy or export the package again; both \(PackageFile.metadata) and "
            + "\(PackageFile.weights) are needed.")
    }
  }

  private static func links(_ package: PackageReading) -> [Finding] {
    package.folder.entries.filter { $0.kind == .symbolicLink }.map {
      Finding(
        "package.link", at: .init(printable($0.name)), "The entry is a symbolic link.",
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
        "package.entry", at: .init(printable($0.name)),
        $0.kind == .directory
          ? "The entry is a folder, not a file." : "The entry is no regular file.",
        remedy: "Replace it by the file, or remove it.")
    }
  }

  private static func unreadable(_ package: PackageReading) -> [Finding] {
    package.unreadable.map { name, error in
      Finding(
        "package.unreadable", at: .init(name), "\(error).",
        remedy: "Make the file readable for this user.")
    }
  }
}
