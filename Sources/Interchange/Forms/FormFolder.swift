import Adapters
import SystemFiles

/// Folders that appear under their name complete, or not at all.
enum FormFolder {
  /// What a folder that is replaced may have: with anything else it is not one that was written here.
  private static let names: Set<String> = [
    ForeignForm.configurationName, ForeignForm.peftWeights, ForeignForm.mlxWeights,
    AdapterShelf.mark,
  ]

  /// Whether `name` is that of a folder on its way, which a kill may have left.
  static func isUnfinished(_ name: String) -> Bool {
    name.hasPrefix(prefix) && name.hasSuffix(suffix)
  }

  /// A name in `parent` that nobody looks for.
  static func unfinished(in parent: String) -> String {
    FilePath.join(parent, prefix + FilePath.randomName() + suffix)
  }

  private static let (prefix, suffix) = (".fmadapter.", ".partial")

  /// Writes what `fill` puts into a folder to `path`; one that has the same files already stays.
  ///
  /// - Returns: Whether something else stands there now.
  static func write(
    _ path: String, replacing: Bool,
    _ fill: (_ folder: String) throws(InterchangeError) -> Void
  ) throws(InterchangeError) -> Bool {
    let kind = try filing { () throws(FileError) in try FileSystem.info(path)?.kind }
    if let kind {
      guard replacing else { throw .exists(path: path) }
      guard kind == .directory else {
        throw .holdsOthers(path: path, name: FilePath.name(of: path))
      }
      let found = try filing { () throws(FileError) in try FileSystem.list(path).map(\.name) }
      if let other = found.first(where: { !names.contains($0) }) {
        throw .holdsOthers(path: path, name: "\(other)")
      }
    }
    let work = unfinished(in: FilePath.parent(of: path))
    do throws(InterchangeError) {
      try filing { () throws(FileError) in try FileSystem.createDirectory(work) }
      try fill(work)
      if kind != nil, try areSame(work, path) {
        try filing { () throws(FileError) in try FileSystem.removeTree(work) }
        return false
      }
      try packaging { () throws(AdapterError) in
        try AdapterWriter.publish(work, at: path, replacing: replacing)
      }
      return true
    } catch {
      if case .package(let fault) = error {
        AdapterWriter.discard(work, after: fault)
      } else {
        try? FileSystem.removeTree(work)
      }
      throw error
    }
  }

  /// Whether two folders have the same files, byte by byte.
  private static func areSame(_ first: String, _ second: String) throws(InterchangeError) -> Bool {
    try filing { () throws(FileError) in
      let names = try FileSystem.list(first).map(\.name)
      guard try Set(FileSystem.list(second).map(\.name)) == Set(names) else { return false }
      for name in names {
        let (ours, theirs) = (try FilePath.join(first, name), try FilePath.join(second, name))
        guard try SHA256.hex(ofFile: ours) == SHA256.hex(ofFile: theirs) else { return false }
      }
      return true
    }
  }
}
