import Adapters
import FoundationEssentials
import SystemFiles

/// What a command that writes a package is told about it.
enum PackageOptions {
  static let name = Option(
    "--name", .text("name"), "Name of the adapter (default: that of the package's folder)")
  static let author = Option("--author", .text, "Author, for the package's metadata")
  static let description = Option(
    "--description", .text, "What the adapter does, for the package's metadata")
  static let license = Option(
    "--license", .text, "Licence of the weights, for the package's metadata")
  static let version = Option(
    "--package-version", .version, "Version of the package, such as 1.0.0")
}

/// Names of packages that a command writes.
enum PackageName {
  /// A path in the current folder for what is made of the file or folder at `source`.
  static func usual(for source: String) -> String {
    let full = URL(fileURLWithPath: source).standardizedFileURL.lastPathComponent
    let stem = full.hasPrefix(".") ? full : String(full.prefix { $0 != "." })
    let name = stem.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    return String(name) + PackageFile.suffix
  }

  /// The name of the folder at `path` without its ending.
  static func of(_ path: String) -> String {
    let name = FilePath.name(of: path)
    return name.hasSuffix(PackageFile.suffix)
      ? String(name.dropLast(PackageFile.suffix.count)) : name
  }

  /// Refuses a place where something stands that was not said to go, before any work is done for it.
  static func check(_ path: String, replaces: Bool) throws {
    let path = PackageFile.path(path)
    if !replaces, try FileSystem.info(path) != nil { throw AdapterError.exists(path: path) }
  }

  /// The name, unless no adapter can have it.
  static func checked(
    _ name: String, _ signature: String, _ invocation: Invocation
  ) throws -> String {
    guard AdapterIdentifier(name: name, signature: signature) != nil else {
      throw invocation.conflict(
        "'\(name)' cannot be the name of an adapter"
          + "\(remedy: "give ASCII letters, digits and underscores with --name")")
    }
    return name
  }
}
