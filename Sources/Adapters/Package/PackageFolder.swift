import Foundation
import TensorFiles

/// The entries of a package folder, none of them followed or opened.
struct PackageFolder: Sendable {
  /// One entry.
  struct Entry: Sendable, Equatable {
    let name: String
    let kind: FileSystem.Kind
    /// Bytes of a file.
    let size: Int
  }

  /// The path as it was given, without slashes at its end.
  let path: String
  /// All entries, ordered by name.
  let entries: [Entry]

  /// Name of the folder, also where the path ends in a dot.
  var name: String {
    let last = FilePath.name(of: path)
    guard last == "." || last == ".." else { return last }
    return URL(fileURLWithPath: path).standardizedFileURL.lastPathComponent
  }

  /// The entry `name`, compared byte by byte.
  func entry(_ name: String) -> Entry? {
    entries.first { $0.name.utf8.elementsEqual(name.utf8) }
  }

  /// Whether `name` is a regular file here.
  func hasFile(_ name: String) -> Bool { entry(name)?.kind == .file }

  /// Path of the entry `name`.
  func path(of name: String) -> String { "\(path)/\(name)" }
}

extension PackageFolder {
  /// Lists the folder at `path`; nil when something else is there.
  ///
  /// - Throws: `AdapterError.notFound`, or `.file` when it cannot be listed.
  init?(listing path: String) throws(AdapterError) {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    // The caller may name the package by a link; only the entries must not be any.
    let kinds = try filing { () throws(TensorFileError) in
      (try FileSystem.info(path)?.kind, try FileSystem.info(path + "/.")?.kind)
    }
    guard kinds.0 != nil else { throw .notFound(path: path) }
    guard kinds.1 == .directory else { return nil }
    self.path = path
    entries = try filing { () throws(TensorFileError) in
      try FileSystem.list(path).map { entry throws(TensorFileError) in
        let size = try FileSystem.info("\(path)/\(entry.name)")?.size ?? 0
        return Entry(name: entry.name, kind: entry.kind, size: size)
      }
    }
  }
}
