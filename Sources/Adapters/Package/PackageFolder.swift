import FoundationEssentials
import SystemFiles

/// The entries of a package folder, none of them followed or opened.
struct PackageFolder: Sendable {
  /// One entry.
  struct Entry: Sendable, Equatable {
    let name: FileName
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
    entries.first { $0.name == FileName(name) }
  }

  /// Whether `name` is a regular file here.
  func hasFile(_ name: String) -> Bool { entry(name)?.kind == .file }

  /// Path of the entry `name`.
  func path(of name: String) -> String { "\(path)/\(name)" }
}

extension PackageFolder {
  /// Lists the folder at `path`; nil when something else is there.
  ///
  /// - Throws: `AdapterError.notFound`, or `.file` when it cannot be listed, or is a pointer of Git LFS.
  init?(listing path: String) throws(AdapterError) {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    // The caller may name the package by a link; only the entries must not be any.
    let kinds = try filing { () throws(FileError) in
      (try FileSystem.info(path)?.kind, try FileSystem.info(path + "/.")?.kind)
    }
    guard kinds.0 != nil else { throw .notFound(path: path) }
    guard kinds.1 == .directory else {
      do throws(FileError) { _ = try FileReader(path: path) } catch {
        // What a clone without Git LFS has in place of an archive; all else is no folder, whatever it is.
        if case .isPointer = error { throw .file(error) }
      }
      return nil
    }
    self.path = path
    entries = try filing { () throws(FileError) in
      try FileSystem.list(path).map { entry throws(FileError) in
        let size = try FileSystem.info(RawPath(path).appending(entry.name))?.size ?? 0
        return Entry(name: entry.name, kind: entry.kind, size: size)
      }
    }
  }
}

/// The names of the files of a package.
public enum PackageFile {
  /// Who the adapter is and which base it needs.
  public static let metadata = "metadata.json"
  /// The low-rank pairs, in MIL blob storage.
  public static let weights = "adapter_weights.bin"
  /// Apple's draft model, a MIL program in text.
  public static let draftProgram = "draft.mil"
  /// The weights of Apple's draft model, in MIL blob storage.
  public static let draftWeights = "draft_weights.bin"
  /// Our draft model: a whole small model.
  public static let draftModel = "draft.gguf"
  /// Texts like those that the adapter writes, for guesses without a model.
  public static let suffixes = "draft_suffixes.bin"
  /// Who signed the other files: a bundle of OpenSSF model signing.
  public static let signature = "model.sig"

  /// The end of a package's name.
  public static let suffix = ".fmadapter"

  /// Where a package is written that is to be called `path`: with the end that names have.
  package static func path(_ path: String) -> String {
    let path = FilePath.trimmed(path)
    return path.hasSuffix(suffix) ? path : path + suffix
  }

  /// The files that every package has.
  package static let required = [metadata, weights]
  /// The files that belong in a package.
  package static let known = [
    metadata, weights, draftProgram, draftWeights, draftModel, suffixes, signature,
  ]
}
