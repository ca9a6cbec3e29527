import JSON
import SystemFiles

/// A folder in which programs look for adapters by name, each of which is a folder of PEFT.
///
/// The directory is the index: a file in each folder tells what was put there from what is somebody else's, and is as whole as it. An
/// adapter comes and is replaced by one rename, so that whoever looks finds the old one or the new one. The shelf is held
/// until this value goes away.
public struct AdapterShelf: Sendable {
  /// What putting an adapter there came to.
  public enum Change: String, Sendable {
    case added, replaced, unchanged
  }

  /// Path of the folder.
  public let path: String
  private let lock: FileLock

  /// The file that tells what was put there.
  static let mark = "fmadapter.json"

  /// Opens the folder at `path`, which is made where it is missing; nil while another process changes it.
  ///
  /// - Throws: `InterchangeError.file`.
  public init?(path: String) throws(InterchangeError) {
    let lock = try filing { () throws(FileError) -> FileLock? in
      if try FileSystem.info(path) == nil { try FileSystem.createDirectory(path) }
      return try FileLock(directory: path)
    }
    guard let lock else { return nil }
    (self.path, self.lock) = (path, lock)
    // What a kill has left is nobody's while this process has the lock.
    for name in try names() where FormFolder.isUnfinished(name) { try remove(name) }
  }

  /// Puts an adapter there in the form of PEFT, as `name`.
  ///
  /// - Throws: `InterchangeError.holdsOthers` where something stands there that was not put there, or has other files; `.file`.
  public func put(
    _ adapter: ExportedAdapter, as name: String
  ) throws(InterchangeError) -> Change {
    precondition(adapter.form == .peft, "a shelf has adapters of PEFT")
    let place = FilePath.join(path, name)
    let isThere = try filing { () throws(FileError) in try FileSystem.info(place) != nil }
    guard !isThere || isOurs(name) else { throw .holdsOthers(path: path, name: name) }
    let mark = JSONValue.object(["format": .string("fmadapter.shelf.1")])
    let isNew = try FormFolder.write(place, replacing: isThere) { folder throws(InterchangeError) in
      try adapter.fill(folder)
      try filing { () throws(FileError) in
        try AtomicFile.write(
          Array((mark.text + "\n").utf8), to: FilePath.join(folder, Self.mark))
      }
    }
    return isNew ? isThere ? .replaced : .added : .unchanged
  }

  /// Removes what was put there under other names than `names`.
  ///
  /// - Returns: The names of what is gone, in order.
  /// - Throws: `InterchangeError.file`.
  public func keep(only names: Set<String>) throws(InterchangeError) -> [String] {
    let others = try self.names().filter { !names.contains($0) && isOurs($0) }.sorted()
    for name in others { try remove(name) }
    return others
  }

  private func names() throws(InterchangeError) -> [String] {
    try filing { () throws(FileError) in try FileSystem.list(path).compactMap(\.name.text) }
  }

  private func isOurs(_ name: String) -> Bool {
    FileSystem.kind(of: FilePath.join(path, name)) == .directory
      && FileSystem.kind(of: FilePath.join(path, name + "/" + Self.mark)) == .file
  }

  /// Removes a folder, which is gone from its name at once.
  private func remove(_ name: String) throws(InterchangeError) {
    try filing { () throws(FileError) in
      let aside = FormFolder.unfinished(in: path)
      try FileSystem.rename(FilePath.join(path, name), to: aside)
      try FileSystem.removeTree(aside)
    }
  }
}
